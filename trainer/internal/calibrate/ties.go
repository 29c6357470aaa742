package calibrate

import (
	"slices"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// Labelled holds the results of a network for samples with labels.
type Labelled struct {
	*model.Scores
	Labels []uint8
}

// Ties returns a tie order with which the metric of the given samples is larger than without an order. It returns nil
// if it finds none. The scores must come from a network without a tie order and with at least two classes. The metric
// must not depend on scores. If it is nil, it is the accuracy, which takes less time than the function of the accuracy.
//
// The function choose describes the search, which moves one class to another place at a time. Only samples with several
// largest counts matter, so a round takes little time even for many classes. A class moves no farther than necessary.
//
// Ties also returns nil if a class has no samples, as [Offsets] does.
func Ties(metric metrics.Func, sets ...Labelled) []int {
	var labels [][]uint8
	for _, s := range sets {
		labels = append(labels, s.Labels)
	}
	classes := sets[0].Classes
	if lacks(classes, labels...) {
		return nil
	}
	all := newTied(classes)
	parts := [2]*tied{newTied(classes), newTied(classes)}
	t := make(turns, classes)
	for _, s := range sets {
		for i, label := range s.Labels {
			counts := s.Counts[i*classes:][:classes]
			all.add(counts, label)
			parts[t.half(label)].add(counts, label)
		}
	}
	values := choose(classes, all, [2]rule{parts[0], parts[1]}, metric)
	if values == nil {
		return nil
	}
	order := make([]int, classes)
	for c, v := range values {
		order[classes-1-v] = c
	}
	return order
}

// tied is the rule of a tie order. The values are the numbers from 0 to the number of classes minus 1, each once. Of
// several classes with the largest count, the one with the largest value wins.
type tied struct {
	classes int
	clear   [][]int // confusion table of the samples with one largest count
	samples []tie
}

// tie is a sample with several largest counts.
type tie struct {
	label   uint8
	largest []uint8 // the classes with the largest count
}

func newTied(classes int) *tied { return &tied{classes: classes, clear: square(classes)} }

// add adds a sample.
func (t *tied) add(counts []int32, label uint8) {
	most := slices.Max(counts)
	first := slices.Index(counts, most)
	var largest []uint8
	for c := first + 1; c < len(counts); c++ {
		if counts[c] == most {
			largest = append(largest, uint8(c))
		}
	}
	if largest == nil {
		t.clear[label][first]++
		return
	}
	t.samples = append(t.samples, tie{label, append(largest, uint8(first))})
}

// first returns the values with which the lowest class wins.
func (t *tied) first() []int {
	values := make([]int, t.classes)
	for c := range values {
		values[c] = t.classes - 1 - c
	}
	return values
}

func (t *tied) span([]int, int) (low, high int) { return 0, t.classes - 1 }

// set moves a class. The classes between its old and its new value move by 1.
func (t *tied) set(values []int, c, value int) {
	old := values[c]
	for d, v := range values {
		switch {
		case old < v && v <= value:
			values[d]--
		case value <= v && v < old:
			values[d]++
		}
	}
	values[c] = value
}

func (t *tied) decide(confusion [][]int, values []int) {
	t.addClear(confusion)
	for _, s := range t.samples {
		confusion[s.label][s.winner(values, -1)]++
	}
}

func (t *tied) addClear(confusion [][]int) {
	for label, row := range t.clear {
		for class, n := range row {
			confusion[label][class] += n
		}
	}
}

// winner returns the class of the sample. The class except is left out.
func (s *tie) winner(values []int, except int) int {
	best := -1
	for _, c := range s.largest {
		if c := int(c); c != except && (best < 0 || values[c] > values[best]) {
			best = c
		}
	}
	return best
}

func (t *tied) without(confusion [][]int, values []int, c int, flip func(label, class uint8, at int)) {
	t.addClear(confusion)
	for i := range t.samples {
		s := &t.samples[i]
		other := s.winner(values, c)
		confusion[s.label][other]++
		if !slices.Contains(s.largest, uint8(c)) {
			continue
		}
		at := values[other] + 1
		if values[other] > values[c] { // the value of the other class without class c is smaller by 1
			at--
		}
		flip(s.label, uint8(other), at)
	}
}

// among returns the value of an interval that is nearest to the current value.
func (*tied) among(s step, values []int, c, _, _ int) int {
	return min(max(values[c], s.from), s.last())
}
