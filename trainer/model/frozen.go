package model

import "ialgn/trainer/encoding"

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
