package spec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Options choose the inputs and outputs of a graph.
type Options struct {
	// Words makes the inputs the feature words of the full classifier, with the least significant bit of each word
	// first. The graph then compares the words with the thresholds. If Words is not set, the inputs are the
	// thermometer bits.
	Words bool

	// Thermometer turns any input bits into thermometer codes. A bit counts as 1 only if all lower bits of its
	// feature are 1. A proof that may assume thermometer codes puts the same logic in front of both circuits.
	Thermometer bool

	// Counted makes the output h the bits that are counted ([Network.Counted]), class by class. If Counted is not set,
	// h is the last layer. The two differ only if classes have offsets.
	Counted bool

	// Head, if not nil, makes the class and the counts the outputs of the graph, in place of h.
	Head *Head
}

// literal is twice a variable of the graph, plus one for its complement. Variable 0 is
// the constant 0.
type literal uint64

// maxVariables bounds the number of variables. Tools keep a literal, which is twice a variable, in a signed word of
// 32 bits.
const maxVariables = 1<<30 - 1

// These are upper limits of the number of variables for each part of a graph.
const (
	gateAnds    = 3
	tableAnds   = 3 // gates for each line of a truth table
	compareAnds = 2
	headAnds    = 1 << 10 // gates for each counted bit, including its share of the argmax
)

// WriteAIGER writes the network in the binary AIGER format (Biere, version 20071012) with a symbol table. The inputs
// are called x[i]. The outputs are the bits that [Options] selects, called h[i], or the outputs that [Head] describes.
// A bus of one bit is called x or h without an index, as in yosys.
//
// If the inputs are thermometer bits, input f*(Bits-1)+j-1 says whether feature f is above its threshold j, counted
// from 1. If the inputs are words, input f*BitsIn+k is bit k of feature f.
//
// WriteAIGER visits the nodes twice and needs memory for two layers. If the options contradict each other, or the
// graph is too large for the format, it returns an error before it writes anything. Later errors come from w.
func (n *Network) WriteAIGER(w io.Writer, o Options) error {
	if o.Words && o.Thermometer {
		return errors.New("spec: comparing words already gives thermometer codes; choose one of the two options")
	}
	if variables := n.variableLimit(o); variables > maxVariables {
		return fmt.Errorf("spec: the network needs up to %d variables, the format has %d; prove a smaller network", variables,
			maxVariables)
	}
	g := &graph{next: literal(2 * (n.inputs(o) + 1))}
	outputs, err := n.build(g, o) // g has no writer, so this counts the gates and finds the outputs
	if err != nil {
		return err
	}
	var all []literal
	for _, b := range outputs {
		all = append(all, b.bits...)
	}
	inputs, variables := n.inputs(o), int(g.next/2)-1
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "aig %d %d 0 %d %d\n", variables, inputs, len(all), variables-inputs)
	for _, l := range all {
		fmt.Fprintln(out, l)
	}
	if _, err := n.build(&graph{next: literal(2 * (inputs + 1)), out: out}, o); err != nil {
		return err
	}
	writeSymbols(out, 'i', 0, "x", inputs)
	first := 0
	for _, b := range outputs {
		writeSymbols(out, 'o', first, b.name, len(b.bits))
		first += len(b.bits)
	}
	return out.Flush()
}

// writeSymbols names the bits of a bus. The argument first is the number of the bus's first bit among the graph's
// inputs or outputs.
func writeSymbols(out *bufio.Writer, sort byte, first int, bus string, size int) {
	if size == 1 {
		fmt.Fprintf(out, "%c%d %s\n", sort, first, bus)
		return
	}
	for i := range size {
		fmt.Fprintf(out, "%c%d %s[%d]\n", sort, first+i, bus, i)
	}
}

// inputs returns the number of the graph's inputs.
func (n *Network) inputs(o Options) int {
	if o.Words {
		return len(n.thresholds) * n.bitsIn
	}
	return n.encoded()
}

// encoded returns the number of thermometer bits.
func (n *Network) encoded() int { return len(n.thresholds) * (n.bits - 1) }

// variableLimit returns an upper limit of the number of variables in the graph.
func (n *Network) variableLimit(o Options) int {
	variables := n.inputs(o) + n.encoded()*wordBits*compareAnds
	for i := range n.layers {
		variables += n.layers[i].variableLimit()
	}
	if o.Head != nil {
		variables += n.classes * n.mostCounted() * headAnds
	}
	return variables
}

// variableLimit returns an upper limit for the number of variables in the layer.
func (l *layer) variableLimit() int {
	each := gateAnds
	if l.table != nil {
		each = tableAnds << len(l.pins)
	}
	if l.grid == nil {
		return l.width * each
	}
	return l.width * l.grid.variableLimit(each)
}

// build writes all gates to g and returns the outputs.
func (n *Network) build(g *graph, o Options) ([]bus, error) {
	last := n.gates(g, o)
	if o.Head != nil {
		return n.head(g, last, o.Head)
	}
	if o.Counted {
		var all []literal
		for class := range n.classes {
			all = append(all, n.counted(class, last)...)
		}
		last = all
	}
	return []bus{{"h", last}}, nil
}

// gates writes the gates of all layers and returns the bits of the last layer.
func (n *Network) gates(g *graph, o Options) []literal {
	x := n.encode(g, o)
	done := [][]literal{make([]literal, n.width)} // zeros, for the state before the first step of a recurrent network
	for i := range n.layers {
		l := &n.layers[i]
		if l.grid != nil {
			done = append(done, l.convolve(g, x, done, n.bits-1))
			continue
		}
		h, in := make([]literal, l.width), make([]literal, len(l.pins))
		for k := range h {
			for j := range l.pins {
				rows := done[len(done)-1-l.pins[j].back]
				if l.pins[j].anchored {
					rows = x
				}
				in[j] = rows[l.pins[j].source[k]]
			}
			h[k] = l.node(g, k, in)
		}
		done = append(done, h)
	}
	return done[len(done)-1]
}

// node returns the value of node k of the layer for the values of its pins.
func (l *layer) node(g *graph, k int, in []literal) literal {
	if l.table == nil {
		return g.gate(l.function[k], in[0], in[1])
	}
	return g.look(l.table[k], in)
}

// graph is an AIGER file that is being written. If out is nil, the gates are only counted.
type graph struct {
	next literal // literal of the next gate
	out  *bufio.Writer
}

// and returns the conjunction of two literals. It always makes a new gate.
func (g *graph) and(a, b literal) literal {
	l := g.next
	g.next += 2
	if g.out != nil {
		// In the format, the larger input comes first. The format stores two differences, with seven bits in each
		// byte.
		high, low := max(a, b), min(a, b)
		code := binary.AppendUvarint(g.out.AvailableBuffer(), uint64(l-high))
		_, _ = g.out.Write(binary.AppendUvarint(code, uint64(high-low))) // Flush returns the error, if any
	}
	return l
}

func (g *graph) or(a, b literal) literal { return g.and(a^1, b^1) ^ 1 }

// look returns the value of table t in the line that the pins select. The first pin selects one of the two
// halves of the table. Each half is a table of the other pins.
func (g *graph) look(t table, pins []literal) literal {
	if len(pins) == 0 {
		return literal(t & 1)
	}
	half := uint(1) << (len(pins) - 1)
	mask := table(1)<<half - 1
	ones, zeros := g.look(t>>half&mask, pins[1:]), g.look(t&mask, pins[1:])
	return g.or(g.and(pins[0], ones), g.and(pins[0]^1, zeros))
}

// gate returns f(a, b). If f is 1 in at most two of its four cases, the result is the disjunction of these cases.
// Otherwise it is the complement of the disjunction of the cases in which f is 0. If two cases differ in only one
// pin, they are replaced by the other pin.
func (g *graph) gate(f function, a, b literal) literal {
	ones := 0
	for _, v := range f {
		if v {
			ones++
		}
	}
	switch {
	case ones == 0:
		return 0
	case ones > 2:
		for i := range f {
			f[i] = !f[i]
		}
		return g.gate(f, a, b) ^ 1
	case f[2] && f[3]:
		return a
	case f[0] && f[1]:
		return a ^ 1
	case f[1] && f[3]:
		return b
	case f[0] && f[2]:
		return b ^ 1
	}
	return g.cases(f, a, b)
}

// cases returns the disjunction of the one or two cases in which f is 1.
func (g *graph) cases(f function, a, b literal) literal {
	var is []literal
	for i, v := range f {
		if v {
			is = append(is, g.and(a^literal(1-i/2), b^literal(1-i%2)))
		}
	}
	if len(is) == 1 {
		return is[0]
	}
	return g.or(is[0], is[1])
}
