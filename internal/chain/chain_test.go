package chain

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

// gates is a chain in the notation of the tests. It has the net of the base and, for each gate, the table of (spine,
// side) and the net of the side.
type gates struct {
	base  netlist.Net
	gates []gateOf
}

type gateOf struct {
	table uint64
	side  netlist.Net
}

// chain returns the chain's normal form.
func (g gates) chain() *Chain {
	c := &Chain{}
	c.start(g.base)
	for i, s := range g.gates {
		c.gate(s.table, s.side, netlist.Origin{Layer: uint16(i + 1)})
	}
	c.normalise()
	return c
}

// eval evaluates the gates for 64 samples, given the values of nets.
func (g gates) eval(value func(netlist.Net) uint64) uint64 {
	h := value(g.base)
	for _, s := range g.gates {
		h = apply(s.table, h, value(s.side))
	}
	return h
}

// apply evaluates a table of two inputs, by its definition.
func apply(table, a, b uint64) (out uint64) {
	for i, m := range []uint64{^a & ^b, a & ^b, ^a & b, a & b} {
		if table>>i&1 == 1 {
			out |= m
		}
	}
	return out
}

// eval evaluates a chain by the definition of the normal form.
func (c *Chain) eval(value func(netlist.Net) uint64) uint64 {
	of := func(l Literal) uint64 {
		if l.Inverted {
			return ^value(l.Net)
		}
		return value(l.Net)
	}
	h := of(c.Base)
	for _, s := range c.Steps {
		switch s.Op {
		case And:
			h &= of(s.Side)
		case Or:
			h |= of(s.Side)
		case Xor:
			h ^= of(s.Side)
		}
	}
	if c.Inverted {
		h = ^h
	}
	return h
}

// proper lists the tables of two inputs that depend on both inputs.
var proper = []uint64{1, 2, 4, 6, 7, 8, 9, 11, 13, 14}

func randomGates(r *rand.Rand, steps, nets int) gates {
	net := func() netlist.Net { return 2 + netlist.Net(r.IntN(nets)) }
	g := gates{base: net()}
	for range steps {
		g.gates = append(g.gates, gateOf{proper[r.IntN(len(proper))], net()})
	}
	return g
}

// normal fails the test if a chain breaks a rule of the normal form.
func normal(t *testing.T, c *Chain) {
	t.Helper()
	first := true
	for _, s := range c.Steps {
		if s.Op == Xor && s.Side.Inverted {
			t.Errorf("an XOR inverts its side: %+v", c)
		}
		if s.Op != Xor && first {
			first = false
			if s.Op != And {
				t.Errorf("the first step that is no XOR is an OR: %+v", c)
			}
		}
	}
	if first && c.Base.Inverted {
		t.Errorf("no AND and no OR, and the base is inverted: %+v", c)
	}
	if c.Base.constant() && (len(c.Steps) > 0 || c.Base.Net != netlist.False) {
		t.Errorf("a constant base with steps, or another than False: %+v", c)
	}
}

// TestNormalForm compares random chains with their normal forms on random samples.
func TestNormalForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		g := randomGates(r, r.IntN(12), 30)
		c := g.chain()
		normal(t, c)
		var x [32]uint64
		for i := range x {
			x[i] = r.Uint64()
		}
		value := func(v netlist.Net) uint64 { return x[v] }
		if c.eval(value) != g.eval(value) {
			t.Fatalf("%+v has the normal form %+v, which is another function", g, c)
		}
		h := value(c.Base.Net)
		for i, s := range c.Steps {
			h = apply(c.Table(i), h, value(s.Side.Net))
		}
		if len(c.Steps) > 0 && h != g.eval(value) {
			t.Fatalf("the tables of %+v give another function", c)
		}
	}
}

// levels returns an order for the given number of features. The argument width is the number of bits of a feature.
// The bits are the nets from 2 on. The argument plain is the number of unordered nets that follow.
func levels(features, width, plain int) (o *Order, nets int) {
	o = &Order{}
	nets = features*width + plain
	o.bit = make([]orderedBit, 2+nets)
	for i := range features * width {
		o.bit[2+i] = orderedBit{uint32(i/width + 1), uint64(i % width), uint64(width)}
	}
	return o, nets
}

// TestSimplifyExhaustively simplifies random chains over few nets. The function must stay the same for every input.
// With an order, this is required only for inputs in which the bits of each feature are thermometer codes. The chain
// must never grow.
func TestSimplifyExhaustively(t *testing.T) {
	for _, c := range []struct{ features, width, plain int }{
		{0, 0, 3},
		{0, 0, 6},
		{1, 4, 0},
		{1, 3, 2},
		{2, 3, 1},
		{3, 2, 1},
	} {
		t.Run(fmt.Sprintf("%dx%d+%d", c.features, c.width, c.plain), func(t *testing.T) {
			o, nets := levels(c.features, c.width, c.plain)
			legal := thermometerCodes(c.features, c.width, nets)
			s := NewSimplifier(o)
			r := rand.New(rand.NewPCG(2, uint64(nets)))
			shorter := 0
			for range 4000 {
				g := randomGates(r, 1+r.IntN(9), nets)
				short := g.chain()
				s.Simplify(short)
				normal(t, short)
				if len(short.Steps) > len(g.gates) {
					t.Fatalf("%+v grew to %+v", g, short)
				}
				if len(short.Steps) < len(g.gates) {
					shorter++
				}
				value := func(v netlist.Net) uint64 { return table(v, nets) }
				if diff := (short.eval(value) ^ g.eval(value)) & legal; diff != 0 {
					t.Fatalf("%+v became %+v, another function for input %d", g, short, bits.TrailingZeros64(diff))
				}
				again := *short
				again.Steps = append([]Step(nil), short.Steps...)
				s.Simplify(&again)
				if d := cmp.Diff(short.text(), again.text()); d != "" {
					t.Fatalf("%+v: a second time changes something (-once +twice):\n%s", g, d)
				}
			}
			if shorter < 1000 {
				t.Errorf("only %d of 4000 chains got shorter, the test shows little", shorter)
			}
		})
	}
}

// table returns the values of a net for all 64 combinations of the values of six nets. A seventh net, if there is
// one, is constant 0, which respects the order.
func table(v netlist.Net, nets int) uint64 {
	switch {
	case v <= netlist.True:
		return -uint64(v)
	case nets > netlist.MaxFunctionInputs && int(v)-2 == nets-1:
		return 0
	}
	return netlist.PinTable(int(v) - 2)
}

// thermometerCodes returns the inputs in which the bits of each feature are in order.
func thermometerCodes(features, width, nets int) (legal uint64) {
	for i := range uint64(64) {
		ok := true
		for f := range features {
			code := i >> (f * width) & (1<<width - 1)
			ok = ok && code&(code+1) == 0
		}
		if ok {
			legal |= 1 << i
		}
	}
	if nets > 7 {
		panic("chain: too many nets for a table")
	}
	return legal
}

// TestSimplify checks each rule on the smallest chain that needs it. x is net 2, y is net 3 and z is net 4. The nets
// 5, 6 and 7 are ordered: each implies the nets before it.
func TestSimplify(t *testing.T) {
	const (
		x, y, z                = netlist.Net(2), netlist.Net(3), netlist.Net(4)
		low, mid, high         = netlist.Net(5), netlist.Net(6), netlist.Net(7)
		and, or, xor           = 0b1000, 0b1110, 0b0110
		andNot, orNot, spineBy = 0b0010, 0b1011, 0b0100 // h & ~side, h | ~side, ~h & side
	)
	o := &Order{bit: make([]orderedBit, 8)}
	for i, v := range []netlist.Net{low, mid, high} {
		o.bit[v] = orderedBit{1, uint64(10 * (i + 1)), 255}
	}
	l := func(v netlist.Net, inverted bool) Literal { return Literal{v, inverted} }
	for _, c := range []struct {
		name  string
		chain gates
		want  Chain
	}{
		{"nothing to do", gates{x, []gateOf{{and, y}, {or, z}}}, Chain{
			l(x, false),
			[]Step{{Op: And, Side: l(y, false)}, {Op: Or, Side: l(z, false)}},
			false,
		}},
		{
			"repeated side",
			gates{x, []gateOf{{and, y}, {or, z}, {and, y}}},
			Chain{l(x, true), []Step{{Op: And, Side: l(z, true)}, {Op: Or, Side: l(y, true)}}, true},
		},
		{"side that decides all before", gates{x, []gateOf{{xor, y}, {and, z}, {or, z}}}, Chain{l(z, false), nil, false}},
		{"constant", gates{x, []gateOf{{or, y}, {and, z}, {andNot, z}}}, Chain{Literal{}, nil, false}},
		{"constant 1", gates{x, []gateOf{{or, y}, {or, z}, {orNot, z}}}, Chain{Literal{}, nil, true}},
		{"base that is known", gates{x, []gateOf{{and, y}, {or, x}}}, Chain{l(x, false), nil, false}},
		{
			"XOR whose side is known",
			gates{x, []gateOf{{xor, y}, {and, y}}},
			Chain{l(x, true), []Step{{Op: And, Side: l(y, false)}}, false},
		},
		{
			"equal XORs",
			gates{x, []gateOf{{xor, y}, {xor, z}, {xor, y}}},
			Chain{l(x, false), []Step{{Op: Xor, Side: l(z, false)}}, false},
		},
		{"XOR with the base", gates{x, []gateOf{{xor, y}, {xor, x}}}, Chain{l(y, false), nil, false}},
		{
			"AND and XOR of one net",
			gates{x, []gateOf{{and, y}, {and, z}, {xor, y}}},
			Chain{l(x, false), []Step{{Op: And, Side: l(z, false)}, {Op: Or, Side: l(y, true)}}, true},
		},
		{"negated spine", gates{x, []gateOf{{spineBy, y}}}, Chain{l(x, true), []Step{{Op: And, Side: l(y, false)}}, false}},
		{
			"implied by a later step",
			gates{x, []gateOf{{and, low}, {or, y}, {and, high}}},
			Chain{l(x, true), []Step{{Op: And, Side: l(y, true)}, {Op: Or, Side: l(high, true)}}, true},
		},
		{
			"implied by an earlier step of a run",
			gates{x, []gateOf{{and, high}, {and, y}, {and, low}}},
			Chain{l(x, false), []Step{{Op: And, Side: l(high, false)}, {Op: And, Side: l(y, false)}}, false},
		},
		{
			"an interval of levels",
			gates{x, []gateOf{{xor, high}, {xor, low}, {andNot, mid}, {and, low}}},
			Chain{l(x, true), []Step{{Op: And, Side: l(mid, true)}, {Op: And, Side: l(low, false)}}, false},
		},
		{"an empty interval", gates{x, []gateOf{{and, high}, {andNot, mid}}}, Chain{Literal{}, nil, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.chain.chain()
			NewSimplifier(o).Simplify(got)
			for i := range got.Steps {
				got.Steps[i].Origin = netlist.Origin{}
			}
			if diff := cmp.Diff(c.want.text(), got.text()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// text writes a chain on one line.
func (c *Chain) text() string {
	of := func(l Literal) string {
		if l.Inverted {
			return fmt.Sprintf("~%d", l.Net)
		}
		return fmt.Sprint(l.Net)
	}
	s := of(c.Base)
	for _, step := range c.Steps {
		s += fmt.Sprintf(" %v %s", step.Op, of(step.Side))
	}
	if c.Inverted {
		s += " inverted"
	}
	return s
}
