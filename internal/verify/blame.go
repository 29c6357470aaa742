// This file finds the gate that makes two netlists differ.

package verify

import (
	"context"
	"fmt"
	"slices"

	"ialgn/internal/model"
	"ialgn/netlist"
	"ialgn/sim"
)

// FindBlamed returns the origin of the cell to blame if d's product differs from d's raw netlist on the samples. The
// origin is zero if no single gate is to blame.
func FindBlamed(ctx context.Context, d Design, samples Stimuli) (o netlist.Origin, err error) {
	if d, err = d.Transparent(); err != nil {
		return o, err
	}
	s := suspect{d.Model, d.Raw, d.Product, d.Margin, samples}
	if d.Hint != nil {
		return s.correctable(ctx)
	}
	o, _, err = s.find(ctx)
	return o, err
}

// suspect looks for the gate to blame for a difference between the raw netlist and the optimised netlist. The two
// netlists have the same inputs, outputs and probes.
//
// A pass may complement a cell, but the cell keeps the origin of its gate. So a correct cell equals its gate in all
// samples, or equals the gate's complement in all samples. The search blames, in this order:
//
//  1. the first cell that is neither equal to its gate nor the gate's complement. If there is a complemented cell
//     upstream of this cell, and inverting the complemented cell's table makes the two netlists agree, the
//     complemented cell is blamed instead;
//  2. otherwise, a complemented cell upstream of a net that a count reads with the wrong sign. Inverting the cell's
//     table must make the two netlists agree.
//
// Otherwise the fault is in the wiring of the head, and no gate is named.
type suspect struct {
	model        *model.Frozen
	raw, product *netlist.Netlist
	margin       int
	samples      Stimuli
}

// relation compares a cell with its gate over the samples. One bit says whether the two are equal in some sample. The
// other bit says whether they are unequal in some sample.
type relation uint8

const (
	equal relation = 1 << iota
	unequal
	mixed = equal | unequal
)

// find returns the origin of the cell to blame. ok is false if there is no such cell.
func (s suspect) find(ctx context.Context) (o netlist.Origin, ok bool, err error) {
	gates, err := GateNets(s.model, s.raw)
	if err != nil {
		return o, false, err
	}
	relations, err := s.relate(ctx, gates)
	if err != nil {
		return o, false, err
	}
	if first := slices.Index(relations, mixed); first >= 0 {
		c, ok, err := s.complemented(ctx, relations, s.product.Inputs(netlist.Cell(first)))
		if !ok {
			c = netlist.Cell(first)
		}
		return s.product.Origin(c), true, err
	}
	nets, err := s.wrongRoots(ctx)
	if err != nil {
		return o, false, err
	}
	c, ok, err := s.complemented(ctx, relations, nets)
	if !ok {
		return o, false, err
	}
	return s.product.Origin(c), true, err
}

// complemented returns the first complemented cell whose inversion makes the two netlists agree. It tries the
// complemented cells that drive one of the given nets, either directly or through other complemented cells only.
func (s suspect) complemented(
	ctx context.Context, relations []relation, nets []netlist.Net,
) (c netlist.Cell, ok bool, err error) {
	var complemented []netlist.Cell
	netlist.Cone(s.product, nets, func(c netlist.Cell) bool {
		if relations[c] != unequal {
			return false
		}
		complemented = append(complemented, c)
		return true
	})
	slices.Sort(complemented)
	for _, c := range complemented {
		diff, err := s.samples.Compare(ctx, s.raw, complement(s.product, c))
		if ctx.Err() != nil {
			return 0, false, ctx.Err()
		}
		if err == nil && diff == nil {
			return c, true, nil
		}
	}
	return 0, false, nil
}

// relate returns the relation of each cell of the optimised netlist to its gate. The relation is 0 for a cell
// without a gate.
func (s suspect) relate(ctx context.Context, gates [][]netlist.Net) ([]relation, error) {
	n := s.product
	all := make([]relation, n.Cells())
	err := s.samples.Each(ctx, func(_ int, mask uint64, sims []*sim.Simulator) error {
		for c := range netlist.Cell(n.Cells()) {
			o := n.Origin(c)
			if n.Kind(c) != netlist.Function || o.Layer == 0 || int(o.Layer) > len(gates) || int(o.Chain) >= s.model.Width {
				continue
			}
			diff := (sims[0].Net(gates[o.Layer-1][o.Chain])[0] ^ sims[1].Net(n.Output(c))[0]) & mask
			if diff != 0 {
				all[c] |= unequal
			}
			if diff != mask {
				all[c] |= equal
			}
		}
		return nil
	}, s.raw, n)
	return all, err
}

// complement returns n with the function of cell c complemented.
func complement(n *netlist.Netlist, c netlist.Cell) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for i := range netlist.Cell(n.Cells()) {
		if i != c {
			k.Copy(i)
			continue
		}
		in := k.Inputs(i)
		mask := ^uint64(0) >> (64 - 1<<len(in))
		k.Set(n.Output(i), k.Function(^n.Param(i)&mask, n.Origin(i), in...))
	}
	return k.Finish()
}

// wrongRoots returns those nets counted in the optimised netlist whose complement is counted in the raw netlist. The
// popcounts of the two netlists may read their bits in different orders.
func (s suspect) wrongRoots(ctx context.Context) ([]netlist.Net, error) {
	a, errA := FindRoots(s.raw, nil, s.margin, nil)
	b, errB := FindRoots(s.product, nil, s.margin, nil)
	if errA != nil || errB != nil || len(a.Bits) != len(b.Bits) {
		return nil, nil // only the head can be to blame
	}
	var wrong []netlist.Net
	for class := range b.Bits {
		nets := netsOf(b.Bits[class])
		want, err := s.samples.Signatures(ctx, s.raw, netsOf(a.Bits[class]))
		if err != nil {
			return nil, err
		}
		got, err := s.samples.Signatures(ctx, s.product, nets)
		if err != nil {
			return nil, err
		}
		lacking := map[string]int{}
		for _, w := range want {
			lacking[w.Key()]++
		}
		for _, g := range got {
			lacking[g.Key()]--
		}
		for i, g := range got {
			if lacking[g.Key()] < 0 && lacking[s.samples.Inverse(g).Key()] > 0 {
				wrong = append(wrong, nets[i])
			}
		}
	}
	return wrong, nil
}

// netsOf returns the net of each root. Every root must be a single net.
func netsOf(bits []Root) []netlist.Net {
	nets := make([]netlist.Net, len(bits))
	for i, b := range bits {
		nets[i] = b.Nets[0]
	}
	return nets
}

// GateNets returns the nets of a raw netlist's gates as [layer][gate]. A raw netlist has one cell for each gate.
// GateNets returns an error if a gate is missing, repeated or not in the model.
func GateNets(f *model.Frozen, n *netlist.Netlist) ([][]netlist.Net, error) {
	nets := make([][]netlist.Net, f.Depth())
	for l := range nets {
		nets[l] = make([]netlist.Net, f.Layers[l].Width())
	}
	found := 0
	for c := range netlist.Cell(n.Cells()) {
		o := n.Origin(c)
		if o.Layer == 0 {
			continue
		}
		if int(o.Layer) > f.Depth() || int(o.Chain) >= f.Layers[o.Layer-1].Width() || nets[o.Layer-1][o.Chain] != 0 {
			return nil, fmt.Errorf("verify: raw netlist %s: cell %d comes from layer %d, gate %d, which the model has not or "+
				"the netlist has twice", n.Name, c, o.Layer, o.Chain)
		}
		nets[o.Layer-1][o.Chain] = n.Output(c)
		found++
	}
	if found != f.Gates() {
		return nil, fmt.Errorf("verify: raw netlist %s has %d of the model's %d gates", n.Name, found, f.Gates())
	}
	return nets, nil
}
