// Package topology is the table of the networks that can be trained: what their layers are made of, which keys of a
// configuration they have, how their wires are drawn, and what they are called.
//
// A network is data: whoever asks what a network is like asks its row, or the layers that the row gives for a
// configuration's [Keys]. A new topology is a new row.
package topology

import (
	"fmt"
	"slices"

	"ialgn/internal/draw"
)

// Row is a topology.
type Row struct {
	Name  string   // in configurations
	Title string   // in tables and plots, the paper's where it has one
	Light string   // title with light gates, where the literature has another one
	Keys  []string // keys of [Keys] that some topologies have not

	// Figure is the place in the figures that compare the paper's topologies, from 1; 0 if it is not in them.
	Figure int

	layers func(k *Keys) []Layer
	check  func(k *Keys) *Fault // of these keys; may be nil
}

// rows are all topologies, of which the first is the default.
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

// Compared returns the names of the topologies that the paper's figures compare, in their order.
func Compared() []string {
	var names []string
	for _, r := range InFigures() {
		if r.Figure > 0 {
			names = append(names, r.Name)
		}
	}
	return names
}

// InFigures returns all topologies in the order of figures: those of the paper first.
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

// Find returns the topology of that name, nil if there is none.
func Find(name string) *Row {
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i]
		}
	}
	return nil
}

// Row returns the topology of the network, nil if its name is unknown.
func (k *Keys) Row() *Row { return Find(k.Topology) }

// Title returns what the network is called in tables and plots.
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

// Layers returns what the network's layers are made of, from the first to the last. The topology must be known, and
// the keys such that [Keys.Check] finds no fault.
func (k *Keys) Layers() []Layer { return k.Row().layers(k) }

// Nodes returns the number of nodes in all layers, those that positions or steps share at each of these.
func (k *Keys) Nodes() int {
	n := 0
	for _, layer := range k.Layers() {
		n += layer.Nodes()
	}
	return n * k.Copies()
}

// Arity returns the number of logits that decide what a node computes: one for each of the sixteen operations of
// two pins, or one for each line of its table.
func (k *Keys) Arity() int {
	if k.Parametrization == Softmax16 {
		return Operations
	}
	return 1 << k.Inputs
}

// Operations is the number of operations of two pins.
const Operations = 16

// PrivateChains reports whether a node reads no hidden node but the one of the same index in the layer before, its
// spine.
func (k *Keys) PrivateChains() bool {
	return !slices.ContainsFunc(k.Layers(), func(l Layer) bool {
		return l.Grid != nil || slices.ContainsFunc(l.Pins, func(p Pin) bool { return p.Source == Previous })
	})
}

// Layer is what consecutive layers are made of that stand together in a section of the model.
type Layer struct {
	First  int // number of the first of them in the network, from 0
	Layers int
	Width  int
	Pins   []Pin

	// Grid, unless nil, says at which positions the nodes are evaluated: there are Width of them at each.
	Grid *Grid

	// Passed are the pins whose bits the nodes pass on at the start, where the initialisation is skip.
	Passed []int

	// Taken are those of nodes that begin with input bits in a recurrent network, nil where they are the same.
	Taken []int
}

// Nodes returns the number of nodes, at all positions.
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
	K      int   // number of candidates, or 1
	Wires  Wires // how the source of a node is found
	Leaf   Leaf  // for Leaves

	// The purposes of the draws of wires and of logits.
	WireDraws, LogitDraws draw.Purpose
}

// Wires says how the sources of a pin are found.
type Wires uint8

// The ways to find them.
const (
	Own       Wires = iota // the node of the same index: a spine, which has no wires
	Chosen                 // distinct candidates, drawn from all
	Drawn                  // one, drawn from all
	ClassWise              // one, drawn from those of the node's class
	Even                   // one; together the nodes of a layer read all equally often
	EvenClass              // the same within each class
	Leaves                 // the private leaf of a node that Leaf names
	Column                 // the node of the same index, modulo their number
	Line                   // the same, or of even nodes two before that
	Patch                  // distinct elements of a kernel's patch, or candidates among them

	Structured      // as Even, and no node reads a source or a feature twice, no two nodes the same pair
	StructuredClass // the same within each class
)

// Leaf says which leaf a pin of node i reads: node i*Of + Index of the level below.
type Leaf struct{ Of, Index int }
