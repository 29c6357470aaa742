package proof

import (
	"context"
	"slices"

	"ialgn/internal/verify"
	"ialgn/netlist"
)

// A contest is an argmax in rounds. The words enter in their tie order. In each round, adjacent words form groups, and
// the first largest word of each group goes on to the next round. For any groups, the winner is the first largest word
// of all. The groups matter for the proof. If the product has the same groups, abc succeeds at once. If the groups
// differ, abc hardly ever succeeds for a hundred classes.
type contest struct {
	first, later int // largest number of words in a group, in the first round and in later rounds

	// margin is the margin of the argmax, or 0. The contest has one of two forms to find out whether another word plus
	// the margin is larger than the winner. If near is set, each match of two words looks whether they are closer than
	// the margin. A winner is uncertain if it was close to a loser, or was uncertain before. This is right, since a word
	// that is close to the winner is also close to all words in between. Otherwise, the words that are not smaller than
	// the winner minus margin - 1 are counted.
	margin int
	near   bool
}

// contestsOf returns the contests to try for an argmax with a margin, or 0.
func contestsOf(margin int) []contest {
	all := slices.Clone(contests)
	for i := range all {
		all[i].margin = margin
		if margin > 0 {
			with := all[i]
			with.near = true
			all = append(all, with)
		}
	}
	return all
}

// contests lists the contests that the proof tries. The last contest is a single scan over all words.
var contests = []contest{
	{first: 2, later: 2},
	{first: 2, later: 3},
	{first: 2, later: 4},
	{first: 3, later: 2},
	{first: 3, later: 3},
	{first: 3, later: 4},
	{first: 4, later: 2},
	{first: 4, later: 3},
	{first: 4, later: 4},
	{first: 1 << 16, later: 1 << 16},
}

// play adds the contest of some words to a netlist. The function order returns the index of the word at each place.
// play returns the winner's index, followed by the bit for uncertain winners if there is a margin. It also returns the
// winning words of all rounds except the last one, and the nets that say which words are close.
func (s contest) play(b *netlist.Builder, words [][]netlist.Net, order func(place int) int) (index,
	inner []netlist.Net,
) {
	digits := netlist.ClassBits(len(words))
	field := make([]player, len(words))
	for place := range field {
		i := order(place)
		field[place].word = words[i]
		for d := range digits {
			field[place].index = append(field[place].index, netlist.Net(i>>d&1))
		}
	}
	group := s.first
	for len(field) > 1 {
		matches := (len(field) + group - 1) / group
		winners := make([]player, matches)
		for m := range winners { // the sizes of groups differ by at most one; larger groups come last
			winners[m] = s.scan(b, field[m*len(field)/matches:(m+1)*len(field)/matches])
		}
		field, group = winners, s.later
		if len(field) > 1 {
			for _, p := range field {
				inner = append(inner, p.word...)
				if s.near {
					inner = append(inner, p.near)
				}
			}
		}
	}
	winner := field[0]
	switch {
	case s.margin == 0:
		return winner.index, inner
	case s.near:
		return append(slices.Clip(winner.index), winner.near), inner
	}
	uncertain, far := s.uncertain(b, words, winner.word)
	return append(slices.Clip(winner.index), uncertain), append(inner, far...)
}

// uncertain returns whether at least two words are not smaller than the winner minus margin - 1. It also returns the
// nets that say which words are smaller. If the subtraction gives a negative number, all words are close.
func (s contest) uncertain(b *netlist.Builder, words [][]netlist.Net, winner []netlist.Net) (netlist.Net,
	[]netlist.Net,
) {
	least, borrow := make([]netlist.Net, len(winner)), netlist.False
	for i, v := range winner {
		digit := netlist.Net((s.margin - 1) >> i & 1)
		least[i] = b.Function(tableDifference, netlist.Origin{}, v, digit, borrow)
		borrow = b.Function(tableBorrow, netlist.Origin{}, v, digit, borrow)
	}
	one, two := netlist.False, borrow
	far := make([]netlist.Net, len(words))
	for c, w := range words {
		far[c] = b.Cell(netlist.Argmax, netlist.ArgmaxParam(len(w), 0), netlist.Origin{}, slices.Concat(w, least)...)
		two = b.Function(tableSecond, netlist.Origin{}, two, one, far[c])
		one = b.Function(tableFirst, netlist.Origin{}, one, far[c])
	}
	return two, far
}

// player is a word with its index. If matches look for close words, near is 1 if the word was close to a loser.
type player struct {
	word, index []netlist.Net
	near        netlist.Net
}

// scan returns the player with the largest word. If words are equal, the first player wins.
func (s contest) scan(b *netlist.Builder, field []player) player {
	best := field[0]
	margin := 0
	if s.near {
		margin = s.margin
	}
	for _, next := range field[1:] {
		larger := b.Cell(netlist.Argmax, netlist.ArgmaxParam(len(best.word), margin), netlist.Origin{},
			slices.Concat(best.word, next.word)...)
		choose := func(old, now []netlist.Net) []netlist.Net {
			chosen := make([]netlist.Net, len(old))
			for i := range old {
				chosen[i] = b.Function(tableChoose, netlist.Origin{}, old[i], now[i], larger)
			}
			return chosen
		}
		near := netlist.False
		if s.near {
			near = b.Function(tableNear, netlist.Origin{}, best.near, next.near, larger, larger+1)
		}
		best = player{choose(best.word, next.word), choose(best.index, next.index), near}
	}
	return best
}

// These are the tables of functions of the inputs A, B and so on.
const (
	tableChoose     = 0b11001010         // C ? B : A
	tableNear       = 0b1111111111001010 // C ? B : A, or D
	tableDifference = 0b10010110         // A - B - C
	tableBorrow     = 0b11010100         // A - B - C is negative
	tableFirst      = 0b1011             // A, or not B
	tableSecond     = 0b10101110         // A, or B and not C
)

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
