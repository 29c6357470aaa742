package explain

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/netgen"
)

// TestCuts explains samples with real values. Cuts turn the values into words, and some of the cuts are equal. The
// explanation must describe bits by their cuts, and changes by ranges of values.
func TestCuts(t *testing.T) {
	f := netgen.Model(netgen.ModelOptions{Cuts: true, Bits: 6, Seed: 1}).Freeze()
	n, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, r := f.Encoder.Quantiser, rand.New(rand.NewPCG(3, 4))
	bits, flips := 0, 0
	for range 20 {
		x, words := make([]float64, f.Encoder.Features()), make([]uint16, f.Encoder.Features())
		for i := range x {
			x[i] = r.NormFloat64()
			words[i] = q.Apply(i, x[i], f.Encoder.Max)
		}
		e, err := n.Explain(t.Context(), words, 100)
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Votes {
			for _, p := range e.Votes[i].Deciding() {
				b := p.Input
				if b.Cut == nil || b.Least != nil || (x[b.Feature] > *b.Cut) != (p.Value == 1) {
					t.Fatalf("bit %+v of %g is %d", b, x[b.Feature], p.Value)
				}
				bits++
			}
			if why := e.Votes[i].Reason(3); why != "always" && !strings.Contains(why, " > ") && !strings.Contains(why, " <= ") {
				t.Errorf("reason %q", why)
			}
		}
		for _, c := range e.Flips {
			flips++
			if c.FromValue != nil || c.FromRange == nil || c.ToRange == nil || !within(c.FromRange, x[c.Feature]) {
				t.Fatalf("change %+v of %g", c, x[c.Feature])
			}
			if w := q.Apply(c.Feature, some(c.ToRange), f.Encoder.Max); w != c.To {
				t.Errorf("change %+v: the value %g has the word %d", c, some(c.ToRange), w)
			}
		}
	}
	if bits == 0 || flips == 0 {
		t.Errorf("%d deciding bits and %d changes, want some of both", bits, flips)
	}
}

func within(r *Range, x float64) bool {
	return (r.Above == nil || x > *r.Above) && (r.AtMost == nil || x <= *r.AtMost)
}

// some returns a value at one end of a range.
func some(r *Range) float64 {
	if r.AtMost != nil {
		return *r.AtMost
	}
	return math.Nextafter(*r.Above, math.Inf(1))
}

// TestCutCandidates checks that words that no value can have are skipped.
func TestCutCandidates(t *testing.T) {
	f := netgen.Model(netgen.ModelOptions{Cuts: true, Bits: 6, Width: 300, Seed: 1}).Freeze()
	n, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cuts := f.Encoder.Quantiser.Cuts[2]
	if cuts[0] != cuts[1] || slices.Contains(n.read(2), false) {
		t.Fatalf("cuts %v, read %v", cuts, n.read(2))
	}
	for v, want := range map[uint16][]uint16{0: {2, 3, 4, 5}, 2: {0, 3, 4, 5}, 5: {4, 3, 2, 0}} {
		var got []uint16
		for _, c := range n.levels(2, v) {
			got = append(got, c.words[0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("from the word %d: %v, want %v", v, got, want)
		}
	}
	if r := rangeOf(cuts, 1); r != nil {
		t.Errorf("the word 1 has the range %v, want none", r)
	}
}

func TestRange(t *testing.T) {
	low, high := -1.5, 0.1
	for want, r := range map[string]Range{
		"<= 0.1": {AtMost: &high}, "> -1.5": {Above: &low}, "> -1.5 and <= 0.1": {&low, &high},
	} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	c := Change{From: 0, To: 1, FromRange: &Range{AtMost: &low}, ToRange: &Range{&low, &high}}
	if from, to := c.Says(); from != "<= -1.5" || to != "> -1.5 and <= 0.1" {
		t.Errorf("%s to %s", from, to)
	}
	b, err := json.Marshal(c)
	if want := `"from_range":{"at_most":-1.5},"to_range":{"above":-1.5,"at_most":0.1}`; err != nil ||
		!strings.Contains(string(b), want) {
		t.Errorf("JSON %s, error %v", b, err)
	}
}
