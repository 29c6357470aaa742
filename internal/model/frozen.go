package model

import (
	"fmt"
	"math"

	"ialgn/internal/encoding"
)

// Frozen is the Boolean network that the largest logits of a model select. Each node has a truth table, and one
// source for each pin. A gate of two pins takes 9 bytes, and a node of six pins takes 32 bytes.
type Frozen struct {
	Name    string
	Classes []string
	Width   int // number of nodes in the last layer
	Encoder encoding.Encoder
	Layers  []FrozenLayer

	// Offsets has a number for each class, which is added to the number of the class's chains whose last node outputs
	// 1. The sum is the class count. The smallest offset is 0, and the largest is at most the number of chains of a
	// class. Offsets is nil if no class has an offset, and for a part of a network, whose counts are sums of a part of
	// the chains.
	Offsets []int

	// Ties has all classes in the order in which they win ties: of several classes with the largest count, the first
	// one in the list wins. Ties is nil if the lowest class wins, and never the ascending order.
	Ties []int

	Calibration *Calibration // of the validation set; nil if there was none, and for a part of a network
}

// FrozenLayer is one layer of nodes. All nodes of a layer have the same number of pins.
type FrozenLayer struct {
	Op   Tables
	Pins []FrozenPin

	// Rows and Columns give the number of positions, if positions share the nodes. Node n at row y and column x is then
	// number (n Rows + y) Columns + x. In other layers, Rows and Columns are 0.
	Rows, Columns int
}

// FrozenPin is one input of all nodes of a layer. If Source is Input, Index holds the numbers of encoder bits. If
// Source is Previous, it holds the numbers of nodes in the previous layer. The source Spine does not occur here.
type FrozenPin struct {
	Source Source
	Index  []uint32 // [width]
}

// frozenSource returns the source of a pin in a frozen network. There, a pin with the source Spine reads a node of
// the previous layer like any other pin.
func frozenSource(s Source) Source {
	if s == Spine {
		return Previous
	}
	return s
}

// Width returns the number of nodes in the layer.
func (l *FrozenLayer) Width() int { return l.Op.Len() }

// Inputs returns the number of input bits, which are the encoder's thermometer bits.
func (f *Frozen) Inputs() int { return f.Encoder.Inputs() }

// Depth returns the number of layers.
func (f *Frozen) Depth() int { return len(f.Layers) }

// Gates returns the number of nodes in all layers.
func (f *Frozen) Gates() int {
	n := 0
	for l := range f.Layers {
		n += f.Layers[l].Width()
	}
	return n
}

// before returns the width of the layer before layer l, or 0 for the first layer.
func (f *Frozen) before(l int) int {
	if l == 0 {
		return 0
	}
	return f.Layers[l-1].Width()
}

// Validate checks the properties that [Evaluator] and the compiler rely on:
//   - the last layer's width is a multiple of the number of classes;
//   - every array has an element for each node;
//   - offsets, tie order and calibration have the form that their comments describe;
//   - every truth table fits its pins;
//   - every index is below the number of its sources;
//   - the first layer reads inputs only.
//
// Errors name the layer and the gate, both counted from 0.
func (f *Frozen) Validate() error {
	if err := checkForm(f.Width, f.Classes, &f.Encoder); err != nil {
		return err
	}
	if len(f.Layers) == 0 {
		return fmt.Errorf("frozen network: no layers")
	}
	if err := checkCalibrated(f.Offsets, f.Ties, f.Calibration, f.Width, len(f.Classes)); err != nil {
		return fmt.Errorf("frozen network: %w", err)
	}
	for l := range f.Layers {
		if err := f.checkLayer(l); err != nil {
			return fmt.Errorf("frozen network: layer %d: %w", l, err)
		}
	}
	return nil
}

func (f *Frozen) checkLayer(l int) error {
	layer := &f.Layers[l]
	if n := layer.Width(); n < 1 || l == len(f.Layers)-1 && n != f.Width {
		return fmt.Errorf("%d operations, want %d, one a gate", n, f.Width)
	}
	if n := layer.Rows * layer.Columns; (layer.Rows != 0 || layer.Columns != 0) && (layer.Rows < 1 || layer.Columns < 1 ||
		max(layer.Rows, layer.Columns) > math.MaxUint16 || layer.Width()%n != 0) {
		return fmt.Errorf("%d x %d positions of %d nodes", layer.Rows, layer.Columns, layer.Width())
	}
	if n := len(layer.Pins); n < 1 || n > MaxPins {
		return fmt.Errorf("%d pins, want 1 to %d", n, MaxPins)
	}
	if i, op := layer.Op.above(len(layer.Pins)); i >= 0 {
		return fmt.Errorf("gate %d: operation %d, want 0 to %d", i, op, LastTable(len(layer.Pins)))
	}
	for k := range layer.Pins {
		if err := f.checkPin(l, &layer.Pins[k]); err != nil {
			return fmt.Errorf("pin %s: %w", PinName(k), err)
		}
	}
	return nil
}

func (f *Frozen) checkPin(l int, p *FrozenPin) error {
	if p.Source != Input && p.Source != Previous {
		return fmt.Errorf("source %v, want %v or %v", p.Source, Input, Previous)
	}
	if l == 0 && p.Source != Input {
		return fmt.Errorf("source %v, but the first layer has no previous one", p.Source)
	}
	if width := f.Layers[l].Width(); len(p.Index) != width {
		return fmt.Errorf("%d indices, want %d, one a gate", len(p.Index), width)
	}
	limit := sources(p.Source, f.before(l), f.Inputs())
	for i, v := range p.Index {
		if int(v) >= limit {
			return fmt.Errorf("gate %d: index %d, want below %d", i, v, limit)
		}
	}
	return nil
}
