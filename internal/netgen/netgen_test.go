package netgen

import (
	"math"
	"testing"

	"ialgn/internal/model"
	"ialgn/netlist"

	"github.com/google/go-cmp/cmp"
)

func TestFrozen(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options FrozenOptions
	}{
		{"defaults", FrozenOptions{}},
		{"one layer, one class", FrozenOptions{Depth: 1, Classes: 1}},
		{"random wiring", FrozenOptions{Topology: Random, Width: 50, Classes: 10, Depth: 9}},
		{"digits", FrozenOptions{Features: 64, Bits: 8, BitsIn: 5, Classes: 10, Width: 300, Depth: 20}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Frozen(1, tt.options)
			if diff := cmp.Diff(f, Frozen(1, tt.options)); diff != "" {
				t.Errorf("the same seed gave two networks (-first +second):\n%s", diff)
			}
			if cmp.Equal(f.Layers, Frozen(2, tt.options).Layers) {
				t.Error("another seed gave the same layers")
			}
			o := tt.options.withDefaults()
			if f.Width != o.Width || f.Depth() != o.Depth || len(f.Classes) != o.Classes || f.Inputs() != o.Features*(o.Bits-1) {
				t.Errorf("%d x %d gates, %d classes, %d inputs for the options %+v", f.Width, f.Depth(), len(f.Classes), f.Inputs(),
					o)
			}
		})
	}
}

func TestTopology(t *testing.T) {
	f := Frozen(3, FrozenOptions{Width: 40, Classes: 1})
	for l, layer := range f.Layers[1:] {
		if layer.Pins[0].Source != model.Previous || layer.Pins[1].Source != model.Input {
			t.Errorf("chain, layer %d: sources %v and %v", l+1, layer.Pins[0].Source, layer.Pins[1].Source)
		}
		for i, a := range layer.Pins[0].Index {
			if int(a) != i {
				t.Fatalf("chain, layer %d: gate %d reads spine %d", l+1, i, a)
			}
		}
	}
	last := Frozen(3, FrozenOptions{Topology: Random}).Layers[4]
	if last.Pins[0].Source != model.Previous || last.Pins[1].Source != model.Previous {
		t.Errorf("random: sources %v and %v", last.Pins[0].Source, last.Pins[1].Source)
	}
}

func TestShares(t *testing.T) {
	f := Frozen(4, Paper(600, 41))
	var count [16]float64
	for _, layer := range f.Layers[1:] {
		for _, op := range layer.Op.Narrow {
			count[op] += 1.0 / 24000
		}
	}
	binary := 0.0
	for _, op := range binaryOps {
		binary += count[op]
	}
	// Four standard deviations of 24,000 draws are 0.0083.
	if math.Abs(count[3]-0.884) > 0.0083 || math.Abs(binary-0.114) > 0.0083 {
		t.Errorf("shares of A and binary %.4f and %.4f, want about 0.884 and 0.114", count[3], binary)
	}
}

// TestMix checks the mixes of binary operations. In layer 1, half of the gates are binary with Measured, and no gates
// are binary with Dense. In later layers, a tenth of the binary operations are XOR, and a tenth negate A.
func TestMix(t *testing.T) {
	count := func(f *model.Frozen, layers []model.FrozenLayer) (share [16]float64) {
		for _, layer := range layers {
			for _, op := range layer.Op.Narrow {
				share[op] += 1 / float64(f.Width*len(layers))
			}
		}
		return share
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.015 {
			t.Errorf("%s: %.3f, want about %.3f", what, got, want)
		}
	}
	b := Frozen(1, Chains("b"))
	first, rest := count(b, b.Layers[:1]), count(b, b.Layers[1:])
	if math.Abs(first[3]-0.5) > 0.05 { // three standard deviations for 1000 gates
		t.Errorf("A in layer 1: %.3f, want about a half", first[3])
	}
	near("A beyond layer 1", rest[3], 0.885)
	near("AND", rest[1], 0.2*0.114)
	long := Frozen(1, LongChains(500, 60))
	share := count(long, long.Layers[1:])
	near("XOR", share[6]+share[9], 0.1)
	near("AND with a plain spine", share[1]+share[2], 0.4)
	near("negated spines", share[4]+share[8]+share[13]+share[14], 0.1)
	near("A in layer 1 of long chains", count(long, long.Layers[:1])[3], 1)
	if f := Frozen(1, Chains("d")); f.Inputs() != 46080 || f.Width != 12000 || f.Depth() != 100 {
		t.Errorf("d has %d x %d gates over %d inputs", f.Width, f.Depth(), f.Inputs())
	}
}

// TestNetlist checks that random netlists are valid and repeatable and have the promised properties. Netlist panics
// if a netlist is not valid.
func TestNetlist(t *testing.T) {
	seen := map[netlist.Kind]int{}
	margins := 0
	stages := int32(0)
	for seed := range uint64(200) {
		o := NetlistOptions{Registers: seed%2 == 1, Cells: 1 + int(seed), Margins: seed%4 < 2}
		n := Netlist(seed, o)
		if n.Cells() != o.Cells {
			t.Fatalf("seed %d: %d cells, want %d", seed, n.Cells(), o.Cells)
		}
		if !n.Equal(Netlist(seed, o)) {
			t.Fatalf("seed %d gave two netlists", seed)
		}
		for c := range netlist.Cell(n.Cells()) {
			seen[n.Kind(c)]++
			if n.Kind(c) == netlist.Argmax && n.Margin(c) > 0 {
				margins++
				if !o.Margins {
					t.Fatalf("seed %d: a margin that was not asked for", seed)
				}
			}
			if n.Kind(c) == netlist.Register && !o.Registers {
				t.Fatalf("seed %d: a register that was not asked for", seed)
			}
		}
		for _, s := range n.Stages() {
			stages = max(stages, s)
		}
	}
	for _, k := range netlist.Kinds() {
		if seen[k] < 100 {
			t.Errorf("%d cells of kind %v in 200 netlists", seen[k], k)
		}
	}
	if margins < 100 {
		t.Errorf("%d argmax cells with a margin in 200 netlists", margins)
	}
	if stages < 3 {
		t.Errorf("the deepest pipeline has %d stages", stages)
	}
}

func TestNetlistKinds(t *testing.T) {
	n := Netlist(1, NetlistOptions{Kinds: []netlist.Kind{netlist.Carry}})
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) != netlist.Carry {
			t.Fatalf("cell %d is a %v, only carries were asked for", c, n.Kind(c))
		}
	}
}
