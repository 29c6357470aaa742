package head

import (
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// bit is a bit to be counted. It is a net of a circuit, or the complement of a net. The complement needs no
// inverter, because counters absorb it.
type bit struct {
	net      netlist.Net
	inverted bool
}

func (b bit) term(weight uint64) counts.Term {
	table := uint64(tableCopy)
	if b.inverted {
		table = tableNot
	}
	return counts.Term{Weight: weight, Nets: []netlist.Net{b.net}, Table: table}
}

// addends holds the bits to add, by digit, and a constant to add.
type addends struct {
	bits     [maxDigits][]bit
	constant uint64
}

// largest returns the largest value of the sum.
func (a *addends) largest() uint64 {
	sum := a.constant
	for d, bits := range a.bits {
		sum += uint64(len(bits)) << d
	}
	return sum
}

// tree builds sums in a circuit.
type tree struct {
	*circuit
	digits   int
	waiting  [maxDigits][]bit // bits of each digit that are not counted yet, in order of arrival
	constant uint64           // sum of the constants that no counter has taken yet
	counters []counts.Counter
}

// sum builds a sum, which must be less than 2^digits. It returns the digits of the sum and the counters that prove
// them.
func (c *circuit) sum(a *addends, digits int, o *Options) ([]netlist.Net, []counts.Counter) {
	if o.Carry {
		return c.adderSum(a, digits, o)
	}
	return c.lutSum(a, digits, o)
}

// lutSum builds a sum as the best tree of counters that [search] finds.
func (c *circuit) lutSum(a *addends, digits int, o *Options) ([]netlist.Net, []counts.Counter) {
	in, first := c.profile(a, digits)
	t := &tree{circuit: c, digits: digits, constant: a.constant}
	p := o.plan(digits, in, first)
	if leftover(p, shapesOf(c.k), digits, a.constant) > 0 {
		// The counters have no room for the whole constant, so the ones of the constant are counted like bits.
		for d := range digits {
			if a.constant>>d&1 == 1 {
				in[0][d]++
				a.bits[d] = append(a.bits[d], bit{net: netlist.True})
			}
		}
		t.constant = 0
		p = o.plan(digits, in, first)
	}
	t.build(p, a)
	return t.finish(), t.counters
}

// profile returns the bits by arrival, in levels after the first bit.
func (c *circuit) profile(a *addends, digits int) (in profile, first int32) {
	first = 1 << 30
	for d := range digits {
		for _, b := range a.bits[d] {
			first = min(first, c.level(b.net))
		}
	}
	in = make(profile, 1)
	for d := range digits {
		for _, b := range a.bits[d] {
			for int(c.level(b.net)-first) >= len(in) {
				in = append(in, [maxDigits]int32{})
			}
			in[c.level(b.net)-first][d]++
		}
	}
	return in, first
}

// build builds the counters of a plan. Earlier counters take bits that arrive earlier.
func (t *tree) build(p *plan, a *addends) {
	for d := range t.digits {
		t.waiting[d] = slices.Clone(a.bits[d])
		slices.SortStableFunc(t.waiting[d], func(x, y bit) int { return int(t.level(x.net) - t.level(y.net)) })
	}
	shapes := shapesOf(t.k)
	for i := 0; i < len(p.placed); {
		level := p.placed[i].level
		var made [maxDigits][]bit
		for ; i < len(p.placed) && p.placed[i].level == level; i++ {
			at := &p.placed[i]
			for range at.count {
				t.counter(&shapes[at.shape], at.digit, &made)
			}
		}
		for d := range t.digits {
			t.queue(d, made[d])
		}
	}
}

// queue inserts new bits of a digit behind bits that arrived earlier and before bits that arrive
// later.
func (t *tree) queue(d int, made []bit) {
	t.waiting[d] = append(t.waiting[d], made...)
	slices.SortStableFunc(t.waiting[d], func(x, y bit) int { return int(t.level(x.net) - t.level(y.net)) })
}

// room returns the largest part of a constant that a counter at a digit can add without needing more outputs.
func room(s *shape, digit, digits int, constant uint64) uint64 {
	if s.sum > netlist.MaxFunctionInputs && s.in[0] == s.sum {
		return 0 // the outputs of this shape are not single tables
	}
	if digit+int(s.outs) >= digits { // sums are modulo 2^digits
		return constant >> digit
	}
	return min(constant>>digit, 1<<s.outs-1-uint64(s.sum))
}

// leftover returns the part of a constant for which the counters of a plan have no room.
func leftover(p *plan, shapes []shape, digits int, constant uint64) uint64 {
	for _, at := range p.placed {
		for range at.count {
			if constant == 0 {
				return 0
			}
			constant -= room(&shapes[at.shape], at.digit, digits, constant) << at.digit
		}
	}
	return constant
}

// counter adds a counter whose inputs are the first waiting bits.
func (t *tree) counter(s *shape, digit int, made *[maxDigits][]bit) {
	constant := room(s, digit, t.digits, t.constant)
	t.constant -= constant << digit
	var in []bit
	var weight []uint
	for i, c := range s.in {
		for _, b := range t.waiting[min(digit+i, maxDigits-1)][:c] {
			in, weight = append(in, b), append(weight, 1<<i)
		}
		if c > 0 {
			t.waiting[digit+i] = t.waiting[digit+i][c:]
		}
	}
	counter := counts.Counter{Constant: constant << digit}
	nets := make([]netlist.Net, len(in))
	for i, b := range in {
		nets[i] = b.net
		counter.In = append(counter.In, b.term(uint64(weight[i])<<digit))
	}
	counter.Leaves = counts.Leaves(nets)
	for k := range min(int(s.outs), t.digits-digit) {
		var out bit
		if len(in) > netlist.MaxFunctionInputs {
			out.net = t.seven(in, k)
		} else {
			out.net = t.digit(in, weight, constant, k)
		}
		made[digit+k] = append(made[digit+k], out)
		counter.Out = append(counter.Out, out.term(1<<(digit+k)))
	}
	counter.Leaves = t.free(counter)
	t.counters = append(t.counters, counter)
}

// free returns the leaves of a counter that are not outputs of the counter. If a counter reads a net twice, one of
// its outputs may be among its inputs, as a function of the other inputs.
func (t *tree) free(c counts.Counter) []netlist.Net {
	var list []netlist.Net
	for _, v := range c.Leaves {
		output := slices.ContainsFunc(c.Out, func(o counts.Term) bool { return o.Nets[0] == v })
		made := t.nodes[v].in != nil
		for _, w := range t.nodes[v].in {
			made = made && slices.Contains(c.Leaves, w)
		}
		if !output || !made {
			list = append(list, v)
		}
	}
	return list
}

// digit returns digit k of a weighted sum of up to six bits and a constant.
func (t *tree) digit(in []bit, weight []uint, constant uint64, k int) netlist.Net {
	nets := make([]netlist.Net, len(in))
	for i, b := range in {
		nets[i] = b.net
	}
	return t.function(tabulate(len(in), func(inputs uint) bool {
		sum := uint(constant)
		for i, b := range in {
			if (inputs>>i&1 == 1) != b.inverted {
				sum += weight[i]
			}
		}
		return sum>>k&1 == 1
	}), nets...)
}

// seven returns digit k of the sum of seven bits, in LUTs of four inputs. The three digits take seven LUTs. Four
// full adders would take eight.
//
// Consider three full adders. The first adds x0, x1 and x2, with sum t and carry a. The second adds t, x3 and x4,
// with sum s and carry b. The third adds s, x5 and x6, with carry c. Instead of a and b, seven uses b and q = a ^ b.
// The low digit of a + b + c is q ^ c. The high digit is c = ^(q ^ c) if q is 1, and b otherwise. Demenkov,
// Kojevnikov, Kulikov and Yaroslavtsev save a tenth of the gates with a pair in this form ("New upper bounds on the
// Boolean circuit complexity of symmetric functions", 2010). In LUTs, q is one function of b and x0 x1 x2.
func (t *tree) seven(in []bit, k int) netlist.Net {
	one := []uint{1, 1, 1}
	first := in[:3]
	s0 := bit{net: t.digit(first, one, 0, 0)}
	middle := []bit{s0, in[3], in[4]}
	s1 := bit{net: t.digit(middle, one, 0, 0)}
	last := []bit{s1, in[5], in[6]}
	if k == 0 {
		return t.digit(last, one, 0, 0)
	}
	b := t.digit(middle, one, 0, 1)
	q := t.xorMajority(b, first)
	u := t.xorMajority(q, last)
	if k == 1 {
		return u
	}
	return t.function(tabulate(3, func(x uint) bool { // a function of q, u and b
		if x&1 == 1 {
			return x>>1&1 == 0
		}
		return x>>2&1 == 1
	}), q, u, b)
}

// xorMajority returns the exclusive or of v and the majority of three bits.
func (t *tree) xorMajority(v netlist.Net, in []bit) netlist.Net {
	table := tabulate(4, func(x uint) bool {
		ones := 0
		for i, b := range in {
			if (x>>i&1 == 1) != b.inverted {
				ones++
			}
		}
		return (ones >= 2) != (x>>3&1 == 1)
	})
	return t.function(table, in[0].net, in[1].net, in[2].net, v)
}

// finish returns the digits.
func (t *tree) finish() []netlist.Net {
	digits := make([]netlist.Net, t.digits)
	for d := range digits {
		switch bits := t.waiting[d]; {
		case len(bits) > 1 || t.constant != 0:
			panic("head: the plan does not fit its bits")
		case len(bits) == 0:
			digits[d] = netlist.False
		case bits[0].inverted:
			b := bits[0]
			digits[d] = t.inverted(b.net)
			t.counters = append(t.counters, counts.Counter{
				Leaves: []netlist.Net{b.net},
				In:     []counts.Term{b.term(1 << d)},
				Out:    []counts.Term{bit{net: digits[d]}.term(1 << d)},
			})
		default:
			digits[d] = bits[0].net
		}
	}
	return digits
}
