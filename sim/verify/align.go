package verify

import (
	"context"
	"fmt"
	"slices"

	"ialgn/netlist"
)

// cuts are the gates of both netlists, over the same input bits.
type cuts struct {
	raw, product *cut
	bits         []int    // of each thermometer bit: the input bit that it is, or -1
	known        stimulus // samples that tell roots apart
	chosen       []int    // of each root of raw: that of product, or -1 for the constant 0
}

// newCuts cuts the gates out of both netlists. It returns an error if encoder or head
// of the two do not correspond.
func (d Design) newCuts() (*cuts, error) {
	inputs, index, err := comparisons(d.Raw)
	if err != nil {
		return nil, err
	}
	k := &cuts{bits: index}
	if k.raw, err = newCut(d.Raw, inputs); err != nil {
		return nil, fmt.Errorf("raw netlist: %w", err)
	}
	if k.product, err = newCut(d.Product, inputs); err != nil {
		return nil, fmt.Errorf("optimised netlist: %w", err)
	}
	a, b := k.raw.roots, k.product.roots
	switch {
	case a.ports != b.ports || len(a.nets) != len(b.nets):
		return nil, fmt.Errorf("optimised netlist: counts %d classes, the raw one %d", len(b.nets), len(a.nets))
	case k.raw.inputs() != k.product.inputs():
		return nil, fmt.Errorf("optimised netlist: reads %d bits, the raw one %d", k.product.inputs(), k.raw.inputs())
	case a.ports && !slices.Equal(d.Raw.ChainClasses(), d.Product.ChainClasses()):
		return nil, fmt.Errorf("optimised netlist: chains belong to other classes than in the raw one")
	}
	for i := len(index); i < d.Model.Inputs(); i++ {
		k.bits = append(k.bits, i)
	}
	k.known = random(k.raw.inputs())
	return k, nil
}

func (k *cut) inputs() int { return len(k.n.InputPorts()[0].Nets) }

// align returns the optimised gates with a root for each of the raw ones, and whether
// the choice is another than last time. A popcount may have lost inputs that are always
// 0, and its order does not matter: within a class, roots correspond that are equal in
// all known samples. The choice is judged by the proof that follows.
func (k *cuts) align(ctx context.Context) (n *netlist.Netlist, changed bool, err error) {
	chosen, err := k.choose(ctx)
	if err != nil {
		return nil, false, err
	}
	changed = !slices.Equal(chosen, k.chosen)
	k.chosen = chosen
	old := k.product.n
	c := netlist.NewCopier(old)
	for i := range netlist.Cell(old.Cells()) {
		c.Copy(i)
	}
	var h []netlist.Net
	for _, i := range chosen {
		v := netlist.False
		if i >= 0 {
			v = c.To(old.OutputPorts()[0].Nets[i])
		}
		h = append(h, v)
	}
	c.Output("h", 1, nil, h)
	return c.Netlist(), changed, nil
}

// choose returns for each root of raw the index of one of product, or -1.
func (k *cuts) choose(ctx context.Context) ([]int, error) {
	raw, err := k.known.signatures(ctx, k.raw.n, k.raw.n.OutputPorts()[0].Nets)
	if err != nil {
		return nil, err
	}
	product, err := k.known.signatures(ctx, k.product.n, k.product.n.OutputPorts()[0].Nets)
	if err != nil {
		return nil, err
	}
	var all []int
	a, b := 0, 0
	for c := range k.raw.roots.nets {
		na, nb := len(k.raw.roots.nets[c]), len(k.product.roots.nets[c])
		if nb > na || nb < na && k.raw.roots.ports {
			return nil, fmt.Errorf("optimised netlist: counts %d bits for class %d, the raw one %d", nb, c, na)
		}
		var part []int
		if k.raw.roots.ports {
			part = netlistOrder(na)
		} else {
			part = match(raw[a:a+na], product[b:b+nb])
		}
		for _, i := range part {
			if i >= 0 {
				i += b
			}
			all = append(all, i)
		}
		a, b = a+na, b+nb
	}
	return all, nil
}

// netlistOrder returns 0 .. n-1.
func netlistOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// match pairs equal signatures, in order where there are several. Of what is left, the
// product's go to raw ones that are not 0 everywhere, as far as there are any; the raw
// ones that nothing is left for are -1.
func match(raw, product []signature) []int {
	left := map[string][]int{}
	for j, s := range product {
		left[s.key()] = append(left[s.key()], j)
	}
	pairs := make([]int, len(raw))
	var single, zero []int // raw ones without a pair
	for i, s := range raw {
		key := s.key()
		switch {
		case len(left[key]) > 0:
			pairs[i], left[key] = left[key][0], left[key][1:]
			continue
		case s.isZero():
			zero = append(zero, i)
		default:
			single = append(single, i)
		}
		pairs[i] = -1
	}
	single = append(single, zero...)
	var rest []int
	for _, js := range left {
		rest = append(rest, js...)
	}
	slices.Sort(rest)
	for i, j := range rest {
		pairs[single[i]] = j
	}
	return pairs
}
