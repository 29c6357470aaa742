package syntax_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/verilog"
	"ialgn/internal/verilog/syntax"
	"ialgn/netlist"
)

// drawModel draws a network. Some networks have ports of more than 512 bits.
func drawModel(r *rand.Rand) *model.Frozen {
	form := netgen.Forms()[r.IntN(len(netgen.Forms()))].Options
	form.Seed, form.Features = r.Uint64(), 1+r.IntN(12)
	if r.IntN(6) == 0 {
		form.Features = 300
	}
	switch {
	case form.Widths != "" || form.Kernels != "": // these forms need three classes
	case form.Leaves > 0:
		form.Classes = 2 + r.IntN(4)
		form.Width = form.Classes * (1 + r.IntN(4))
	default:
		if form.Classes != 1 {
			form.Classes = 2 + r.IntN(11)
		}
		form.Width, form.Depth = max(1, form.Classes)*(1+r.IntN(14)), 1+r.IntN(8)
	}
	if form.Bits == 0 {
		form.Bits, form.BitsIn = 2+r.IntN(6), 3+r.IntN(6)
	}
	form.ShareA, form.ShareBinary = [][2]float64{{0, 0}, {0.8, 0.18}}[r.IntN(2)][0], 0.15
	return netgen.Model(form).Freeze()
}

// drawNetlist draws a network and compiles it with random options. The result is input for the writer.
func drawNetlist(t *testing.T, r *rand.Rand) (*netlist.Netlist, verilog.Options) {
	t.Helper()
	if r.IntN(5) == 0 { // a netlist that cannot come from a network
		return oddNetlist(t, r), verilog.Options{Style: verilog.Style(r.IntN(2))}
	}
	f, scope := drawModel(r), []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full}[r.IntN(3)]
	n, err := freeze.Network(f, scope)
	if err == nil && scope != netlist.Gates && r.IntN(2) == 0 {
		n, err = netlist.WithCounts(n, f.Classes)
	}
	if err != nil {
		t.Fatal(err)
	}
	family := target.Families()[r.IntN(len(target.Families()))]
	lower := r.IntN(3) > 0
	c := compiler.Options{Level: r.IntN(3), Restructure: lower}
	if n, _, err = c.Optimise(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if !lower {
		return n, verilog.Options{}
	}
	return lowered(t, r, n, family), verilog.Options{Style: verilog.Style(r.IntN(2)), Target: family}
}

// oddNetlist returns a netlist that cannot come from a network. It has constant and repeated inputs, odd labels, and
// names that are special in Verilog.
func oddNetlist(t *testing.T, r *rand.Rand) *netlist.Netlist {
	t.Helper()
	kinds := slices.DeleteFunc(slices.Clone(verilog.Kinds), func(k netlist.Kind) bool { return k == netlist.Register })
	var b strings.Builder
	if err := netlist.WriteText(&b, netgen.Netlist(r.Uint64(), netgen.NetlistOptions{
		Kinds: kinds,
		Cells: 1 + r.IntN(90), Ties: r.IntN(3) == 0, Margins: true,
	})); err != nil {
		t.Fatal(err)
	}
	n, err := netlist.ParseText("odd", strings.NewReader(strings.ReplaceAll(b.String(), "probe bit\n", "probe one\n")))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lowered lowers a netlist with random options.
func lowered(t *testing.T, r *rand.Rand, n *netlist.Netlist, family *target.Family) *netlist.Netlist {
	t.Helper()
	h := hardware.Options{Target: family, Objective: lut.Objective(r.IntN(3)), Threads: 1}
	h.K = lut.MinInputs + r.IntN(family.LUT.Most-lut.MinInputs+1)
	switch r.IntN(3) {
	case 0:
		h.Pipeline = pipeline.Options{Auto: true, MaxLevels: r.IntN(4)}
	case 1:
		h.Pipeline = pipeline.Options{Stages: 1 + r.IntN(6)}
	}
	d, err := h.Lower(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return d.Netlist
}

// TestWritten reads Verilog that is written for random networks with random options, and the Verilog of cores inside
// wrappers. All files must be accepted, and every form must occur. The whole module must consist of statements and
// comments.
func TestWritten(t *testing.T) {
	count := 250
	if testkit.Whole() {
		count = 600
	}
	seen := map[syntax.Form]int{}
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		n, o := drawNetlist(t, r)
		o.Module = fmt.Sprintf("net%d", seed)
		o.Header = []string{"model x, \"// synopsys translate_off\" \\ µ\t\n */", "`define"}
		if r.IntN(2) == 0 {
			o.Version = r.Uint32() | 1
		}
		checkWritten(t, n, o, seen)
		if s := encoder.Apart(n); s != nil {
			checkWritten(t, s.Core, o, seen)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, f := range syntax.Forms() {
		if seen[f] < 10 {
			t.Errorf("form %v occurs %d times", f, seen[f])
		}
	}
}

func checkWritten(t *testing.T, n *netlist.Netlist, o verilog.Options, seen map[syntax.Form]int) {
	t.Helper()
	var text, cells bytes.Buffer
	if err := verilog.Write(&text, n, o); err != nil {
		t.Fatal(err)
	}
	if err := verilog.WriteCells(&cells, n, o); err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(text.Bytes(), o.Module)
	if err != nil {
		t.Errorf("%+v: %v", o, err)
		return
	}
	if o.Style == verilog.LUTs {
		if err := syntax.CheckCells(cells.Bytes()); err != nil {
			t.Errorf("%+v: the models: %v", o, err)
		}
	}
	at := f.Body
	for _, s := range f.Statements {
		if s.From != at || s.To <= at || text.Bytes()[s.To-1] != '\n' {
			t.Fatalf("%v from %d to %d, the one before ends at %d", s.Form, s.From, s.To, at)
		}
		at = s.To
		seen[s.Form]++
	}
	if !bytes.HasPrefix(text.Bytes()[at:], []byte("endmodule\n")) {
		t.Errorf("the statements end at %d", at)
	}
}
