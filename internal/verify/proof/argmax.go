package proof

import (
	"fmt"
	"slices"

	"ialgn/internal/counts"
	"ialgn/internal/lowering"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// argmax proves that the index of a tournament is the argmax of its words, for all values of the words. If the argmax
// has a margin, argmax also proves the net for uncertain results. If the proof fails, the result reason says why. If
// the tournament is wrong, the result wrong describes the flaw. If the tournament a is nil, there is nothing to prove.
func (p prover) argmax(n *netlist.Netlist, a *counts.Index) (reason string, wrong flaw, err error) {
	if a == nil {
		return "", nil, nil
	}
	built, err := tournament(n, a)
	if err != nil {
		return err.Error(), nil, nil
	}
	_, plain, err := p.contest(built, n.Contender, a)
	if err != nil {
		return "", nil, err
	}
	want, got := lowering.Functions(plain), lowering.Functions(built)
	v, said, err := p.engine.Compare(p.ctx, cec.Netlist(want), cec.Netlist(got))
	switch {
	case err != nil:
		return "", nil, err
	case v == cec.Equivalent:
		return "", nil, nil
	case v == cec.Different:
		x, _, err := p.engine.Counterexample(p.ctx, len(wordNets(a)))
		if err != nil {
			return "", nil, err
		}
		reason, err := wrongAnswer(p.ctx, a, want, got, x)
		if err != nil || reason != "" {
			return reason, wrongArgmax(a), err
		}
	}
	return fmt.Sprintf("the argmax is not seen to be one: %.200s", said), nil, nil
}

// contest returns the contest that has the same groups as the tournament, and the netlist of this contest. The function
// order returns the index of the word at each place of the tie order.
func (p prover) contest(built *netlist.Netlist, order func(place int) int, a *counts.Index) (contest, *netlist.Netlist,
	error,
) {
	all := contestsOf(a.Margin)
	plain := make([]*netlist.Netlist, len(all))
	for i, s := range all {
		plain[i] = s.netlist(a, order)
	}
	best, err := alike(p.ctx, built, plain)
	return all[best], plain[best], err
}

// wordNets returns the nets in the words of an argmax, sorted and without constants.
func wordNets(a *counts.Index) []netlist.Net {
	nets := slices.Concat(a.Words...)
	slices.Sort(nets)
	return slices.DeleteFunc(slices.Compact(nets), func(v netlist.Net) bool { return v <= netlist.True })
}

// netlist returns a netlist of the contest, whose inputs are the nets of the words. A probe shows the winners of the
// rounds.
func (s contest) netlist(a *counts.Index, order func(place int) int) *netlist.Netlist {
	b, to := beginTournament("plain", wordNets(a))
	words := make([][]netlist.Net, len(a.Words))
	for i, w := range a.Words {
		for _, v := range w {
			words[i] = append(words[i], to[v])
		}
	}
	index, inner := s.play(b, words, order)
	b.Output("h", 1, nil, index)
	b.Probe("inner", append([]netlist.Net{netlist.False}, inner...))
	return b.Netlist()
}

// tournament returns a netlist with the cells of n between the words and the outputs of an argmax. Its inputs are the
// nets of the words.
func tournament(n *netlist.Netlist, a *counts.Index) (*netlist.Netlist, error) {
	copied, to := beginTournament("built", wordNets(a))
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
	for _, v := range headNets(a) {
		w, ok := to[v]
		if !ok {
			return nil, fmt.Errorf("the class index depends on more than the words of the argmax")
		}
		h = append(h, w)
	}
	copied.Output("h", 1, nil, h)
	return copied.Netlist(), nil
}

// headNets returns the nets of an argmax's index, followed by the net for uncertain results if there is a margin.
func headNets(a *counts.Index) []netlist.Net {
	if a.Margin == 0 {
		return a.Index
	}
	return append(slices.Clip(a.Index), a.Uncertain)
}

// beginTournament begins a netlist with an input port x for the given nets. It returns a map from these nets to
// the port's nets.
func beginTournament(name string, nets []netlist.Net) (*netlist.Builder, map[netlist.Net]netlist.Net) {
	b := netlist.NewBuilder(name)
	to := map[netlist.Net]netlist.Net{netlist.False: netlist.False, netlist.True: netlist.True}
	for i, v := range b.Input("x", len(nets), 1, nil) {
		to[nets[i]] = v
	}
	return b, to
}
