package encoder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// This file has an oracle for the smallest number of LUTs. The oracle does not use carries or gaps. Each distinct
// comparison that is not a bit of the word needs a LUT. The oracle finds out how many additional LUTs are needed. No
// additional LUT is needed if the comparisons can be computed from one another. One additional LUT is enough if the
// comparisons can be computed from one another and from some function of K signals.

// oracle holds truth tables over all values of a word of at most 6 bits.
type oracle struct {
	k    int
	all  uint64 // all values of the word
	bits []uint64
}

func newOracle(width, k int) *oracle {
	o := &oracle{k: k, all: ones(1 << width)}
	for b := range width {
		t := uint64(0)
		for v := range 1 << width {
			t |= uint64(v>>b&1) << v
		}
		o.bits = append(o.bits, t)
	}
	return o
}

// subsets calls f for each choice of K signals, until f returns false. The argument of f is the partition of all
// values by these signals. subsets reports whether f returned false.
func (o *oracle) subsets(signals []uint64, f func(cells []uint64) bool) bool {
	var choose func(first, left int, cells []uint64) bool
	choose = func(first, left int, cells []uint64) bool {
		if left == 0 || first == len(signals) {
			return !f(cells)
		}
		for i := first; i < len(signals); i++ {
			finer := make([]uint64, 0, 2*len(cells))
			for _, c := range cells {
				finer = append(finer, c&signals[i], c&^signals[i])
			}
			if choose(i+1, left-1, finer) {
				return true
			}
		}
		return false
	}
	return choose(0, min(o.k, len(signals)), []uint64{o.all})
}

// closure returns the signals together with all targets that LUTs can compute from them, and the remaining targets.
func (o *oracle) closure(signals, targets []uint64) (have, left []uint64) {
	have, left = slices.Clone(signals), slices.Clone(targets)
	for more := true; more; {
		more = false
		left = slices.DeleteFunc(left, func(t uint64) bool {
			ok := slices.Contains(have, t) || o.subsets(have, func(cells []uint64) bool {
				return slices.ContainsFunc(cells, func(c uint64) bool { return c&t != 0 && c&^t != 0 })
			})
			if ok {
				have, more = append(have, t), true
			}
			return ok
		})
	}
	return have, left
}

// extra returns a lower bound (least) on the number of additional LUTs, whose functions are not targets. If enough is
// true, this number of LUTs is sufficient. extra tries at most one additional LUT, and only for K up to 3.
func (o *oracle) extra(targets []uint64) (least int, enough bool) {
	have, left := o.closure(o.bits, targets)
	if len(left) == 0 {
		return 0, true
	}
	if o.k > 3 {
		return 1, false
	}
	one := o.subsets(have, func(cells []uint64) bool {
		for f := range uint64(1) << len(cells) {
			g := uint64(0)
			for i, c := range cells {
				if f>>i&1 == 1 {
					g |= c
				}
			}
			if _, left := o.closure(append(have[:len(have):len(have)], g), left); len(left) == 0 {
				return false
			}
		}
		return true
	})
	if one {
		return 1, true
	}
	return 2, false
}

// TestLeast compares the numbers of LUTs for small words with the numbers from the oracle.
func TestLeast(t *testing.T) {
	for _, form := range []struct{ width, k, over, unknown int }{
		{3, 2, 0, 0}, {4, 2, 0, 24}, {4, 3, 2, 0}, {5, 3, 1, 11}, {5, 4, 0, 0}, {6, 4, 0, 6}, {6, 5, 0, 0},
	} {
		t.Run(fmt.Sprintf("width=%d/k=%d", form.width, form.k), func(t *testing.T) {
			r, o := rand.New(rand.NewPCG(1, 7)), newOracle(form.width, form.k)
			over, unknown := 0, 0
			for range 40 {
				thresholds := make([]uint64, 1+r.IntN(4))
				for i := range thresholds {
					thresholds[i] = r.Uint64N(1<<form.width - 1)
				}
				targets := o.targets(thresholds)
				m := lower(t, comparators(form.width, thresholds), Options{K: form.k, Objective: Area})
				extra := m.Cells() - len(targets)
				switch least, enough := o.extra(targets); {
				case extra < least:
					t.Fatalf("%v: %d LUTs more than comparisons, the oracle says %d", thresholds, extra, least)
				case extra > least && enough:
					over++
				case extra > least:
					unknown++
				}
			}
			if over != form.over || unknown != form.unknown {
				t.Errorf("%d of 40 take more than the least and %d perhaps, want %d and %d", over, unknown, form.over, form.unknown)
			}
		})
	}
}

// targets returns the distinct comparisons that are not a bit of the word.
func (o *oracle) targets(thresholds []uint64) (all []uint64) {
	for _, u := range thresholds {
		y := o.all &^ ones(int(u)+1)
		if !slices.Contains(o.bits, y) && !slices.Contains(all, y) {
			all = append(all, y)
		}
	}
	return all
}
