package explain

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// randomWords returns a random sample. Some of its words equal thresholds, because the comparison must be strict.
func randomWords(r *rand.Rand, enc *encoding.Encoder) []uint16 {
	words := make([]uint16, enc.Features())
	for f := range words {
		words[f] = uint16(r.IntN(int(enc.Max) + 1))
		if r.IntN(3) == 0 {
			words[f] = enc.Thresholds[f][r.IntN(enc.Bits-1)]
		}
	}
	return words
}

// scores returns the class counts and the predicted classes of samples, as computed by the trainer's forward pass.
func scores(t *testing.T, f *model.Frozen, samples ...[]uint16) *model.Scores {
	t.Helper()
	p := encoding.NewPacked(f.Encoder.Features(), f.Encoder.LevelBits())
	for _, words := range samples {
		levels := make([]uint16, len(words))
		f.Encoder.Levels(levels, words)
		p.Append(levels, 0)
	}
	s, err := f.Evaluate(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// changed returns a sample with the changes applied.
func changed(words []uint16, changes []Change) []uint16 {
	out := slices.Clone(words)
	for _, c := range changes {
		out[c.Feature] = c.To
	}
	return out
}

// TestExplainsEveryForm explains samples of every form of network and compares each statement with the forward pass.
// The votes must be the counts. The deciding bits must decide a vote, whatever the other bits are. The changes must
// change the class, and if any one change is left out, the class must stay the same.
func TestExplainsEveryForm(t *testing.T) {
	for _, form := range netgen.Forms() {
		t.Run(form.Name, func(t *testing.T) {
			f := form.Model().Freeze()
			n, err := New(f, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(form.Options.Seed, 1))
			for range 3 {
				words := randomWords(r, &f.Encoder)
				e, err := n.Explain(t.Context(), words, 100)
				if err != nil {
					t.Fatal(err)
				}
				checkVotes(t, r, f, e)
				checkFlips(t, f, e)
			}
		})
	}
}

// checkVotes compares the votes with the counts. For each vote, it also checks on other inputs that the deciding bits
// alone decide the vote.
func checkVotes(t *testing.T, r *rand.Rand, f *model.Frozen, e *Explanation) {
	t.Helper()
	want := scores(t, f, e.Words)
	if diff := cmp.Diff(want.Counts, e.Counts); diff != "" || e.Class != f.Classes[want.Predicted[0]] {
		t.Fatalf("class %s, counts (-want +got):\n%s", e.Class, diff)
	}
	votes := map[string]int{}
	for i := range e.Votes {
		votes[e.Votes[i].Class]++
		checkPath(t, r, f, e, &e.Votes[i])
	}
	for c, name := range f.Classes {
		n := int(want.Counts[c])
		if f.Offsets != nil {
			n -= f.Offsets[c]
		}
		if (name == e.Class || name == e.RunnerUp) && votes[name] != n {
			t.Errorf("%d votes for %s, want %d", votes[name], name, n)
		}
	}
}

// checkPath makes all bits random, except for the deciding bits. The vote must not change.
func checkPath(t *testing.T, r *rand.Rand, f *model.Frozen, e *Explanation, v *Vote) {
	t.Helper()
	rows := make([]uint64, f.Inputs())
	for i := range rows {
		rows[i] = r.Uint64()
	}
	for _, p := range v.Deciding() {
		rows[p.Input.Bit] = -uint64(p.Value)
		if greater := e.Words[p.Input.Feature] > p.Input.Threshold; greater != (p.Value == 1) {
			t.Errorf("the explanation has bit %d of the sample as %d, want the opposite", p.Input.Bit, p.Value)
		}
	}
	model.NewEvaluator(f).Run(rows, 1, func(l int, h []uint64) {
		for i := range v.Path {
			k := &v.Path[i]
			if k.Layer != l+1 || !k.Decides {
				continue
			}
			if h[k.Node] != -uint64(k.Value) {
				t.Fatalf("chain %d, layer %d, node %d: not decided by the deciding bits: value %#x, want all bits %d", v.Chain,
					k.Layer, k.Node, h[k.Node], k.Value)
			}
		}
	})
	top := v.Path[len(v.Path)-1]
	if top.Layer != f.Depth() || top.Node != v.Chain || top.Value != 1 || !top.Decides {
		t.Errorf("chain %d: the path ends with %+v", v.Chain, top)
	}
	for _, k := range v.Path {
		lines := 1<<len(k.Pins) - 1
		if value := int(k.Table >> (lines - k.Line) & 1); value != k.Value {
			t.Errorf("layer %d, node %d: line %d of table %#x is %d, want %d", k.Layer, k.Node, k.Line, k.Table, value, k.Value)
		}
	}
}

// checkFlips checks that the changes change the class, and that the class stays the same if any one change is left
// out.
func checkFlips(t *testing.T, f *model.Frozen, e *Explanation) {
	t.Helper()
	if e.Flipped == nil {
		return
	}
	all := [][]uint16{changed(e.Words, e.Flips)}
	for i := range e.Flips {
		all = append(all, changed(e.Words, slices.Delete(slices.Clone(e.Flips), i, i+1)))
	}
	s := scores(t, f, all...)
	if diff := cmp.Diff(s.Counts[:s.Classes], e.Flipped.Counts); diff != "" || f.Classes[s.Predicted[0]] != e.Flipped.Class {
		t.Errorf("flipped to class %d, counts (-want +got):\n%s", s.Predicted[0], diff)
	}
	if e.Flipped.Class == e.Class {
		t.Errorf("the changed class is the same: %s", e.Class)
	}
	for i, class := range s.Predicted[1:] {
		if f.Classes[class] != e.Class {
			t.Errorf("change %d is not needed: without it the class is %d", i, class)
		}
	}
}

// TestFewestChanges compares the number of changes with the smallest possible number. The networks are so small that
// all samples can be tried.
func TestFewestChanges(t *testing.T) {
	found, flipped, least := 0, 0, 0
	for seed := range uint64(40) {
		f := netgen.Frozen(seed, netgen.FrozenOptions{
			Width: 40, Depth: 3, Features: 5, Bits: 3, BitsIn: 2, Classes: 4, Topology: netgen.Topology(seed % 2),
		})
		n, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		words := randomWords(rand.New(rand.NewPCG(seed, 2)), &f.Encoder)
		e, err := n.Explain(t.Context(), words, 5)
		if err != nil {
			t.Fatal(err)
		}
		want := fewest(t, f, words, e.Index)
		if want > 0 {
			flipped++
		}
		switch got := len(e.Flips); {
		case got == 0:
		case want == 0 || got < want:
			t.Errorf("seed %d: %d changes, want at least %d", seed, got, want)
		case e.Flipped.Least && got != want:
			t.Errorf("seed %d: %d changes are called the fewest, but %d suffice", seed, got, want)
		default:
			found++
			least += got - want
		}
	}
	if found != flipped || flipped < 30 || least > 2 {
		t.Errorf("found %d of %d flips, with %d changes more than necessary in all", found, flipped, least)
	}
}

// fewest returns the smallest number of features that must change to get another class, or 0 if no changes lead to
// another class.
func fewest(t *testing.T, f *model.Frozen, words []uint16, class int) (least int) {
	t.Helper()
	var all [][]uint16
	for i := range 1 << 10 { // five features of two bits
		sample := make([]uint16, len(words))
		for k := range sample {
			sample[k] = uint16(i >> (2 * k) & 3)
		}
		all = append(all, sample)
	}
	for i, c := range scores(t, f, all...).Predicted {
		if int(c) == class {
			continue
		}
		differ := 0
		for k, v := range all[i] {
			if v != words[k] {
				differ++
			}
		}
		if least == 0 || differ < least {
			least = differ
		}
	}
	return least
}

// TestNothingFlips checks the explanation if no changes change the class, or if no changes are allowed.
func TestNothingFlips(t *testing.T) {
	f := netgen.Demo()
	for name, change := range map[string]func(f *model.Frozen) int{
		"constant":     func(f *model.Frozen) int { f.Layers[0].Op.Narrow = []uint8{15, 0}; return 9 },
		"none allowed": func(*model.Frozen) int { return 0 },
		"one class": func(f *model.Frozen) int {
			f.Classes = []string{"only"}
			return 9
		},
	} {
		f := *f
		f.Layers = []model.FrozenLayer{{Op: model.Tables{Narrow: slices.Clone(f.Layers[0].Op.Narrow)}, Pins: f.Layers[0].Pins}}
		most := change(&f)
		n, err := New(&f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := n.Explain(t.Context(), []uint16{200, 3}, most)
		if err != nil || e.Flipped != nil || len(e.Flips) != 0 || e.Flips == nil {
			t.Errorf("%s: %+v, error %v", name, e, err)
		}
	}
}

// TestCandidates checks the candidates of a feature. There must be one value for each interval that the network
// distinguishes. This must be the value in the interval that is nearest to the sample's value.
func TestCandidates(t *testing.T) {
	enc, err := encoding.NewUniform(2, 4, 4, 15, nil)
	if err != nil {
		t.Fatal(err)
	}
	enc.Thresholds = [][]uint16{{3, 7, 15}, {5, 5, 9}}
	n := &Network{f: &model.Frozen{Encoder: *enc}, columns: columns(2, nil), live: &Live{Inputs: []bool{true, true, true, true, true, false}}}
	for _, c := range []struct {
		words []uint16
		want  string
	}{
		{[]uint16{0, 0}, "[{0 [4] 1 true} {0 [8] 2 true} {1 [6] 1 true}]"},
		{[]uint16{3, 5}, "[{0 [4] 1 true} {0 [8] 2 true} {1 [6] 1 true}]"},
		{[]uint16{4, 6}, "[{0 [3] 1 false} {0 [8] 1 true} {1 [5] 1 false}]"},
		{[]uint16{15, 15}, "[{0 [7] 1 false} {0 [3] 2 false} {1 [5] 1 false}]"},
	} {
		if got := fmt.Sprint(n.candidates(c.words)); got != c.want {
			t.Errorf("%v: %v, want %v", c.words, got, c.want)
		}
	}
}

// TestCategories checks that a category changes from one word to another, and that this counts as one change,
// although it changes two features.
func TestCategories(t *testing.T) {
	found := 0
	for seed := range uint64(30) {
		f := netgen.Frozen(seed, netgen.FrozenOptions{Width: 40, Depth: 3, Features: 5, Bits: 3, BitsIn: 2, Classes: 4})
		for i := 1; i < 4; i++ {
			f.Encoder.Thresholds[i] = []uint16{1, 1}
		}
		colour := Category{Name: "colour", First: 1, Words: []string{"blue", "green", "red"}}
		n, err := New(f, Options{Categories: []Category{colour}})
		if err != nil {
			t.Fatal(err)
		}
		var all [][]uint16 // all possible samples
		for i := range 4 * 3 * 4 {
			sample := []uint16{uint16(i % 4), 0, 0, 0, uint16(i / 12)}
			sample[1+i/4%3] = 3
			all = append(all, sample)
		}
		from := rand.New(rand.NewPCG(seed, 4)).IntN(len(all))
		e, err := n.Explain(t.Context(), all[from], 5)
		if err != nil {
			t.Fatal(err)
		}
		least, differ := 9, func(a, b []uint16) (n int) {
			for _, part := range [][2]int{{0, 1}, {1, 4}, {4, 5}} {
				if !slices.Equal(a[part[0]:part[1]], b[part[0]:part[1]]) {
					n++
				}
			}
			return n
		}
		s := scores(t, f, all...)
		for i, class := range s.Predicted {
			if int(class) != e.Index {
				least = min(least, differ(all[from], all[i]))
			}
		}
		if e.Flipped == nil {
			if least < 9 {
				t.Errorf("seed %d: no changes were found, but %d suffice", seed, least)
			}
			continue
		}
		for i := range e.Votes {
			for _, p := range e.Votes[i].Deciding() {
				reason, name := p.Input.says(p.Value), f.Encoder.Name(p.Input.Feature)
				word := reason == name && e.Words[p.Input.Feature] == 3 || reason == "not "+name && e.Words[p.Input.Feature] == 0
				if category := p.Input.Feature%4 != 0; category != word {
					t.Errorf("seed %d: the reason for feature %d is %q", seed, p.Input.Feature, reason)
				}
			}
		}
		at := slices.IndexFunc(all, func(v []uint16) bool { return slices.Equal(v, e.Changed) })
		if at < 0 || f.Classes[s.Predicted[at]] != e.Flipped.Class || differ(all[from], e.Changed) != len(e.Flips) {
			t.Fatalf("seed %d: %v becomes %v by %+v", seed, e.Words, e.Changed, e.Flips)
		}
		if len(e.Flips) < least || e.Flipped.Least && len(e.Flips) != least {
			t.Errorf("seed %d: %d changes, the fewest are %d", seed, len(e.Flips), least)
		}
		for i := range e.Flips {
			if c := &e.Flips[i]; c.Name == "colour" {
				found++
				was, is := slices.Index(e.Words[1:4], 3), slices.Index(e.Changed[1:4], 3)
				if from, to := c.Says(); from != colour.Words[was] || to != colour.Words[is] || c.Feature != 1+is || c.To != 3 {
					t.Errorf("seed %d: %+v of %v to %v", seed, c, e.Words, e.Changed)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d changes of the category were found", found)
	}
}

func TestInterrupted(t *testing.T) {
	n, err := New(netgen.Demo(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Explain(ctx, []uint16{0, 0}, 1); err == nil {
		t.Error("an ended context was not noticed")
	}
}

func TestPlace(t *testing.T) {
	enc := netgen.Encoder(24, 4, 8)
	for f, want := range map[int]string{
		0: "feature 0 (plane 0, row 0, column 0)", 23: "feature 23 (plane 1, row 2, column 3)",
	} {
		if got := PlaceOf(&enc, dataset.Shape{Planes: 2, Height: 3, Width: 4}, f).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := PlaceOf(&enc, dataset.Shape{Planes: 1, Height: 4, Width: 6}, 23).String(); got != "feature 23 (row 3, column 5)" {
		t.Error(got)
	}
	if got := PlaceOf(&enc, dataset.Shape{}, 7); got.String() != "feature 7" || got.Row != nil {
		t.Error(got)
	}
}
