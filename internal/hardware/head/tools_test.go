package head

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/aiger"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// writeVerilog writes a netlist as the Verilog back end does, and returns its folder.
func writeVerilog(t *testing.T, n *netlist.Netlist) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "top.v"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := verilog.Write(f, n, verilog.Options{Module: "top"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

var (
	cellLine  = regexp.MustCompile(`(?m)^ +(\S+) +(\d+)$`)
	levelLine = regexp.MustCompile(`Longest topological path.*length=(\d+)`)
)

// cells returns the number of cells of each kind from the last statistics that yosys printed.
func cells(t *testing.T, out string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, m := range cellLine.FindAllStringSubmatch(out[strings.LastIndex(out, "Number of cells"):], -1) {
		count[m[1]], _ = strconv.Atoi(m[2])
	}
	return count
}

// synthesised returns the LUTs and levels to which yosys maps a netlist's Verilog.
func synthesised(t *testing.T, n *netlist.Netlist, k int) (luts, levels int) {
	t.Helper()
	dir := writeVerilog(t, n)
	out := testkit.RunTool(t, testkit.FindTool(t, "yosys"), dir, "-p",
		fmt.Sprintf("read_verilog top.v; synth -flatten -top top -lut %d; stat; ltp -noff", k))
	m := levelLine.FindStringSubmatch(out)
	if m == nil {
		t.Fatal("yosys names no longest path")
	}
	levels, _ = strconv.Atoi(m[1])
	return cells(t, out)["$lut"], levels
}

// TestYosys has yosys map the same count in three forms. One is a sum that yosys builds itself, one has full adders,
// and one is our tree. No result of yosys may be smaller than our mapping.
func TestYosys(t *testing.T) {
	testkit.Long(t, "yosys maps three forms of each count")
	for _, k := range []int{6, 4} {
		n := popcountOf(200)
		ours, _ := lower(t, n, Options{K: k, Objective: Area})
		adders, _ := lower(t, n, Options{K: 3})
		luts := ours.Cells()
		t.Logf("LUT%d, ours: %d LUTs, %d levels", k, luts, netlist.Measure(ours).Levels.Total)
		for _, form := range []struct {
			name string
			n    *netlist.Netlist
		}{{"+", n}, {"full adders", adders}, {"our tree", ours}} {
			theirs, levels := synthesised(t, form.n, k)
			t.Logf("LUT%d, yosys from %s: %d LUTs, %d levels", k, form.name, theirs, levels)
			if theirs < luts {
				t.Errorf("LUT%d: %d LUTs from %s, ours are %d", k, theirs, form.name, luts)
			}
		}
	}
}

// TestLint checks that verilator and iverilog print no warning for the Verilog of lowered netlists. The long tests
// check each netlist with each option.
func TestLint(t *testing.T) {
	verilator, iverilog := testkit.FindTool(t, "verilator"), testkit.FindTool(t, "iverilog")
	f, err := freeze.Network(netgen.Frozen(1, netgen.Paper(100, 3)), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range []Options{{K: 6}, {K: 4}, {K: 4, Carry: true}} {
		for j, n := range []*netlist.Netlist{popcountOf(100), classes(), f} {
			if i != j && !testkit.Whole() {
				continue
			}
			got, _ := lower(t, n, o)
			dir := writeVerilog(t, got)
			if out := testkit.RunTool(t, verilator, dir, "--lint-only", "-Wall", "top.v"); out != "" {
				t.Errorf("%s: verilator:\n%s", n.Name, out)
			}
			if out := testkit.RunTool(t, iverilog, dir, "-Wall", "-g2001", "-o", "top.vvp", "top.v"); out != "" {
				t.Errorf("%s: iverilog:\n%s", n.Name, out)
			}
		}
	}
}

// TestArgmaxYosys compares our argmax of ten counts of ten bits with the argmax that yosys makes.
func TestArgmaxYosys(t *testing.T) {
	testkit.Long(t, "yosys maps an argmax; TestFigures checks the sizes")
	n := argmaxOf(10, 10)
	ours, _ := lower(t, n, Options{K: 6})
	theirs, levels := synthesised(t, n, 6)
	t.Logf("ours: %d LUTs, %d levels; yosys: %d LUTs, %d levels", ours.Cells(), netlist.Measure(ours).Levels.Total, theirs,
		levels)
	if ours.Cells() > theirs {
		t.Errorf("%d LUTs, yosys has %d", ours.Cells(), theirs)
	}
}

// plainArgmax returns a simple argmax of gates. It compares each word with the largest word so far, bit by bit, and
// keeps the larger word.
func plainArgmax(classes, width int) *netlist.Netlist {
	b := netlist.NewBuilder("argmax")
	x := b.Input("x", classes*width, width, nil)
	mux := func(s, zero, one netlist.Net) netlist.Net {
		return b.Function(0b11100100, netlist.Origin{}, s, zero, one)
	}
	best, index := slices.Clone(x[:width]), make([]netlist.Net, netlist.ClassBits(classes))
	for c := 1; c < classes; c++ {
		larger := netlist.False
		for i, v := range x[c*width : (c+1)*width] {
			larger = mux(b.Function(0b0110, netlist.Origin{}, v, best[i]), larger, v)
		}
		for i, v := range x[c*width : (c+1)*width] {
			best[i] = mux(larger, best[i], v)
		}
		for i := range index {
			index[i] = mux(larger, index[i], netlist.Net(c>>i&1))
		}
	}
	b.Output("class_index", len(index), nil, index)
	return b.Netlist()
}

// TestProof has abc prove that argmaxes and a popcount equal plain forms. The plain forms share no code with our
// forms. The plain popcount comes from the AIGER back end. The long tests prove each netlist with each option.
func TestProof(t *testing.T) {
	abc := testkit.FindTool(t, "abc")
	plain := [][2]*netlist.Netlist{
		{argmaxOf(10, 10), plainArgmax(10, 10)}, {argmaxOf(3, 12), plainArgmax(3, 12)}, {popcountOf(20), popcountOf(20)},
	}
	for i, pair := range plain {
		for j, o := range []Options{{K: 6}, {K: 4, Objective: Area}, {K: 4, Carry: true}} {
			if i != j && !testkit.Whole() {
				continue
			}
			n, want := pair[0], pair[1]
			got, _ := lower(t, n, o)
			dir := t.TempDir()
			for name, n := range map[string]*netlist.Netlist{"a.aig": want, "b.aig": got} {
				f, err := os.Create(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if err := aiger.Write(f, n); err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
			if out := testkit.RunTool(t, abc, dir, "-c", "&r a.aig; &cec b.aig"); !strings.Contains(out,
				"\nNetworks are equivalent") {
				t.Errorf("%s, %s: not proved:\n%s", n.Name, o.name(), out)
			}
		}
	}
}
