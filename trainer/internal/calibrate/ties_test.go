package calibrate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// tying returns random samples with many ties, and labels. If a sample is a tie of some classes, its label is mostly
// the largest of them.
func tying(r *rand.Rand, samples, classes int) (*model.Scores, []uint8) {
	counts, labels := make([]int32, samples*classes), make([]uint8, samples)
	for i := range labels {
		row := counts[i*classes:][:classes]
		for c := range row {
			if row[c] = int32(r.IntN(3)); row[c] == 2 {
				labels[i] = uint8(c)
			}
		}
		if r.IntN(3) == 0 {
			labels[i] = uint8(r.IntN(classes))
		}
	}
	return scores(classes, counts), labels
}

// ordered classifies samples slowly with a tie order, and returns their metric.
func ordered(s *model.Scores, labels []uint8, order []int, metric metrics.Func) float64 {
	confusion := square(s.Classes)
	for i, label := range labels {
		row := s.Counts[i*s.Classes:][:s.Classes]
		for _, c := range order {
			if row[c] == slices.Max(row) {
				confusion[label][c]++
				break
			}
		}
	}
	return metric(confusion, nil)
}

// permutations calls f for each order of the classes.
func permutations(order []int, from int, f func([]int)) {
	if from == len(order) {
		f(order)
		return
	}
	for i := from; i < len(order); i++ {
		order[from], order[i] = order[i], order[from]
		permutations(order, from+1, f)
		order[from], order[i] = order[i], order[from]
	}
}

// moves calls f for each order in which one class of an order is at another place.
func moves(order []int, f func([]int)) {
	for from := range order {
		rest := slices.Delete(slices.Clone(order), from, from+1)
		for to := range order {
			f(slices.Insert(slices.Clone(rest), to, order[from]))
		}
	}
}

// TestTies compares tie orders with all orders of the classes. No move of a single class may improve the metric, and
// most results must be as good as the best of all.
func TestTies(t *testing.T) {
	best, found := 0, 0
	for seed := range uint64(40) {
		classes := 2 + int(seed%4)
		s, labels := tying(rand.New(rand.NewPCG(seed, 1)), 80, classes)
		name := []string{"accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef"}[seed/4%4]
		metric, err := metrics.Lookup(name, classes)
		if err != nil {
			t.Fatal(err)
		}
		half := 30 // two sets give the same result as one
		got := Ties(metric, part(s, labels, 0, half), part(s, labels, half, len(labels)))
		if whole := Ties(metric, Labelled{s, labels}); !slices.Equal(got, whole) {
			t.Errorf("seed %d: order %v of two sets, %v of one", seed, got, whole)
		}
		if fast := Ties(nil, Labelled{s, labels}); name == "accuracy" && !slices.Equal(got, fast) {
			t.Errorf("seed %d: order %v by the accuracy, %v by the number of correct samples", seed, got, fast)
		}
		if got == nil {
			continue
		}
		found++
		ascending := slices.Sorted(slices.Values(got))
		is, without := ordered(s, labels, got, metric), ordered(s, labels, ascending, metric)
		if !(is > without) {
			t.Errorf("seed %d: %s is %v with the order %v, and %v without", seed, name, is, got, without)
		}
		moves(got, func(order []int) {
			if v := ordered(s, labels, order, metric); v > is+1e-12 {
				t.Errorf("seed %d: %s is %v with the order %v, but %v with %v", seed, name, is, got, v, order)
			}
		})
		most := is
		permutations(ascending, 0, func(order []int) { most = max(most, ordered(s, labels, order, metric)) })
		if is > most-1e-12 {
			best++
		}
	}
	if found < 30 || best < found*9/10 {
		t.Errorf("%d of 40 networks got an order, and %d of these are the best", found, best)
	}
}

// part returns the samples from .. to-1.
func part(s *model.Scores, labels []uint8, from, to int) Labelled {
	return Labelled{
		&model.Scores{Classes: s.Classes, Counts: s.Counts[from*s.Classes : to*s.Classes], Predicted: s.Predicted[from:to]},
		labels[from:to],
	}
}

// TestTiesOfNoise checks that labels that do not depend on the counts get no order, unless by chance.
func TestTiesOfNoise(t *testing.T) {
	accuracy, err := metrics.Lookup("accuracy", 3)
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		s, labels := tying(r, 60, 3)
		for i := range labels {
			labels[i] = uint8(r.IntN(3))
		}
		if Ties(accuracy, Labelled{s, labels}) != nil {
			got++
		}
	}
	if got > 30 {
		t.Errorf("%d of 60 sets of noise got an order", got)
	}
}

// TestTiesRefused checks that samples without ties, and samples that lack a class, get no order.
func TestTiesRefused(t *testing.T) {
	accuracy, err := metrics.Lookup("accuracy", 3)
	if err != nil {
		t.Fatal(err)
	}
	clear := scores(3, []int32{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1})
	tied := scores(3, []int32{1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 2, 1, 0, 0, 1, 2})
	for name, test := range map[string]struct {
		set  Labelled
		want []int
	}{
		"no ties": {Labelled{clear, []uint8{1, 2, 0, 1, 2, 0}}, nil},
		"a class": {Labelled{tied, []uint8{1, 1, 1, 1, 0, 1}}, nil},
		"ties":    {Labelled{tied, []uint8{1, 1, 1, 1, 0, 2}}, []int{1, 0, 2}},
	} {
		if got := Ties(accuracy, test.set); !slices.Equal(got, test.want) {
			t.Errorf("%s: order %v, want %v", name, got, test.want)
		}
	}
}
