package ccode

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/inputs"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestRealNames uses names of features and classes that equal the templates' placeholder for the module, and names
// that end strings and comments. The names must appear in the files unchanged or, in a comment, in a safe form.
func TestRealNames(t *testing.T) {
	n := netgen.FrozenNetlist(1, netgen.FrozenOptions{Features: 3, Classes: 2}, netlist.Full, 0)
	opt := Options{Inputs: &inputs.Table{
		Max: 255, Scaled: true, Classes: []string{"MACRO_CLASSES", `"*/`},
		Features: []inputs.Feature{{Name: "LAST_NAME_x", Scale: 4}, {Name: "LARGEST", Scale: 2}, {Name: "LINES */ ??/", Scale: 3}},
	}}
	for _, test := range []struct {
		write func(io.Writer, *netlist.Netlist, Options) error
		want  []string
	}{
		{WriteHeader, []string{"  LAST_NAME_x\n", "  LARGEST\n", "  LINES ?/ ? ?/\n"}},
		{WriteOneHeader, []string{"  LAST_NAME_x\n", "  LARGEST\n", "/* LINES ?/ ? ?/ */\n", " word f of words:\n"}},
		{Write, []string{
			"/* LAST_NAME_x */\n", "/* LARGEST */\n", `    "LAST_NAME_x",`, `    "LINES */ \077\077/",`, `    "MACRO_CLASSES",`, `    "\"*/",`,
		}},
	} {
		var b bytes.Buffer
		if err := test.write(&b, n, opt); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %q in\n%s", want, b.String())
			}
		}
	}
}

// TestOneReal compiles and runs the self-test of the code that takes real values, one sample at a time. Feature words
// of one bit are passed as bits.
func TestOneReal(t *testing.T) {
	needGCC(t)
	for bits, cuts := range map[int]bool{8: false, 1: false, 2: true} {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			o := netgen.FrozenOptions{Features: 37, Bits: 2, BitsIn: bits, Classes: 2, Width: 8}
			n := netgen.FrozenNetlist(1, o, netlist.Full, 0)
			dir := t.TempDir()
			for suffix, write := range oneWriters {
				var b bytes.Buffer
				if err := write(&b, n, Options{Inputs: realTable(37, uint32(1)<<bits-1, cuts)}); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, n.Name+suffix), b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := slices.Concat(processors["native"].compiler, warnings,
				[]string{"-o", "selftest", n.Name + "_one.c", n.Name + "_one_selftest.c"})
			if out, err := command(t, dir, args...); err != nil || out != "" {
				t.Fatalf("%v\n%s", err, out)
			}
			if out, err := command(t, dir, "./selftest"); err != nil || out != "PASS: 100 samples\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// realTable returns a table of features with trial values. The features are scaled to at most max, or converted by
// cuts. Every third feature may have missing values.
func realTable(features int, max uint32, byCuts bool) *inputs.Table {
	t := &inputs.Table{Max: max, Scaled: true, ByCuts: byCuts, Classes: []string{"a", "b"}}
	for f := range features {
		t.Features = append(t.Features, inputs.Feature{
			Name: fmt.Sprint("f", f), Offset: 1, Scale: 2, Missing: f%3 == 0, Fill: 1, Cuts: []float64{-1, 0.5, 0.5},
		})
	}
	words := map[float64]uint16{-1e300: 0, 0: 0, 1: 0, 1.2: 0, 1.25: 1, 1.5: 1, 1.75: 2, 2: 2, 129: 255, 1e300: 255}
	if byCuts {
		words = map[float64]uint16{-1e300: 0, -1: 0, -0.5: 1, 0.5: 1, 0.6: 3, 1e300: 3}
	}
	for _, x := range slices.Sorted(maps.Keys(words)) {
		t.Trials = append(t.Trials, inputs.Trial{
			Values: slices.Repeat([]float64{x}, features),
			Words:  slices.Repeat([]uint16{min(words[x], uint16(max))}, features),
		})
	}
	return t
}
