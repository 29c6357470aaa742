package trainer

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestActive checks in which epochs candidates are replaced. Replacements happen at a fixed interval and end after
// the configured share of all epochs.
func TestActive(t *testing.T) {
	for _, c := range []struct {
		sets []string
		kind string
		want []int
	}{
		{[]string{"train.candidates.kind=gradient"}, "gradient", []int{0, 1, 2, 3, 4, 5}},
		{[]string{"train.candidates.kind=gradient", "train.candidates.every=2"}, "gradient", []int{0, 2, 4}},
		{[]string{"train.candidates.kind=gradient", "train.candidates.until=0.25"}, "gradient", []int{0, 1, 2}},
		{[]string{"train.candidates.kind=random", "train.candidates.until=1"}, "random", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{nil, "fixed", nil},
	} {
		r := &replacing{session: &session{Run: Run{Config: parse(t, append(c.sets, "train.epochs=10")...)}}}
		var got []int
		for r.at.Epoch = range 10 {
			if c.want != nil && r.active() {
				got = append(got, r.at.Epoch)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: active in %v, want %v", c.sets, got, c.want)
		}
		r.addReplacing()
		if random, gradient := len(r.stepping) > 0 && len(r.stepped) == 0, len(r.stepped) > 0; random != (c.kind == "random") ||
			gradient != (c.kind == "gradient") {
			t.Errorf("%v: replaced at random %v, by gradient %v", c.sets, random, gradient)
		}
	}
}

// TestOtherEpochs checks that a run which replaces candidates cannot be resumed with another number of epochs. The
// number of epochs decides when the replacements end.
func TestOtherEpochs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	train(t, Run{Config: parse(t, "train.epochs=1", "train.candidates.kind=random"), Model: path})
	_, err := (Run{Config: parse(t, "train.epochs=2", "train.candidates.kind=random"), Model: path, Resume: true}).
		Train(t.Context())
	if err == nil || !strings.Contains(err.Error(), "random candidates are replaced until a share of train.epochs = 1") {
		t.Errorf("error %v", err)
	}
}
