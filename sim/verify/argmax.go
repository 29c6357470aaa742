package verify

import (
	"fmt"
	"slices"

	"ialgn/backend/lowering"
	"ialgn/netlist"
	"ialgn/netlist/counts"
	"ialgn/sim/verify/cec"
)

// argmax proves that the index of a tournament is the argmax of its words, whatever the
// values of these. It says why not where it could not; nil is no tournament.
func (p prover) argmax(n *netlist.Netlist, a *counts.Index) (reason string, err error) {
	if a == nil {
		return "", nil
	}
	plain, built, err := tournaments(n, a)
	if err != nil {
		return err.Error(), nil
	}
	v, said, err := p.engine.Compare(p.ctx, cec.Netlist(plain), cec.Netlist(built))
	if err != nil {
		return "", err
	}
	if v != cec.Equivalent {
		return fmt.Sprintf("the argmax is not seen to be one: %.200s", said), nil
	}
	return "", nil
}

// tournaments returns two netlists over the nets that the words are made of: the plain
// argmax of the words, and the cells of n between words and index.
func tournaments(n *netlist.Netlist, a *counts.Index) (plain, built *netlist.Netlist, err error) {
	words := slices.Concat(a.Words...)
	nets := slices.Clone(words)
	slices.Sort(nets)
	nets = slices.DeleteFunc(slices.Compact(nets), func(v netlist.Net) bool { return v <= netlist.True })
	index, to := beginTournament("plain", nets)
	for i, v := range words {
		words[i] = to[v]
	}
	first := index.Cell(netlist.Argmax, uint64(len(a.Words[0])), netlist.Origin{}, words...)
	index.Output("h", 1, nil, netlist.Word(first, netlist.ClassBits(len(a.Words))))
	copied, to := beginTournament("built", nets)
	for c := range netlist.Cell(n.Cells()) {
		if _, isWord := to[n.Output(c)]; isWord || n.Kind(c) != netlist.Function && n.Kind(c) != netlist.Carry {
			continue
		}
		var in []netlist.Net
		for _, v := range n.Inputs(c) {
			if w, ok := to[v]; ok {
				in = append(in, w)
			}
		}
		if len(in) == len(n.Inputs(c)) {
			to[n.Output(c)] = copied.Cell(n.Kind(c), n.Param(c), netlist.Origin{}, in...)
		}
	}
	var h []netlist.Net
	for _, v := range a.Index {
		w, ok := to[v]
		if !ok {
			return nil, nil, fmt.Errorf("the class index depends on more than the words of the argmax")
		}
		h = append(h, w)
	}
	copied.Output("h", 1, nil, h)
	return lowering.Functions(index.Netlist()), lowering.Functions(copied.Netlist()), nil
}

// beginTournament begins a netlist whose input port x stands for the given nets.
func beginTournament(name string, nets []netlist.Net) (*netlist.Builder, map[netlist.Net]netlist.Net) {
	b := netlist.NewBuilder(name)
	to := map[netlist.Net]netlist.Net{netlist.False: netlist.False, netlist.True: netlist.True}
	for i, v := range b.Input("x", len(nets), 1, nil) {
		to[nets[i]] = v
	}
	return b, to
}
