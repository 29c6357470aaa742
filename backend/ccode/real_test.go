package ccode

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/backend/inputs"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/trainer/encoding"
)

// TestRealNames has features and classes be called as what stands for the module in our templates, and as what ends
// strings and comments: their names stand in the files as they are, or as a comment may have them.
func TestRealNames(t *testing.T) {
	n := frozen(t, netlist.Full, netgen.FrozenOptions{Features: 3, Classes: 2})
	opt := Options{Inputs: &inputs.Table{
		Max: 255, Scaled: true, Classes: []string{"MACRO_CLASSES", `"*/`},
		Features: []inputs.Feature{{Name: "LAST_NAME_x", Scale: 1}, {Name: "LARGEST", Scale: 2}, {Name: "LINES */ ??/", Scale: 3}},
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

// TestOneReal compiles and runs the self-test of the form for one sample of real values, which come as words and, where
// a word has one bit, as bits.
func TestOneReal(t *testing.T) {
	needGCC(t)
	for bits, cuts := range map[int][]float64{8: nil, 1: nil, 2: {-1, 0.5, 0.5}} {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			n := frozen(t, netlist.Full, netgen.FrozenOptions{Features: 37, Bits: 2, BitsIn: bits, Classes: 2, Width: 8})
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

// realTable returns a table of features by scales or, if there are some, by cuts, with trials of it. Each third value
// may be missing.
func realTable(features int, max uint32, cuts []float64) *inputs.Table {
	t := &inputs.Table{Max: max, Scaled: true, ByCuts: cuts != nil, Classes: []string{"a", "b"}}
	q := &encoding.Quantiser{}
	for f := range features {
		q.Offset, q.Scale = append(q.Offset, float64(f)-3), append(q.Scale, float64(f%4)/2)
		t.Features = append(t.Features, inputs.Feature{
			Name: fmt.Sprint("f", f), Offset: q.Offset[f], Scale: q.Scale[f], Missing: f%3 == 0, Cuts: cuts,
		})
		if cuts != nil {
			q.Cuts = append(q.Cuts, cuts)
		}
	}
	for _, x := range []float64{-1e300, -3, 0, 0.1, 0.5, 1, 2.5, 33, 1e300} {
		row := inputs.Trial{}
		for f := range features {
			row.Values, row.Words = append(row.Values, x), append(row.Words, q.Apply(f, x, max))
		}
		t.Trials = append(t.Trials, row)
	}
	return t
}
