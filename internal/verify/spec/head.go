package spec

import (
	"fmt"
	"math/bits"
)

// Head makes the class and the counts the outputs of a graph, in place of the last layer. The outputs are
// class_index, count_0, count_1, …. Each output is a number whose least significant bit comes first.
//
// A proof ends in time only if both sides add the bits and compare the classes in the same order. So the caller may
// choose the order. The order changes the gates but not the function, because every bit of a class is counted exactly
// once in any order.
type Head struct {
	// Sums lists the additions for each class, in the order in which they are made. Bits that no sum takes are added
	// at the end, in the order of their numbers.
	Sums [][]Sum

	// First is the group size in the first round of the argmax tournament, and Later is the group size in later
	// rounds. A size of 0 puts all classes into one group, which is compared in one linear scan.
	First, Later int

	// Margin adds an output named uncertain after class_index. It is 1 if the largest count leads the second largest
	// by less than the margin. If Near is set, each match of the tournament looks for counts that are closer than the
	// margin. Otherwise, all counts are compared with the largest count minus the margin.
	Margin int
	Near   bool

	// Counts adds an output named counts after these outputs. It has the counts of all classes, with the first class
	// in the lowest bits.
	Counts bool
}

// Sum is a set of bits to add, given by their numbers. The bits that are counted for the class ([Network.Counted]) have
// the numbers from 0 on. The digits of earlier sums have the next numbers, in order. A sum has as many digits as its
// largest value needs. The place of a sum's first digit is the lowest place among the bits that the sum adds.
type Sum []int

// bus is an output with its name.
type bus struct {
	name string
	bits []literal
}

// head writes the counts and the argmax and returns the outputs.
func (n *Network) head(g *graph, last []literal, o *Head) ([]bus, error) {
	words := make([][]literal, n.classes)
	var probes []bus
	counts := bus{name: "counts"}
	for c := range words {
		p := pool{g: g}
		for _, l := range n.counted(c, last) {
			p.add(l, 0)
		}
		if c < len(o.Sums) {
			for i, s := range o.Sums[c] {
				if err := p.sum(s); err != nil {
					return nil, fmt.Errorf("spec: sum %d of class %d: %w", i, c, err)
				}
			}
		}
		words[c] = p.rest(bits.Len(uint(n.mostCounted())))
		probes = append(probes, bus{fmt.Sprintf("count_%d", c), words[c]})
		counts.bits = append(counts.bits, words[c]...)
	}
	winner := g.argmax(words, n.Ties(), o)
	outputs := []bus{{"class_index", winner.index}}
	if o.Margin > 0 && !o.Near {
		winner.near = g.uncertain(words, winner.word, o.Margin)
	}
	if o.Margin > 0 {
		outputs = append(outputs, bus{"uncertain", []literal{winner.near}})
	}
	if o.Counts {
		outputs = append(outputs, counts)
	}
	return append(outputs, probes...), nil
}

// pool holds the bits of a count. Each bit must be added exactly once.
type pool struct {
	g    *graph
	bits []addend
}

// addend is a bit that counts 2^place.
type addend struct {
	bit   literal
	place int
	taken bool
}

func (p *pool) add(l literal, place int) { p.bits = append(p.bits, addend{bit: l, place: place}) }

// sum takes the bits that have the given numbers out of the pool, and adds the digits of their sum to the pool.
func (p *pool) sum(numbers Sum) error {
	var columns [][]literal
	least, most := wordBits*2, uint64(0)
	for _, i := range numbers {
		if i < 0 || i >= len(p.bits) || p.bits[i].taken {
			return fmt.Errorf("bit %d does not exist, or was added before", i)
		}
		a := &p.bits[i]
		a.taken = true
		least, most = min(least, a.place), most+1<<a.place
		for len(columns) <= a.place {
			columns = append(columns, nil)
		}
		columns[a.place] = append(columns[a.place], a.bit)
	}
	if len(numbers) == 0 {
		return nil
	}
	for i, digit := range p.g.total(columns[least:], bits.Len64(most>>least)) {
		p.add(digit, least+i)
	}
	return nil
}

// rest returns the sum of the bits that no [Sum] has taken. The result is a number with the given number of digits.
func (p *pool) rest(digits int) []literal {
	columns := make([][]literal, digits)
	for _, a := range p.bits {
		if !a.taken && a.place < digits { // bits at higher places than the digits of the count are 0
			columns[a.place] = append(columns[a.place], a.bit)
		}
	}
	return p.g.total(columns, digits)
}

// total returns the sum of bits as a number with the given number of digits, which must be large enough. The argument
// columns has the bits at each place. At each place, two bits at a time are added to a running sum, and the carries
// go to the next place.
func (g *graph) total(columns [][]literal, digits int) []literal {
	sums := make([]literal, digits)
	var carries []literal
	for place := range sums {
		column := carries
		if place < len(columns) {
			column = append(append([]literal{}, columns[place]...), carries...)
		}
		carries = nil
		if len(column)%2 == 1 {
			column = append(column, 0)
		}
		sum := literal(0)
		for ; len(column) > 0; column = column[2:] {
			var carry literal
			sum, carry = g.adder(sum, column[0], column[1])
			carries = append(carries, carry)
		}
		sums[place] = sum
	}
	return sums
}

// adder returns the sum and the carry of three bits.
func (g *graph) adder(a, b, c literal) (sum, carry literal) {
	half := g.xor(a, b)
	return g.xor(half, c), g.or(g.and(a, b), g.and(half, c))
}

func (g *graph) xor(a, b literal) literal { return g.or(g.and(a, b^1), g.and(a^1, b)) }

// contender is a count together with the number of its class. In a tournament that looks for close counts, near says
// whether the count was close to one that lost against it.
type contender struct {
	word, index []literal
	near        literal
}

// argmax returns the largest word. If words are equal, the first one in the given order wins.
func (g *graph) argmax(words [][]literal, order []int, o *Head) contender {
	field := make([]contender, len(words))
	for place, c := range order {
		field[place].word = words[c]
		for d := range max(1, bits.Len(uint(len(words)-1))) {
			field[place].index = append(field[place].index, literal(c>>d&1))
		}
	}
	for size := o.First; len(field) > 1; size = o.Later {
		if size < 2 {
			size = len(field)
		}
		matches := (len(field) + size - 1) / size
		winners := make([]contender, matches)
		for m := range winners {
			group := field[m*len(field)/matches : (m+1)*len(field)/matches]
			winners[m] = group[0]
			for _, next := range group[1:] {
				winners[m] = g.better(winners[m], next, o)
			}
		}
		field = winners
	}
	return field[0]
}

// larger returns whether word b is larger than word a.
func (g *graph) larger(a, b []literal) (larger literal) {
	for i := range a {
		larger = g.or(g.and(b[i], a[i]^1), g.and(g.xor(a[i], b[i])^1, larger))
	}
	return larger
}

// minus returns a word minus a number, modulo 2^digits, and whether the difference is negative.
func (g *graph) minus(word []literal, number int) (difference []literal, borrow literal) {
	for i, a := range word {
		b := literal(number >> i & 1)
		difference = append(difference, g.xor(g.xor(a, b), borrow))
		borrow = g.or(g.and(a^1, g.or(b, borrow)), g.and(b, borrow))
	}
	return difference, borrow
}

// close returns whether word a minus word b is negative or less than the margin.
func (g *graph) close(a, b []literal, margin int) literal {
	least, negative := g.minus(a, margin-1)
	return g.or(negative, g.larger(b, least)^1)
}

// uncertain returns whether at least two words are close to the largest word.
func (g *graph) uncertain(words [][]literal, best []literal, margin int) literal {
	one, two := literal(0), literal(0)
	for _, w := range words {
		near := g.close(best, w, margin)
		two = g.or(two, g.and(one, near))
		one = g.or(one, near)
	}
	return two
}

// better returns the second contender if the second word is larger. Otherwise it returns the first contender.
func (g *graph) better(first, second contender, o *Head) contender {
	larger := g.larger(first.word, second.word)
	choose := func(a, b []literal) []literal {
		chosen := make([]literal, len(a))
		for i := range a {
			chosen[i] = g.or(g.and(larger, b[i]), g.and(larger^1, a[i]))
		}
		return chosen
	}
	c := contender{word: choose(first.word, second.word), index: choose(first.index, second.index)}
	if o.Near {
		near := g.and(g.close(first.word, second.word, o.Margin), g.close(second.word, first.word, o.Margin))
		c.near = g.or(near, choose([]literal{first.near}, []literal{second.near})[0])
	}
	return c
}
