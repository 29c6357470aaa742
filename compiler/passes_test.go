package compiler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
	"ialgn/sim"
)

// nets are the input bits or output bits of a netlist that a test case builds.
type nets = []netlist.Net

// build adds cells to a netlist with the input port x, and returns the bits y. The netlist gets one output port for
// each bit of y, because registers may put the bits into different stages.
type build func(b *netlist.Builder, x nets) (y nets)

// passCase is a netlist before and after a pass.
type passCase struct {
	name      string
	inputs    int
	old, want build
}

// These are the function tables that the cases use. Input 0 is the lowest bit of a line's number.
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

// make builds a case's netlist and validates it, because a broken test case proves nothing.
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

// testPass runs a pass over cases. Each result must equal the expected netlist and be valid. It must have the same
// function and must not be larger.
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

// sameOn compares two netlists on random samples, with the settings that the tests use.
func sameOn(ctx context.Context, old, got *netlist.Netlist) error {
	return sim.Same(ctx, old, got, sim.Random{Words: 40, Seed: 1})
}

// check checks one run of a pass, which turned the netlist old into the netlist got. It fails the test if the pass
// changed the function, or broke a rule for passes that may not grow the netlist.
func check(t testing.TB, old, got *netlist.Netlist) {
	t.Helper()
	if err := errors.Join((&Pass{}).kept(old, got), sameOn(t.Context(), old, got)); err != nil {
		t.Fatal(err)
	}
}
