package encoder

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware/head"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// write writes a file.
func write(t *testing.T, dir, name string, f func(*os.File) error) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := f(file); err != nil {
		t.Fatal(err)
	}
}

var (
	lutLine   = regexp.MustCompile(`(?m)^ +\$lut +(\d+)$`)
	levelLine = regexp.MustCompile(`Longest topological path.*length=(\d+)`)
)

// synthesised returns the LUTs and levels to which yosys maps a netlist's Verilog.
func synthesised(t *testing.T, n *netlist.Netlist, k int) (p pair) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "top.v", func(f *os.File) error { return verilog.Write(f, n, verilog.Options{Module: "top"}) })
	script := fmt.Sprintf("read_verilog top.v; synth -flatten -top top -lut %d; stat; ltp -noff", k)
	out := testkit.RunTool(t, testkit.FindTool(t, "yosys"), dir, "-p", script)
	luts, levels := lutLine.FindAllStringSubmatch(out, -1), levelLine.FindStringSubmatch(out)
	if luts == nil || levels == nil {
		t.Fatal("yosys names no LUTs or no longest path")
	}
	p.luts, _ = strconv.Atoi(luts[len(luts)-1][1])
	p.levels, _ = strconv.Atoi(levels[1])
	return p
}

// TestYosys compares our numbers of LUTs for encoders with the numbers that yosys needs for the same comparisons.
func TestYosys(t *testing.T) {
	testkit.Long(t, "yosys maps each encoder; TestEncoders checks the sizes")
	for _, k := range []int{4, 6} {
		for _, e := range encoders {
			n := comparators(e.width, e.thresholds)
			m := lower(t, n, Options{K: k, Objective: Area})
			apart := 0
			for _, u := range e.thresholds {
				apart += alone(e.width, k, u)
			}
			theirs := synthesised(t, n, k)
			t.Logf("LUT%d, %s: apart %d, shared %d at %d levels; yosys %d at %d levels",
				k, e.name, apart, m.Cells(), netlist.Measure(m).Levels.Total, theirs.luts, theirs.levels)
			if m.Cells() > theirs.luts {
				t.Errorf("%d LUTs, yosys has %d", m.Cells(), theirs.luts)
			}
		}
	}
}

// TestClassifier lowers the encoders of whole classifiers, after the gates are mapped and before the heads are
// lowered. It then classifies with the result.
func TestClassifier(t *testing.T) {
	f := netgen.Frozen(1, netgen.FrozenOptions{Width: 90, Depth: 20, Features: 50, Bits: 6})
	raw, err := freeze.Network(f, netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{4, 6} {
		n, _, err := compiler.Optimise(t.Context(), raw, compiler.LevelRepeat)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, err = lut.Map(t.Context(), n, lut.Options{K: k}); err != nil {
			t.Fatal(err)
		}
		before := netlist.Measure(n).Cells
		n = lower(t, n, Options{K: k})
		if after := netlist.Measure(n).Cells; after.Gates != before.Gates || after.Head != before.Head || after.Encoder == 0 {
			t.Errorf("LUT%d: parts %+v became %+v", k, before, after)
		}
		if n, _, err = head.Lower(n, head.Options{K: k}); err != nil {
			t.Fatal(err)
		}
		for c := range netlist.Cell(n.Cells()) {
			if n.Kind(c) != netlist.Function || len(n.Inputs(c)) > k {
				t.Fatalf("LUT%d: cell %d is %v of %d inputs", k, c, n.Kind(c), len(n.Inputs(c)))
			}
		}
		sampled(t, raw, n)
	}
}
