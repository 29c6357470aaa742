package diagnose_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/diagnose"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// network returns a frozen network of the given layers. It has 4 inputs and one class.
func network(t *testing.T, layers ...model.FrozenLayer) *model.Frozen {
	t.Helper()
	e, err := encoding.NewUniform(4, 2, 8, 255, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &model.Frozen{Name: "n", Classes: []string{"all"}, Width: layers[0].Width(), Encoder: *e, Layers: layers}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	return f
}

func spine(ops ...uint8) model.FrozenLayer {
	own := make([]uint32, len(ops))
	for i := range own {
		own[i] = uint32(i)
	}
	return gates(ops, model.Previous, own, model.Input, make([]uint32, len(ops)))
}

func first(ops ...uint8) model.FrozenLayer {
	return gates(ops, model.Input, make([]uint32, len(ops)), model.Input, make([]uint32, len(ops)))
}

func gates(ops []uint8, aSource model.Source, a []uint32, bSource model.Source, b []uint32) model.FrozenLayer {
	return model.FrozenLayer{Op: model.Tables{Narrow: ops}, Pins: []model.FrozenPin{{Source: aSource, Index: a}, {Source: bSource, Index: b}}}
}

func wired(a, b []uint32, ops ...uint8) model.FrozenLayer {
	return gates(ops, model.Previous, a, model.Previous, b)
}

var approx = cmpopts.EquateApprox(0, 1e-12)

// TestEffectiveDepth has networks whose depths were worked out by hand. The comment after a layer lists the depths of
// its gates. Percentiles of n gates are interpolated at the positions 0.1 (n-1) and 0.9 (n-1).
func TestEffectiveDepth(t *testing.T) {
	for _, tt := range []struct {
		name   string
		layers []model.FrozenLayer
		want   []diagnose.LayerDepth
	}{
		{
			"each category on raw inputs",
			[]model.FrozenLayer{first(0, 15, 3, 5, 12, 10, 1, 6)}, // 0 0 0 0 1 1 1 1
			[]diagnose.LayerDepth{{Mean: 0.5, P10: 0, P90: 1, Max: 1}},
		},
		{
			"a private spine",
			[]model.FrozenLayer{
				first(1, 1, 1, 1, 1),  // 1 1 1 1 1
				spine(3, 5, 12, 7, 0), // A 1, B 0, NOT A 2, OR 2, FALSE 0
				spine(10, 3, 1, 3, 9), // NOT B 1, A 0, AND 3, A 2, XNOR 1
			},
			[]diagnose.LayerDepth{
				{Mean: 1, P10: 1, P90: 1, Max: 1},
				{Mean: 1, P10: 0, P90: 2, Max: 2},
				{Mean: 1.4, P10: 0.4, P90: 2.6, Max: 3},
			},
		},
		{
			"random wires take the deeper parent",
			[]model.FrozenLayer{
				first(3, 12, 15), // 0 1 0
				wired([]uint32{0, 1, 1}, []uint32{1, 0, 1}, 6, 5, 10), // 2 0 2
				wired([]uint32{2, 0, 1}, []uint32{1, 1, 1}, 14, 3, 8), // 3 2 1
			},
			[]diagnose.LayerDepth{
				{Mean: 1.0 / 3, P10: 0, P90: 0.8, Max: 1},
				{Mean: 4.0 / 3, P10: 0.4, P90: 2, Max: 2},
				{Mean: 2, P10: 1.2, P90: 2.8, Max: 3},
			},
		},
		{
			"one gate",
			[]model.FrozenLayer{first(6), spine(6)},
			[]diagnose.LayerDepth{{1, 1, 1, 1}, {2, 2, 2, 2}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := diagnose.EffectiveDepth(network(t, tt.layers...))
			if diff := cmp.Diff(tt.want, got, approx); diff != "" {
				t.Errorf("depths (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEffectiveDepthRandom compares depths with a recursion that starts from the last gates. It compares percentiles
// with sorted depths.
func TestEffectiveDepthRandom(t *testing.T) {
	for _, o := range []netgen.FrozenOptions{
		{},
		{Topology: netgen.Random},
		{ShareA: 0.5, ShareBinary: 0.3, Depth: 12, Width: 33},
	} {
		f := netgen.Frozen(9, o)
		for l, got := range diagnose.EffectiveDepth(f) {
			depth := make([]float64, f.Width)
			sum := 0.0
			for i := range depth {
				depth[i] = float64(recursiveDepth(f, l, uint32(i)))
				sum += depth[i]
			}
			slices.Sort(depth)
			at := func(p float64) float64 {
				low, part := math.Modf(p * float64(len(depth)-1))
				return depth[int(low)]*(1-part) + depth[min(int(low)+1, len(depth)-1)]*part
			}
			want := diagnose.LayerDepth{Mean: sum / float64(f.Width), P10: at(0.1), P90: at(0.9), Max: float64(depth[len(depth)-1])}
			if diff := cmp.Diff(want, got, approx); diff != "" {
				t.Fatalf("options %+v, layer %d (-want +got):\n%s", o, l, diff)
			}
		}
	}
}

func recursiveDepth(f *model.Frozen, l int, i uint32) int {
	layer := &f.Layers[l]
	pin := func(s model.Source, i uint32) int {
		if s == model.Input {
			return 0
		}
		return recursiveDepth(f, l-1, i)
	}
	a := func() int { return pin(layer.Pins[0].Source, layer.Pins[0].Index[i]) }
	b := func() int { return pin(layer.Pins[1].Source, layer.Pins[1].Index[i]) }
	switch layer.Op.Narrow[i] {
	case 0, 15:
		return 0
	case 3:
		return a()
	case 5:
		return b()
	case 12:
		return a() + 1
	case 10:
		return b() + 1
	}
	return 1 + max(a(), b())
}

func TestTakeCensus(t *testing.T) {
	f := network(t,
		first(1, 1, 1, 1),
		spine(3, 3, 5, 0),
		spine(3, 12, 6, 1),
	)
	want := diagnose.Census{
		Gates:      8,
		Operations: [16]float64{0: 0.125, 1: 0.125, 3: 0.375, 5: 0.125, 6: 0.125, 12: 0.125},
		Categories: diagnose.Categories{Constants: 0.125, PassThrough: 0.5, Negation: 0.125, Binary: 0.25},
	}
	if diff := cmp.Diff(want, diagnose.TakeCensus(f)); diff != "" {
		t.Errorf("census (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(diagnose.Census{}, diagnose.TakeCensus(network(t, first(1, 6)))); diff != "" {
		t.Errorf("census of one layer (-want +got):\n%s", diff)
	}
}

// TestCensusAddsUp checks that every operation is in exactly one category, and that this is the category of its truth
// table.
func TestCensusAddsUp(t *testing.T) {
	for op := range uint8(16) {
		c := diagnose.TakeCensus(network(t, first(0), spine(op)))
		support := netlist.Support(netlist.Extend(netlist.Table(uint64(op), 2), 2))
		want := diagnose.Categories{}
		switch {
		case support == 0:
			want.Constants = 1
		case support == 3:
			want.Binary = 1
		case netlist.Table(uint64(op), 2)&1 == 0:
			want.PassThrough = 1
		default:
			want.Negation = 1
		}
		if diff := cmp.Diff(want, c.Categories); diff != "" || c.Operations[op] != 1 {
			t.Errorf("operation %d (-want +got):\n%s", op, diff)
		}
	}
}
