// Package graph holds a network of another framework as its reader leaves it, before it becomes a model file
// (package interchange).
//
// A [Network] is given features, which become bits, and counts bits for each class. What lies between is either layers
// of nodes whose parameters are known ([Network.Dense]), which training can go on from, or a circuit of look-up tables
// ([Circuit]), into which a reader unrolls what has another form: convolutions, jumps over layers, gates.
//
// # Order
//
// The number of a line in a table of K pins has the pins as its binary digits, pin 0 as the highest one, as everywhere
// in package trainer. Frameworks whose first pin is the lowest digit have their pins in reverse order here.
package graph

import (
	"fmt"
	"math"
	mathbits "math/bits"
)

// MaxPins is the largest fan-in of a node.
const MaxPins = 6

// Network is a network of another framework.
type Network struct {
	Format   string // what wrote the file, as the user calls it: difflogic, torchlogix and so on
	Input    Input
	Dense    []Dense  // all layers in order, the first reads the input bits; nil: Circuit is the network
	Circuit  *Circuit // nil: Dense is
	Sum      Sum
	Findings []Finding
}

// Finding says what was found in a file, or taken from somewhere else, in the words of the user's screen.
type Finding struct {
	What string `json:"what"` // such as "wiring"
	Is   string `json:"is"`   // such as "4 layers of 200 gates, unique pairs"
	From string `json:"from"` // such as "model.c", "the file itself" or "a seed"
}

// Found notes a finding.
func (n *Network) Found(what, is, from string) {
	n.Findings = append(n.Findings, Finding{what, is, from})
}

// Input says what the network is given and how it becomes bits.
type Input struct {
	Shape []int // of a sample, such as [1 28 28]: features are numbered in C order
	// Thresholds are those of each feature of real values, in the order in which the framework has its bits, which need
	// not ascend: bit j is x > Thresholds[feature][j] in float32. Every feature has as many. Nil: features are numbers
	// of Digits bits.
	Thresholds [][]float32
	// Digits is how many bits a feature of whole numbers has, 1 to 8, the lowest first. It is 1 where the framework is
	// given bits, and 0 with Thresholds.
	Digits int
	// Order says of which feature each input bit of the network is, and which of its bits. Nil: feature by feature, all
	// bits of the first feature first.
	Order []Bit
}

// Bit is a bit of a feature.
type Bit struct {
	Feature int32
	Index   int32 // among the feature's thresholds or digits
}

// Features returns how many features a sample has.
func (in *Input) Features() int {
	n := 1
	for _, d := range in.Shape {
		n *= d
	}
	return n
}

// PerFeature returns how many bits a feature becomes.
func (in *Input) PerFeature() int {
	if len(in.Thresholds) > 0 {
		return len(in.Thresholds[0])
	}
	return in.Digits
}

// Bits returns how many input bits the network has.
func (in *Input) Bits() int {
	if in.Order != nil {
		return len(in.Order)
	}
	return in.Features() * in.PerFeature()
}

// Bit returns which bit of which feature an input bit is.
func (in *Input) Bit(i int) Bit {
	if in.Order != nil {
		return in.Order[i]
	}
	per := in.PerFeature()
	return Bit{int32(i / per), int32(i % per)}
}

// Dense is a layer in which every node reads the layer before.
type Dense struct {
	Width, Pins int
	// Softmax16 says that Logits are those of the 16 operations of two pins, of which the largest counts, the first of
	// equals. Otherwise there is one for each line of a table, which is 1 where it is above 0.
	Softmax16 bool
	Logits    []float32 // [Width][16 or 2^Pins]
	// Candidates is how many wires each pin chooses from. Of several, the one with the largest logit counts, the first of
	// equals.
	Candidates int
	Wires      [][]uint32  // [pin][Width*Candidates]
	Choice     [][]float32 // [pin][Width*Candidates]; nil with one candidate
}

// Arity returns how many logits a node has.
func (d *Dense) Arity() int {
	if d.Softmax16 {
		return 16
	}
	return 1 << d.Pins
}

// Table returns the table of a node.
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

// Wire returns which of the bits before a pin of a node reads.
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

// OperationTable returns the table of an operation of two pins by its number, 0 to 15, which difflogic, torchlogix and
// the paper share: written as a binary number of four digits, its lines in order, the first line as the highest digit.
func OperationTable(op int) uint64 {
	table := uint64(0)
	for line := range 4 {
		table |= uint64(op>>(3-line)&1) << line
	}
	return table
}

// Sum says how the bits of the last layer become scores: (count + Beta) / Tau of each class.
type Sum struct {
	// Groups are the bits that count for each class. Of a network of Dense layers a reference is the number of a node in
	// the last layer. A bit that stands twice counts twice; False and True are allowed.
	Groups [][]Ref
	Beta   []float64 // one for each class, or one for all; empty: 0
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

// Contiguous returns groups of equal size of the bits 0 to n-1, in order. Zeros are added behind the last where classes
// does not divide n.
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

// Ref is a bit in a circuit: an input bit, or behind these the output of a node.
type Ref int32

// The constants.
const (
	False Ref = -1
	True  Ref = -2
)

// MaxNodes is the largest number of nodes in a circuit.
const MaxNodes = 1 << 27

// Circuit is a circuit of look-up tables. A node reads input bits and nodes before it.
type Circuit struct {
	Inputs int
	Tables []uint64
	Start  []uint32 // of each node its first pin among Pins, and the end of the last one's
	Pins   []Ref
}

// NewCircuit returns a circuit without nodes.
func NewCircuit(inputs int) *Circuit { return &Circuit{Inputs: inputs, Start: []uint32{0}} }

// Nodes returns the number of nodes.
func (c *Circuit) Nodes() int { return len(c.Tables) }

// Add appends a node, without simplifying anything, and returns its output. Constants may be pins. It panics with more
// than MaxPins pins, or with one that there is not: readers check what they read.
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

// Check returns an error if a node has more pins than it can, lines beyond its table, or reads what is not before it.
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

// Or returns the OR of bits, of none 0, by nodes of up to MaxPins pins.
func (c *Circuit) Or(bits ...Ref) Ref {
	return c.fold(bits, func(pins int) uint64 { return math.MaxUint64 >> (64 - uint(1)<<pins) &^ 1 })
}

// Xor returns the exclusive OR of bits, of none 0, by nodes of up to MaxPins pins.
func (c *Circuit) Xor(bits ...Ref) Ref {
	return c.fold(bits, func(pins int) (table uint64) {
		for line := range uint(1) << pins {
			table |= uint64(mathbits.OnesCount(line)&1) << line
		}
		return table
	})
}

// fold makes one bit of several by nodes of a symmetric and associative function, whose tables are given.
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

// AddTo appends the nodes of the layer to a circuit, with the wires and tables that count, and returns their outputs.
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
