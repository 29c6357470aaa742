// Package topology holds the table of the topologies of networks that can be trained. For each topology, it says how
// the layers are made, which keys of a configuration apply, how wires are drawn, and what its networks are called.
//
// Topologies are data. Code that needs to know a property of a network looks at the row of its topology, or at the
// layers that the row makes from a configuration's [Keys]. A new topology needs only a new row.
package topology

import (
	"fmt"
	"slices"

	"ialgn/internal/draw"
)

// Row describes a topology.
type Row struct {
	Name  string   // name in configurations
	Title string   // title in tables and plots; the paper's title, if it has one
	Light string   // title with light gates, if the literature has a different title
	Keys  []string // keys of [Keys] that only some topologies have

	// Figure is the position in the figures that compare the paper's topologies, from 1. It is 0 if the topology is
	// not in these figures.
	Figure int

	layers func(k *Keys) []Layer
	check  func(k *Keys) *Fault // checks the keys in Keys; may be nil
}

// rows lists all topologies. The first one is the default.
var rows = []Row{
	{
		Name: "ialgn", Title: "IALGN", Figure: 4,
		Keys: []string{"anchors", "first_pin", "hidden", "inputs"}, layers: anchored,
	},
	{
		Name:   "rwlgn",
		Title:  "RWLGN",
		Light:  "LDLGN",
		Figure: 1,
		Keys:   []string{"wiring"},
		layers: randomWired(false, false),
	},
	{
		Name:   "rwlgn-spine",
		Title:  "RWLGN with Spine",
		Figure: 2,
		Keys:   []string{"wiring"},
		layers: randomWired(true, false),
	},
	{
		Name: "rwlgn-classwise", Title: "Class-wise RWLGN", Figure: 3, Keys: []string{"wiring"},
		layers: randomWired(false, true),
	},
	{
		Name: "tree", Title: "LUT trees", Keys: []string{"anchors", "inputs", "leaves"},
		layers: trees, check: checkTree,
	},
	{
		Name: "layered", Title: "Layered LUTs", Keys: []string{"anchors", "hidden", "wiring", "inputs", "widths"},
		layers: layered, check: checkLayered,
	},
	{
		Name: Conv, Title: "Convolutional LGN",
		Keys:   append([]string{"hidden", "wiring", "inputs", "leaves", "widths"}, convKeys...),
		layers: convolutional, check: checkConv,
	},
	{
		Name: Recurrent, Title: "Recurrent LGN", Keys: []string{"anchors", "hidden", "wiring", "inputs", "widths", "steps"},
		layers: recurrent, check: checkRecurrent,
	},
}

// Rows returns all topologies, the default first.
func Rows() []Row { return slices.Clone(rows) }

// Names returns the names of all topologies, the default first.
func Names() []string {
	var names []string
	for i := range rows {
		names = append(names, rows[i].Name)
	}
	return names
}

// Compared returns the names of the topologies that the paper's figures compare, in the order of the figures.
func Compared() []string {
	var names []string
	for _, r := range InFigures() {
		if r.Figure > 0 {
			names = append(names, r.Name)
		}
	}
	return names
}

// InFigures returns all topologies in the order of figures, the paper's topologies first.
func InFigures() []Row {
	place := func(r *Row) int {
		if r.Figure == 0 {
			return len(rows)
		}
		return r.Figure
	}
	all := Rows()
	slices.SortStableFunc(all, func(a, b Row) int { return place(&a) - place(&b) })
	return all
}

// Find returns the topology with a given name, or nil if there is no such topology.
func Find(name string) *Row {
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i]
		}
	}
	return nil
}

// DrawsWires reports whether the networks of the topology have wires that the key wiring describes.
func (r *Row) DrawsWires() bool { return slices.Contains(r.Keys, "wiring") }

// Row returns the topology of the network, or nil if its name is unknown.
func (k *Keys) Row() *Row { return Find(k.Topology) }

// Title returns the network's name in tables and plots.
func (k *Keys) Title() string {
	row := k.Row()
	switch {
	case row == nil:
		return k.Topology
	case k.Inputs != 2:
		return fmt.Sprintf("%s, K = %d", row.Title, k.Inputs)
	case k.Parametrization != Light:
		return row.Title
	case row.Light != "":
		return row.Light
	}
	return row.Title + ", light gates"
}

// Layers returns the network's layers, from first to last. The topology must be known, and [Keys.Check] must find
// no fault.
func (k *Keys) Layers() []Layer { return k.Row().layers(k) }

// Nodes returns the number of nodes in all layers. A node that positions or steps share counts once for each position
// or step.
func (k *Keys) Nodes() int {
	n := 0
	for _, layer := range k.Layers() {
		n += layer.Nodes()
	}
	return n * k.Copies()
}

// Arity returns the number of logits that determine a node's function. There is one logit for each of the sixteen
// operations of two pins, or for each line of the truth table.
func (k *Keys) Arity() int {
	if k.Parametrization == Softmax16 {
		return Operations
	}
	return 1 << k.Inputs
}

// Operations is the number of operations of two pins.
const Operations = 16

// PrivateChains reports whether the only hidden node that each node reads is its spine, which is the node with the
// same index in the layer before.
func (k *Keys) PrivateChains() bool {
	return !slices.ContainsFunc(k.Layers(), func(l Layer) bool {
		return l.Grid != nil || slices.ContainsFunc(l.Pins, func(p Pin) bool { return p.Source == Previous })
	})
}

// Layer describes one or more consecutive layers that form a section of the model.
type Layer struct {
	First  int // number of the first of these layers in the network, from 0
	Layers int
	Width  int
	Pins   []Pin

	// Grid says at which positions the nodes are evaluated, or is nil. Each position has Width nodes.
	Grid *Grid

	// Passed lists the pins that the nodes pass on at the start, with the initialisation skip.
	Passed []int

	// Taken lists the pins that some nodes of a recurrent network pass on instead of Passed, because these nodes
	// start with input bits. It is nil if there are no such nodes.
	Taken []int
}

// Nodes returns the number of nodes at all positions.
func (l *Layer) Nodes() int {
	n := l.Width * l.Layers
	if l.Grid != nil {
		n *= l.Grid.Positions()
	}
	return n
}

// Pin is one input of all nodes of a layer.
type Pin struct {
	Source Source
	K      int   // number of candidates; with 1, there is no choice
	Wires  Wires // how the sources of the nodes are found
	Leaf   Leaf  // for the wires Leaves

	// WireDraws and LogitDraws are the purposes of the random draws of wires and logits.
	WireDraws, LogitDraws draw.Purpose
}

// Wires says how the nodes get the sources of a pin.
type Wires uint8

// These are the kinds of wires.
const (
	Own       Wires = iota // the node with the same index; this is a spine, which stores no wires
	Chosen                 // distinct candidates, drawn from all sources
	Drawn                  // one source, drawn from all sources
	ClassWise              // one source, drawn from the sources of the node's class
	Even                   // one source; the nodes of a layer together read all sources equally often
	EvenClass              // like Even, within each class
	Leaves                 // the node's private leaf, which Leaf determines
	Column                 // the node with the same index, modulo the number of sources
	Line                   // like Column, but with the delay lines of [LineWire]
	Patch                  // distinct elements of a kernel's patch, or candidates among them

	Structured      // like Even; no node reads a source or feature twice, no two nodes the same pair
	StructuredClass // like Structured, within each class
)

// Leaf says which leaf a pin reads. In node i, the pin reads node i*Of + Index of the level below.
type Leaf struct{ Of, Index int }
