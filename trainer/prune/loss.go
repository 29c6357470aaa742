package prune

import (
	"slices"

	"ialgn/trainer/detmath"
	"ialgn/trainer/model"
)

// loss is the cross-entropy of class counts, divided by tau and put through a softmax.
type loss struct {
	tau    float64
	powers []float64 // e^(-d/tau) for each difference d of two counts, and one more
}

func newLoss(f *model.Frozen, tau float64) *loss {
	l := &loss{tau: tau}
	for d := range f.Width/len(f.Classes) + 2 {
		l.powers = append(l.powers, detmath.Exp64(-float64(d)/tau))
	}
	return l
}

// of returns the loss of a sample of class y.
func (l *loss) of(counts []int32, y uint8) float64 {
	top, sum := l.sum(counts)
	return detmath.Log(sum) + float64(top-counts[y])/l.tau
}

// sum returns the largest count, and the sum of e^((count - largest)/tau).
func (l *loss) sum(counts []int32) (top int32, sum float64) {
	top = slices.Max(counts)
	for _, n := range counts {
		sum += l.powers[top-n]
	}
	return top, sum
}

// changes calls set for each class with what the loss of a sample of class y changes by if the count of that class is
// one less, and if it is one more. With the softmax p of the counts that is log(1 - p + p e^(-1/tau)), and 1/tau more
// if the class is y; a count of one more has the opposite signs. The counts are changed and restored.
func (l *loss) changes(counts []int32, y uint8, set func(class int, less, more float64)) {
	top, sum := l.sum(counts)
	log, tops := detmath.Log(sum), 0
	for _, n := range counts {
		if n == top {
			tops++
		}
	}
	now := log + float64(top-counts[y])/l.tau
	for c, n := range counts {
		step := 0.0
		if c == int(y) {
			step = 1 / l.tau
		}
		var less, more float64
		if n == top && tops == 1 { // another count may be the largest then
			less = l.with(counts, c, -1, y) - now
		} else {
			less = detmath.Log(sum-l.powers[top-n]+l.powers[top-n+1]) - log + step
		}
		if n == top {
			more = l.with(counts, c, +1, y) - now
		} else {
			more = detmath.Log(sum-l.powers[top-n]+l.powers[top-n-1]) - log - step
		}
		set(c, less, more)
	}
}

// with returns the loss with another count of a class.
func (l *loss) with(counts []int32, class int, change int32, y uint8) float64 {
	counts[class] += change
	changed := l.of(counts, y)
	counts[class] -= change
	return changed
}
