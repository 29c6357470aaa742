package netlist

// Chains maps the carries of a netlist to the carry chains of an FPGA such as iCE40. There, a logic cell holds a
// carry and a LUT with four inputs. The carry has three operands: the second and third input of the LUT, and the
// carry of the cell below. The fourth input of the LUT can also read the carry of the cell below. The first two
// inputs of a [Carry] are its operands, and the third input is the carry from below.
//
// Only two cells can read a carry directly on its chain. They are the next carry and the LUT in the logic cell of the
// next carry. At the end of the chain, only the LUT above can read the carry. All other readers need a LUT that
// brings the carry out of the chain.
type Chains struct {
	// for a function cell that reads the chain, the carry or first carry-in that the cell reads
	reads map[Cell]Net
	mate  map[Cell]Cell // for a function cell, the carry cell in the same logic cell
	next  map[Net]Cell  // for a net, the carry that continues the chain from this net
	out   map[Net]bool  // carries that a LUT brings out
	least Net           // the lowest net in out
}

// CarryChains maps the carries of n to chains. If there are carries, it walks once over the cells.
func (n *Netlist) CarryChains() *Chains {
	s := &Chains{map[Cell]Net{}, map[Cell]Cell{}, map[Net]Cell{}, map[Net]bool{}, ^Net(0)}
	readers := n.carryReaders(s)
	for c, k := range n.kind {
		if k != Carry {
			continue
		}
		if v := n.Inputs(Cell(c))[2]; s.next[v] == Cell(c) && !n.isCarry(v) && v > True {
			s.pair(n, v, readers[v])
		}
		s.carry(n, n.outStart[c], readers[n.outStart[c]])
	}
	return s
}

// LUTs returns the number of LUTs that bring carries out of their chains.
func (s *Chains) LUTs() int { return len(s.out) }

// Out reports whether a LUT brings carry v out of its chain, for readers that are not on the chain.
func (s *Chains) Out(v Net) bool { return v >= s.least && s.out[v] }

// Next returns the carry that continues the chain from net v.
func (s *Chains) Next(v Net) (Cell, bool) {
	c, ok := s.next[v]
	return c, ok
}

// Reads returns the net that function c reads on a chain.
func (s *Chains) Reads(c Cell) (Net, bool) {
	v, ok := s.reads[c]
	return v, ok
}

// Beside returns the carry that shares a logic cell with function c.
func (s *Chains) Beside(c Cell) (Cell, bool) {
	m, ok := s.mate[c]
	return m, ok
}

// outputReader represents an output port among the readers of a net.
const outputReader = ^Cell(0)

// carryReaders returns the readers of every carry and of every carry-in, and sets s.next. Probes do not count as
// readers, since a probe needs no hardware.
func (n *Netlist) carryReaders(s *Chains) map[Net][]Cell {
	readers := map[Net][]Cell{}
	for c, k := range n.kind {
		if k != Carry {
			continue
		}
		readers[n.outStart[c]] = nil
		v := n.Inputs(Cell(c))[2]
		if _, ok := s.next[v]; !ok && v > True {
			s.next[v] = Cell(c)
			readers[v] = nil
		}
	}
	if len(readers) == 0 {
		return readers
	}
	note := func(v Net, c Cell) {
		if list, ok := readers[v]; ok {
			readers[v] = append(list, c)
		}
	}
	for c := range n.kind {
		in := n.Inputs(Cell(c))
		used := ^uint8(0)
		if n.kind[c] == Function {
			used = Support(Effective(n.param[c], in))
		}
		for j, v := range in {
			if n.kind[c] != Function || used>>j&1 == 1 {
				note(v, Cell(c))
			}
		}
	}
	for _, p := range n.outputs {
		for _, v := range p.Nets {
			note(v, outputReader)
		}
	}
	return readers
}

func (n *Netlist) isCarry(v Net) bool {
	c, _, ok := n.Driver(v)
	return ok && n.kind[c] == Carry
}

// carry decides which cells read carry v on its chain, and whether a LUT brings v out of the chain.
func (s *Chains) carry(n *Netlist, v Net, readers []Cell) {
	_, goesOn := s.next[v]
	rest := len(readers)
	switch {
	case goesOn:
		rest--
		if rest == 1 && s.pair(n, v, readers) {
			rest = 0
		}
	case rest == 1 && readers[0] != outputReader && s.free(n, readers[0]) && n.supports(readers[0]) <= chainInputs:
		s.reads[readers[0]] = v
		rest = 0
	}
	if rest > 0 {
		s.out[v] = true
		s.least = min(s.least, v)
	}
}

// chainInputs is the number of inputs of the LUT in a carry's logic cell.
const chainInputs = 4

// free reports whether c is a LUT that does not yet read a chain.
func (s *Chains) free(n *Netlist, c Cell) bool {
	_, taken := s.reads[c]
	return c != outputReader && n.kind[c] == Function && !taken && n.isLUT(c)
}

// supports returns the number of inputs that function c depends on.
func (n *Netlist) supports(c Cell) int {
	count := 0
	for s := Support(Effective(n.param[c], n.Inputs(c))); s != 0; s &= s - 1 {
		count++
	}
	return count
}

// pair finds a function that reads v and can share a logic cell with the next carry of v. Apart from v and that
// carry's operands, the function may depend on at most one other net. pair reports whether it found such a function.
func (s *Chains) pair(n *Netlist, v Net, readers []Cell) bool {
	next := s.next[v]
	at := n.Inputs(next)
	best, bestOthers := outputReader, 2
	for _, c := range readers {
		if !s.free(n, c) {
			continue
		}
		others := 0
		in := n.Inputs(c)
		for j, used := 0, Support(Effective(n.param[c], in)); used != 0; j, used = j+1, used>>1 {
			if used&1 == 1 && in[j] != at[0] && in[j] != at[1] && in[j] != v {
				others++
			}
		}
		if others < bestOthers {
			best, bestOthers = c, others
		}
	}
	if best == outputReader {
		return false
	}
	s.reads[best], s.mate[best] = v, next
	return true
}
