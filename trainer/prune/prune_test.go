package prune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/modelgen"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// task returns the task of a form of network with random samples.
func task(form modelgen.Form, samples int) Task {
	m := form.Model()
	return Task{
		Network: m.Freeze(), Samples: modelgen.Samples(&m.Encoder, samples, len(m.Classes), 1), Tau: 1.5, Threads: 2,
	}
}

// oracle is a network that is evaluated anew for each question, with the library's exponential and logarithm.
type oracle struct {
	Task
	f *model.Frozen
}

func newOracle(t *testing.T, task Task) *oracle {
	t.Helper()
	f := *task.Network
	f.Layers = slices.Clone(f.Layers)
	for l := range f.Layers {
		op := &f.Layers[l].Op
		*op = model.Tables{Narrow: slices.Clone(op.Narrow), Wide: slices.Clone(op.Wide)}
	}
	return &oracle{task, &f}
}

// loss returns the mean cross-entropy.
func (o *oracle) loss(t *testing.T) (mean float64) {
	t.Helper()
	scores, err := o.f.Evaluate(t.Context(), o.Samples, 1)
	if err != nil {
		t.Fatal(err)
	}
	for s, y := range o.Samples.Labels {
		sum, counts := 0.0, scores.Counts[s*scores.Classes:][:scores.Classes]
		for _, n := range counts {
			sum += math.Exp(float64(n-counts[y]) / o.Tau)
		}
		mean += math.Log(sum)
	}
	return mean / float64(o.Samples.Len())
}

// with returns the loss with a node constant.
func (o *oracle) with(t *testing.T, c Constant) float64 {
	t.Helper()
	op := o.f.Layers[c.Layer].Op
	was := op.At(c.Node)
	o.fix(c)
	defer op.Set(c.Node, was)
	return o.loss(t)
}

func (o *oracle) fix(c Constant) {
	table := uint64(0)
	if c.Value {
		table = model.LastTable(len(o.f.Layers[c.Layer].Pins))
	}
	o.f.Layers[c.Layer].Op.Set(c.Node, table)
}

// best returns the first of the constants with the least loss, but for rounding.
func (o *oracle) best(t *testing.T, all []Constant) Constant {
	t.Helper()
	var best Constant
	least := math.Inf(1)
	for _, c := range all {
		if loss := o.with(t, c); loss < least-1e-12 {
			best, least = c, loss
		}
	}
	return best
}

// TestChoose holds every choice of bits and nodes, in networks of every form, to what the loss would be of all that
// could have been chosen.
func TestChoose(t *testing.T) {
	for _, form := range modelgen.Unshared() {
		t.Run(form.Name, func(t *testing.T) {
			task := task(form, 700) // two blocks
			got, err := Choose(t.Context(), task, Shares{Bits: 0.2, Nodes: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			o := newOracle(t, task)
			if want := o.loss(t); math.Abs(got.Before-want) > 1e-9 {
				t.Errorf("loss before %v, want %v", got.Before, want)
			}
			o.checkBits(t, got.Bits)
			o.checkNodes(t, got.Nodes)
			if want := o.loss(t); math.Abs(got.After-want) > 1e-9 {
				t.Errorf("loss after %v, want %v", got.After, want)
			}
		})
	}
}

// checkBits follows a choice of a fifth of the counted bits.
func (o *oracle) checkBits(t *testing.T, got []Constant) {
	t.Helper()
	gone, last := map[int]bool{}, newNetwork(o.f).Layers[len(o.f.Layers)-1].Op
	for i := range o.f.Width {
		gone[i] = last.At(i) == 0
	}
	left := 0
	for _, is := range gone {
		if !is {
			left++
		}
	}
	if want := int(math.Round(0.2 * float64(left))); len(got) != want {
		t.Fatalf("%d bits, want %d", len(got), want)
	}
	for _, c := range got {
		var all []Constant
		for i := range o.f.Width {
			if !gone[i] { // no class comes near to its last bit
				all = append(all, Constant{Layer: len(o.f.Layers) - 1, Node: i})
			}
		}
		if want := o.best(t, all); c != want {
			t.Fatalf("bit %+v, want %+v, losses %v and %v", c, want, o.with(t, c), o.with(t, want))
		}
		gone[c.Node] = true
		o.fix(c)
	}
}

// checkNodes follows a choice of a tenth of the other nodes.
func (o *oracle) checkNodes(t *testing.T, got []Constant) {
	t.Helper()
	n := newNetwork(o.f)
	if want := int(math.Round(0.1 * float64(len(below(n.live()))))); len(got) != want {
		t.Fatalf("%d nodes, want %d", len(got), want)
	}
	for _, c := range got {
		var all []Constant
		for _, node := range below(n.live()) {
			all = append(all, node, Constant{node.Layer, node.Node, true})
		}
		if want := o.best(t, all); c != want {
			t.Fatalf("node %+v, want %+v, losses %v and %v", c, want, o.with(t, c), o.with(t, want))
		}
		o.fix(c)
		n.fix(c)
	}
}

// TestChooseAgain takes nothing for a bit that was removed before: of what is left the same share goes, and every class
// keeps a bit that is not constant.
func TestChooseAgain(t *testing.T) {
	task := task(modelgen.Form{Options: modelgen.Options{Width: 60, Depth: 2, Inputs: 6, Seed: 5}}, 300)
	left := 60
	for range 4 {
		o := newOracle(t, task)
		got, err := Choose(t.Context(), task, Shares{Bits: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		if want := min(int(math.Round(0.5*float64(left))), left-len(task.Network.Classes)); len(got.Bits) != want {
			t.Fatalf("%d of %d bits, want %d", len(got.Bits), left, want)
		}
		for _, c := range got.Bits {
			if o.f.Layers[c.Layer].Op.At(c.Node) == 0 {
				t.Errorf("%+v is 0 already", c)
			}
			o.fix(c)
		}
		left -= len(got.Bits)
		task.Network = o.f
	}
}

// TestChooseMany removes more than there are rounds: every class keeps a bit, nothing is chosen twice or when nothing
// depends on it any more, and the number of threads does not matter.
func TestChooseMany(t *testing.T) {
	for _, o := range []modelgen.Options{
		{Width: 630, Depth: 2, Inputs: 6, Seed: 1},
		{Topology: "layered", Widths: "200,300", Inputs: 4, Seed: 2},
	} {
		task := task(modelgen.Form{Options: o}, 300)
		var want *Removal
		for _, threads := range []int{1, 2, 3, 7} {
			task.Threads = threads
			got, err := Choose(t.Context(), task, Shares{Bits: 0.9, Nodes: 0.9})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d threads (-one +these):\n%s", threads, diff)
			}
		}
		if n := task.Network.Width * 9 / 10; len(want.Bits) != n || len(want.Nodes) == 0 {
			t.Errorf("%d bits, want %d, and %d nodes", len(want.Bits), n, len(want.Nodes))
		}
		n, left := newNetwork(task.Network), make([]int, 3)
		for c := range left {
			left[c] = task.Network.Width / 3
		}
		seen := map[int]bool{}
		for _, c := range want.Bits {
			if seen[c.Node] {
				t.Errorf("%+v is chosen twice", c)
			}
			seen[c.Node] = true
			left[c.Node/(task.Network.Width/3)]--
			n.fix(c)
		}
		for _, c := range want.Nodes {
			if !n.live()[c.Layer][c.Node] {
				t.Fatalf("nothing depends on %+v when it is chosen", c)
			}
			n.fix(c)
		}
		if slices.Min(left) < 1 {
			t.Errorf("bits left by class: %v", left)
		}
	}
}

// TestLastBits removes all but one bit of each class, where a class would lose all to the others' gain.
func TestLastBits(t *testing.T) {
	task := task(modelgen.Form{Options: modelgen.Options{Width: 6, Seed: 5}}, 100)
	for i := range task.Samples.Labels {
		task.Samples.Labels[i] = 2 // so that bits of the classes 0 and 1 only do harm
	}
	n := newNetwork(task.Network)
	got, err := task.chooseBits(t.Context(), n, 1)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d bits, want 3, error %v", len(got), err)
	}
	left := []int{2, 2, 2}
	for _, c := range got {
		left[c.Node/2]--
	}
	if diff := cmp.Diff([]int{1, 1, 1}, left); diff != "" {
		t.Errorf("bits left by class (-want +got):\n%s", diff)
	}
}

// TestLive finds what a counted bit depends on, beside constants.
func TestLive(t *testing.T) {
	const and, pinA, zero, or = 1, 3, 0, 7 // operations in the paper's numbering
	previous := func(index ...uint32) model.FrozenPin { return model.FrozenPin{Source: model.Previous, Index: index} }
	f := &model.Frozen{
		Classes: []string{"a", "b"}, Width: 2, Encoder: encoding.Encoder{Bits: 2, BitsIn: 1, Thresholds: [][]uint16{{0}}},
		Layers: []model.FrozenLayer{
			{
				Op:   model.Tables{Narrow: []uint8{pinA, pinA, zero, pinA}},
				Pins: []model.FrozenPin{{Index: make([]uint32, 4)}, {Index: make([]uint32, 4)}},
			},
			{
				// The first reads nodes 0 and 1; the second passes node 0 on; the third is 0, as it reads a constant.
				Op:   model.Tables{Narrow: []uint8{or, pinA, and}},
				Pins: []model.FrozenPin{previous(0, 0, 2), previous(1, 1, 3)},
			},
			{
				// Bit 0 reads the first, or the constant third; bit 1 needs the third and is 0.
				Op: model.Tables{Narrow: []uint8{or, and}}, Pins: []model.FrozenPin{previous(0, 1), previous(2, 2)},
			},
		},
	}
	n := newNetwork(f)
	want := [][]bool{{true, true, false, false}, {true, false, false}, {true, false}}
	if diff := cmp.Diff(want, n.live()); diff != "" {
		t.Errorf("live (-want +got):\n%s", diff)
	}
	n.fix(Constant{Layer: 0, Node: 1, Value: true}) // then bit 0 is 1
	want = [][]bool{make([]bool, 4), make([]bool, 3), make([]bool, 2)}
	if diff := cmp.Diff(want, n.live()); diff != "" {
		t.Errorf("with a constant, live (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]uint8{pinA, pinA, zero, pinA}, f.Layers[0].Op.Narrow); diff != "" {
		t.Errorf("the given network was changed (-was +is):\n%s", diff)
	}
}

// TestChanges holds the changes of the loss by one count to two losses, where a class leads alone and where it does
// not, also at a tau at which exponentials vanish.
func TestChanges(t *testing.T) {
	f := &model.Frozen{Width: 27, Classes: []string{"a", "b", "c"}}
	for _, tau := range []float64{1e-6, 0.01, 0.7, 3, 1e6} {
		l := newLoss(f, tau)
		for _, counts := range [][]int32{{5, 3, 4}, {5, 5, 2}, {9, 0, 0}, {0, 0, 0}, {7, 7, 7}, {9, 8, 9}} {
			for y := range uint8(3) {
				now := l.of(counts, y)
				l.changes(counts, y, func(c int, less, more float64) {
					for k, got := range map[int32]float64{-1: less, 1: more} {
						if counts[c] == 0 && k < 0 {
							continue // no bit is 1 that could be removed
						}
						changed := slices.Clone(counts)
						changed[c] += k
						if want := l.of(changed, y) - now; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
							t.Errorf("tau %v, counts %v, class %d: %+d of class %d changes %v, want %v", tau, counts, y, k, c, got, want)
						}
					}
				})
			}
		}
	}
}

// TestCancelled ends with the context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	task := task(modelgen.Forms()[0], 100)
	n := newNetwork(task.Network)
	_, all := Choose(ctx, task, Shares{Bits: 0.1, Nodes: 0.1})
	_, bits := task.chooseBits(ctx, n, 3)
	_, nodes := task.chooseNodes(ctx, n, 0.5)
	_, refill := task.Refill(ctx)
	for name, err := range map[string]error{"all": all, "bits": bits, "nodes": nodes, "refill": refill} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// BenchmarkChoose has chains of two tables of six pins for ten classes.
func BenchmarkChoose(b *testing.B) {
	for _, s := range []Shares{{Bits: 0.1}, {Nodes: 0.1}} {
		b.Run(fmt.Sprintf("bits=%v/nodes=%v", s.Bits, s.Nodes), func(b *testing.B) {
			task := task(modelgen.Form{Options: modelgen.Options{
				Width: 680, Depth: 2, Inputs: 6, Classes: 10, Features: 784, Bits: 6, Anchors: 16, Tau: 2.9, Seed: 1,
			}}, 60_000)
			for b.Loop() {
				if _, err := Choose(b.Context(), task, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
