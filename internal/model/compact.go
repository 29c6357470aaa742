package model

import (
	"fmt"

	"ialgn/internal/encoding"
	"ialgn/internal/topology"
)

// Compact is [Frozen] before it is unrolled: nodes that positions or steps share are in it once. With steps, indices of
// input bits are those of a step, and pins of the first layer with source [Previous] read the last layer of the step
// before.
type Compact struct {
	Name    string
	Classes []string
	Width   int // bits that are counted
	Encoder encoding.Encoder
	Layers  []CompactLayer
	Steps   int // of a sequence; 0: there are none
}

// CompactLayer is one layer of nodes with the same fan-in. Where it has a grid these are evaluated at each of its
// positions, and the indices of their pins are elements of the patch of a position; what leaves it is pooled. Bits are
// counted as [Frozen] counts nodes: node by node, row by row.
type CompactLayer struct {
	FrozenLayer
	Grid *topology.Grid // nil: at one position
	Base int            // the layer whose bits pins with the source [Base] read; -1: there are none
}

// Compact returns the network that the model's argmaxes select, not unrolled. The model must be valid.
func (m *Model) Compact() *Compact { return m.compact(m.selected()) }

// compact returns the network of nodes that selected returned, whose arrays it takes.
func (m *Model) compact(nodes [][]FrozenLayer) *Compact {
	c := &Compact{Name: m.Config.Name, Classes: m.Classes, Width: m.Width, Encoder: m.Encoder, Steps: m.Steps}
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

// Unroll returns the network with a node for each position and step, and layers for pooling.
func (c *Compact) Unroll() (*Frozen, error) {
	f := &Frozen{Name: c.Name, Classes: c.Classes, Width: c.Width, Encoder: c.Encoder}
	var bases, last []int // of the layers unrolled, and of those that are not
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
