package calibrate

import (
	"slices"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// rounds limits the number of times that the offset of each class is chosen again.
const rounds = 20

// Offsets returns an integer for each class with which the metric of the given samples is larger than without offsets.
// It returns nil if it finds none. The smallest offset is 0, and the largest is at most limit. The counts of s must
// come from a network without offsets and with at least two classes. The metric must not depend on scores.
//
// One offset after the other is changed to the value with the best metric, as long as the metric grows. Values that
// are next to each other and equally good are an interval. Offsets takes the middle of the longest interval, because
// the ends of an interval depend on single samples.
//
// Offsets that are good for a few samples of a rare class may be bad for other samples. Therefore the samples are also
// divided into two halves, with half the samples of each class. The offsets of each half must improve the metric of
// the samples of the other half, both halves taken together. Otherwise Offsets returns nil. It also returns nil if a
// class has no samples, because the metric would then grow if the class were never predicted.
func Offsets(s *model.Scores, labels []uint8, limit int, metric metrics.Func) []int {
	all := &search{s.Classes, s.Counts, labels, limit, metric}
	without := all.value(make([]int, s.Classes))
	if all.lacksClass() || !(all.transferred() > without) {
		return nil
	}
	offsets, value := all.ascend()
	if !(value > without) {
		return nil
	}
	least := slices.Min(offsets)
	for c := range offsets {
		offsets[c] -= least
	}
	return offsets
}

// search holds the samples for which offsets are chosen.
type search struct {
	classes int
	counts  []int32 // [samples][classes]
	labels  []uint8
	limit   int
	metric  metrics.Func
}

// lacksClass reports whether some class has no samples.
func (s *search) lacksClass() bool {
	for c := range s.classes {
		if !slices.Contains(s.labels, uint8(c)) {
			return true
		}
	}
	return false
}

// transferred returns the metric of all samples if the offsets of each half of the samples are used for the other half.
func (s *search) transferred() float64 {
	halves := s.halves()
	confusion := square(s.classes)
	for i := range halves {
		offsets, _ := halves[i].ascend()
		halves[1-i].confuse(confusion, offsets)
	}
	return s.metric(confusion, nil)
}

// halves divides the samples of each class between two searches. The samples of a class take turns.
func (s *search) halves() (halves [2]search) {
	for i := range halves {
		halves[i] = search{classes: s.classes, limit: s.limit, metric: s.metric}
	}
	turn := make([]int, s.classes)
	for i, label := range s.labels {
		h := &halves[turn[label]]
		h.counts, h.labels = append(h.counts, s.row(i)...), append(h.labels, label)
		turn[label] = 1 - turn[label]
	}
	return halves
}

func (s *search) row(i int) []int32 { return s.counts[i*s.classes:][:s.classes] }

func square(classes int) [][]int {
	table := make([][]int, classes)
	for c := range table {
		table[c] = make([]int, classes)
	}
	return table
}

// confuse adds the samples to a confusion table, with the given offsets.
func (s *search) confuse(confusion [][]int, offsets []int) {
	for i, label := range s.labels {
		best, _ := s.best(i, offsets, -1)
		confusion[label][best]++
	}
}

// best returns the class of sample i, and its count with the offset. The class except is left out.
func (s *search) best(i int, offsets []int, except int) (class, count int) {
	class = -1
	for c, n := range s.row(i) {
		if n := int(n) + offsets[c]; c != except && (class < 0 || n > count) {
			class, count = c, n
		}
	}
	return class, count
}

// value returns the metric of all samples.
func (s *search) value(offsets []int) float64 {
	confusion := square(s.classes)
	s.confuse(confusion, offsets)
	return s.metric(confusion, nil)
}

// ascend returns offsets that cannot be improved by changing a single offset, or the best after some rounds. It also
// returns their metric.
func (s *search) ascend() (offsets []int, value float64) {
	offsets = make([]int, s.classes)
	value = s.value(offsets)
	for range rounds {
		before := value
		for c := range offsets {
			offsets[c], value = s.improve(offsets, c, value)
		}
		if !(value > before) {
			break
		}
	}
	return offsets, value
}

// improve returns the best offset of class c, and its metric. If no other offset is better than the current value, it
// returns the current offset.
func (s *search) improve(offsets []int, c int, value float64) (int, float64) {
	others := slices.Delete(slices.Clone(offsets), c, c+1)
	low, high := slices.Max(others)-s.limit, slices.Min(others)+s.limit
	curve := s.curve(offsets, c, low, high)
	best := slices.MaxFunc(curve, func(a, b step) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return a.length - b.length
	})
	if !(best.value > value) {
		return offsets[c], value
	}
	return best.middle(low, high), best.value
}

// step is an interval of offsets with the same metric.
type step struct {
	from, length int
	value        float64
}

// middle returns the middle of an interval. An interval that begins at low or ends at high would go on without this
// limit. Its middle says nothing, and the result is the offset at the other end.
func (s step) middle(low, high int) int {
	last := s.from + s.length - 1
	switch {
	case s.from == low:
		return last
	case last == high:
		return s.from
	}
	return s.from + (s.length-1)/2
}

// curve returns the metric for each offset of class c from low to high, as intervals in ascending order.
func (s *search) curve(offsets []int, c, low, high int) (steps []step) {
	confusion := square(s.classes)
	flips := make([][]flip, high-low+1) // [offset - low]: the samples whose class becomes c
	for i, label := range s.labels {
		other, count := s.best(i, offsets, c)
		at := count - int(s.row(i)[c]) // with this offset, both classes have the same count
		if other < c {
			at++
		}
		confusion[label][other]++
		if at = max(at, low); at <= high {
			flips[at-low] = append(flips[at-low], flip{label, uint8(other)})
		}
	}
	for d, changed := range flips {
		for _, f := range changed {
			confusion[f.label][f.class]--
			confusion[f.label][c]++
		}
		n := len(steps)
		if n > 0 && len(changed) == 0 {
			steps[n-1].length++
			continue
		}
		value := s.metric(confusion, nil)
		if n > 0 && value == steps[n-1].value {
			steps[n-1].length++
			continue
		}
		steps = append(steps, step{low + d, 1, value})
	}
	return steps
}

// flip is a sample whose class changes.
type flip struct{ label, class uint8 }
