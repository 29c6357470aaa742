package encoder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/hardware/head"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// whole joins the core of a split with the split's encoder.
func whole(t *testing.T, s *Split) *netlist.Netlist {
	t.Helper()
	n := s.Whole()
	for _, n := range []*netlist.Netlist{s.Core, n} {
		if err := n.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// outputs returns the values of the output ports for random words.
func outputs(t *testing.T, n *netlist.Netlist) (rows []uint64) {
	t.Helper()
	const words = 8
	s, err := sim.New(n)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 1))
	in := make([]uint64, words*len(n.DataInputs()[0].Nets))
	for i := range in {
		in[i] = rng.Uint64()
	}
	if err := s.Settle(words, in); err != nil {
		t.Fatal(err)
	}
	for _, p := range n.OutputPorts() {
		rows = s.Port(p, rows)
	}
	return rows
}

// TestApart splits frozen networks, lowered networks, and networks with registers. It puts comparators in front of
// the core, and compares the result with the network before the split.
func TestApart(t *testing.T) {
	clocked, bits := 0, 0
	for seed := range uint64(10) {
		f := netgen.Frozen(seed, netgen.FrozenOptions{
			Width: 60, Depth: 5, Features: 9, Bits: 2 + int(seed%7), BitsIn: 3 + int(seed%4), Classes: 3, ShareA: 0.3,
			ShareBinary: 0.6,
		})
		n, err := freeze.Network(f, netlist.Full)
		if err != nil {
			t.Fatal(err)
		}
		lowered := lower(t, n, Options{K: 2 + int(seed%5), Objective: objectives[seed%3]})
		stages, _, err := pipeline.Insert(lowered, pipeline.Options{Stages: 1 + int(seed%4)})
		if err != nil {
			t.Fatal(err)
		}
		absorbed, _, err := head.Lower(lowered, head.Options{K: 4, Absorb: true})
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range map[string]*netlist.Netlist{
			"frozen": n, "lowered": lowered, "absorbed": absorbed,
			"clocked": stages,
		} {
			s := Apart(m)
			if s == nil {
				t.Fatalf("seed %d, %s: not split", seed, name)
			}
			if name == "clocked" {
				clocked++
			}
			bits += len(s.Bits)
			if !slices.Equal(outputs(t, whole(t, s)), outputs(t, m)) {
				t.Errorf("seed %d, %s: another function", seed, name)
			}
		}
	}
	if clocked == 0 || bits == 0 {
		t.Errorf("%d pipelines were split, %d bits of words kept", clocked, bits)
	}
}

// TestApartBits checks that cells that read words, but not through comparisons, stay in the core.
func TestApartBits(t *testing.T) {
	for name, build := range map[string]func(b *netlist.Builder, x []netlist.Net) netlist.Net{
		"another function": func(b *netlist.Builder, x []netlist.Net) netlist.Net {
			return b.Function(0b0110, netlist.Origin{}, b.Cell(netlist.Compare, 3, netlist.Origin{}, x[:4]...),
				b.Cell(netlist.Compare, 7, netlist.Origin{}, x[:4]...))
		},
		"a constant": func(b *netlist.Builder, x []netlist.Net) netlist.Net {
			return b.Cell(netlist.Compare, 15, netlist.Origin{}, x[:4]...)
		},
		"behind a function": func(b *netlist.Builder, x []netlist.Net) netlist.Net {
			odd := b.Function(0b0110, netlist.Origin{}, x[0], x[1])
			return b.Function(0b1000, netlist.Origin{}, odd, b.Cell(netlist.Compare, 3, netlist.Origin{}, x[:4]...))
		},
	} {
		b := netlist.NewBuilder("m")
		x := b.Input("x", 8, 4, nil)
		b.Output("y", 1, nil, []netlist.Net{build(b, x)})
		n := b.Netlist()
		if s := Apart(n); s == nil || !slices.Equal(outputs(t, whole(t, s)), outputs(t, n)) {
			t.Errorf("%s: not split, or another function", name)
		}
	}
}

// TestNotApart checks that Apart returns nil for networks without a comparison.
func TestNotApart(t *testing.T) {
	for name, build := range map[string]func(x []netlist.Net) netlist.Net{
		"bits of words": func(x []netlist.Net) netlist.Net { return x[0] },
		"nothing":       func([]netlist.Net) netlist.Net { return netlist.True },
	} {
		b := netlist.NewBuilder("m")
		x := b.Input("x", 8, 4, nil)
		b.Output("y", 1, nil, []netlist.Net{build(x)})
		if Apart(b.Netlist()) != nil {
			t.Errorf("%s: split", name)
		}
	}
	b := netlist.NewBuilder("m")
	x := b.Input("x", 8, 1, nil)
	b.Output("y", 1, nil, x[:1])
	if Apart(b.Netlist()) != nil {
		t.Error("words of one bit: split")
	}
}
