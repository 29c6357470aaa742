package calibrate

import (
	"slices"

	"ialgn/internal/metrics"
)

// rounds limits the number of times that the value of each class is chosen again.
const rounds = 20

// rule is a way to decide the classes of samples by a value of each class, [class]. If the value of one class grows,
// more samples become this class, and no sample becomes another class.
type rule interface {
	// first returns the values before the search.
	first() []int
	// span returns the least and the largest possible value of class c.
	span(values []int, c int) (low, high int)
	// decide adds all samples to a confusion table, [label][class].
	decide(confusion [][]int, values []int)
	// without adds all samples to a confusion table as if class c did not exist. It calls flip for each sample that
	// becomes class c if the value of class c is large enough. The argument at is the least such value.
	without(confusion [][]int, values []int, c int, flip func(label, class uint8, at int))
	// among returns the value of class c to take from an interval of values, which is part of the span from low to high.
	among(s step, values []int, c, low, high int) int
	// set gives class c a value.
	set(values []int, c, value int)
}

// choose returns values with which the metric of all samples is larger than with the first values. It returns nil if it
// finds none.
//
// One value after the other is changed to the value with the best metric, as long as the metric grows.
//
// Values that are good for a few samples may be bad for other samples. Therefore the values of each half of the samples
// must improve the metric of the samples of the other half, both halves taken together. Otherwise choose returns nil.
func choose(classes int, all rule, halves [2]rule, metric metrics.Func) []int {
	s := search{classes, metric, all}
	before := s.value(all.first())
	confusion := square(classes)
	for i, half := range halves {
		values, _ := search{classes, metric, half}.ascend()
		halves[1-i].decide(confusion, values)
	}
	if !(s.of(confusion) > before) {
		return nil
	}
	values, value := s.ascend()
	if !(value > before) {
		return nil
	}
	return values
}

// search is a search for the values of a rule with the best metric. If the metric is nil, it is the number of correct
// samples, which takes much less time to update than a metric takes to compute.
type search struct {
	classes int
	metric  metrics.Func
	rule
}

// of returns the metric of a confusion table.
func (s search) of(confusion [][]int) float64 {
	if s.metric != nil {
		return s.metric(confusion, nil)
	}
	return float64(correct(confusion))
}

// correct returns the number of correct samples.
func correct(confusion [][]int) (n int) {
	for c := range confusion {
		n += confusion[c][c]
	}
	return n
}

func square(classes int) [][]int {
	table := make([][]int, classes)
	for c := range table {
		table[c] = make([]int, classes)
	}
	return table
}

// value returns the metric of all samples.
func (s search) value(values []int) float64 {
	confusion := square(s.classes)
	s.decide(confusion, values)
	return s.of(confusion)
}

// ascend returns values that cannot be improved by changing a single value, or the best after some rounds. It also
// returns their metric.
func (s search) ascend() (values []int, value float64) {
	values = s.first()
	value = s.value(values)
	for range rounds {
		before := value
		for c := range values {
			value = s.improve(values, c, value)
		}
		if !(value > before) {
			break
		}
	}
	return values, value
}

// improve gives class c its best value, and returns the metric. If no other value is better than the current one, it
// changes nothing.
func (s search) improve(values []int, c int, value float64) float64 {
	low, high := s.span(values, c)
	best := slices.MaxFunc(s.curve(values, c, low, high), func(a, b step) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return a.length - b.length
	})
	if !(best.value > value) {
		return value
	}
	s.set(values, c, s.among(best, values, c, low, high))
	return best.value
}

// step is an interval of values with the same metric.
type step struct {
	from, length int
	value        float64
}

func (s step) last() int { return s.from + s.length - 1 }

// curve returns the metric for each value of class c from low to high, as intervals in ascending order.
func (s search) curve(values []int, c, low, high int) (steps []step) {
	confusion := square(s.classes)
	flips := make([][]flip, high-low+1) // [value - low]: the samples whose class becomes c
	s.without(confusion, values, c, func(label, class uint8, at int) {
		if at = max(at, low); at <= high {
			flips[at-low] = append(flips[at-low], flip{label, class})
		}
	})
	right := correct(confusion)
	for d, changed := range flips {
		for _, f := range changed {
			confusion[f.label][f.class]--
			confusion[f.label][c]++
			switch int(f.label) {
			case int(f.class):
				right--
			case c:
				right++
			}
		}
		n := len(steps)
		if n > 0 && len(changed) == 0 {
			steps[n-1].length++
			continue
		}
		value := float64(right)
		if s.metric != nil {
			value = s.metric(confusion, nil)
		}
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

// turns divides samples into two halves. The samples of a class take turns.
type turns []int

// half returns the half of the next sample with a label.
func (t turns) half(label uint8) int {
	half := t[label]
	t[label] = 1 - half
	return half
}

// lacks reports whether some class has no samples.
func lacks(classes int, labels ...[]uint8) bool {
	for c := range classes {
		if !slices.ContainsFunc(labels, func(l []uint8) bool { return slices.Contains(l, uint8(c)) }) {
			return true
		}
	}
	return false
}
