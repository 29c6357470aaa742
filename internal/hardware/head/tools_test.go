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
	cellsLine = regexp.MustCompile(`ICESTORM_LC: +(\d+)/`)
)

// cells returns the last statistics that yosys printed, by kind of cell.
func cells(t *testing.T, out string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, m := range cellLine.FindAllStringSubmatch(out[strings.LastIndex(out, "Number of cells"):], -1) {
		count[m[1]], _ = strconv.Atoi(m[2])
	}
	return count
}

// synthesised returns the LUTs and levels that yosys makes of a netlist's Verilog.
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

// TestYosys has yosys map the same count from three forms, the sum that it builds itself,
// full adders and our trees: none may be smaller than ours as it is.
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

// TestLint holds the Verilog of lowered classifiers to silence.
func TestLint(t *testing.T) {
	verilator, iverilog := testkit.FindTool(t, "verilator"), testkit.FindTool(t, "iverilog")
	f, err := freeze.Network(netgen.Frozen(1, netgen.Paper(100, 3)), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{K: 6}, {K: 4}, {K: 4, Carry: true}} {
		for _, n := range []*netlist.Netlist{f, classes(), popcountOf(100)} {
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

// TestArgmaxYosys compares the argmax of ten counts of ten bits.
func TestArgmaxYosys(t *testing.T) {
	n := argmaxOf(10, 10)
	ours, _ := lower(t, n, Options{K: 6})
	theirs, levels := synthesised(t, n, 6)
	t.Logf("ours: %d LUTs, %d levels; yosys: %d LUTs, %d levels", ours.Cells(), netlist.Measure(ours).Levels.Total, theirs,
		levels)
	if ours.Cells() > theirs {
		t.Errorf("%d LUTs, yosys has %d", ours.Cells(), theirs)
	}
}

// plainArgmax is the obvious argmax of gates: word after word is compared with the largest so
// far, bit after bit, and takes its place.
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

// TestProof has abc prove the argmax of ten counts of ten bits, and small popcounts, equal
// to plain forms that share nothing with ours: for counts that of the AIGER back end.
func TestProof(t *testing.T) {
	abc := testkit.FindTool(t, "abc")
	plain := map[*netlist.Netlist]*netlist.Netlist{
		argmaxOf(10, 10): plainArgmax(10, 10), argmaxOf(3, 12): plainArgmax(3, 12), popcountOf(20): popcountOf(20),
	}
	for n, want := range plain {
		for _, o := range []Options{{K: 6}, {K: 4, Objective: Area}, {K: 4, Carry: true}} {
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

// ice40 writes a netlist of LUTs and carries in cells of iCE40, each carry with the sum
// beside it. Where a carry is not only carried on, a LUT brings it out, which shares its
// cell with the carry of the next chain if the two are joined.
func ice40(n *netlist.Netlist) string {
	var b strings.Builder
	in, out := n.InputPorts()[0], n.OutputPorts()[0]
	fmt.Fprintf(&b, "module top (input [%d:0] x, output [%d:0] y);\n", len(in.Nets)-1, len(out.Nets)-1)
	name := func(v netlist.Net) string {
		switch {
		case v <= netlist.True:
			return fmt.Sprintf("1'b%d", v)
		case v < n.FirstCellNet():
			return fmt.Sprintf("x[%d]", v-2)
		}
		if c, _, _ := n.Driver(v); n.Kind(c) == netlist.Carry {
			return fmt.Sprintf("o%d", v)
		}
		return fmt.Sprintf("n%d", v)
	}
	chained := func(v netlist.Net) string { // on the chain
		return strings.Replace(name(v), "o", "n", 1)
	}
	starts := map[netlist.Net]netlist.Net{} // of a chain after another's last carry: its own first
	for i := range netlist.Cell(n.Cells()) {
		if in := n.Inputs(i); n.Kind(i) == netlist.Carry && in[0] == in[1] {
			starts[in[2]] = in[0]
		}
	}
	for i := range netlist.Cell(n.Cells()) {
		v, pins := n.Output(i), []string{"1'b0", "1'b0", "1'b0", "1'b0"}
		fmt.Fprintf(&b, "wire n%d;\n", v)
		if n.Kind(i) == netlist.Carry {
			in := n.Inputs(i)
			fmt.Fprintf(&b, "SB_CARRY c%d (.I0(%s), .I1(%s), .CI(%s), .CO(n%d));\n",
				v, name(in[0]), name(in[1]), chained(in[2]), v)
			beside := starts[v]
			fmt.Fprintf(&b, "wire o%d;\nSB_LUT4 #(.LUT_INIT(16'hff00)) p%d (.I0(1'b0), .I1(%s), .I2(%s), .I3(n%d), .O(o%d));\n",
				v, v, name(beside), name(beside), v, v)
			continue
		}
		shift := 0
		if len(n.Inputs(i)) == 3 {
			shift = 1 // I1, I2 and I3, which are the pins beside a carry
		}
		for j, w := range n.Inputs(i) {
			if pins[j+shift] = name(w); j+shift == 3 {
				pins[3] = chained(w)
			}
		}
		init := tabulate(4, func(x uint) bool { return n.Param(i)>>(x>>shift&(1<<len(n.Inputs(i))-1))&1 == 1 })
		fmt.Fprintf(&b, "SB_LUT4 #(.LUT_INIT(16'h%04x)) l%d (.I0(%s), .I1(%s), .I2(%s), .I3(%s), .O(n%d));\n",
			init, v, pins[0], pins[1], pins[2], pins[3], v)
	}
	for k, v := range out.Nets {
		fmt.Fprintf(&b, "assign y[%d] = %s;\n", k, name(v))
	}
	b.WriteString("endmodule\n")
	return b.String()
}

// TestIce40 counts the cells of sums on carry chains after synth_ice40, and the logic
// cells that nextpnr packs them into.
func TestIce40(t *testing.T) {
	yosys, nextpnr := testkit.FindTool(t, "yosys"), testkit.FindTool(t, "nextpnr-ice40")
	for _, size := range []int{30, 100, 800, 1200} {
		n, _ := lower(t, popcountOf(size), Options{K: 4, Carry: true})
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "top.v"), []byte(ice40(n)), 0o600); err != nil {
			t.Fatal(err)
		}
		count := cells(t, testkit.RunTool(t, yosys, dir, "-p", "read_verilog top.v; synth_ice40 -top top -json top.json"))
		out := testkit.RunTool(t, nextpnr, dir, "--hx8k", "--package", "ct256", "--json", "top.json", "--pack-only")
		packed, _ := strconv.Atoi(cellsLine.FindStringSubmatch(out)[1])
		t.Logf("%d bits: %d logic cells, %.3f a bit (SB_LUT4 %d, SB_CARRY %d)",
			size, packed, float64(packed)/float64(size), count["SB_LUT4"], count["SB_CARRY"])
		if packed == 0 || float64(packed) > 1.6*float64(size) {
			t.Errorf("want at most 1.6 a bit")
		}
	}
}
