package backend

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/netlist"
)

// writeText writes a file of a folder.
func writeText(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestWriteRemoves changes an old output before a new one replaces it. Write may remove a file only if the file is
// exactly as it was written, regardless of the manifest.
func TestWriteRemoves(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(t *testing.T, dir string)
		removed []string // in addition to the files removed in every case
		kept    []string
		there   []string // files that must exist afterwards
	}{
		{"nothing changed", func(*testing.T, string) {}, []string{"old.aig"}, nil, nil},
		{"edited", func(t *testing.T, dir string) { writeText(t, dir, "old.aig", "mine") }, nil, []string{"old.aig"}, []string{"old.aig"}},
		{"emptied", func(t *testing.T, dir string) { writeText(t, dir, "old.aig", "") }, nil, []string{"old.aig"}, []string{"old.aig"}},
		{"removed by the user", func(t *testing.T, dir string) { remove(dir, "old.aig") }, nil, nil, nil},
		{"a symbolic link to the same bytes", func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "old.aig"), filepath.Join(dir, "moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("moved", filepath.Join(dir, "old.aig")); err != nil {
				t.Fatal(err)
			}
		}, nil, []string{"old.aig"}, []string{"old.aig", "moved"}},
		{"a folder", func(t *testing.T, dir string) {
			remove(dir, "old.aig")
			if err := os.Mkdir(filepath.Join(dir, "old.aig"), 0o777); err != nil {
				t.Fatal(err)
			}
		}, nil, []string{"old.aig"}, []string{"old.aig"}},
		{"no digest", func(t *testing.T, dir string) {
			writeText(t, dir, "thesis.txt", "years")
			edit(t, dir, "manifest.json", `"files": [`, `"files": [{"name": "thesis.txt"},`)
		}, []string{"old.aig"}, []string{"thesis.txt"}, []string{"thesis.txt"}},
		{"a digest of a file of another name", func(t *testing.T, dir string) {
			writeText(t, dir, "thesis.txt", "years")
			edit(t, dir, "manifest.json", `"files": [`, `"files": [{"name": "thesis.txt", "size": 5, "sha256": "`+
				"1c50993b009c62dd6600bc0113d0424f9e8ffee8f7eddb0cdad9d4aad67eb4f6"+`"},`)
		}, []string{"old.aig"}, []string{"thesis.txt"}, []string{"thesis.txt"}},
		{"another case", func(t *testing.T, dir string) {
			writeText(t, dir, "OLD.aig", "mine")
			edit(t, dir, "manifest.json", `"name": "old.aig"`, `"name": "OLD.aig"`)
		}, nil, []string{"OLD.aig"}, []string{"OLD.aig", "old.aig"}},
		{"the manifest in its own list", func(t *testing.T, dir string) {
			edit(t, dir, "manifest.json", `"files": [`, `"files": [{"name": "manifest.json"},`)
		}, []string{"old.aig"}, nil, nil},
		{"a name twice", func(t *testing.T, dir string) {
			edit(t, dir, "manifest.json", `"files": [`, `"files": [{"name": "old.aig"}, {"name": "old.aig"},`)
		}, []string{"old.aig"}, nil, nil},
		{"no files", func(t *testing.T, dir string) {
			writeText(t, dir, "manifest.json", `{"format": 1, "module": "old", "files": []}`)
		}, nil, nil, []string{"old.aig"}},
		{"a hundred thousand files", func(t *testing.T, dir string) {
			edit(t, dir, "manifest.json", `"files": [`, `"files": [`+strings.Repeat(`{"name": "none"},`, 100_000))
		}, []string{"old.aig"}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			p := product(t, "old", netlist.Gates, 1)
			p.Emit = []string{"aiger"}
			write(t, dir, p)
			c.change(t, dir)
			var left Leftovers
			p = product(t, "later", netlist.Core, 2)
			p.Left = func(l Leftovers) { left = l }
			p.Guard = outfile.NewGuard(c.name == "no files") // a guard that has no record of report.json
			write(t, dir, p)
			all := slices.DeleteFunc(slices.Clone(left.Removed), func(name string) bool { return name != "old.aig" })
			if diff := cmp.Diff([][]string{c.removed, c.kept}, [][]string{all, left.Kept}, equalEmpty); diff != "" {
				t.Errorf("removed and kept (-want +got):\n%s", diff)
			}
			for _, name := range c.there {
				if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			if c.name != "no files" && !slices.Contains(left.Removed, "old.v") {
				t.Errorf("removed: %q, which lacks old.v", left.Removed)
			}
		})
	}
}

// equalEmpty makes nil lists equal to empty lists.
var equalEmpty = cmp.Transformer("list", func(l []string) string { return strings.Join(l, "\n") })

// TestWriteKeepsEdited checks that Write without force does not overwrite a file that the user changed or added. In
// this case, Write must leave the whole folder unchanged.
func TestWriteKeepsEdited(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string
	}{
		{"edited", func(t *testing.T, dir string) { writeText(t, dir, "net.v", "mine") }, "net.v: changed since compile wrote it"},
		{"report edited", func(t *testing.T, dir string) { writeText(t, dir, "report.json", "{}") }, "report.json: changed since"},
		{"netlist edited", func(t *testing.T, dir string) { writeText(t, dir, "net.netlist", "mine") }, "net.netlist: changed since"},
		{"a symbolic link", func(t *testing.T, dir string) {
			remove(dir, "net.v")
			if err := os.Symlink("elsewhere.v", filepath.Join(dir, "net.v")); err != nil {
				t.Fatal(err)
			}
		}, "net.v: exists and is no plain file"},
		{"a file of ialgn's name and no manifest", func(t *testing.T, dir string) { remove(dir, "manifest.json") }, "exists, but is not a file written by ialgn"},
		{"the manifest is a link", func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "manifest.json"), filepath.Join(dir, "m")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("m", filepath.Join(dir, "manifest.json")); err != nil {
				t.Fatal(err)
			}
		}, "manifest.json: exists and is no plain file"},
		{"a manifest with a path", func(t *testing.T, dir string) {
			edit(t, dir, "manifest.json", `"net.v"`, `"../net.v"`)
		}, "not a plain name in the folder"},
		{"emptied", func(t *testing.T, dir string) { writeText(t, dir, "net.v", "") }, ""},
		{"nothing changed", func(*testing.T, string) {}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, product(t, "net", netlist.Gates, 1))
			c.change(t, dir)
			before := lstats(t, dir)
			_, err := Write(context.Background(), dir, product(t, "net", netlist.Gates, 2))
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || message.Hint(err) == "" && !strings.Contains(err.Error(), "compile again") {
				t.Errorf("error %v, hint %q, want %q", err, message.Hint(err), c.want)
			}
			if diff := cmp.Diff(before, lstats(t, dir)); diff != "" {
				t.Errorf("folder (-before +after):\n%s", diff)
			}
			p := product(t, "net", netlist.Gates, 2)
			p.Guard = outfile.NewGuard(true)
			if _, err := Write(context.Background(), dir, p); err != nil {
				t.Errorf("with force: %v", err)
			}
		})
	}
}

// TestWriteKeepsFolders checks that Write does not replace a folder that has the name of an output file, even with
// force. In this case, Write must leave all other files unchanged.
func TestWriteKeepsFolders(t *testing.T) {
	for _, name := range []string{"net.v", "report.json", "manifest.json", "certificate.json"} {
		for _, force := range []bool{false, true} {
			dir := t.TempDir()
			write(t, dir, product(t, "net", netlist.Gates, 1))
			remove(dir, name)
			if err := os.MkdirAll(filepath.Join(dir, name, "mine"), 0o777); err != nil {
				t.Fatal(err)
			}
			before := lstats(t, dir)
			p := product(t, "net", netlist.Gates, 2)
			p.Guard = outfile.NewGuard(force)
			if _, err := Write(context.Background(), dir, p); err == nil || !strings.Contains(err.Error(), name+": ") {
				t.Errorf("%s, force %t: error %v", name, force, err)
			}
			if diff := cmp.Diff(before, lstats(t, dir)); diff != "" {
				t.Errorf("%s, force %t: folder (-before +after):\n%s", name, force, diff)
			}
		}
	}
}

// lstats returns the sizes and modes of a folder's entries, by name.
func lstats(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = info.Mode().String()
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[e.Name()] += string(text)
		}
	}
	return all
}
