package proof

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"time"

	"ialgn/internal/counts"
	"ialgn/internal/lowering"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/spec"
	"ialgn/netlist"
)

const (
	// endToEndBits is the largest number of counted bits per class for which a design is proved from end to end.
	endToEndBits = 31
	// endToEndLimit is the time limit of the end-to-end proof.
	endToEndLimit = time.Minute
)

// endToEnd has abc prove in one step that the product, with its counters and its argmax, computes the class and the
// counts of the model. This was already proved in parts. The hint determines only the order of additions. The verdict
// is unproved if abc does not finish in time. The verdict is empty if the proof is not possible, because the model's
// tensors are not given, there is no head, or a class has too many bits.
func endToEnd(d verify.Design, p prover, k *cuts) (verdict cec.Verdict, err error) {
	if d.Spec == nil || k.raw.Roots.Ports {
		return "", nil
	}
	for class := range k.raw.Roots.Bits {
		if d.Spec.Counted(class) > endToEndBits {
			return "", nil
		}
	}
	o := spec.Options{Words: d.Words(), Thermometer: d.Project() > 0, Head: &spec.Head{Sums: sums(d, k)}}
	_, o.Head.Counts = verify.CountsPort(d.Product)
	o.Head.Margin = d.Margin
	if a := k.product.Roots.Argmax; a != nil {
		built, err := tournament(d.Product, a)
		if err != nil {
			return unproved, nil
		}
		s, _, err := p.contest(built, d.Product.Contender, a)
		if err != nil {
			return "", err
		}
		o.Head.First, o.Head.Later, o.Head.Near = s.first, s.later, s.near
	}
	return compareWhole(d, p, o)
}

// compareWhole has abc compare the model with the whole product, within endToEndLimit.
func compareWhole(d verify.Design, p prover, o spec.Options) (verdict cec.Verdict, err error) {
	within, cancel := context.WithTimeout(p.ctx, endToEndLimit)
	defer cancel()
	p.engine.Limit = endToEndLimit + endToEndLimit/10 // abc itself gets nine tenths of the limit
	defer func() { p.engine.Limit = cec.DefaultLimit }()
	reference := func(w io.Writer) error { return d.Spec.WriteAIGER(w, o) }
	v, _, err := p.engine.Compare(within, reference, cec.Netlist(whole(d)))
	switch {
	case within.Err() != nil:
		return unproved, p.ctx.Err()
	case err != nil:
		return "", err
	case v == cec.Equivalent:
		return equivalent, nil
	case v == cec.Different:
		return different, nil
	}
	return unproved, nil
}

// whole returns the product in function cells, with the class and the counts as outputs.
func whole(d verify.Design) *netlist.Netlist {
	n := d.Product
	k := netlist.NewCopier(n)
	if bits := d.Project(); bits > 0 {
		verify.Codes(k, n, bits)
	}
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	for _, p := range verify.Buses(n) {
		nets := make([]netlist.Net, len(p.Nets))
		for i, v := range p.Nets {
			nets[i] = k.To(v)
		}
		k.Output(p.Name, 1, nil, nets)
	}
	return lowering.Functions(k.Netlist())
}

// sums returns the order in which the product adds the bits of each class. This order follows from the popcount or
// from the counters that are plain sums.
func sums(d verify.Design, k *cuts) [][]spec.Sum {
	all := make([][]spec.Sum, len(k.raw.Roots.Bits))
	var used []bool
	if d.Hint != nil {
		used = make([]bool, len(d.Hint.Counts))
	}
	raw, product := 0, 0
	for c, chains := range k.raw.Roots.Bits {
		o := k.order(c, raw, product)
		i := slices.IndexFunc(d.Product.Probes(), func(p netlist.Port) bool { return p.Name == fmt.Sprintf("count_%d", c) })
		var count *counts.Count
		if d.Hint != nil && i >= 0 {
			count = verify.FindCount(d.Hint.Counts, used, verify.Significant(d.Product.Probes()[i].Nets), len(chains))
		}
		if count == nil {
			o.all()
		} else {
			for _, counter := range count.Counters {
				o.counter(&counter)
			}
		}
		all[c] = o.sums
		raw, product = raw+len(chains), product+len(k.product.Roots.Bits[c])
	}
	return all
}

// order follows the additions of a product. It maps functions of the product's nets to the bit numbers that
// [spec.Sum] uses.
type order struct {
	sums  []spec.Sum
	place []int            // [number]: the place of the bit
	pool  map[string][]int // numbers of the bits that are not added yet, by function and weight
	roots []int            // numbers of the counted bits, in the product's order; -1 if unknown
	ones  []int            // numbers of bits that are always 1: constants, and sums of pairs of complements
}

// order numbers the bits of a class. The arguments raw and product are the indices of the class's first root in the
// two netlists.
func (k *cuts) order(class, raw, product int) *order {
	chains, bits := len(k.raw.Roots.Bits[class]), k.product.Roots.Bits[class]
	o := &order{place: make([]int, chains), pool: map[string][]int{}, roots: make([]int, len(bits))}
	for i := range o.roots {
		o.roots[i] = -1
	}
	for i, choice := range k.chosen[raw:][:chains] {
		switch choice.sort {
		case chooseProduct:
			b := bits[choice.index-product]
			if b.One() {
				o.ones = append(o.ones, i)
				continue
			}
			o.roots[choice.index-product] = i
			o.give(counts.Term{Weight: 1, Nets: b.Nets, Table: b.Table}, i)
		case chooseComplement:
			o.ones = append(o.ones, o.add(spec.Sum{choice.index - raw, i}))
		}
	}
	return o
}

// add appends a sum and returns the number of its first digit.
func (o *order) add(s spec.Sum) (first int) {
	o.sums, first = append(o.sums, s), len(o.place)
	least, digits := o.size(s)
	for i := range digits {
		o.place = append(o.place, least+i)
	}
	return first
}

// size returns the place of a sum's first digit, and its number of digits.
func (o *order) size(s spec.Sum) (least, digits int) {
	least, most := 64, uint64(0)
	for _, i := range s {
		least, most = min(least, o.place[i]), most+1<<o.place[i]
	}
	return least, bits.Len64(most >> least)
}

func (o *order) key(t counts.Term) string { return fmt.Sprint(t.Weight, t.Table, t.Nets) }

func (o *order) give(t counts.Term, number int) {
	o.pool[o.key(t)] = append(o.pool[o.key(t)], number)
}

// all adds all bits in one sum.
func (o *order) all() {
	s := slices.DeleteFunc(slices.Concat(o.roots, o.ones), func(i int) bool { return i < 0 })
	if len(s) > 1 {
		o.add(s)
	}
}

// counter follows the additions of a counter c. If c consists of steps, counter follows each step. If c has no steps,
// it must add known bits and output digits of their sum. Otherwise c is ignored, and its bits are added at the end.
func (o *order) counter(c *counts.Counter) {
	if len(c.Steps) > 0 {
		for i := range c.Steps {
			o.counter(&c.Steps[i])
		}
		return
	}
	var s spec.Sum
	taken := map[string]int{}
	for _, t := range c.In {
		key := o.key(t)
		known := o.pool[key]
		if taken[key] == len(known) {
			return
		}
		s = append(s, known[taken[key]])
		taken[key]++
	}
	if len(s) == 0 || c.Constant > uint64(len(o.ones)) {
		return
	}
	s = append(s, o.ones[:c.Constant]...)
	least, digits := o.size(s)
	usedWeights := uint64(0) // the weights of the outputs so far
	for _, t := range c.Out {
		e := bits.TrailingZeros64(t.Weight)
		if bits.OnesCount64(t.Weight) != 1 || t.Weight&usedWeights != 0 || e < least || e >= least+digits {
			return
		}
		usedWeights |= t.Weight
	}
	for key, n := range taken {
		o.pool[key] = o.pool[key][n:]
	}
	o.ones = o.ones[c.Constant:]
	first := s[0] // a sum of a single bit is the same bit in another form
	if len(s) > 1 {
		first = o.add(s)
	}
	for _, t := range c.Out {
		o.give(t, first+bits.TrailingZeros64(t.Weight)-least)
	}
}
