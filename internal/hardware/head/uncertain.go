package head

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// The output of an argmax for uncertain results is 1 if another word plus the margin is larger than the largest word.
// There are two circuits for it:
//
//   - byThreshold compares every word with the largest word minus the margin. It suits many words, and it has to wait
//     for the largest word.
//   - In a tournament of matches of two words, each match also finds out whether its two words are closer than the
//     margin (near). The result for the winner of a match is 1 if the winner was close to a word before, or if the two
//     words are close now. This suits few words. It is correct since a word that is close to the largest word is also
//     close to all words in between.

// byThreshold returns the net for uncertain results, given the largest word. [circuit.larger] describes slack.
func (c *circuit) byThreshold(words [][]netlist.Net, best []netlist.Net, margin, slack int) netlist.Net {
	least, negative := c.minus(best, margin-1)
	items := []nearby{{negative, negative}} // if the largest word is below margin - 1, all words are close to it
	for at := 0; at < len(words); at += c.k {
		var far []netlist.Net
		for _, word := range words[at:min(at+c.k, len(words))] {
			far = append(far, c.larger(least, word, slack))
		}
		all := uint(1)<<len(far) - 1
		items = append(items, nearby{
			c.function(tabulate(len(far), func(x uint) bool { return x != all }), far...),
			c.function(tabulate(len(far), func(x uint) bool { return bits.OnesCount(^x&all) >= 2 }), far...),
		})
	}
	for group := max(c.k/2, 2); len(items) > 1; {
		count := min(group, len(items))
		items = append(items[count:], c.together(items[:count]))
	}
	return items[0].two
}

// nearby says whether at least one word of a set, and at least two of them, are closer to the largest word than the
// margin.
type nearby struct{ one, two netlist.Net }

// together joins up to three sets of words.
func (c *circuit) together(sets []nearby) nearby {
	var ones, all []netlist.Net
	for _, s := range sets {
		ones, all = append(ones, s.one), append(all, s.one, s.two)
	}
	return nearby{
		one: c.function(tabulate(len(ones), func(x uint) bool { return x > 0 }), ones...),
		two: c.function(tabulate(len(all), func(x uint) bool {
			const one, two = 0b010101, 0b101010
			return x&two > 0 || bits.OnesCount(x&one) >= 2
		}), all...),
	}
}

// minus returns a word minus a constant, and whether the result is negative. One LUT reads up to k-1 digits of the
// word and the borrow into the lowest of these digits.
func (c *circuit) minus(word []netlist.Net, constant int) (difference []netlist.Net, borrow netlist.Net) {
	borrow = netlist.False
	for at := 0; at < len(word); at += c.k - 1 {
		digits := word[at:min(at+c.k-1, len(word))]
		part := constant >> at & (1<<len(digits) - 1)
		for i := range digits {
			in := append([]netlist.Net{borrow}, digits[:i+1]...)
			difference = append(difference, c.function(tabulate(len(in), func(x uint) bool {
				return (int(x>>1)-int(x&1)-part)>>i&1 == 1
			}), in...))
		}
		in := append([]netlist.Net{borrow}, digits...)
		borrow = c.function(tabulate(len(in), func(x uint) bool { return int(x>>1)-int(x&1) < part }), in...)
	}
	return difference, borrow
}

// near returns whether the difference of two words is less than the margin, in either direction.
//
// The low digits are the digits of numbers below the margin. near scans them upwards, and the high digits downwards.
// The state of the high digits is their difference: -1, 0, 1 or far. The state of the low digits is one of at most
// five classes of differences. Differences are in one class if they lead to the same results with all high digits.
func (c *circuit) near(a, b []netlist.Net, margin int) netlist.Net {
	isNear := func(difference int) bool { return -margin < difference && difference < margin }
	low := min(bits.Len(uint(margin-1)), len(a))
	up := c.scan(a[:low], b[:low],
		func(difference, digits, digit int) int { return difference + digit<<digits },
		func(difference, digits int) int {
			class, limit := 0, 1<<(len(a)-digits)-1 // limit is the largest difference of the digits above
			for _, above := range []int{-(margin >> digits) - 1, -(margin >> digits), margin >> digits, margin>>digits + 1} {
				class <<= 1
				if -limit <= above && above <= limit && isNear(above<<digits+difference) {
					class++
				}
			}
			return class
		})
	far := min(margin, 2)
	downA, downB := slices.Clone(a[low:]), slices.Clone(b[low:])
	slices.Reverse(downA)
	slices.Reverse(downB)
	down := c.scan(downA, downB,
		func(difference, _, digit int) int {
			if difference = 2*difference + digit; difference <= -far || difference >= far {
				return far
			}
			return difference
		},
		func(difference, _ int) int { return difference })
	table := tabulate(len(up.nets)+len(down.nets), func(x uint) bool {
		high := down.state(x >> len(up.nets))
		return high != far && isNear(high<<low+up.state(x&(1<<len(up.nets)-1)))
	})
	return c.function(table, append(up.nets, down.nets...)...)
}

// scanned is the state after a scan. The nets hold the number of a state. For each number, states has a difference that
// leads to this state.
type scanned struct {
	nets   []netlist.Net
	states []int
}

// state returns the difference of a state. Numbers without a state occur for no words.
func (s *scanned) state(number uint) int { return s.states[min(int(number), len(s.states)-1)] }

// scan builds a finite automaton that reads the digits of two words. Its first state is the difference 0. The function
// next returns the difference after one more digit, which is the digit of a minus the digit of b. The function class
// returns the class of a difference after the given number of digits. All differences of a class are one state.
func (c *circuit) scan(a, b []netlist.Net, next func(difference, digits, digit int) int,
	class func(difference, digits int) int,
) scanned {
	now := scanned{states: []int{0}}
	for at := 0; at < len(a); {
		pairs := min(max((c.k-len(now.nets))/2, 1), len(a)-at)
		in := slices.Clone(now.nets)
		for i := range pairs {
			in = append(in, a[at+i], b[at+i])
		}
		then, number, of := scanned{}, map[int]int{}, make([]int, 1<<len(in))
		for x := range of {
			difference := now.state(uint(x) & (1<<len(now.nets) - 1))
			for i := range pairs {
				digits := x >> (len(now.nets) + 2*i)
				difference = next(difference, at+i, digits&1-digits>>1&1)
			}
			key := class(difference, at+pairs)
			if _, ok := number[key]; !ok {
				number[key] = len(then.states)
				then.states = append(then.states, difference)
			}
			of[x] = number[key]
		}
		for bit := range bits.Len(uint(len(then.states) - 1)) {
			then.nets = append(then.nets, c.function(tabulate(len(in), func(x uint) bool { return of[x]>>bit&1 == 1 }), in...))
		}
		now, at = then, at+pairs
	}
	return now
}
