package calibrate

import (
	"slices"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// Offsets returns an integer for each class with which the metric of the given samples is larger than without offsets.
// It returns nil if it finds none. The smallest offset is 0, and the largest is at most limit. The counts of s must
// come from a network without offsets and with at least two classes. The metric must not depend on scores.
//
// The function choose describes the search. Offsets of a class that are next to each other and equally good are an
// interval. Offsets takes the middle of the longest interval, because the ends of an interval depend on single samples.
//
// Offsets also returns nil if a class has no samples, because the metric would then grow if the class were never
// predicted.
func Offsets(s *model.Scores, labels []uint8, limit int, metric metrics.Func) []int {
	if lacks(s.Classes, labels) {
		return nil
	}
	all := &shifted{s.Classes, s.Counts, labels, limit}
	offsets := choose(s.Classes, all, all.halves(), metric)
	if offsets == nil {
		return nil
	}
	least := slices.Min(offsets)
	for c := range offsets {
		offsets[c] -= least
	}
	return offsets
}

// shifted is the rule of class offsets: a sample belongs to the class with the largest sum of count and offset.
type shifted struct {
	classes int
	counts  []int32 // [samples][classes]
	labels  []uint8
	limit   int
}

// halves divides the samples between two rules.
func (s *shifted) halves() (halves [2]rule) {
	var parts [2]shifted
	t := make(turns, s.classes)
	for i, label := range s.labels {
		h := &parts[t.half(label)]
		h.counts, h.labels = append(h.counts, s.row(i)...), append(h.labels, label)
	}
	for i := range parts {
		parts[i].classes, parts[i].limit = s.classes, s.limit
		halves[i] = &parts[i]
	}
	return halves
}

func (s *shifted) row(i int) []int32 { return s.counts[i*s.classes:][:s.classes] }

func (s *shifted) first() []int { return make([]int, s.classes) }

func (s *shifted) set(offsets []int, c, value int) { offsets[c] = value }

// span keeps all offsets within limit of each other.
func (s *shifted) span(offsets []int, c int) (low, high int) {
	others := slices.Delete(slices.Clone(offsets), c, c+1)
	return slices.Max(others) - s.limit, slices.Min(others) + s.limit
}

func (s *shifted) decide(confusion [][]int, offsets []int) {
	for i, label := range s.labels {
		best, _ := s.best(i, offsets, -1)
		confusion[label][best]++
	}
}

// best returns the class of sample i, and its count with the offset. The class except is left out.
func (s *shifted) best(i int, offsets []int, except int) (class, count int) {
	class = -1
	for c, n := range s.row(i) {
		if n := int(n) + offsets[c]; c != except && (class < 0 || n > count) {
			class, count = c, n
		}
	}
	return class, count
}

func (s *shifted) without(confusion [][]int, offsets []int, c int, flip func(label, class uint8, at int)) {
	for i, label := range s.labels {
		other, count := s.best(i, offsets, c)
		at := count - int(s.row(i)[c]) // with this offset, both classes have the same count
		if other < c {
			at++
		}
		confusion[label][other]++
		flip(label, uint8(other), at)
	}
}

// among returns the middle of an interval. An interval that begins at low or ends at high would go on without this
// limit. Its middle says nothing, and the result is the offset at the other end.
func (*shifted) among(s step, _ []int, _, low, high int) int {
	switch {
	case s.from == low:
		return s.last()
	case s.last() == high:
		return s.from
	}
	return s.from + (s.length-1)/2
}
