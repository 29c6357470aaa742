package proof

import (
	"context"
	"fmt"
	"slices"

	"ialgn/internal/counts"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// cuts holds both netlists without their heads. Both read the same input bits.
type cuts struct {
	raw, product *verify.Cut
	known        verify.Stimuli // samples that tell roots apart
	chosen       []choice       // for each root of raw
	found        []string       // descriptions of the differences that a counterexample shows
}

// choice describes the counterpart that the product has for a root of raw. The counterpart is a root of the product
// or the constant 0. Two roots of raw that are each other's complement need no root of the product. In this case, the
// choice for the first root is this root itself, and the choice for the second root is the complement of the first
// root. If the reference of the proof is not raw, abc then has to prove that the two roots are complements in the
// reference, too.
type choice struct {
	sort  choiceSort
	index int // index in the list of all roots
}

type choiceSort uint8

const (
	chooseZero choiceSort = iota
	chooseProduct
	chooseRaw
	chooseComplement
)

// newCuts cuts the heads off both netlists. It returns an error if the two heads do not correspond.
func newCuts(d verify.Design) (*cuts, error) {
	k := &cuts{}
	var err error
	if k.raw, err = cutOff(d, d.Raw, nil, nil); err != nil {
		return nil, fmt.Errorf("raw netlist: %w", err)
	}
	if k.product, err = cutOff(d, d.Product, d.Hint, k.raw.Roots); err != nil {
		return nil, fmt.Errorf("optimised netlist: %w", err)
	}
	a, b := k.raw.Roots, k.product.Roots
	switch {
	case a.Ports != b.Ports || len(a.Bits) != len(b.Bits):
		return nil, fmt.Errorf("optimised netlist: counts %d classes, the raw one %d", len(b.Bits), len(a.Bits))
	case k.raw.Inputs() != k.product.Inputs():
		return nil, fmt.Errorf("optimised netlist: reads %d bits, the raw one %d", k.product.Inputs(), k.raw.Inputs())
	case a.Ports && !slices.Equal(d.Raw.ChainClasses(), d.Product.ChainClasses()):
		return nil, fmt.Errorf("optimised netlist: chains belong to other classes than in the raw one")
	case a.Ports && !slices.Equal(d.Raw.Offsets(), d.Product.Offsets()):
		return nil, fmt.Errorf("optimised netlist: classes have other offsets than in the raw one")
	case !slices.Equal(d.Raw.Ties(), d.Product.Ties()):
		return nil, fmt.Errorf("optimised netlist: classes have another tie order than in the raw one")
	}
	k.known = verify.StimuliFor(d)
	return k, checkClasses(d, k)
}

// checkClasses checks that the raw netlist and the model count the same bits for each class.
func checkClasses(d verify.Design, k *cuts) error {
	if d.Spec == nil {
		return nil
	}
	classes, group := d.Spec.Classes()
	for place, want := range d.Spec.Ties() {
		if got := d.Raw.Contender(place); got != want {
			return fmt.Errorf("raw netlist: class %d has the place %d in the tie order, in the model class %d", got, place, want)
		}
	}
	if k.raw.Roots.Ports {
		of := d.Raw.ChainClasses()
		for chain, class := range of {
			if int(class) != chain/group {
				return fmt.Errorf("raw netlist: chain %d belongs to class %d, in the model to %d", chain, class, chain/group)
			}
		}
		if len(of) != classes*group {
			return fmt.Errorf("raw netlist: %d chains, the model has %d", len(of), classes*group)
		}
		return checkOffsets(d, classes, group)
	}
	if len(k.raw.Roots.Bits) != classes {
		return fmt.Errorf("raw netlist: counts %d classes, the model has %d", len(k.raw.Roots.Bits), classes)
	}
	for class, bits := range k.raw.Roots.Bits {
		if want := d.Spec.Counted(class); len(bits) != want {
			return fmt.Errorf("raw netlist: counts %d bits for class %d, the model %d", len(bits), class, want)
		}
	}
	return nil
}

// checkOffsets checks that the class offsets of a raw netlist with the output h are those of the model.
func checkOffsets(d verify.Design, classes, group int) error {
	for class := range classes {
		got := 0
		if offsets := d.Raw.Offsets(); class < len(offsets) {
			got = int(offsets[class])
		}
		if want := d.Spec.Counted(class) - group; got != want {
			return fmt.Errorf("raw netlist: class %d has the offset %d, in the model %d", class, got, want)
		}
	}
	return nil
}

// lastLayer returns the number of bits of the last layer that are compared. The ones of class offsets do not count.
func (k *cuts) lastLayer() int {
	n := len(k.raw.Outputs())
	for class := range k.raw.Roots.Bits {
		n -= len(k.raw.Ones(class))
	}
	return n
}

// align returns the product's gates with one output for each root of raw. It also returns whether the choice has
// changed since the last call. The product may count its bits in any order. It may also omit roots that are always
// 0, and pairs of complements. So align assumes that two roots of a class correspond if they are equal in all known
// samples. The proof that follows shows whether this choice is right.
func (k *cuts) align(ctx context.Context) (n *netlist.Netlist, changed bool, err error) {
	chosen, err := k.choose(ctx)
	if err != nil {
		return nil, false, err
	}
	changed = !slices.Equal(chosen, k.chosen)
	k.chosen = chosen
	old := k.product.Netlist
	c := netlist.NewCopier(old)
	for i := range netlist.Cell(old.Cells()) {
		c.Copy(i)
	}
	raw := k.copyRaw(c)
	var h []netlist.Net
	for _, choice := range chosen {
		v := netlist.False
		switch choice.sort {
		case chooseProduct:
			v = c.To(k.product.Outputs()[choice.index])
		case chooseRaw:
			v = raw[k.raw.Outputs()[choice.index]]
		case chooseComplement:
			v = c.Function(verify.TableNot, netlist.Origin{}, raw[k.raw.Outputs()[choice.index]])
		}
		h = append(h, v)
	}
	c.Output("h", 1, nil, h)
	return c.Netlist(), changed, nil
}

// copyRaw adds gates of the raw netlist to a copy of the product. The copy needs these gates for the complements in
// the choice. It returns a map from nets of raw to nets of the copy.
func (k *cuts) copyRaw(c *netlist.Copier) map[netlist.Net]netlist.Net {
	n, needed := k.raw.Netlist, map[netlist.Net]bool{}
	for _, choice := range k.chosen {
		if choice.sort == chooseRaw || choice.sort == chooseComplement {
			needed[k.raw.Outputs()[choice.index]] = true
		}
	}
	if len(needed) == 0 {
		return nil
	}
	for i := netlist.Cell(n.Cells()); i > 0; {
		i--
		for _, v := range n.Inputs(i) {
			needed[v] = needed[v] || needed[n.Output(i)]
		}
	}
	to := map[netlist.Net]netlist.Net{netlist.True: netlist.True, netlist.False: netlist.False}
	for i, v := range n.InputPorts()[0].Nets {
		to[v] = c.To(c.Old.InputPorts()[0].Nets[i])
	}
	for i := range netlist.Cell(n.Cells()) {
		if !needed[n.Output(i)] {
			continue
		}
		var in []netlist.Net
		for _, v := range n.Inputs(i) {
			in = append(in, to[v])
		}
		to[n.Output(i)] = c.Function(n.Param(i), n.Origin(i), in...)
	}
	return to
}

// choose returns the choice for each root of raw.
func (k *cuts) choose(ctx context.Context) ([]choice, error) {
	raw, err := k.known.Signatures(ctx, k.raw.Netlist, k.raw.Outputs())
	if err != nil {
		return nil, err
	}
	product, err := k.known.Signatures(ctx, k.product.Netlist, k.product.Outputs())
	if err != nil {
		return nil, err
	}
	var all []choice
	a, b := 0, 0
	for c := range k.raw.Roots.Bits {
		na, nb, pairs := len(k.raw.Roots.Bits[c]), len(k.product.Roots.Bits[c]), k.product.Roots.Pairs[c]
		if nb+2*pairs > na || nb < na && k.raw.Roots.Ports {
			return nil, fmt.Errorf("optimised netlist: counts %d bits for class %d, the raw one %d", nb+2*pairs, c, na)
		}
		part := netlistOrder(na)
		if !k.raw.Roots.Ports {
			if part, pairs = match(k.known, raw[a:a+na], product[b:b+nb], pairs, k.sameChain(c), k.product.Ones(c)); pairs > 0 {
				return nil, fmt.Errorf("optimised netlist: the hint has %d pairs of bits for class %d that the raw netlist has not",
					pairs, c)
			}
		}
		for _, choice := range part {
			switch choice.sort {
			case chooseProduct:
				choice.index += b
			case chooseRaw, chooseComplement:
				choice.index += a
			}
			all = append(all, choice)
		}
		a, b = a+na, b+nb
	}
	return all, nil
}

// netlistOrder returns choices that pair each of n roots with the root of the product that has the same number.
func netlistOrder(n int) []choice {
	order := make([]choice, n)
	for i := range order {
		order[i] = choice{chooseProduct, i}
	}
	return order
}

// sameChain returns, for each raw root of a class, the product's root that originates from the same chain. It
// returns -1 for a raw root if there is no such root of the product.
func (k *cuts) sameChain(class int) []int {
	if k.raw.Roots.Ports {
		return nil
	}
	of := map[uint32]int{}
	for j, b := range k.product.Roots.Bits[class] {
		if o := k.product.Origin(b); o.Layer > 0 {
			of[o.Chain] = j
		}
	}
	same := make([]int, len(k.raw.Roots.Bits[class]))
	for i, b := range k.raw.Roots.Bits[class] {
		same[i] = -1
		if j, ok := of[k.raw.Origin(b).Chain]; ok && k.raw.Origin(b).Layer > 0 {
			same[i] = j
		}
	}
	return same
}

// match chooses a counterpart for each raw root by equal signatures. The steps are:
//
//  1. Pair equal roots with the same chain (same), then equal roots in order.
//  2. Among the remaining raw roots, find the pairs of complements that the product omits. The argument pairs is the
//     number of these pairs. Find one more pair for each remaining root of the product that is a constant 1 (ones),
//     because such a root may count for a pair.
//  3. Give the product's remaining roots to raw roots. Raw roots that are 1 in some sample come first.
//
// A raw root without a counterpart gets the constant 0. The second result is the number of omitted pairs that were
// not found. For these pairs, the product would count ones that have no counterpart in raw.
func match(s verify.Stimuli, raw, product []verify.Signature, pairs int, same, ones []int) ([]choice, int) {
	chosen := make([]choice, len(raw))
	paired, taken := make([]bool, len(raw)), make([]bool, len(product))
	for i, j := range same {
		if j >= 0 && slices.Equal(raw[i], product[j]) {
			chosen[i], paired[i], taken[j] = choice{chooseProduct, j}, true, true
		}
	}
	left := map[string][]int{}
	for j, p := range product {
		if !taken[j] {
			left[p.Key()] = append(left[p.Key()], j)
		}
	}
	var rest []int // raw roots without a counterpart
	for i, r := range raw {
		if paired[i] {
			continue
		}
		if js := left[r.Key()]; len(js) > 0 {
			chosen[i], left[r.Key()] = choice{chooseProduct, js[0]}, js[1:]
			continue
		}
		rest = append(rest, i)
	}
	ones = slices.DeleteFunc(slices.Clone(ones), func(j int) bool {
		return taken[j] ||
			!slices.Contains(left[product[j].Key()], j)
	})
	rest, missing := pair(s, raw, rest, pairs+len(ones), chosen)
	spare := min(missing, len(ones))
	ones, missing = ones[:len(ones)-spare], missing-spare // constant ones that count for a pair of raw roots
	slices.SortStableFunc(rest, func(i, j int) int { return boolOrder(raw[i].IsZero()) - boolOrder(raw[j].IsZero()) })
	var over []int
	for _, js := range left {
		over = append(over, js...)
	}
	over = slices.DeleteFunc(over, func(j int) bool { return slices.Contains(ones, j) })
	slices.Sort(over)
	for k, j := range over[:min(len(over), len(rest))] {
		chosen[rest[k]] = choice{chooseProduct, j}
	}
	return chosen, missing
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pair finds up to the given number of pairs of complements among the given raw roots and sets their choices. It
// returns the raw roots that are in no pair, and the number of pairs that were not found.
func pair(s verify.Stimuli, raw []verify.Signature, among []int, pairs int, chosen []choice) (rest []int, missing int) {
	wait := map[string][]int{}
	taken := map[int]bool{}
	for _, i := range among {
		key := s.Inverse(raw[i]).Key()
		if js := wait[key]; len(js) > 0 && pairs > 0 {
			j := js[0]
			wait[key] = js[1:]
			chosen[i], chosen[j] = choice{chooseComplement, j}, choice{chooseRaw, j}
			taken[i], taken[j] = true, true
			pairs--
			continue
		}
		wait[raw[i].Key()] = append(wait[raw[i].Key()], i)
	}
	for _, i := range among {
		if !taken[i] {
			rest = append(rest, i)
		}
	}
	return rest, pairs
}

// cutOff returns a netlist without its head. The arguments h and raw are as in [verify.FindRoots].
func cutOff(d verify.Design, n *netlist.Netlist, h *counts.Hint, raw *verify.Roots) (*verify.Cut, error) {
	r, err := verify.FindRoots(n, h, d.Margin, raw)
	if err != nil {
		return nil, err
	}
	return verify.NewCut(n, r, d.Project())
}
