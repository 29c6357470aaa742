package counts

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// Prove proves, on the lowered netlist alone, that the digits of a count are the sum of its bits. Each bit is a
// function of nets of the netlist. A pair of complementary bits adds 1.
func Prove(after *netlist.Netlist, c *Count) error {
	return proof{after}.sum(c)
}

// proof proves counts on a lowered netlist.
type proof struct{ after *netlist.Netlist }

// sum proves that the digits of a count are the sum of its bits.
func (p proof) sum(c *Count) error {
	target := linear{coefficient: map[termKey]uint64{}}
	for i := range c.Bits {
		if err := p.addend(c.Bits, i, &target); err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
	}
	digits := c.Digits
	for len(digits) > 0 && digits[len(digits)-1] == netlist.False {
		digits = digits[:len(digits)-1]
	}
	largest := target.largest()
	if largest >= 1<<len(c.Digits) {
		return fmt.Errorf("the sum may be %d, which does not fit %d digits", largest, len(c.Digits))
	}
	modulus := uint64(1) << max(len(digits), bits.Len64(largest))
	sum := linear{coefficient: map[termKey]uint64{}}
	for d, v := range digits {
		if int(v) >= p.after.Nets() {
			return fmt.Errorf("digit %d is no net", d)
		}
		sum.add(Term{1 << d, []netlist.Net{v}, 0b10}, 1)
	}
	return p.steps(c.Counters, &target, &sum, modulus)
}

// addend adds bit i of a count to sum. A pair of complementary bits adds 1, which is added at its first bit.
func (p proof) addend(all []Bit, i int, sum *linear) error {
	b := all[i]
	if b.Pair == nil {
		for _, v := range b.Nets {
			if int(v) >= p.after.Nets() {
				return fmt.Errorf("net %d of the hint does not exist", v)
			}
		}
		sum.add(Term{1, b.Nets, b.Table}, 1)
		return nil
	}
	j := *b.Pair
	if j < 0 || j >= len(all) || all[j].Pair == nil || *all[j].Pair != i || i == j {
		return errors.New("it is half of a pair, the other half is not")
	}
	if i < j {
		sum.constant++
	}
	return nil
}

// steps proves that two sums are congruent modulo the argument modulus. It first proves the identity of each step,
// then adds the identities.
func (p proof) steps(steps []Counter, in, out *linear, modulus uint64) error {
	for i := range steps {
		c := &steps[i]
		show := p.counter
		if len(c.Steps) > 0 {
			show = p.composite
		}
		if err := show(c, modulus); err != nil {
			return fmt.Errorf("counter %d: %w", i, err)
		}
		for _, t := range c.In {
			out.add(t, 1)
		}
		for _, t := range c.Out {
			out.add(t, -1)
		}
		out.constant += c.Constant
	}
	return out.congruent(in, modulus)
}

// composite proves the identity of a counter that consists of steps. The identity holds exactly: both sides are
// congruent modulo a power of two that neither side reaches.
func (p proof) composite(c *Counter, _ uint64) error {
	in, out := linear{coefficient: map[termKey]uint64{}}, linear{coefficient: map[termKey]uint64{}}
	for _, t := range c.In {
		in.add(t, 1)
	}
	for _, t := range c.Out {
		out.add(t, 1)
	}
	in.constant += c.Constant
	largest := max(in.largest(), out.largest())
	if largest >= 1<<62 || in.least() < 0 || out.least() < 0 {
		return errors.New("its sums are out of range")
	}
	return p.steps(c.Steps, &in, &out, 1<<bits.Len64(largest))
}

// counter proves the identity of a counter by trying all values of its leaves.
func (p proof) counter(c *Counter, modulus uint64) error {
	e, err := NewCone(p.after, c.Leaves)
	if err != nil {
		return err
	}
	sums := make([]uint64, 1<<len(c.Leaves))
	for i := range sums {
		sums[i] = c.Constant
	}
	for i, t := range slices.Concat(c.In, c.Out) {
		value, err := e.term(t.Table, t.Nets)
		if err != nil {
			return err
		}
		weight := t.Weight
		if i >= len(c.In) {
			weight = -weight
		}
		for x := range sums {
			sums[x] += weight * (value[x/64] >> (x % 64) & 1)
		}
	}
	wrong := e.fill(func(i int) bool { return sums[i]%modulus != 0 })
	for i, s := range sums {
		if s%modulus != 0 {
			return &WrongError{c.Leaves, wrong, i, int64(s)}
		}
	}
	return nil
}

// WrongError says that a counter does not count correctly. The number i denotes the combination of values in which
// leaf j has the value of bit j of i. Wrong has one bit for each combination, 64 in each word. The bit is set if the
// counter is wrong for the combination. First is the lowest such combination. For this combination, Less is the sum
// minus the outputs.
type WrongError struct {
	Leaves []netlist.Net
	Wrong  []uint64
	First  int
	Less   int64
}

// Error names the values of the leaves.
func (e *WrongError) Error() string {
	return fmt.Sprintf("inputs %#b: the outputs differ from the sum by %d", e.First, e.Less)
}
