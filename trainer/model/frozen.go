package model

import (
	"fmt"

	"ialgn/trainer/encoding"
)

// Frozen is the Boolean network that a model's argmaxes select: per gate one
// operation in the paper's numbering and one source for each pin. It needs 9 bytes a
// gate.
type Frozen struct {
	Name    string
	Classes []string
	Width   int
	Encoder encoding.Encoder
	Layers  []FrozenLayer
}

// FrozenLayer is one layer; all slices have Width elements. A pin's index counts the
// encoder's bits or the previous layer's gates, as its source says (Input or
// Previous; Spine does not occur here).
type FrozenLayer struct {
	Op               []uint8
	A, B             []uint32
	ASource, BSource Source
}

// Inputs returns the number of input bits, the encoder's thermometer bits.
func (f *Frozen) Inputs() int { return f.Encoder.Inputs() }

// Depth returns the number of layers.
func (f *Frozen) Depth() int { return len(f.Layers) }

// Gates returns the number of gates, width times depth.
func (f *Frozen) Gates() int { return f.Width * len(f.Layers) }

// Validate checks all that [Evaluator] and the compiler rely on: the width splits
// into the classes, every array has Width elements, every operation is below 16,
// every index below the number of its sources, and the first layer reads inputs only.
// The error names layer and gate, counted from 0.
func (f *Frozen) Validate() error {
	if err := checkForm(f.Width, f.Classes, &f.Encoder); err != nil {
		return err
	}
	if len(f.Layers) == 0 {
		return fmt.Errorf("frozen network: no layers")
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
	if len(layer.Op) != f.Width {
		return fmt.Errorf("%d operations, want %d, one a gate", len(layer.Op), f.Width)
	}
	for i, op := range layer.Op {
		if op > 15 {
			return fmt.Errorf("gate %d: operation %d, want 0 to 15", i, op)
		}
	}
	if err := f.checkPin(l, layer.ASource, layer.A); err != nil {
		return fmt.Errorf("pin A: %w", err)
	}
	if err := f.checkPin(l, layer.BSource, layer.B); err != nil {
		return fmt.Errorf("pin B: %w", err)
	}
	return nil
}

func (f *Frozen) checkPin(l int, source Source, index []uint32) error {
	if source != Input && source != Previous {
		return fmt.Errorf("source %v, want %v or %v", source, Input, Previous)
	}
	if l == 0 && source != Input {
		return fmt.Errorf("source %v, but the first layer has no previous one", source)
	}
	if len(index) != f.Width {
		return fmt.Errorf("%d indices, want %d, one a gate", len(index), f.Width)
	}
	limit := sources(source, f.Width, f.Inputs())
	for i, v := range index {
		if int(v) >= limit {
			return fmt.Errorf("gate %d: index %d, want below %d", i, v, limit)
		}
	}
	return nil
}
