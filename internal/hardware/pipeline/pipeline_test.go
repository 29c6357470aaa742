package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/counts"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware/head"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
	"ialgn/sim"
)

// networks calls f with random netlists, and with frozen networks in all scopes. Each frozen network is raw, mapped,
// or has a lowered head of LUTs or of carry chains.
func networks(t *testing.T, f func(t *testing.T, n *netlist.Netlist)) {
	t.Helper()
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("random-%d", seed), func(t *testing.T) {
			f(t, netgen.Netlist(seed, netgen.NetlistOptions{Cells: 5 + 3*int(seed)}))
		})
	}
	for seed, topology := range []netgen.Topology{netgen.Chain, netgen.Random} {
		model := netgen.Frozen(uint64(seed), netgen.FrozenOptions{
			Topology: topology, Width: 90, Depth: 9, ShareA: 0.2,
			ShareBinary: 0.7,
		})
		for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
			raw, err := freeze.Network(model, scope)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("frozen-%d-%v", seed, scope)
			t.Run(name, func(t *testing.T) { f(t, raw) })
			t.Run(name+"-lut6", func(t *testing.T) { n, _ := lowered(t, raw, 6, false); f(t, n) })
			t.Run(name+"-carry", func(t *testing.T) { n, _ := lowered(t, raw, 4, true); f(t, n) })
		}
	}
}

func lowered(t *testing.T, n *netlist.Netlist, k int, carry bool) (*netlist.Netlist, *counts.Hint) {
	t.Helper()
	luts, _, err := lut.Map(t.Context(), n, lut.Options{K: k})
	if err != nil {
		t.Fatal(err)
	}
	low, hint, err := head.Lower(luts, head.Options{K: k, Carry: carry, Absorb: true})
	if err != nil {
		t.Fatal(err)
	}
	return low, hint
}

// choices lists options that give pipelines of different depths.
var choices = []Options{
	{Auto: true},
	{Auto: true, MaxLevels: 1},
	{Auto: true, MaxLevels: 2},
	{Stages: 1},
	{Stages: 2},
	{Stages: 7},
	{Stages: 40},
}

// TestInsert checks the form, function and levels of pipelines, their latency when they are stalled, and the numbers
// in the report. It does not check that the number of registers is minimal.
func TestInsert(t *testing.T) {
	networks(t, func(t *testing.T, n *netlist.Netlist) {
		for _, o := range choices {
			p, r, err := Insert(n, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Validate(); err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			inserted(t, n, p, r, o)
			clocks(t, n, p, r)
		}
	})
}

// inserted checks the form of a pipeline and the numbers in its report.
func inserted(t *testing.T, n, p *netlist.Netlist, r *Report, o Options) {
	t.Helper()
	depth := longest(n, nil)
	if depth != newTiming(n).depth {
		t.Errorf("%d levels, the timing says %d", depth, newTiming(n).depth)
	}
	form, err := p.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	if form == nil {
		if p != n || r.Stages != 0 || r.FlipFlops != (FlipFlops{}) || newTiming(n).anyOutput() && o.Stages > 0 {
			t.Errorf("%+v: no registers, but %+v", o, r)
		}
		return
	}
	levels := longest(p, p.Stages())
	most := max(1, o.MaxLevels)
	switch {
	case !o.Auto:
		most = max(1, (depth+r.Stages)/(r.Stages+1))
	case o.MaxLevels == 0:
		most = 3
	}
	if o.Auto && (r.Stages+1)*most-most >= depth || !o.Auto && r.Stages != o.Stages || form.Stages != r.Stages {
		t.Errorf("%+v: %d stages in the report, %d in the netlist, for %d levels", o, r.Stages, form.Stages, depth)
	}
	if levels > most || levels != r.LevelsPerStage {
		t.Errorf("%+v: %d levels in a stage, the report says %d, allowed are %d", o, levels, r.LevelsPerStage, most)
	}
	var want FlipFlops
	for c := range netlist.Cell(p.Cells()) {
		if p.Kind(c) != netlist.Register {
			continue
		}
		if d, _, ok := p.Driver(p.Inputs(c)[0]); ok && p.Kind(d) != netlist.Register {
			want.Data++
		} else {
			want.Delay++
		}
	}
	want.Valid, want.Total = r.Stages, want.Data+want.Delay+r.Stages
	if diff := cmp.Diff(want, r.FlipFlops); diff != "" {
		t.Errorf("%+v: flip-flops (-want +got):\n%s", o, diff)
	}
	back, to, err := netlist.Transparent(p)
	if err != nil || !back.Equal(n) {
		t.Errorf("%+v: without its registers it is another netlist (%v)", o, err)
	}
	for v := range netlist.Net(n.Nets()) {
		if to(r.To(v)) != v {
			t.Fatalf("%+v: net %d comes back as %d", o, v, to(r.To(v)))
		}
	}
}

// longest returns the largest number of cells on a path within one stage. If stage is nil, all cells are in one
// stage. Carries, registers and cells that depend only on constants do not count.
func longest(n *netlist.Netlist, stage []int32) int {
	own := n.Stages()
	if stage == nil {
		stage = make([]int32, n.Nets())
	}
	level, most := make([]int, n.Nets()), 0
	for c := range netlist.Cell(n.Cells()) {
		out := n.Output(c)
		if n.Kind(c) == netlist.Register || own[out] == netlist.AnyStage {
			continue
		}
		l := 0
		for _, v := range n.Inputs(c) {
			if stage[v] == stage[out] {
				l = max(l, level[v])
			}
		}
		if n.Kind(c) != netlist.Carry {
			l++
		}
		for k := range n.Outputs(c) {
			level[int(out)+k] = l
		}
		most = max(most, l)
	}
	return most
}

// clocks feeds random samples into a pipeline and stalls it at random. It compares every output port and probe with
// the netlist before pipelining. The comparison uses the sample that is in the stage of the port or probe.
func clocks(t *testing.T, n, p *netlist.Netlist, r *Report) {
	t.Helper()
	if r.Stages == 0 {
		return
	}
	plain, clocked := simulator(t, n), simulator(t, p)
	source := rand.New(rand.NewPCG(1, uint64(n.Nets())))
	stage := p.Stages()
	var history [][][]uint64 // the samples of the enabled clocks, the latest first
	for clock := range r.Stages + 10 {
		in := random(source, n)
		enable := clock%3 != 1
		ce := []uint64{0}
		if enable {
			ce[0] = ^uint64(0)
		}
		if err := clocked.Step(1, append(slices.Clone(in), ce)...); err != nil {
			t.Fatal(err)
		}
		now := slices.Insert(slices.Clone(history), 0, in)
		for i, bus := range slices.Concat(p.OutputPorts(), p.Probes()) {
			before := slices.Concat(n.OutputPorts(), n.Probes())[i]
			for bit, v := range bus.Nets {
				at := max(0, int(stage[v]))
				if at >= len(now) {
					continue // no sample has arrived so far
				}
				if err := plain.Run(1, now[at]...); err != nil {
					t.Fatal(err)
				}
				if got, want := clocked.Net(v)[0], plain.Net(before.Nets[bit])[0]; got != want {
					t.Fatalf("%d stages, clock %d: bit %d of %s is %x, want %x", r.Stages, clock, bit, bus.Name, got, want)
				}
			}
		}
		if enable {
			history = now
		}
	}
}

func simulator(t *testing.T, n *netlist.Netlist) *sim.Simulator {
	t.Helper()
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func random(r *rand.Rand, n *netlist.Netlist) (in [][]uint64) {
	for _, p := range n.InputPorts() {
		rows := make([]uint64, len(p.Nets))
		for i := range rows {
			rows[i] = r.Uint64()
		}
		in = append(in, rows)
	}
	return in
}

// TestHint converts the hint of a lowered head to the pipeline and back.
func TestHint(t *testing.T) {
	raw, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{Width: 300, Depth: 6, ShareA: 0.4, ShareBinary: 0.5}),
		netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	n, hint := lowered(t, raw, 6, false)
	p, r, err := Insert(n, Options{Auto: true})
	if err != nil {
		t.Fatal(err)
	}
	_, to, err := netlist.Transparent(p)
	if err != nil {
		t.Fatal(err)
	}
	mapped := hint.Map(r.To)
	if cmp.Equal(hint, mapped) {
		t.Error("the hint does not know of the registers")
	}
	if diff := cmp.Diff(hint, mapped.Map(to)); diff != "" {
		t.Errorf("there and back (-want +got):\n%s", diff)
	}
}

// TestDelayLines builds a chain whose anchors are used late. The registers must be placed on the chain's value,
// which replaces the anchors that the chain has already read.
func TestDelayLines(t *testing.T) {
	b := netlist.NewBuilder("chain")
	x := b.Input("x", 13, 1, nil)
	h := x[0]
	for _, anchor := range x[1:] {
		h = b.Function(8, netlist.Origin{}, h, anchor)
	}
	b.Output("y", 1, nil, []netlist.Net{h})
	p, r, err := Insert(b.Netlist(), Options{Auto: true, MaxLevels: 4})
	if err != nil {
		t.Fatal(err)
	}
	// There are two rows of registers. The first has registers for the value and the eight anchors after it. The
	// second has registers for the value and four anchors.
	want := &Report{Stages: 2, LevelsPerStage: 4, FlipFlops: FlipFlops{Data: 2, Delay: 12, Valid: 2, Total: 16}}
	if diff := cmp.Diff(want, r, cmp.AllowUnexported(Report{}),
		cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "to" }, cmp.Ignore())); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if registers := p.Cells() - 12; registers != 14 {
		t.Errorf("%d registers, want 14", registers)
	}
	// There is one row of registers, and half of the anchors come after it.
	if _, r, _ = Insert(b.Netlist(), Options{Stages: 1}); r.FlipFlops.Total != 1+6+1 {
		t.Errorf("one stage of six levels: %+v", r.FlipFlops)
	}
}

// mapped returns random chains of 100 steps, mapped and lowered.
func mapped(tb testing.TB, name string) *netlist.Netlist {
	tb.Helper()
	raw, err := freeze.Network(netgen.Frozen(1, netgen.Chains(name)), netlist.Core)
	if err != nil {
		tb.Fatal(err)
	}
	luts, _, err := lut.Map(tb.Context(), raw, lut.Options{K: 6})
	if err != nil {
		tb.Fatal(err)
	}
	n, _, err := head.Lower(luts, head.Options{K: 6, Absorb: true})
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// TestFigures limits the number of flip-flops for 1000 x 100 gates to a share of the number of LUTs. The long tests
// limit the flip-flops for 8000 x 100 gates to three fifths of the LUTs. They also check that the method of phases
// is within one percent of the optimum.
func TestFigures(t *testing.T) {
	name, most := "b", 0.85
	if testkit.Whole() {
		name, most = "c", 0.6
	}
	n := mapped(t, name)
	_, r, err := Insert(n, Options{Auto: true})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.FlipFlops.Total; float64(f) > most*float64(n.Cells()) || r.LevelsPerStage != 3 {
		t.Errorf("%d cells, %+v, %d levels a stage", n.Cells(), r.FlipFlops, r.LevelsPerStage)
	}
	s := newSchedule(newTiming(n), r.Stages, 3)
	if s.solve(0); s.cost()*100 > 101*(r.FlipFlops.Total-r.Stages) {
		t.Errorf("%d registers with phases, %+v", s.cost(), r.FlipFlops)
	}
}

func BenchmarkInsert(b *testing.B) {
	n := mapped(b, "c")
	for b.Loop() {
		if _, _, err := Insert(n, Options{Auto: true}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n.Cells())*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
}

func TestPipelineRefusesMisfits(t *testing.T) {
	build := func(port string, f func(b *netlist.Builder, x []netlist.Net)) *netlist.Netlist {
		b := netlist.NewBuilder("n")
		f(b, b.Input(port, 2, 1, nil))
		return b.Netlist()
	}
	plain := build("x", func(b *netlist.Builder, x []netlist.Net) { b.Output("y", 1, nil, x) })
	for _, tt := range []struct {
		n    *netlist.Netlist
		o    Options
		want string
	}{
		{plain, Options{Stages: -1}, "pipeline: -1 stages are out of range, use 0 to 10000"},
		{plain, Options{Stages: 10_001}, "pipeline: 10001 stages are out of range"},
		{
			plain,
			Options{Auto: true, MaxLevels: -1},
			"pipeline: -1 levels a stage are out of range, use 1 or more, or 0 for 3",
		},
		{
			build("ce", func(*netlist.Builder, []netlist.Net) {}),
			Options{Stages: 1},
			`pipeline: netlist "n" has a port or probe ce, which is the enable of the registers: rename it`,
		},
		{
			build("x", func(b *netlist.Builder, x []netlist.Net) { b.Probe("ce", x) }),
			Options{Auto: true},
			"has a port or probe ce",
		},
		{
			build("x", func(b *netlist.Builder, x []netlist.Net) { b.Cell(netlist.Register, 0, netlist.Origin{}, x[0]) }),
			Options{Auto: true},
			`pipeline: netlist "n" has registers (cell 0), pipeline it before they are put in`,
		},
	} {
		if _, _, err := Insert(tt.n, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %s", tt.o, err, tt.want)
		}
	}
}

// TestRepeatable checks that the same netlist gives the same pipeline.
func TestRepeatable(t *testing.T) {
	n := netgen.Netlist(5, netgen.NetlistOptions{Cells: 300})
	first, _, err := Insert(n, Options{Auto: true})
	if err != nil {
		t.Fatal(err)
	}
	if second, _, _ := Insert(n, Options{Auto: true}); !first.Equal(second) {
		t.Error("two pipelines of one netlist differ")
	}
}
