// Package softmax computes the probabilities of the classes of a sample from the class counts. The probability of a
// class with count c is proportional to exp(c / T), where T is the temperature.
//
// A [Table] depends only on the temperature. It holds the powers exp(-d / T), where d is the difference between the
// largest count and another count. The powers are floating-point numbers for [Float], and integers for [Fixed]. The
// code that compile writes contains the integers and repeats Fixed, and python/ialgn/softmax.py computes the same
// table. All results have the same bits on every processor.
package softmax

import (
	"fmt"

	"ialgn/internal/detmath"
)

// One is the integer for the power exp(0) = 1. Twice the sum of the powers of 256 classes is at most 1 << 32.
const One = 1 << 23

// Bits is the number of fractional bits of the probabilities that [Fixed] computes.
const Bits = 16

// least is the smallest power in a table. Lower powers become 0 as float32, in which probabilities are printed.
const least = 0x1p-150

// Temperature is the temperature of a model.
type Temperature struct {
	Value      float64 `json:"temperature"`
	Calibrated bool    `json:"calibrated"` // fitted to a validation set; otherwise it is the divisor of training
}

// String returns the temperature and its origin.
func (t Temperature) String() string {
	if t.Calibrated {
		return fmt.Sprintf("%v, calibrated", t.Value)
	}
	return fmt.Sprintf("%v, not calibrated", t.Value)
}

// Count is a type of class counts.
type Count interface{ ~int | ~int32 | ~uint32 }

// Table holds the powers for a temperature. It is immutable.
type Table struct {
	powers []float64 // [difference]: exp(-difference / T); beyond the end, powers count as 0
	fixed  []uint32  // [difference]: powers in units of 1/One, rounded; beyond the end, powers are 0
}

// New returns the table for a temperature above 0 and for differences of counts up to largest.
func New(temperature float64, largest int) *Table {
	t := &Table{}
	step, power := detmath.Exp64(-1/temperature), 1.0
	for d := 0; d <= largest && power >= least; d++ {
		t.powers = append(t.powers, power)
		if fixed := uint32(float64(power*One) + 0.5); fixed > 0 {
			t.fixed = append(t.fixed, fixed)
		}
		power = float64(power * step)
	}
	return t
}

// Powers returns exp(-d / T) for d = 0, 1, 2 and so on, in units of 1 / [One], rounded to the nearest integer. It ends
// before the first power that is 0. The caller must not change it.
func (t *Table) Powers() []uint32 { return t.fixed }

// Float writes the probability of each class to dst, which must be as long as counts. There must be at least one
// class.
func Float[C Count](t *Table, dst []float64, counts []C) {
	most, sum := largest(counts), 0.0
	for i, c := range counts {
		dst[i] = 0
		if d := uint64(most - c); d < uint64(len(t.powers)) {
			dst[i] = t.powers[d]
			sum += dst[i]
		}
	}
	for i := range dst[:len(counts)] {
		dst[i] /= sum
	}
}

// Fixed writes the probability of each class to dst, in units of 1/65536 and rounded down, by integer arithmetic. A
// probability of 1 becomes 65535. There may be up to 256 classes. The result differs from the softmax by less than
// 2^-15.
//
// The quotient of a power and the sum of all powers is computed bit by bit, because small processors have no
// instruction for divisions.
func Fixed[C Count](t *Table, dst []uint16, counts []C) {
	most, sum := largest(counts), uint32(0)
	for _, c := range counts {
		sum += t.power(uint64(most - c))
	}
	for i, c := range counts {
		rest, quotient := t.power(uint64(most-c)), uint16(0)
		for range Bits {
			rest, quotient = 2*rest, 2*quotient
			if rest >= sum {
				rest, quotient = rest-sum, quotient+1
			}
		}
		dst[i] = quotient
	}
}

func (t *Table) power(difference uint64) uint32 {
	if difference < uint64(len(t.fixed)) {
		return t.fixed[difference]
	}
	return 0
}

func largest[C Count](counts []C) C {
	most := counts[0]
	for _, c := range counts[1:] {
		most = max(most, c)
	}
	return most
}
