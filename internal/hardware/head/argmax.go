package head

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// contender is a word in a tournament, with the index of the word's class. If matches look for close words, near is 1
// if the word was close to the loser of one of its matches.
type contender struct {
	word  []netlist.Net
	index []netlist.Net
	near  netlist.Net
}

// style describes the form of a tournament. group[i] is the number of words that meet in one match of round i. To
// save LUTs, a comparison in round i may take slack[i] levels more than the minimum. The last elements of group and
// slack also apply to all later rounds. Matches of three words suit LUTs of six inputs, because the LUT that selects
// a bit of the winner reads three comparisons and three bits.
type style struct {
	group []int
	slack []int
}

func (s style) round(i int) (group, slack int) {
	return s.group[min(i, len(s.group)-1)], s.slack[min(i, len(s.slack)-1)]
}

// bestTournament returns a circuit that computes the index of the largest word, and the nets of this index. The
// function order returns the index of the word at each place. Among equal words, the one with the first place wins. If
// the margin is not 0, the last net is 1 if another word plus the margin is larger than the largest word.
// bestTournament tries all styles, and takes the style with the best number of LUTs and levels.
func bestTournament(o *Options, words [][]netlist.Net, order func(place int) int, margin int,
	level func(netlist.Net) int32,
) (best *circuit, outputs []netlist.Net) {
	// A level of the argmax delays the counts of all classes. Each count has about a hundred bits. Further levels of the
	// bit for uncertain results delay only this bit.
	cost, levelCost, further := 0.0, o.Objective.levelCost(0)*float64(len(words)), o.Objective.levelCost(0)
	known := comparers{}
	try := func(c *circuit, out []netlist.Net) {
		last := c.latest(out[:len(out)-min(margin, 1)])
		now := float64(c.luts(out)) + float64(levelCost*float64(last)) + float64(further*float64(c.latest(out)-last))
		if best == nil || now < cost {
			best, outputs, cost = c, out, now
		}
	}
	for _, s := range styles(o.K, len(words)) {
		c := newCircuit(o.K)
		c.comparers = known
		w := c.tournament(words, order, level, s, 0)
		if margin == 0 || len(words) == 1 {
			try(c, w.outputs(margin, netlist.False))
			continue
		}
		for _, slack := range []int{0, maxDigits} {
			try(c, w.outputs(margin, c.byThreshold(c.words(words, level), w.word, margin, slack)))
		}
		if !slices.ContainsFunc(s.group, func(group int) bool { return group > 2 }) {
			w = c.tournament(words, order, level, s, margin)
			try(c, w.outputs(margin, w.near))
		}
	}
	return best, outputs
}

// outputs returns the outputs of an argmax. If there is a margin, the last one is the given net.
func (w *contender) outputs(margin int, uncertain netlist.Net) []netlist.Net {
	if margin == 0 {
		return w.index
	}
	return append(slices.Clip(w.index), uncertain)
}

// styles returns the styles worth trying for a number of words. A style has one choice for the first round, and one
// for all later rounds.
func styles(k, words int) []style {
	groups, slacks := []int{2, 3, 4}, []int{0, 1, 2, 5, maxDigits}
	if k < 5 { // a choice among three words takes two LUTs for each bit
		groups = groups[:1]
	}
	var all []style
	for _, g := range groups {
		for _, s := range slacks {
			if words <= g {
				all = append(all, style{[]int{g}, []int{s}})
				continue
			}
			for _, h := range groups {
				for _, t := range slacks {
					all = append(all, style{[]int{g, h}, []int{s, t}})
				}
			}
		}
	}
	return all
}

// tournament builds the tournament of one style and returns the winner. The contenders enter in the given order. If the
// margin is not 0, the style must have matches of two words, and all matches look for words that are closer than the
// margin.
func (c *circuit) tournament(words [][]netlist.Net, order func(place int) int, level func(netlist.Net) int32, s style,
	margin int,
) contender {
	field := make([]contender, len(words))
	digits := bits.Len(uint(len(words) - 1))
	added := c.words(words, level)
	for place := range field {
		i := order(place)
		field[place].word = added[i]
		for d := range digits {
			field[place].index = append(field[place].index, netlist.Net(i>>d&1))
		}
	}
	for round := 0; len(field) > 1; round++ {
		group, slack := s.round(round)
		matches := (len(field) + group - 1) / group
		var winners []contender
		for m := range matches { // the sizes of matches differ by at most one; larger matches come last
			winners = append(winners, c.match(field[m*len(field)/matches:(m+1)*len(field)/matches], slack, margin))
		}
		field = winners
	}
	return field[0]
}

// words adds the nets of words as inputs, unless they are inputs already.
func (c *circuit) words(words [][]netlist.Net, level func(netlist.Net) int32) [][]netlist.Net {
	added := make([][]netlist.Net, len(words))
	for i, word := range words {
		for _, v := range word {
			if _, ok := c.inputs[v]; !ok {
				c.inputs[v] = c.input(v, level(v))
			}
			added[i] = append(added[i], c.inputs[v])
		}
	}
	return added
}

// match returns the winner among up to four contenders. If the margin is not 0, there are at most two.
func (c *circuit) match(field []contender, slack, margin int) contender {
	if len(field) == 1 {
		return field[0]
	}
	choose := c.chooser(field, slack)
	w := contender{}
	column := make([]netlist.Net, len(field))
	for i := range field[0].word {
		for j := range field {
			column[j] = field[j].word[i]
		}
		w.word = append(w.word, choose(column))
	}
	for i := range field[0].index {
		for j := range field {
			column[j] = field[j].index[i]
		}
		w.index = append(w.index, choose(column))
	}
	if margin > 0 {
		a, b := &field[0], &field[1]
		w.near = c.function(tableNear, a.near, b.near, c.larger(b.word, a.word, slack), c.near(a.word, b.word, margin))
	}
	return w
}

const tableNear = 0b1111111111001010 // C ? B : A, or D

// chooser compares all pairs of contenders. It returns a function that selects the winner's net from one net of each
// contender. If the comparisons and the nets fit one LUT, the selection reads the comparisons directly. Otherwise the
// selection reads the winner's number.
func (c *circuit) chooser(field []contender, slack int) func(column []netlist.Net) netlist.Net {
	var duels []netlist.Net // for each pair i < j, whether word j is larger
	for j := range field {
		for i := range j {
			duels = append(duels, c.larger(field[j].word, field[i].word, slack))
		}
	}
	number := func(x uint) int { return winner(x, len(field)) }
	pins := duels
	if len(duels)+len(field) > c.k && len(field) > 2 {
		pins = nil
		for d := range bits.Len(uint(len(field) - 1)) {
			table := tabulate(len(duels), func(x uint) bool { return winner(x, len(field))>>d&1 == 1 })
			pins = append(pins, c.function(table, duels...))
		}
		number = func(x uint) int { return min(int(x), len(field)-1) }
	}
	mask := uint(1)<<len(pins) - 1
	return func(column []netlist.Net) netlist.Net {
		table := tabulate(len(pins)+len(field), func(x uint) bool {
			return x>>(len(pins)+number(x&mask))&1 == 1
		})
		return c.function(table, append(pins[:len(pins):len(pins)], column...)...)
	}
}

// winner returns the winner for the given results of all duels. Bit j(j-1)/2 + i of duels says that word j is larger
// than word i, where j > i. For contradictory results, which cannot occur, the winner is arbitrary.
func winner(duels uint, field int) int {
	best := 0
	for j := 1; j < field; j++ {
		if duels>>(j*(j-1)/2+best)&1 == 1 {
			best = j
		}
	}
	return best
}
