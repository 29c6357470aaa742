package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/ccode"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestMeasure measures the network of docs/reference/netlist.md, whose classes can be computed by hand from two
// pixels. It also checks that a wrong class is found.
func TestMeasure(t *testing.T) {
	for _, program := range []string{"arm-none-eabi-gcc", "qemu-system-arm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%v: make tools", err)
		}
	}
	n, err := freeze.Network(netgen.Demo(), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for suffix, write := range map[string]func(io.Writer, *netlist.Netlist, ccode.Options) error{
		".c": ccode.Write, ".h": ccode.WriteHeader, "_one.c": ccode.WriteOne, "_one.h": ccode.WriteOneHeader,
	} {
		var text strings.Builder
		if err := write(&text, n, ccode.Options{}); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, n.Name+suffix), text.String())
	}
	vectors := filepath.Join(dir, n.Name+"_vectors.txt")
	writeFile(t, vectors, "ffff 0 1 0\n00ff 1 0 1\n807f 1 0 1\n7f7f 0 0 0\n") // pixel 1, pixel 0, class, counts
	var out strings.Builder
	if err := start(t.Context(), &out, []string{"-cpu", "cortex-m0", "-O", "s", "-board", "board", dir}); err != nil {
		t.Fatal(err)
	}
	for _, form := range forms {
		if !strings.Contains(out.String(), "| demo | `"+form.name+"` | cortex-m0 | -Os | ") {
			t.Errorf("no row of %s in\n%s", form.name, out.String())
		}
	}
	writeFile(t, vectors, "ffff 0 1 0\n00ff 0 0 1\n")
	err = start(t.Context(), io.Discard, []string{"-board", "board", dir})
	if err == nil || !strings.Contains(err.Error(), "1 of 2 classes are wrong") {
		t.Errorf("got error %v for vectors with a wrong class", err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
