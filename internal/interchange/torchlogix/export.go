package torchlogix

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/interchange/graph"
)

// circuitWriter writes the JSON of a circuit.
type circuitWriter struct {
	w       *bufio.Writer
	next    int64 // the id of the next gate
	first   int64 // the id of the first gate
	ids     []int64
	zero    int64 // ids of the gates that are constants; -1 if there is no such gate
	one     int64
	circuit *graph.Circuit
}

// WriteCircuit writes a network in the form that torchlogix's class Circuit and [ReadCircuit] read. The form consists
// of gates of two inputs. The ids 0 to n-1 are the network's input bits, in order, because the form has no place for
// a thermometer. The file has the shape of the bits, but no thresholds.
//
// A node of up to two pins becomes one gate. A larger node becomes several gates by Shannon's expansion, in which the
// first pin chooses between two tables of the other pins. If the circuit came from ReadCircuit, the file is read as
// the same nodes. Any other circuit is read as a circuit with the same function.
func WriteCircuit(w io.Writer, n *graph.Network) error {
	c, sum, err := exported(n)
	if err != nil {
		return err
	}
	e := &circuitWriter{w: bufio.NewWriter(w), circuit: c, zero: -1, one: -1}
	e.first, e.next = int64(c.Inputs), int64(c.Inputs)
	fmt.Fprintf(e.w, `{"n_inputs": %d, "input_shape": %s, "gates": [`, c.Inputs, list(bitShape(&n.Input, c.Inputs)))
	e.constants(sum)
	e.ids = make([]int64, c.Nodes())
	for node := range e.ids {
		if e.ids[node], err = e.node(node); err != nil {
			return err
		}
	}
	e.sums(sum)
	return e.w.Flush()
}

// exported returns a network as a circuit. It returns an error for a value that JSON or torchlogix cannot represent.
func exported(n *graph.Network) (*graph.Circuit, *graph.Sum, error) {
	sum := n.Sum
	if len(sum.Groups) == 0 {
		return nil, nil, errors.New("a network without classes is no circuit of torchlogix")
	}
	if !(math.Abs(sum.Tau) > 0) || math.IsInf(sum.Tau, 0) {
		return nil, nil, fmt.Errorf("tau is %v, want a number other than 0", sum.Tau)
	}
	for class := range sum.Groups {
		if b := sum.BetaOf(class); math.IsNaN(b) || math.IsInf(b, 0) {
			return nil, nil, fmt.Errorf("beta of class %d is %v, want a number", class, b)
		}
	}
	if n.Circuit != nil {
		return n.Circuit, &sum, nil
	}
	c := graph.NewCircuit(n.Input.Bits())
	refs := make([]graph.Ref, c.Inputs)
	for i := range refs {
		refs[i] = graph.Ref(i)
	}
	for i := range n.Dense {
		refs = n.Dense[i].AddTo(c, refs)
	}
	sum.Groups = make([][]graph.Ref, len(n.Sum.Groups))
	for class, group := range n.Sum.Groups {
		for _, r := range group {
			if r >= 0 {
				r = refs[r]
			}
			sum.Groups[class] = append(sum.Groups[class], r)
		}
	}
	return c, &sum, nil
}

// bitShape returns the shape of a network's input bits. If the order of the bits allows it, this is the shape of a
// sample with one dimension multiplied by the number of bits per feature. Otherwise the shape has one dimension.
func bitShape(in *graph.Input, bits int) []int {
	flat := []int{bits}
	if len(in.Shape) == 0 || in.Bits() != bits || in.PerFeature() == 0 {
		return flat
	}
	per := in.PerFeature()
	if per == 1 && in.Order == nil {
		return in.Shape
	}
	for dim := len(in.Shape); dim >= 1; dim-- {
		if slices.Equal(order(in.Features(), product(in.Shape[dim:]), per), in.Order) {
			shape := slices.Clone(in.Shape)
			shape[dim-1] *= per
			return shape
		}
	}
	return flat
}

// put writes a text. A later call of Flush returns the error, if there was one.
func (e *circuitWriter) put(text string) { _, _ = e.w.WriteString(text) }

// list returns whole numbers as JSON.
func list[T int | int64](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(int64(v), 10))
	}
	return "[" + b.String() + "]"
}

// real returns a number in the form in which Python writes it, with a point or an exponent.
func real(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// constants writes gates for the constants that gates or sums read.
func (e *circuitWriter) constants(sum *graph.Sum) {
	var zero, one bool
	for _, refs := range append([][]graph.Ref{e.circuit.Pins}, sum.Groups...) {
		zero = zero || slices.Contains(refs, graph.False)
		one = one || slices.Contains(refs, graph.True)
	}
	if zero {
		e.zero = e.gate(0, nil)
	}
	if one {
		e.one = e.gate(1, nil)
	}
}

// id returns the id of a bit.
func (e *circuitWriter) id(r graph.Ref) int64 {
	switch {
	case r == graph.False:
		return e.zero
	case r == graph.True:
		return e.one
	case int(r) < e.circuit.Inputs:
		return int64(r)
	}
	return e.ids[int(r)-e.circuit.Inputs]
}

// node writes the gates of a node and returns the id of its output.
func (e *circuitWriter) node(node int) (int64, error) {
	if e.next > math.MaxInt32-1<<graph.MaxPins-int64(e.circuit.Nodes()) {
		return 0, fmt.Errorf("more gates than the %d possible ids", math.MaxInt32)
	}
	pins := e.circuit.NodePins(node)
	x := &expansion{e: e}
	for _, p := range pins {
		x.pins = append(x.pins, e.id(p))
	}
	table := e.circuit.Tables[node] & ones(len(pins))
	if len(pins) <= 2 {
		return e.gate(table, x.pins), nil
	}
	switch id := x.expand(table, 0); id {
	case constantZero:
		return e.gate(0, nil), nil
	case constantOne:
		return e.gate(1, nil), nil
	default:
		return id, nil
	}
}

// ones returns the truth table of the constant 1 with the given number of pins.
func ones(pins int) uint64 { return math.MaxUint64 >> (64 - 1<<pins) }

// gate writes the gate for a table of up to two pins, and returns the id of the gate.
func (e *circuitWriter) gate(table uint64, pins []int64) int64 {
	operands := [2]int64{-1, -1}
	table, pins = reduced(table, pins)
	copy(operands[:], pins)
	i := slices.IndexFunc(operations, func(o operation) bool { return len(o.pins) == len(pins) && o.table == table })
	if e.next > e.first {
		e.put(", ")
	}
	fmt.Fprintf(e.w, `{"gate_id": %d, "op": "%s", "in0": %d, "in1": %d, "node_idx": -1}`,
		e.next, operations[i].name, operands[0], operands[1])
	e.next++
	return e.next - 1
}

// reduced removes the pins on which a table of up to two pins does not depend.
func reduced(table uint64, pins []int64) (uint64, []int64) {
	if len(pins) == 2 {
		switch table {
		case 0b0000, 0b1111:
			return table & 1, nil
		case 0b1100: // equals the first pin
			return 0b10, pins[:1]
		case 0b0011:
			return 0b01, pins[:1]
		case 0b1010: // equals the second pin
			return 0b10, pins[1:]
		case 0b0101:
			return 0b01, pins[1:]
		}
	}
	if len(pins) == 1 && (table == 0 || table == 0b11) {
		return table & 1, nil
	}
	return table, pins
}

// expansion writes one node as several gates.
type expansion struct {
	e    *circuitWriter
	pins []int64
	done []subtable
}

// subtable is a table of the last pins of a node. Its gates were already written.
type subtable struct {
	table uint64
	from  int
	id    int64
}

// These results of expand mean constants instead of gates.
const (
	constantZero int64 = -2
	constantOne  int64 = -3
)

// expand writes gates for a table of the node's last pins. The parameter from is the index of the first of these
// pins. expand returns the id of the table's output.
func (x *expansion) expand(table uint64, from int) int64 {
	k := len(x.pins) - from
	switch {
	case table == 0:
		return constantZero
	case table == ones(k):
		return constantOne
	case k == 1 && table == 0b10:
		return x.pins[from]
	}
	half := ones(k - 1)
	low, high := table&half, table>>(1<<(k-1))&half
	if low == high {
		return x.expand(low, from+1)
	}
	for _, d := range x.done {
		if d.table == table && d.from == from {
			return d.id
		}
	}
	id := x.choose(x.pins[from], low, high, from+1)
	x.done = append(x.done, subtable{table, from, id})
	return id
}

// choose writes gates that choose between two tables of the node's last pins. The parameter from is the index of the
// first of these pins. The output is the table high if pin is 1, and the table low otherwise.
func (x *expansion) choose(pin int64, low, high uint64, from int) int64 {
	const and, or, xor, andNotA, orNotA = 0b1000, 0b1110, 0b0110, 0b0010, 0b1011
	all := ones(len(x.pins) - from)
	if low == 0 && high == all {
		return pin
	}
	if low == all && high == 0 {
		return x.e.gate(0b01, []int64{pin})
	}
	if from == len(x.pins)-1 {
		return x.e.gate(high<<2|low, []int64{pin, x.pins[from]})
	}
	both := func(table uint64, of uint64) int64 { return x.e.gate(table, []int64{pin, x.expand(of, from)}) }
	switch {
	case low == 0:
		return both(and, high)
	case low == all:
		return both(orNotA, high)
	case high == 0:
		return both(andNotA, low)
	case high == all:
		return both(or, low)
	case high == all&^low:
		return both(xor, low)
	}
	return x.e.gate(or, []int64{both(and, high), both(andNotA, low)})
}

// sums writes the end of the list of gates, and the sums.
func (e *circuitWriter) sums(sum *graph.Sum) {
	e.put(`], "sum_nodes": [`)
	outputs := make([]int64, len(sum.Groups))
	for class, group := range sum.Groups {
		outputs[class] = e.next + int64(class)
		if class > 0 {
			e.put(", ")
		}
		fmt.Fprintf(e.w, `{"node_id": %d, "input_ids": [`, outputs[class])
		for i, r := range group {
			if i > 0 {
				e.put(", ")
			}
			e.put(strconv.FormatInt(e.id(r), 10))
		}
		fmt.Fprintf(e.w, `], "tau": %s, "beta": %s}`, real(sum.Tau), real(sum.BetaOf(class)))
	}
	fmt.Fprintf(e.w, `], "outputs": %s, "output_shape": [%d]}`+"\n", list(outputs), len(outputs))
}
