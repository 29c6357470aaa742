package netlist_test

import (
	"testing"

	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// chains builds two sums on carry chains. The first chain adds a, b and the carry c and has three digits. The last
// carry of this chain is an output and also an operand of another cell. The second chain begins where the first ends,
// takes a separate bit as its first carry, and ends in a LUT.
func chains() (n *netlist.Netlist, carry, sum []netlist.Net) {
	const odd = 0b10010110
	none := netlist.Origin{}
	b := netlist.NewBuilder("chains")
	x := b.Input("x", 9, 1, nil)
	at, c := 0, x[8]
	add := func(a, b1 netlist.Net) {
		sum = append(sum, b.Function(odd, none, a, b1, c))
		c = b.Cell(netlist.Carry, 0, none, a, b1, c)
		carry = append(carry, c)
		at++
	}
	add(x[0], x[1])
	add(x[2], x[3])
	last := c
	c = b.Cell(netlist.Carry, 0, none, x[4], x[4], last) // equals x[4]
	carry = append(carry, c)
	add(x[4], x[5])
	add(sum[0], x[6])
	sum = append(sum, b.Function(odd, none, x[7], last, c))
	b.Output("y", 1, nil, append(sum[:len(sum):len(sum)], last))
	return b.Netlist(), carry, sum
}

// TestCarryChains checks which function shares a logic cell with which carry, and which carries are brought out of the
// chain.
func TestCarryChains(t *testing.T) {
	n, carry, sum := chains()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	s := n.CarryChains()
	cell := func(v netlist.Net) netlist.Cell { c, _, _ := n.Driver(v); return c }
	for i, mate := range []int{0, 1, 3, 4} {
		if c, ok := s.Beside(cell(sum[i])); !ok || c != cell(carry[mate]) {
			t.Errorf("sum %d shares a logic cell with cell %d (%v), want carry %d", i, c, ok, mate)
		}
	}
	if v, ok := s.Reads(cell(sum[4])); !ok || v != carry[4] {
		t.Errorf("the last sum reads net %d at the end of a chain (%v), want carry 4", v, ok)
	}
	for i, v := range carry {
		if want := i == 1; s.Out(v) != want {
			t.Errorf("carry %d is brought out: %v, want %v", i, s.Out(v), want)
		}
	}
	if c, ok := s.Next(carry[1]); !ok || c != cell(carry[2]) || s.LUTs() != 1 {
		t.Errorf("cell %d goes on from carry 1 (%v), %d LUTs", c, ok, s.LUTs())
	}
	m := netlist.Measure(n)
	// The longest paths have two levels. One path goes through sum 0 and sum 3. Another goes through sum 0 and, along
	// carries of the second chain, through the last sum.
	if m.LUTs.Total != 6 || m.Carries.Total != 5 || m.Levels.Total != 2 {
		t.Errorf("%d LUTs, %d carries, %d levels, want 6, 5 and 2", m.LUTs.Total, m.Carries.Total, m.Levels.Total)
	}
}

// TestCarryChainsRandom checks on random netlists that a carry that is not brought out is read only on its own
// chain.
func TestCarryChainsRandom(t *testing.T) {
	kinds := []netlist.Kind{netlist.Function, netlist.Carry, netlist.Carry, netlist.Counter}
	seen := map[bool]int{}
	for seed := range uint64(100) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Kinds: kinds})
		s := n.CarryChains()
		outputs := map[netlist.Net]bool{}
		for _, p := range n.OutputPorts() {
			for _, v := range p.Nets {
				outputs[v] = true
			}
		}
		for c := range netlist.Cell(n.Cells()) {
			if n.Kind(c) != netlist.Carry {
				continue
			}
			v := n.Output(c)
			off := outputs[v]
			for d := range netlist.Cell(n.Cells()) {
				off = off || readsOff(n, s, d, v)
			}
			if off != s.Out(v) {
				t.Errorf("seed %d: carry %d is read off its chain: %v, brought out: %v", seed, v, off, s.Out(v))
			}
			seen[off]++
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("of the carries %v are read off their chains", seen)
	}
}

// readsOff reports whether cell d reads carry v from outside the carry's chain.
func readsOff(n *netlist.Netlist, s *netlist.Chains, d netlist.Cell, v netlist.Net) bool {
	in := n.Inputs(d)
	support := uint8(0xff)
	if n.Kind(d) == netlist.Function {
		support = netlist.Support(netlist.Effective(n.Param(d), in))
	}
	on, _ := s.Reads(d)
	next, goesOn := s.Next(v)
	for j, w := range in {
		used := n.Kind(d) != netlist.Function || support>>j&1 == 1
		onChain := n.Kind(d) == netlist.Function && on == v || n.Kind(d) == netlist.Carry && j == 2 && goesOn && next == d
		if w == v && used && !onChain {
			return true
		}
	}
	return false
}
