// Package graph holds a network of another framework. A reader produces it, and package interchange turns it into a
// model.
//
// A [Network] takes features, turns them into bits, and counts bits for each class. Between the input bits and the
// counts, it has either layers of nodes with known parameters ([Network.Dense]), from which training can continue, or
// a circuit of look-up tables ([Circuit]). Readers unroll everything else into a circuit, including convolutions,
// connections that skip layers, and gates.
//
// # Order
//
// A truth table has one line for each combination of pin values. The binary digits of a line's number are the values
// of the pins. Pin 0 is the highest digit, as everywhere in package trainer. For a framework whose first pin is the
// lowest digit, the pins are in reverse order here.
package graph

import (
	"fmt"
	"math"
	mathbits "math/bits"
)

// MaxPins is the largest number of inputs (pins) of a node.
const MaxPins = 6

// Network is a network of another framework.
type Network struct {
	Format   string // the format's name for users, such as difflogic or torchlogix
	Input    Input
	Dense    []Dense  // all layers in order; the first layer reads the input bits; nil if the network is a Circuit
	Circuit  *Circuit // nil if the network consists of Dense layers
	Sum      Sum
	Findings []Finding
}

// Finding is a fact about the network for the user's screen. The fact was found in a file or given by the user.
type Finding struct {
	What string `json:"what"` // such as "wiring"
	Is   string `json:"is"`   // such as "4 layers of 200 gates, unique pairs"
	From string `json:"from"` // such as "model.c", "the file itself" or "a seed"
}

// Found adds a finding.
func (n *Network) Found(what, is, from string) {
	n.Findings = append(n.Findings, Finding{what, is, from})
}

// Input describes the features of the network and how they become bits.
type Input struct {
	Shape []int // shape of a sample, such as [1 28 28]; features are numbered in C order
	// Thresholds holds the thresholds of real-valued features. Bit j of a feature x is x > Thresholds[feature][j] in
	// float32. The thresholds are in the order of the framework's bits, which may not be ascending. Every feature has
	// the same number of thresholds. If Thresholds is nil, features are numbers of Digits bits.
	Thresholds [][]float32
	// Digits is the number of bits of a whole-number feature, 1 to 8. The lowest bit comes first. Digits is 1 if the
	// network takes bits, and 0 if there are Thresholds.
	Digits int
	// Order gives the feature and the bit of the feature for each input bit of the network. If Order is nil, the bits
	// are ordered by feature: all bits of the first feature come first.
	Order []Bit
}

// Bit is a bit of a feature.
type Bit struct {
	Feature int32
	Index   int32 // index into the thresholds or digits of the feature
}

// Features returns the number of features of a sample.
func (in *Input) Features() int {
	n := 1
	for _, d := range in.Shape {
		n *= d
	}
	return n
}

// PerFeature returns the number of bits of each feature.
func (in *Input) PerFeature() int {
	if len(in.Thresholds) > 0 {
		return len(in.Thresholds[0])
	}
	return in.Digits
}

// Bits returns the number of input bits of the network.
func (in *Input) Bits() int {
	if in.Order != nil {
		return len(in.Order)
	}
	return in.Features() * in.PerFeature()
}

// Bit returns the feature of input bit i, and the number of the bit within the feature.
func (in *Input) Bit(i int) Bit {
	if in.Order != nil {
		return in.Order[i]
	}
	per := in.PerFeature()
	return Bit{int32(i / per), int32(i % per)}
}

// Dense is a layer in which every node reads only the layer before.
type Dense struct {
	Width, Pins int
	// Softmax16 says that Logits select among the 16 operations of two pins. The operation with the largest logit is
	// selected, or the first of several with equal logits. If Softmax16 is false, Logits has one logit for each line of
	// the table. The line is 1 if its logit is above 0.
	Softmax16 bool
	Logits    []float32 // [Width][16 or 2^Pins]
	// Candidates is the number of wires from which each pin chooses. If there are several, the pin reads the wire with
	// the largest logit, or the first of several with equal logits.
	Candidates int
	Wires      [][]uint32  // [pin][Width*Candidates]
	Choice     [][]float32 // [pin][Width*Candidates]; nil if there is one candidate
}

// Arity returns the number of logits of a node.
func (d *Dense) Arity() int {
	if d.Softmax16 {
		return 16
	}
	return 1 << d.Pins
}

// Table returns the truth table of a node.
func (d *Dense) Table(node int) uint64 {
	logits := d.Logits[node*d.Arity() : (node+1)*d.Arity()]
	if d.Softmax16 {
		return OperationTable(argmax(logits))
	}
	table := uint64(0)
	for line, v := range logits {
		if v > 0 {
			table |= 1 << line
		}
	}
	return table
}

// Wire returns the number of the bit that a pin of a node reads. It is a bit of the layer before.
func (d *Dense) Wire(node, pin int) uint32 {
	wires := d.Wires[pin][node*d.Candidates : (node+1)*d.Candidates]
	if d.Candidates == 1 {
		return wires[0]
	}
	return wires[argmax(d.Choice[pin][node*d.Candidates:(node+1)*d.Candidates])]
}

func argmax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// OperationTable returns the truth table of an operation of two pins. The operations are numbered 0 to 15, as in
// difflogic, torchlogix and the paper. The four binary digits of a number are the outputs for the four lines. The
// first line is the highest digit.
func OperationTable(op int) uint64 {
	table := uint64(0)
	for line := range 4 {
		table |= uint64(op>>(3-line)&1) << line
	}
	return table
}

// Sum says how the bits of the last layer become scores. The score of each class is (count + Beta) / Tau.
type Sum struct {
	// Groups holds the bits that count for each class. In a network of Dense layers, a reference is the number of a node
	// in the last layer. A bit that occurs twice counts twice. False and True are allowed.
	Groups [][]Ref
	Beta   []float64 // one number for each class, or one for all classes; empty means 0
	Tau    float64
}

// BetaOf returns the beta of a class.
func (s *Sum) BetaOf(class int) float64 {
	switch len(s.Beta) {
	case 0:
		return 0
	case 1:
		return s.Beta[0]
	}
	return s.Beta[class]
}

// Contiguous returns groups of equal size with the bits 0 to n-1 in order. If n is not a multiple of the number of
// classes, the last groups are filled up with zeros.
func Contiguous(n, classes int) [][]Ref {
	groups, size := make([][]Ref, classes), (n+classes-1)/classes
	for c := range groups {
		for i := c * size; i < (c+1)*size; i++ {
			if i < n {
				groups[c] = append(groups[c], Ref(i))
			} else {
				groups[c] = append(groups[c], False)
			}
		}
	}
	return groups
}

// Ref is a bit in a circuit. The input bits come first, and the outputs of the nodes follow.
type Ref int32

// These are the references to constants.
const (
	False Ref = -1
	True  Ref = -2
)

// MaxNodes is the largest number of nodes in a circuit.
const MaxNodes = 1 << 27

// Circuit is a circuit of look-up tables. A node reads input bits and earlier nodes.
type Circuit struct {
	Inputs int
	Tables []uint64
	Start  []uint32 // for each node, the index of its first pin in Pins; the last element is the number of pins
	Pins   []Ref
}

// NewCircuit returns a circuit without nodes.
func NewCircuit(inputs int) *Circuit { return &Circuit{Inputs: inputs, Start: []uint32{0}} }

// Nodes returns the number of nodes.
func (c *Circuit) Nodes() int { return len(c.Tables) }

// Add appends a node, without any simplification, and returns its output. Pins may be constants. Add panics if there
// are more than MaxPins pins or if a pin does not exist. Readers check their files before they call Add.
func (c *Circuit) Add(table uint64, pins ...Ref) Ref {
	if len(pins) > MaxPins {
		panic(fmt.Sprintf("graph: a node of %d pins", len(pins)))
	}
	next := Ref(c.Inputs + c.Nodes())
	for _, p := range pins {
		if p < True || p >= next {
			panic(fmt.Sprintf("graph: pin %d of node %d", p, c.Nodes()))
		}
	}
	c.Tables = append(c.Tables, table)
	c.Pins = append(c.Pins, pins...)
	c.Start = append(c.Start, uint32(len(c.Pins)))
	return next
}

// NodePins returns the pins of a node.
func (c *Circuit) NodePins(node int) []Ref { return c.Pins[c.Start[node]:c.Start[node+1]] }

// Check returns an error if a node has too many pins, a table larger than its pins allow, or a pin that is not an
// earlier bit.
func (c *Circuit) Check() error {
	if len(c.Start) != c.Nodes()+1 || c.Inputs < 0 || c.Nodes() > MaxNodes {
		return fmt.Errorf("a circuit of %d nodes with %d places of pins", c.Nodes(), len(c.Start))
	}
	for node, table := range c.Tables {
		pins := c.NodePins(node)
		if len(pins) > MaxPins || table>>(uint(1)<<len(pins)-1)>>1 != 0 {
			return fmt.Errorf("node %d: table %#x of %d pins", node, table, len(pins))
		}
		for _, p := range pins {
			if p < True || int(p) >= c.Inputs+node {
				return fmt.Errorf("node %d reads bit %d, want one before it", node, p)
			}
		}
	}
	return nil
}

// Or returns the OR of the given bits, or 0 if there are none. It adds nodes of up to MaxPins pins.
func (c *Circuit) Or(bits ...Ref) Ref {
	return c.fold(bits, func(pins int) uint64 { return math.MaxUint64 >> (64 - uint(1)<<pins) &^ 1 })
}

// Xor returns the exclusive OR of the given bits, or 0 if there are none. It adds nodes of up to MaxPins pins.
func (c *Circuit) Xor(bits ...Ref) Ref {
	return c.fold(bits, func(pins int) (table uint64) {
		for line := range uint(1) << pins {
			table |= uint64(mathbits.OnesCount(line)&1) << line
		}
		return table
	})
}

// fold combines bits into one bit by a symmetric and associative function. The parameter table returns the function's
// truth table for a given number of pins.
func (c *Circuit) fold(bits []Ref, table func(pins int) uint64) Ref {
	for len(bits) > 1 {
		var next []Ref
		for len(bits) > 0 {
			n := min(MaxPins, len(bits))
			if n == 1 {
				next = append(next, bits[0])
			} else {
				next = append(next, c.Add(table(n), bits[:n]...))
			}
			bits = bits[n:]
		}
		bits = next
	}
	if len(bits) == 0 {
		return False
	}
	return bits[0]
}

// AddTo appends the nodes of the layer to a circuit and returns their outputs. The nodes have the wires and tables
// with the largest logits.
func (d *Dense) AddTo(c *Circuit, before []Ref) []Ref {
	out, pins := make([]Ref, d.Width), make([]Ref, d.Pins)
	for i := range out {
		for k := range pins {
			pins[k] = before[d.Wire(i, k)]
		}
		out[i] = c.Add(d.Table(i), pins...)
	}
	return out
}
