package proof

import (
	"context"
	"slices"

	"ialgn/internal/verify"
	"ialgn/netlist"
)

// A contest is an argmax in rounds. In each round, adjacent words form groups, and the first largest word of each
// group goes on to the next round. For any groups, the winner is the first largest word of all. The groups matter for
// the proof. If the product has the same groups, abc succeeds at once. If the groups differ, abc hardly ever succeeds
// for a hundred classes.
type contest struct {
	first, later int // largest number of words in a group, in the first round and in later rounds
}

// contests lists the contests that the proof tries. The last contest is a single scan over all words.
var contests = []contest{
	{2, 2}, {2, 3}, {2, 4}, {3, 2}, {3, 3}, {3, 4}, {4, 2}, {4, 3}, {4, 4}, {1 << 16, 1 << 16},
}

// play adds the contest of some words to a netlist. It returns the winner's index, and the winning words of all
// rounds except the last one.
func (s contest) play(b *netlist.Builder, words [][]netlist.Net) (index, inner []netlist.Net) {
	digits := netlist.ClassBits(len(words))
	field := make([]player, len(words))
	for i, w := range words {
		field[i].word = w
		for d := range digits {
			field[i].index = append(field[i].index, netlist.Net(i>>d&1))
		}
	}
	group := s.first
	for len(field) > 1 {
		matches := (len(field) + group - 1) / group
		winners := make([]player, matches)
		for m := range winners { // the sizes of groups differ by at most one; larger groups come last
			winners[m] = scan(b, field[m*len(field)/matches:(m+1)*len(field)/matches])
		}
		field, group = winners, s.later
		if len(field) > 1 {
			for _, p := range field {
				inner = append(inner, p.word...)
			}
		}
	}
	return field[0].index, inner
}

// player is a word with its index.
type player struct{ word, index []netlist.Net }

// scan returns the player with the largest word. If words are equal, the first player wins.
func scan(b *netlist.Builder, field []player) player {
	best := field[0]
	for _, next := range field[1:] {
		larger := b.Cell(netlist.Argmax, uint64(len(best.word)), netlist.Origin{}, slices.Concat(best.word, next.word)...)
		choose := func(old, now []netlist.Net) []netlist.Net {
			chosen := make([]netlist.Net, len(old))
			for i := range old {
				chosen[i] = b.Function(tableChoose, netlist.Origin{}, old[i], now[i], larger)
			}
			return chosen
		}
		best = player{choose(best.word, next.word), choose(best.index, next.index)}
	}
	return best
}

const tableChoose = 0b11001010 // C ? B : A, with the inputs A, B and C

// alike compares one netlist (built) with several netlists (plain), and returns the index of the most similar one.
// The similarity of a netlist is the share of its probe nets that have an equal net in built. Two nets are equal if
// they have the same values in random samples. All netlists have the same input port.
func alike(ctx context.Context, built *netlist.Netlist, plain []*netlist.Netlist) (best int, err error) {
	if len(built.InputPorts()[0].Nets) == 0 {
		return len(plain) - 1, nil
	}
	s := verify.RandomStimuli(len(built.InputPorts()[0].Nets))
	nets := make([]netlist.Net, built.Nets())
	for v := range nets {
		nets[v] = netlist.Net(v)
	}
	have, err := s.Signatures(ctx, built, nets)
	if err != nil {
		return 0, err
	}
	known := map[string]bool{}
	for _, g := range have {
		known[g.Key()] = true
	}
	bestShare := -1.0
	for i, n := range plain {
		inner := n.Probes()[0].Nets[1:] // without the constant
		all, err := s.Signatures(ctx, n, inner)
		if err != nil {
			return 0, err
		}
		found := 0
		for _, g := range all {
			if known[g.Key()] {
				found++
			}
		}
		share := 0.5 // a single scan has no rounds to compare
		if len(inner) > 0 {
			share = float64(found) / float64(len(inner))
		}
		if share > bestShare {
			best, bestShare = i, share
		}
	}
	return best, nil
}
