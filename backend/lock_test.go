package backend

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ialgn/internal/outfile"
	"ialgn/netlist"
)

// TestWriteTogether has several goroutines write two different products into one folder at the same time. At the end,
// and at any time when a manifest exists, the folder must be the output of exactly one goroutine.
func TestWriteTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	products := []Product{product(t, "first", netlist.Gates, 1), product(t, "second", netlist.Core, 2)}
	products[0].Emit = []string{"blif"}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 2 {
				if _, err := Write(context.Background(), dir, products[i%2]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	o, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for name := range contents(t, dir) {
		if other := map[string]string{"first": "second", "second": "first"}[o.Manifest.Module]; strings.HasPrefix(name,
			other) {
			t.Errorf("%s is in the folder of %s", name, o.Manifest.Module)
		}
	}
	if n := len(contents(t, dir)); n != len(o.Manifest.Files)+1 {
		t.Errorf("%d files, the manifest names %d", n, len(o.Manifest.Files))
	}
}

// TestStaleStage checks that the leftovers of a killed process are removed, and that the files of a process that is
// still writing are kept.
func TestStaleStage(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".ialgn-1", ".ialgn-2", "mine"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "half"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	busy, err := outfile.LockFolder(filepath.Join(dir, ".ialgn-2"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Release()
	write(t, dir, product(t, "net", netlist.Gates, 1))
	for name, there := range map[string]bool{".ialgn-1": false, ".ialgn-2": true, "mine": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}
