package model

import (
	"fmt"

	"ialgn/internal/encoding"
	"ialgn/internal/topology"
)

// Compact is the frozen network before it is unrolled. A node that positions or steps share occurs once. In a
// recurrent network, input indices are numbers of bits of one step. Pins of the first layer with the source
// [Previous] read the last layer of the step before.
type Compact struct {
	Name    string
	Classes []string
	Width   int // output bits of the last layer, which are counted by class
	Encoder encoding.Encoder
	Layers  []CompactLayer
	Steps   int // steps of a sequence; 0 if the network is not recurrent

	Offsets     []int        // as in [Frozen]
	Ties        []int        // as in [Frozen]
	Calibration *Calibration // as in [Frozen]
}

// CompactLayer is one layer of nodes with the same fan-in. In a layer with a grid, the nodes are evaluated at each
// position, and the outputs are pooled. The indices of such a layer's pins are numbers of elements of a position's
// patch. Output bits are numbered as in [Frozen]: node by node, and within a node row by row.
type CompactLayer struct {
	FrozenLayer
	Grid *topology.Grid // nil if the nodes have no positions
	Base int            // number of the layer that pins with the source [Base] read; -1 if there is no such layer
}

// Compact returns the network that the model's largest logits select, without unrolling it. The model must be valid.
func (m *Model) Compact() *Compact { return m.compact(m.selected()) }

// compact returns the network of the given nodes, which come from [Model.selected]. The network keeps the nodes'
// arrays.
func (m *Model) compact(nodes [][]FrozenLayer) *Compact {
	f := m.withoutLayers()
	c := &Compact{
		Name: f.Name, Classes: f.Classes, Width: f.Width, Encoder: f.Encoder, Steps: m.Steps,
		Offsets: f.Offsets, Ties: f.Ties, Calibration: f.Calibration,
	}
	for i := range m.Sections {
		for _, layer := range nodes[i] {
			c.Layers = append(c.Layers, CompactLayer{layer, m.Sections[i].Grid, -1})
		}
	}
	if m.shared() { // each section is a layer
		for i := range c.Layers {
			c.Layers[i].Base = m.Base(i)
		}
	}
	return c
}

// Shared reports whether the network has nodes that positions share.
func (c *Compact) Shared() bool { return len(c.Layers) > 0 && c.Layers[0].Grid != nil }

// Unroll returns the network with a node for each position and step, and with layers for pooling.
func (c *Compact) Unroll() (*Frozen, error) {
	f := &Frozen{
		Name: c.Name, Classes: c.Classes, Width: c.Width, Encoder: c.Encoder,
		Offsets: c.Offsets, Ties: c.Ties, Calibration: c.Calibration,
	}
	var bases, last []int // base of each unrolled layer; last unrolled layer of each compact layer
	for i := range c.Layers {
		l := &c.Layers[i]
		s := Section{Layers: 1, Width: l.Width(), Grid: l.Grid}
		for _, p := range l.Pins {
			s.Pins = append(s.Pins, Pin{Source: p.Source})
		}
		layers := []FrozenLayer{l.clone()}
		if s.Grid != nil {
			layers = s.blankLayers()
			s.unroll(layers, &l.FrozenLayer, c.Encoder.Bits-1)
		}
		f.Layers = append(f.Layers, layers...)
		last = append(last, len(f.Layers)-1)
		base := -1
		if l.Base >= 0 {
			base = last[l.Base]
		}
		for range layers {
			bases = append(bases, base)
		}
	}
	f.carry(bases)
	if c.Steps > 0 {
		f.Layers = repeatSteps(f.Layers, c.Steps, c.Encoder.Inputs()/c.Steps)
	}
	if err := f.Validate(); err != nil {
		return nil, fmt.Errorf("unrolled: %w", err)
	}
	return f, nil
}
