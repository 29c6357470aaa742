// Package aiger writes netlists as and-inverter graphs in the binary AIGER format (Biere, "The AIGER
// And-Inverter Graph (AIG) Format", version 20071012) with a symbol table, and reads such files back for
// comparisons.
//
// [Write] streams a netlist. [Read] returns a [File], a combinational graph in memory. [Match] puts the inputs and
// outputs of one file into the order of another file, because some programs, such as abc's &cec, compare inputs and
// outputs by position. [Eval] evaluates a file for 64 samples at a time.
//
// A literal is twice the number of a variable, plus one if the variable is complemented. Variable 0 is the constant
// 0; the inputs follow, and then the gates in topological order. Bit i of a port x is called x[i]. If the port has
// only one bit, this bit is called x, as in yosys.
package aiger

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"ialgn/netlist"
)

// Kinds are the kinds of cells that Write supports. Argmax is deliberately left out: proofs are about the gates and
// the counts, and a comparison network written for an argmax would not resemble any hardware.
var Kinds = []netlist.Kind{
	netlist.Function, netlist.Compare, netlist.Carry, netlist.Counter, netlist.Popcount,
}

// lit is a literal.
type lit = uint32

// These are the literals of the constants.
const (
	constant0 lit = 0
	constant1 lit = 1
)

// maxLiteral is the largest literal in a file: tools keep literals in a signed 32-bit word.
const maxLiteral = math.MaxInt32

// Write writes n in binary AIGER. The inputs and outputs of the file are the bits of n's input and output ports, in
// order. The names of these bits are the file's symbols. Probes are left out.
//
// Write returns an error before it writes anything if n has cells that are not of [Kinds] (a [*netlist.KindError]),
// if the name of a port is not valid in a symbol table, if two bits have the same name, or if n is too large for the
// format. Later errors come from w.
//
// Write visits the cells twice, and needs four bytes for each net.
func Write(w io.Writer, n *netlist.Netlist) error {
	if err := netlist.Refuse("aiger", n, Kinds...); err != nil {
		return err
	}
	inputs, err := symbols("input", n.InputPorts())
	if err != nil {
		return err
	}
	outputs, err := symbols("output", n.OutputPorts())
	if err != nil {
		return err
	}
	g := &lowering{n: n, lits: make([]lit, n.Nets()), inputs: len(inputs)}
	if g.sweep(); g.next > maxLiteral/2 {
		return fmt.Errorf("aiger: %s needs %d variables, the format has %d, write a smaller scope", n.Name, g.next-1,
			maxLiteral/2)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	ands := int(g.next) - 1 - len(inputs)
	fmt.Fprintf(out, "aig %d %d 0 %d %d\n", g.next-1, len(inputs), len(outputs), ands)
	for _, p := range n.OutputPorts() {
		for _, v := range p.Nets {
			fmt.Fprintf(out, "%d\n", g.lits[v])
		}
	}
	g.out = out
	g.sweep()
	writeSymbols(out, inputs, outputs)
	return out.Flush()
}

// symbols returns the names of the bits of ports.
func symbols(what string, ports []netlist.Port) ([]string, error) {
	var names []string
	seen := map[string]bool{}
	for _, p := range ports {
		if err := checkSymbol(p.Name); err != nil {
			return nil, fmt.Errorf("aiger: %s port: %w", what, err)
		}
		for i := range p.Nets {
			name := p.Name
			if len(p.Nets) > 1 {
				name = fmt.Sprintf("%s[%d]", p.Name, i)
			}
			if seen[name] {
				return nil, fmt.Errorf("aiger: two bits of %s ports are called %s, rename a port", what, name)
			}
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}

// checkSymbol checks that a name is valid in a symbol table.
func checkSymbol(s string) error {
	if s == "" {
		return fmt.Errorf("the name is empty, give the port one")
	}
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("the name %q has spaces or unprintable characters, rename the port", s)
		}
	}
	return nil
}

func writeSymbols(out *bufio.Writer, inputs, outputs []string) {
	for i, s := range inputs {
		fmt.Fprintf(out, "i%d %s\n", i, s)
	}
	for i, s := range outputs {
		fmt.Fprintf(out, "o%d %s\n", i, s)
	}
}

// lowering turns cells into gates. It is deterministic. A first sweep, in which out is nil, finds the literals of the
// outputs, which come before the gates in the file. A second sweep writes the gates.
type lowering struct {
	n      *netlist.Netlist
	lits   []lit // [net]: literal of the net
	inputs int
	next   uint64 // next free variable; wider than a literal, so that an overflow is noticed
	out    *bufio.Writer
}

// sweep lowers all cells.
func (g *lowering) sweep() {
	g.lits[netlist.True] = constant1
	for i := range g.inputs {
		g.lits[2+i] = lit(2 * (i + 1))
	}
	g.next = uint64(g.inputs) + 1
	for c := range netlist.Cell(g.n.Cells()) {
		if g.next > maxLiteral/2 {
			return
		}
		g.cell(c)
	}
}

// cell lowers one cell.
func (g *lowering) cell(c netlist.Cell) {
	in, out := g.n.Inputs(c), g.lits[g.n.Output(c):][:g.n.Outputs(c)]
	switch g.n.Kind(c) {
	case netlist.Function:
		out[0] = g.function(netlist.Effective(g.n.Param(c), in), in)
	case netlist.Carry:
		_, out[0] = g.fullAdder(g.lits[in[0]], g.lits[in[1]], g.lits[in[2]])
	case netlist.Compare:
		out[0] = g.compare(in, g.n.Param(c))
	case netlist.Counter, netlist.Popcount:
		copy(out, g.count(in))
	}
}

// and returns the conjunction of two literals. It simplifies constants and equal or complementary inputs, and
// otherwise writes a gate.
func (g *lowering) and(a, b lit) lit {
	if a < b {
		a, b = b, a
	}
	switch {
	case b == constant0 || a == b^1:
		return constant0
	case b == constant1 || a == b:
		return a
	}
	l := lit(2 * g.next)
	g.next++
	if g.out != nil {
		writeGate(g.out, l, a, b)
	}
	return l
}

// writeGate writes the gate with output l and inputs a >= b as the differences l-a and a-b, with seven bits in each
// byte. The buffer keeps its first error for Flush.
func writeGate(out *bufio.Writer, l, a, b lit) {
	code := binary.AppendUvarint(out.AvailableBuffer(), uint64(l-a))
	_, _ = out.Write(binary.AppendUvarint(code, uint64(a-b)))
}

func (g *lowering) or(a, b lit) lit { return g.and(a^1, b^1) ^ 1 }

func (g *lowering) xor(a, b lit) lit { return g.or(g.and(a, b^1), g.and(a^1, b)) }

func (g *lowering) mux(s, high, low lit) lit { return g.or(g.and(s, high), g.and(s^1, low)) }

// function lowers a function of nets. The function is given as an extended table.
func (g *lowering) function(table uint64, in []netlist.Net) lit {
	switch table {
	case 0:
		return constant0
	case ^uint64(0):
		return constant1
	}
	s := netlist.Decompose(table)
	pin := g.lits[in[s.Pin]]
	if s.Inverted {
		pin ^= 1
	}
	low := g.function(s.Low, in)
	switch s.Op {
	case netlist.SplitAnd:
		return g.and(pin, low)
	case netlist.SplitOr:
		return g.or(pin, low)
	case netlist.SplitXor:
		return g.xor(pin, low)
	default:
		return g.mux(pin, g.function(s.High, in), low)
	}
}

// compare lowers the comparison word > threshold, beginning at the least significant bit. Where a bit of the word
// equals the corresponding bit of the threshold, the result depends on the lower bits.
func (g *lowering) compare(word []netlist.Net, threshold uint64) lit {
	if bits.Len64(threshold) > len(word) {
		return constant0
	}
	above := constant0
	for i, v := range word {
		if i < 64 && threshold>>i&1 == 1 {
			above = g.and(g.lits[v], above)
		} else {
			above = g.or(g.lits[v], above)
		}
	}
	return above
}

// fullAdder returns the sum and the carry of three bits.
func (g *lowering) fullAdder(a, b, c lit) (sum, carry lit) {
	half := g.xor(a, b)
	return g.xor(half, c), g.or(g.and(a, b), g.and(half, c))
}

// count lowers a popcount to full adders. In each column, full adders turn three bits into one bit and a carry, until
// only one bit is left.
func (g *lowering) count(in []netlist.Net) []lit {
	column := make([]lit, len(in))
	for i, v := range in {
		column[i] = g.lits[v]
	}
	var digits []lit
	for range bits.Len(uint(len(in))) {
		var carries []lit
		for len(column) > 1 {
			third := constant0
			used := min(3, len(column))
			if used == 3 {
				third = column[2]
			}
			sum, carry := g.fullAdder(column[0], column[1], third)
			column = append(column[used:], sum)
			carries = append(carries, carry)
		}
		digits = append(digits, append(column, constant0)[0])
		column = carries
	}
	return digits
}
