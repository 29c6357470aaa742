package head

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/tool"
	"ialgn/netlist"
)

// models returns the model files that IALGN_MODELS names.
func models() []string { return filepath.SplitList(os.Getenv("IALGN_MODELS")) }

// modelCore returns the optimised core of a model file.
func modelCore(t *testing.T, path string) *netlist.Netlist {
	t.Helper()
	f, err := model.ReadFrozen(path)
	if err != nil {
		t.Fatal(err)
	}
	return optimisedCore(t, f)
}

// optimisedCore returns the optimised core of a network. It omits the steps that cannot affect the result.
func optimisedCore(t *testing.T, f *model.Frozen) *netlist.Netlist {
	t.Helper()
	raw, err := freeze.Network(f, netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := compiler.Options{Level: compiler.LevelRepeat, Restructure: true}.Optimise(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// size is a number of LUTs and a number of levels. LUTs of one input (inverters) are counted.
type size struct{ luts, levels int }

func (s size) String() string { return fmt.Sprintf("%d / %d", s.luts, s.levels) }

// sizeOf returns the size of a whole netlist (all), and the size of the part on which the counts depend (sums).
func sizeOf(n *netlist.Netlist) (all, sums size) {
	needed, level := make([]bool, n.Nets()), make([]int, n.Nets())
	for _, p := range n.Probes() {
		for _, v := range p.Nets {
			needed[v] = true
		}
	}
	for c := netlist.Cell(n.Cells()); c > 0; {
		c--
		for _, v := range n.Inputs(c) {
			needed[v] = needed[v] || needed[n.Output(c)]
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		out := n.Output(c)
		for _, v := range n.Inputs(c) {
			level[out] = max(level[out], level[v]+1)
		}
		all = size{all.luts + 1, max(all.levels, level[out])}
		if needed[out] {
			sums = size{sums.luts + 1, max(sums.levels, level[out])}
		}
	}
	return all, sums
}

// cores lowers the core of a network to LUT6, first without absorption and then with absorption. It logs and returns
// the size of the whole core (all) and the size of the gates and popcounts (sums).
func cores(t *testing.T, name string, n *netlist.Netlist, o Objective) (all, sums [2]size) {
	t.Helper()
	mapped, _, err := lut.Map(t.Context(), n, lut.Options{K: 6, Objective: map[Objective]lut.Objective{
		Area: lut.Area, Balanced: lut.Balanced, Depth: lut.Depth,
	}[o]})
	if err != nil {
		t.Fatal(err)
	}
	for i, absorb := range []bool{false, true} {
		start := time.Now()
		got, hint, err := Lower(mapped, Options{K: 6, Objective: o, Absorb: absorb})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start).Round(time.Millisecond)
		if err := prove(mapped, got, hint); err != nil {
			t.Fatal(err)
		}
		compare(t, mapped, got)
		all[i], sums[i] = sizeOf(got)
		t.Logf("%s, %s, absorption %v: core %v, without argmax %v; %v",
			name, [...]string{Balanced: "balanced", Area: "area", Depth: "depth"}[o], absorb, all[i], sums[i], took)
	}
	return all, sums
}

// saved returns the share of LUTs that the second size saves compared with the first size.
func saved(s [2]size) float64 { return 1 - float64(s[1].luts)/float64(s[0].luts) }

// TestCore limits the sizes of gates and popcounts. For 8,000 x 6 random gates with the paper's mix of operations,
// the limit is the size that absorption has reached. For trained networks, the limit is a share of the size without
// absorption. IALGN_MODELS lists the files of the trained networks.
func TestCore(t *testing.T) {
	for seed := range uint64(5) {
		if seed > 0 && !testkit.Whole() {
			break
		}
		n := optimisedCore(t, netgen.Frozen(seed+1, netgen.Paper(8000, 6)))
		_, sums := cores(t, fmt.Sprint("random, seed ", seed+1), n, Balanced)
		if got := sums[1]; got.luts > 9150 || got.levels > 11 {
			t.Errorf("seed %d: gates and popcounts %v, want at most 9150 / 11", seed+1, got)
		}
	}
	for _, path := range models() {
		n, name := modelCore(t, path), filepath.Base(path)
		for _, o := range []Objective{Area, Balanced, Depth} {
			all, sums := cores(t, name, n, o)
			if o != Depth && (saved(all) < 0.11 || saved(sums) < 0.11) {
				t.Errorf("%s: absorption saves %.3f of the core, %.3f without argmax, want 0.11", name, saved(all), saved(sums))
			}
		}
	}
}

// TestCoreYosys limits the size of the cores of trained networks to a share of yosys's results. yosys maps three
// forms of each core. In the first, yosys itself builds the sums and the argmax. The second has full adders, and the
// third has our counters. For the third form, yosys's result is nearly as large as our mapping without absorption.
func TestCoreYosys(t *testing.T) {
	for _, path := range models() {
		n, name := modelCore(t, path), filepath.Base(path)
		all, _ := cores(t, name, n, Balanced)
		adders, _, err := Lower(n, Options{K: 3})
		if err != nil {
			t.Fatal(err)
		}
		counters, _, err := Lower(n, Options{K: 6})
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []struct {
			name string
			n    *netlist.Netlist
			less float64
		}{{"+", n, 0.25}, {"full adders", adders, 0.25}, {"counters", counters, 0.16}} {
			got := yosysSize(t, form.n)
			less := saved([2]size{got, all[1]})
			t.Logf("%s, yosys from %s: %v, ours has %.1f %% less", name, form.name, got, 100*less)
			if less < form.less || all[1].levels > got.levels {
				t.Errorf("%s: ours is %v, want %.2f less than %v", name, all[1], form.less, got)
			}
		}
	}
}

// yosysSize returns the size in LUT6 to which yosys maps a netlist's Verilog.
func yosysSize(t *testing.T, n *netlist.Netlist) (s size) {
	t.Helper()
	r, err := testkit.FindTool(t, "yosys").Run(t.Context(), tool.Command{
		Args: []string{"-p", "read_verilog top.v; synth -flatten -top top -lut 6; stat; ltp -noff"},
		Dir:  writeVerilog(t, n), Limit: time.Hour,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Stderr)
	}
	m := levelLine.FindStringSubmatch(r.Stdout)
	if m == nil {
		t.Fatal("yosys names no longest path")
	}
	fmt.Sscan(m[1], &s.levels)
	s.luts = cells(t, r.Stdout)["$lut"]
	return s
}
