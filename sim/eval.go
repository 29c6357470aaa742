package sim

import "ialgn/netlist"

// eval computes all cells in order. It walks the netlist's arrays directly. Translating the netlist to a list of
// instructions first would double the memory and save little time, since the arrays are read in order and most values
// are in the cache.
func (s *Simulator) eval() {
	n, register := s.n, 0
	value, block, words := s.value, s.block, s.words
	for c := range netlist.Cell(n.Cells()) {
		in := n.Inputs(c)
		switch n.Kind(c) {
		case netlist.Function:
			if len(in) != 2 {
				s.function(n.Output(c), n.Param(c), in)
				continue
			}
			p := &polynomials[n.Param(c)&15]
			a, b, out := int(in[0])*block, int(in[1])*block, int(n.Output(c))*block
			if words == 1 {
				value[out] = p.of(value[a], value[b])
				continue
			}
			p.row(value[out:][:words], value[a:], value[b:])
		case netlist.Primitive:
			s.function(n.Output(c), n.Primitives()[n.Param(c)].Table, in)
		case netlist.Register:
			copy(s.Net(n.Output(c)), s.state[register*s.block:])
			register++
		case netlist.Carry:
			majority(s.Net(n.Output(c)), s.Net(in[0]), s.Net(in[1]), s.Net(in[2]))
		case netlist.Compare:
			s.compare(n.Output(c), n.Param(c), in)
		case netlist.Popcount, netlist.Counter:
			s.popcount(n.Output(c), n.Outputs(c), in)
		case netlist.Argmax:
			s.argmax(c, in)
		}
	}
}

// function computes a function with 0 to 6 inputs from its table.
func (s *Simulator) function(out netlist.Net, table uint64, in []netlist.Net) {
	switch len(in) {
	case 1:
		unary(s.Net(out), s.Net(in[0]), table)
	case 0:
		fill(s.Net(out), spread(table))
	default:
		s.shannon(s.Net(out), table, in)
	}
}

// spread returns a word with all bits equal to bit 0 of t.
func spread(t uint64) uint64 { return -(t & 1) }

func fill(out []uint64, w uint64) {
	for i := range out {
		out[i] = w
	}
}

func unary(out, a []uint64, table uint64) {
	c0, ca := spread(table), spread(table^table>>1)
	a = a[:len(out)]
	for i := range out {
		out[i] = c0 ^ ca&a[i]
	}
}

// polynomial represents a function of two inputs a and b by the polynomial c + ca a + cb b + cab ab over GF(2). Each
// coefficient fills all bits of a word. The polynomial is evaluated without a branch. With random operations, a
// switch over the table would be mispredicted at nearly every gate.
type polynomial struct{ c, ca, cb, cab uint64 }

func (p *polynomial) of(a, b uint64) uint64 { return p.c ^ p.ca&a ^ b&(p.cb^p.cab&a) }

func (p *polynomial) row(out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	c, ca, cb, cab := p.c, p.ca, p.cb, p.cab
	for i, x := range a {
		out[i] = c ^ ca&x ^ b[i]&(cb^cab&x)
	}
}

// polynomials holds the polynomial for each function table with two inputs.
var polynomials = func() (all [16]polynomial) {
	for i := range all {
		t := uint64(i)
		all[i] = polynomial{spread(t), spread(t ^ t>>1), spread(t ^ t>>2), spread(t ^ t>>1 ^ t>>2 ^ t>>3)}
	}
	return all
}()

// shannon computes a function with one or more inputs by Shannon expansion. Each pair of table bits becomes a
// function of input 0. Each further input selects between two neighbouring functions.
func (s *Simulator) shannon(out []uint64, table uint64, in []netlist.Net) {
	var f [1 << (netlist.MaxFunctionInputs - 1)]uint64
	for w := range out {
		x := s.value[int(in[0])*s.block+w]
		half := 1 << (len(in) - 1)
		for i := range half {
			t := table >> (2 * i)
			f[i] = spread(t) ^ x&spread(t^t>>1)
		}
		for _, v := range in[1:] {
			x, half = s.value[int(v)*s.block+w], half/2
			for i := range half {
				f[i] = f[2*i] ^ x&(f[2*i]^f[2*i+1])
			}
		}
		out[w] = f[0]
	}
}

func majority(out, a, b, c []uint64) {
	for i := range out {
		out[i] = a[i]&b[i] | c[i]&(a[i]|b[i])
	}
}

// compare computes word > threshold from the least significant bit up. A higher bit that differs from the
// threshold's bit overrides all lower bits.
func (s *Simulator) compare(out netlist.Net, threshold uint64, in []netlist.Net) {
	greater := s.Net(out)
	fill(greater, 0)
	for b, v := range in {
		x := s.Net(v)
		if threshold>>b&1 == 1 {
			for i := range greater {
				greater[i] &= x[i]
			}
			continue
		}
		for i := range greater {
			greater[i] |= x[i]
		}
	}
}

// argmax goes through the words in their tie order and keeps the largest word so far, together with its index. Only a
// strictly larger word replaces it, so the first word of the order wins if words are equal.
func (s *Simulator) argmax(c netlist.Cell, in []netlist.Net) {
	out, outputs, width, margin := s.n.Output(c), s.n.IndexBits(c), s.n.ArgmaxWidth(c), s.n.Margin(c)
	s.best = resize(s.best, width)
	for w := range s.words {
		first := s.n.Contender(0)
		for b, v := range in[first*width:][:width] {
			s.best[b] = s.value[int(v)*s.block+w]
		}
		var index [32]uint64
		for b := range outputs {
			index[b] = spread(uint64(first >> b))
		}
		for place := 1; place*width < len(in); place++ {
			class := s.n.Contender(place)
			larger := s.replace(in[class*width:][:width], w)
			for b := range outputs {
				index[b] ^= larger & (index[b] ^ spread(uint64(class>>b)))
			}
		}
		for b := range outputs {
			s.value[(int(out)+b)*s.block+w] = index[b]
		}
		if margin > 0 {
			s.value[(int(out)+outputs)*s.block+w] = s.uncertain(in, margin, w)
		}
	}
}

// uncertain returns a mask of the samples in word w for which at least two numbers are closer to the largest number
// than the margin. The largest number is one of them. The argument in holds the nets of all numbers.
func (s *Simulator) uncertain(in []netlist.Net, margin, w int) uint64 {
	one, two := uint64(0), uint64(0)
	for width := len(s.best); len(in) > 0; in = in[width:] {
		near := s.near(in[:width], margin, w)
		two |= one & near
		one |= near
	}
	return two
}

// near returns a mask of the samples in word w for which the largest number minus the argument number is less than the
// margin. It subtracts and compares from the lowest digit up.
func (s *Simulator) near(number []netlist.Net, margin, w int) uint64 {
	borrow, less := uint64(0), uint64(0)
	for b, v := range number {
		x := s.value[int(v)*s.block+w]
		digit := s.best[b] ^ x ^ borrow
		borrow = ^s.best[b]&(x|borrow) | x&borrow
		if margin>>b&1 == 1 {
			less |= ^digit
		} else {
			less &^= digit
		}
	}
	return less
}

// replace updates the largest number so far for the 64 samples of word w. For each sample in which the argument
// number is larger, this number becomes the largest so far. replace returns a mask of these samples.
func (s *Simulator) replace(number []netlist.Net, w int) uint64 {
	larger := uint64(0)
	for b, v := range number {
		x := s.value[int(v)*s.block+w]
		larger = x&^s.best[b] | larger&^(x^s.best[b])
	}
	for b, v := range number {
		s.best[b] ^= larger & (s.best[b] ^ s.value[int(v)*s.block+w])
	}
	return larger
}

func resize(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	return s[:n]
}
