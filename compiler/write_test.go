package compiler

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// product returns a small product of the module name given, in a scope.
func product(t *testing.T, module string, scope netlist.Scope, seed uint64) Product {
	t.Helper()
	raw, err := netlist.Freeze(netgen.Frozen(seed, netgen.FrozenOptions{}), scope)
	if err != nil {
		t.Fatal(err)
	}
	n, passes, err := Optimise(context.Background(), raw, LevelRepeat)
	if err != nil {
		t.Fatal(err)
	}
	return Product{
		Netlist: n, GatesRaw: netlist.Measure(raw).Cells.Gates, Passes: passes,
		Started: time.Now().Add(-time.Second), Header: []string{"a test"},
		Manifest: Manifest{
			Version: "1.2.3", Module: module, Scope: scope.String(),
			Options: json.RawMessage(`{"O":2}`),
			Model:   ModelRef{"random", strings.Repeat("ab", 32)},
			Classes: []string{"0", "1", "<2>"},
			Data:    json.RawMessage(`{"set":"digits"}`),
			Encoder: json.RawMessage(`{"bits":4}`),
			Tools:   map[string]string{"yosys": "0.23"},
		},
	}
}

func write(t *testing.T, dir string, p Product) *Report {
	t.Helper()
	r, err := Write(context.Background(), dir, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// contents returns all files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func names(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }

// TestWrite holds what is in the folder, and that ReadDir gives it back.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	p := product(t, "tiny", netlist.Gates, 1)
	p.Emit = []string{"dot", "aiger", "verilog", "c"}
	report := write(t, dir, p)

	want := []string{"manifest.json", "report.json", "tiny.aig", "tiny.c", "tiny.dot", "tiny.h", "tiny.netlist", "tiny.v", "tiny_selftest.c", "tiny_tb.v"}
	files := contents(t, dir)
	if diff := cmp.Diff(want, names(files)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	o, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !o.Netlist.Equal(p.Netlist) {
		t.Error("the netlist read is not the one written")
	}
	if diff := cmp.Diff(*report, o.Report); diff != "" {
		t.Errorf("report (-written +read):\n%s", diff)
	}
	wantManifest := p.Manifest
	wantManifest.Format = ManifestFormat
	compact := cmp.Transformer("compact", func(m json.RawMessage) string { return strings.Join(strings.Fields(string(m)), "") })
	if diff := cmp.Diff(wantManifest, o.Manifest, compact, cmpopts.IgnoreFields(Manifest{}, "Files")); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	for format, head := range map[string]string{
		"verilog": "//", "testbench": "//", "netlist": "ialgn netlist 1\n", "aiger": "aig ", "dot": "strict digraph", "report": "{\n",
		"c": "//go:build ignore\n", "c-header": "//go:build ignore\n", "c-test": "//go:build ignore\n",
	} {
		path, err := o.Path(format)
		if err != nil {
			t.Error(err)
		} else if text := files[filepath.Base(path)]; !strings.HasPrefix(text, head) {
			t.Errorf("%s begins with %.20q, want %q", path, text, head)
		}
	}
}

// TestReport holds the keys that CLI.md promises, and the figures behind them.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	p := product(t, "tiny", netlist.Full, 1)
	r := write(t, dir, p)
	m := netlist.Measure(p.Netlist)
	want := &Report{
		Module: "tiny", Scope: "full", GatesRaw: 150, Gates: m.Cells.Gates, Cells: m.Cells, Kinds: m.Kinds,
		Levels: m.Levels, Passes: p.Passes,
	}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(Report{}, "Seconds", "PeakBytes")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Seconds < 1 || r.Seconds > 60 {
		t.Errorf("%g seconds, want a little more than the one before", r.Seconds)
	}
	var keys map[string]any
	if err := json.Unmarshal([]byte(contents(t, dir)["report.json"]), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"gates_raw", "gates", "levels", "seconds", "passes"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("report.json lacks %q", key)
		}
	}
	if levels, ok := keys["levels"].(map[string]any); !ok || levels["encoder"] != 1.0 || levels["head"] != 2.0 {
		t.Errorf("levels %v, want one of the encoder and two of the head", keys["levels"])
	}
}

func TestPeakBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "status")
	for _, c := range []struct {
		text string
		want int64
	}{
		{"Name:\tialgn\nVmPeak:\t  900 kB\nVmHWM:\t     123 kB\nVmRSS:\t 7 kB\n", 123 << 10},
		{"Name:\tialgn\n", 0},
		{"VmHWM:\tmuch\n", 0},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := peakBytes(path); got != c.want {
			t.Errorf("%q: %d bytes, want %d", c.text, got, c.want)
		}
	}
	if got := peakBytes(path + "-none"); got != 0 {
		t.Errorf("no file: %d bytes", got)
	}
}

// TestWriteAgain holds that a second output takes the first one's place, whole, and
// leaves what is not of an output alone.
func TestWriteAgain(t *testing.T) {
	dir := t.TempDir()
	p := product(t, "old", netlist.Gates, 1)
	p.Emit = []string{"aiger"}
	write(t, dir, p)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	write(t, dir, product(t, "later", netlist.Core, 2))
	want := []string{"later.netlist", "later.v", "later_tb.v", "manifest.json", "notes.txt", "report.json"}
	if diff := cmp.Diff(want, names(contents(t, dir))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if o, err := ReadDir(dir); err != nil {
		t.Error(err)
	} else if o.Manifest.Module != "later" {
		t.Errorf("module %q", o.Manifest.Module)
	}
}

// TestWriteFails holds that an error leaves the folder as it was.
func TestWriteFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		change func(*Product)
		want   string
	}{
		{"format that cannot express a kind", context.Background(), func(p *Product) { p.Emit = []string{"aiger"} }, "later.aig: aiger: cannot express argmax"},
		{"unknown format", context.Background(), func(p *Product) { p.Emit = []string{"dot", "vhdl"} }, `emit: format "vhdl" is unknown: give some of verilog, testbench, netlist, aiger, c, dot`},
		{"module name", context.Background(), func(p *Product) { p.Manifest.Module = "../evil" }, "module name: "},
		{"interrupted", cancelled, func(*Product) {}, "context canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := product(t, "later", netlist.Core, 2)
			c.change(&p)
			dir := t.TempDir()
			write(t, dir, product(t, "old", netlist.Core, 1))
			before := contents(t, dir)
			_, err := Write(c.ctx, dir, p)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("folder (-before +after):\n%s", diff)
			}
			fresh := filepath.Join(dir, "fresh")
			if _, err := Write(c.ctx, fresh, p); err == nil {
				t.Error("no error in a new folder")
			}
			if _, err := os.Stat(fresh); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a new folder was left behind: %v", err)
			}
		})
	}
}

// TestWriteInterrupted holds that a failure between the renames leaves no folder that
// looks whole, and nothing of the old output.
func TestWriteInterrupted(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, product(t, "old", netlist.Core, 1))
	if err := os.MkdirAll(filepath.Join(dir, "later.netlist", "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(context.Background(), dir, product(t, "later", netlist.Core, 2)); err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff([]string{"later.v", "later_tb.v"}, names(contents(t, dir))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("read: error %v", err)
	}
}

// TestWriteRefusesForeign holds that a manifest.json of something else is not
// overwritten.
func TestWriteRefusesForeign(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(`{"name": "a web page"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Write(context.Background(), dir, product(t, "later", netlist.Core, 2))
	if err == nil || !strings.Contains(err.Error(), "manifest format 0") {
		t.Errorf("error %v", err)
	}
}

// edit replaces text in a file of a folder, which must hold it.
func edit(t *testing.T, dir, name, old, new string) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), old, new, 1)
	if text == string(data) {
		t.Fatalf("%s has no %q", name, old)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestReadDirErrors breaks a folder in every way that the manifest shows. An edit
// without an old text removes the file.
func TestReadDirErrors(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"no manifest", "manifest.json", "", "", "no output folder of compile"},
		{"manifest that is no JSON", "manifest.json", "{", "[", "not a manifest of ialgn"},
		{"later format", "manifest.json", `"format": 1`, `"format": 2`, "manifest format 2, but this ialgn knows 1"},
		{"file outside", "manifest.json", `"tiny.v"`, `"../tiny.v"`, `file "../tiny.v" is not a plain name`},
		{"file missing", "tiny.v", "", "", "tiny.v cannot be read"},
		{"file changed", "tiny.v", "assign", "Assign", "tiny.v: changed since compile wrote it"},
		{"netlist changed", "tiny.netlist", "function", "functioN", "tiny.netlist: changed since"},
		{"report changed", "report.json", `"gates_raw": 150`, `"gates_raw": 15`, "report.json: changed since"},
		{"no netlist", "manifest.json", `"format": "netlist"`, `"format": "other"`, "holds no netlist file, only verilog, testbench, other, report"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, product(t, "tiny", netlist.Gates, 1))
			if c.old != "" {
				edit(t, dir, c.file, c.old, c.new)
			} else if err := os.Remove(filepath.Join(dir, c.file)); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestReadDirAsIs holds that changed files are told of and read all the same, as far
// as they can be.
func TestReadDirAsIs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, product(t, "tiny", netlist.Gates, 1))
	edit(t, dir, "report.json", `"gates_raw": 150`, `"gates_raw": 15`)
	edit(t, dir, "tiny.netlist", "name random", "name other")
	o, changed, err := ReadDirAsIs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(changed) != 2 || !strings.Contains(changed[0].Err.Error(), "tiny.netlist: changed") || !strings.Contains(changed[1].Err.Error(), "report.json: changed") {
		t.Errorf("changed: %v", changed)
	}
	if o.Netlist.Name != "other" {
		t.Errorf("read the name %q, want that of the changed file", o.Netlist.Name)
	}
	edit(t, dir, "tiny.netlist", "cells", "sells")
	if _, changed, err := ReadDirAsIs(dir); err == nil || len(changed) != 2 {
		t.Errorf("netlist of no meaning: error %v, changed %v", err, changed)
	}
}
