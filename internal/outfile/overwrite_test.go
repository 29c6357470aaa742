package outfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// examples are the beginnings of files that ialgn writes, and of similar files. Other tests of the program check that
// ialgn writes no other forms.
var examples = []struct {
	form    outfile.Form
	ours    string
	notOurs []string
}{
	{form: outfile.ModelForm, ours: "\x40\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"config":"{}","format":"ialgn-model"`, notOurs: []string{
		`{"__metadata__":{"format":"ialgn-model"`, "\x40\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{"format":"pt"}`,
		"PK\x03\x04",
	}},
	{
		form: outfile.Log, ours: `{"time":"2026-01-01T00:00:00Z","seed":3,"epoch":1,"learning_rate":0.01,`,
		notOurs: []string{`{"time":"now","event":1}`, "1,2,3"},
	},
	{form: outfile.Dump, ours: "$version ialgn $end\n", notOurs: []string{"$date today $end\n$version Icarus $end"}},
	{
		form: outfile.Certificate, ours: "{\n  \"format\": 1,\n  \"ialgn\": \"0.1.0\",\n  \"time\": \"",
		notOurs: []string{`{"format": 1, "name": "x"}`},
	},
	{form: outfile.Any, notOurs: []string{"anything"}},
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestForeignFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, e := range examples {
		for _, text := range e.notOurs {
			write(t, path, text)
			err := outfile.NewGuard(false).Check(path, e.form)
			if err == nil || !strings.HasPrefix(err.Error(), path+": exists, but is not ") ||
				message.Hint(err) != "choose another name, or give Force" {
				t.Errorf("%.40q: error %v, hint %q", text, err, message.Hint(err))
			}
			if err := outfile.NewGuard(true).Check(path, e.form); err != nil {
				t.Errorf("%.40q with force: %v", text, err)
			}
		}
		write(t, path, e.ours)
		if err := outfile.NewGuard(false).Check(path, e.form); err != nil {
			t.Errorf("%.40q: %v", e.ours, err)
		}
	}
}

// TestFree checks that a path may always be written if there is no file, an empty file, or a file that is not
// regular.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	empty := write(t, filepath.Join(dir, "empty"), "")
	for _, path := range []string{filepath.Join(dir, "none"), empty, os.DevNull, dir, ""} {
		if err := outfile.NewGuard(false).Check(path, outfile.Any); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// TestInputs checks that an input is refused under any of its names, even if the input is empty or has the form of
// the output.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	in := write(t, filepath.Join(dir, "in"), "$version ialgn $end")
	none := write(t, filepath.Join(dir, "none"), "")
	soft, hard, other := filepath.Join(dir, "soft"), filepath.Join(dir, "hard"),
		write(t, filepath.Join(dir, "other"), "$version ialgn $end")
	if err := errors.Join(os.Symlink("in", soft), os.Link(in, hard)); err != nil {
		t.Fatal(err)
	}
	g := outfile.NewGuard(false, in, none, "", filepath.Join(dir, "missing"), dir)
	for _, path := range []string{in, soft, hard, none, filepath.Join(dir, "..", filepath.Base(dir), "in")} {
		if err := g.Check(path, outfile.Dump); err == nil || !strings.Contains(err.Error(), "an input of the command") {
			t.Errorf("%s: error %v", path, err)
		}
		if err := outfile.NewGuard(true, in, none).Check(path, outfile.Dump); err != nil {
			t.Errorf("%s with force: %v", path, err)
		}
	}
	if err := g.CheckAll(outfile.Outputs(outfile.Dump, other, in)); err == nil || !strings.HasPrefix(err.Error(), in+": ") {
		t.Errorf("the second of two: error %v", err)
	}
	if err := g.Check(other, outfile.Dump); err != nil {
		t.Error(err)
	}
}

// TestUnreadableFileIsRefused checks that a file is refused if its form cannot be read.
func TestUnreadableFileIsRefused(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "file"), "$version ialgn $end")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err == nil {
		t.Skip("root reads everything")
	}
	if err := outfile.NewGuard(false).Check(path, outfile.Dump); err == nil {
		t.Error("a file that cannot be read may be replaced, want an error")
	}
}

func TestDistinct(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a", "")
	for from, to := range map[string]string{"b": "a", "later": "new", "latest": "later", "round": "round"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		paths []string
		same  bool
	}{
		{[]string{"a", "c"}, false},
		{[]string{"", "", os.DevNull, os.DevNull}, false},
		{[]string{"a", "./a"}, true},
		{[]string{"a", "b"}, true},
		{[]string{"new", "x/../new"}, true},
		{[]string{"new", "later"}, true},
		{[]string{"latest", "./new"}, true},
		{[]string{"later", "other"}, false},
		{[]string{"round", "other"}, false},
	} {
		if err := outfile.Distinct(c.paths...); (err != nil) != c.same {
			t.Errorf("%q: error %v", c.paths, err)
		}
	}
}
