package compiler

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
	"ialgn/sim"
)

// nets is what a case's builder gets and gives: input bits and output bits.
type nets = []netlist.Net

// build makes the inside of a netlist with the input port x and an output port for each
// bit of y, since registers set bits apart in time.
type build func(b *netlist.Builder, x nets) (y nets)

// passCase is a netlist before and after a pass.
type passCase struct {
	name      string
	inputs    int
	old, want build
}

// The tables that the cases use, input 0 in the lowest bit.
const (
	tableAnd  = 0b1000
	tableNand = 0b0111
	tableOr   = 0b1110
	tableNor  = 0b0001
	tableXor  = 0b0110
	tableXnor = 0b1001
	tableA    = 0b1010
	tableB    = 0b1100
	tableNotA = 0b0101
	tableAnB  = 0b0010 // a and not b
	tableBnA  = 0b0100 // b and not a
)

// gate is the origin of a test's gate.
func gate(layer uint16, chain uint32) netlist.Origin {
	return netlist.Origin{Layer: layer, Chain: chain}
}

var none netlist.Origin

// text returns a netlist's text form.
func text(t testing.TB, n *netlist.Netlist) string {
	t.Helper()
	var s strings.Builder
	if err := netlist.WriteText(&s, n); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// make builds a case's netlist, and checks it: a broken test proves nothing.
func (f build) make(t *testing.T, inputs int) *netlist.Netlist {
	t.Helper()
	b := netlist.NewBuilder("test")
	for i, v := range f(b, b.Input("x", inputs, 1, nil)) {
		b.Output(fmt.Sprintf("y%d", i), 1, nil, nets{v})
	}
	n := b.Netlist()
	if err := n.Validate(); err != nil {
		t.Fatalf("the test's own netlist: %v", err)
	}
	return n
}

// testPass runs a pass over cases: the result is the one wanted, valid, of the same
// function, and no larger.
func testPass(t *testing.T, pass func(*netlist.Netlist) *netlist.Netlist, cases []passCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			old := c.old.make(t, c.inputs)
			before := text(t, old)
			got := pass(old)
			if diff := cmp.Diff(text(t, c.want.make(t, c.inputs)), text(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, text(t, old)); diff != "" {
				t.Errorf("the pass changed its input (-before +after):\n%s", diff)
			}
			check(t, old, got)
		})
	}
}

// check fails if got is invalid, larger than old, or of another function.
func check(t testing.TB, old, got *netlist.Netlist) {
	t.Helper()
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	a, b := sizeOf(old), sizeOf(got)
	if b.cells > a.cells || b.pins > a.pins {
		t.Errorf("grew from %+v to %+v", a, b)
	}
	checkPorts(t, old, got)
	same(t, old, got, 1)
}

// checkPorts fails if names, widths, words or labels of the ports differ.
func checkPorts(t testing.TB, old, got *netlist.Netlist) {
	t.Helper()
	shape := func(n *netlist.Netlist) (all [][]netlist.Port) {
		for _, ports := range [][]netlist.Port{n.InputPorts(), n.OutputPorts(), n.Probes()} {
			var shapes []netlist.Port
			for _, p := range ports {
				shapes = append(shapes, netlist.Port{Name: p.Name, Word: p.Word, Labels: p.Labels, Nets: make(nets, len(p.Nets))})
			}
			all = append(all, shapes)
		}
		return all
	}
	if diff := cmp.Diff(shape(old), shape(got)); diff != "" {
		t.Errorf("ports (-old +new):\n%s", diff)
	}
}

// same fails if outputs or probes differ in any of some clocks of random samples, half
// of them with few ones, half with few zeros.
func same(t testing.TB, old, got *netlist.Netlist, seed uint64) {
	t.Helper()
	const words = 8
	var sims [2]*sim.Simulator
	for i, n := range []*netlist.Netlist{old, got} {
		s, err := sim.NewBlock(n, words)
		if err != nil {
			t.Fatal(err)
		}
		sims[i] = s
	}
	r := rand.New(rand.NewPCG(seed, 11))
	for clock := range 5 {
		in := randomRows(r, old, words)
		for _, s := range sims {
			if err := s.Step(words, in...); err != nil {
				t.Fatal(err)
			}
		}
		for i, p := range append(old.OutputPorts(), old.Probes()...) {
			q := append(got.OutputPorts(), got.Probes()...)[i]
			if diff := cmp.Diff(sims[0].Port(p, nil), sims[1].Port(q, nil)); diff != "" {
				t.Fatalf("%s at clock %d (-old +new):\n%s", p.Name, clock, diff)
			}
		}
	}
}

// randomRows returns rows for each input port; of each word's samples, ones are as
// rare as the word's place says.
func randomRows(r *rand.Rand, n *netlist.Netlist, words int) [][]uint64 {
	var in [][]uint64
	for _, p := range n.InputPorts() {
		rows := make([]uint64, len(p.Nets)*words)
		for i := range rows {
			rows[i] = r.Uint64()
			for range i % words / 2 {
				rows[i] &= r.Uint64()
			}
			if i%2 == 1 {
				rows[i] = ^rows[i]
			}
		}
		in = append(in, rows)
	}
	return in
}
