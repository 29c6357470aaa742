package estimate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/estimate"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// These are operations in the paper's numbering.
const zero, and, pinA, xor, or, one = 0, 1, 3, 6, 7, 15

func input(index ...uint32) model.FrozenPin {
	return model.FrozenPin{Source: model.Input, Index: index}
}

func previous(index ...uint32) model.FrozenPin {
	return model.FrozenPin{Source: model.Previous, Index: index}
}

func gates(a, b model.FrozenPin, ops ...uint8) model.FrozenLayer {
	return model.FrozenLayer{Op: model.Tables{Narrow: ops}, Pins: []model.FrozenPin{a, b}}
}

// network returns a network of two classes that reads eight features of eight bits. Each feature has one threshold,
// and the comparison of the first feature costs nothing.
func network(t *testing.T, layers ...model.FrozenLayer) *model.Frozen {
	t.Helper()
	e := encoding.Encoder{Bits: 2, BitsIn: 8, Max: 255, Thresholds: [][]uint16{
		{127}, {63}, {100}, {100}, {100}, {100}, {100}, {100},
	}}
	f := &model.Frozen{
		Name: "n", Classes: []string{"a", "b"}, Width: layers[len(layers)-1].Width(), Encoder: e, Layers: layers,
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	return f
}

// estimated returns the estimated look-up tables of a whole network.
func estimated(f *model.Frozen, inputs int) estimate.LUTs {
	luts, err := estimate.Of(f, inputs, nil)
	if err != nil {
		panic(err)
	}
	return luts
}

// TestByHand checks networks whose look-up tables can be counted by hand. With one counted bit in each of two
// classes, the head consists of a comparison, a choice and an index.
func TestByHand(t *testing.T) {
	const head = 3
	for _, c := range []struct {
		name   string
		layers []model.FrozenLayer
		inputs int
		want   estimate.LUTs
	}{
		{
			"bits that are passed on",
			[]model.FrozenLayer{gates(input(0, 1), input(2, 3), pinA, pinA)},
			6,
			estimate.LUTs{Gates: 0, Head: head, Encoder: 1},
		},
		{
			"a gate each",
			[]model.FrozenLayer{gates(input(0, 2), input(1, 3), and, xor)},
			6,
			estimate.LUTs{Gates: 2, Head: head, Encoder: 1 + 2 + 2},
		},
		{
			"a chain in one table of six inputs",
			[]model.FrozenLayer{
				gates(input(0, 2), input(0, 3), pinA, xor), gates(previous(0, 1), input(1, 4), or, and),
				gates(previous(0, 1), input(2, 5), and, and),
			},
			6,
			estimate.LUTs{Gates: 2, Head: head, Encoder: 0 + 1 + 4*2},
		},
		{
			"the same in tables of three",
			[]model.FrozenLayer{
				gates(input(0, 2), input(0, 3), pinA, xor), gates(previous(0, 1), input(1, 4), or, and),
				gates(previous(0, 1), input(2, 5), and, and),
			},
			3,
			estimate.LUTs{Gates: 3, Head: head, Encoder: 0 + 1 + 4*4},
		},
		{
			"a node that two read",
			[]model.FrozenLayer{
				gates(input(2, 3), input(4, 5), and, and), gates(previous(0, 0), previous(1, 1), and, or),
			},
			6,
			estimate.LUTs{Gates: 4, Head: head, Encoder: 4 * 2},
		},
		{
			"constants, and what only they would read",
			[]model.FrozenLayer{
				gates(input(2, 3), input(4, 5), and, zero), gates(previous(0, 0), previous(1, 0), and, or),
			},
			6,
			// The first counted bit is constant 0, so it is not counted. Both classes read the node of the second
			// bit.
			estimate.LUTs{Gates: 1, Head: head, Encoder: 2 * 2},
		},
		{
			"nothing is counted",
			[]model.FrozenLayer{gates(input(2, 3), input(4, 5), zero, one)},
			6,
			estimate.LUTs{Head: 1},
		},
		{
			"a table of six pins in tables of four",
			[]model.FrozenLayer{{
				Op: model.Tables{Wide: []uint64{1, 1}},
				Pins: []model.FrozenPin{
					input(0, 1), input(1, 2), input(2, 3), input(3, 4), input(4, 5), input(5, 6),
				},
			}},
			4,
			estimate.LUTs{Gates: 2 * 7, Head: head, Encoder: 1 + 5*3},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Inputs, c.want.Total = c.inputs, c.want.Gates+c.want.Head+c.want.Encoder
			if diff := cmp.Diff(c.want, estimated(network(t, c.layers...), c.inputs)); diff != "" {
				t.Errorf("look-up tables (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPopcounts checks a head with counters of many bits. Each of ten classes turns a hundred bits into seven digits,
// which removes 93 bits. The counts also need comparisons, choices and an index.
func TestPopcounts(t *testing.T) {
	f := netgen.Frozen(1, netgen.FrozenOptions{Width: 1000, Depth: 1, Features: 50, Classes: 10})
	for i := range f.Layers[0].Width() {
		f.Layers[0].Op.Set(i, pinA)
	}
	if got, want := estimated(f, 6).Head, 10*93+9*15; got != want {
		t.Errorf("%d look-up tables of the head, want %d", got, want)
	}
	if got, want := estimated(f, 4).Head, 10*93*7/4+9*15; got < want || got > want+1 {
		t.Errorf("%d look-up tables of four inputs of the head, want %d", got, want)
	}
}

// TestMoreInputs checks that the number of look-up tables never grows if the tables have more inputs.
func TestMoreInputs(t *testing.T) {
	for seed := range uint64(20) {
		f := netgen.Frozen(seed, netgen.FrozenOptions{Topology: netgen.Topology(seed % 2), Depth: 12})
		before := estimated(f, 2)
		for inputs := 3; inputs <= 6; inputs++ {
			l := estimated(f, inputs)
			if l.Gates > before.Gates || l.Head > before.Head || l.Encoder > before.Encoder {
				t.Errorf("seed %d: with %d inputs %+v, with one fewer %+v", seed, inputs, l, before)
			}
			before = l
		}
	}
}
