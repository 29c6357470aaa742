package model

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/memory"
	"ialgn/internal/topology"
)

// tensors returns all arrays of the model, in the order that they have before they are sorted by element size. Arrays
// that do not exist yet are empty, but have their name, type and shape. If the model is a part, the tensors of its
// sections are runs of the whole network's tensors.
func (m *Model) tensors() []Tensor {
	ts := m.encoderTensors()
	for i := range m.Sections {
		for _, t := range m.sectionTensors(i) {
			ts = append(ts, m.InFile(t))
		}
	}
	return ts
}

// sectionTensors returns the arrays of section i.
func (m *Model) sectionTensors(i int) []Tensor {
	s, prefix := &m.Sections[i], fmt.Sprintf("section%d.", i)
	ts := []Tensor{{Name: prefix + "ops", Shape: []int{s.Width, s.Layers, s.Arity}, Data: s.Ops}}
	for k := range s.Pins {
		ts = m.appendPin(ts, prefix+pinPrefix(k), i, &s.Pins[k])
	}
	return ts
}

// pinPrefix returns the prefix that the names of a pin's arrays have.
func pinPrefix(pin int) string { return strings.ToLower(PinName(pin)) + "." }

// appendPin appends the arrays of a pin of section i.
func (m *Model) appendPin(ts []Tensor, prefix string, i int, p *Pin) []Tensor {
	if p.Source == Spine {
		return ts
	}
	shape := []int{m.Sections[i].Width, m.Sections[i].Layers, p.K}
	wires := Tensor{Name: prefix + "wires", Shape: shape, Data: p.Wires.Narrow}
	if !narrow(m.limit(i, p)) {
		wires.Data = p.Wires.Wide
	}
	ts = append(ts, wires)
	if p.K > 1 {
		ts = append(ts, Tensor{Name: prefix + "logits", Shape: shape, Data: p.Logits})
	}
	return ts
}

// limit returns the number of bits that pin p of section i can choose from. If positions share the nodes, these are
// the elements of a patch. In a recurrent network, they are the bits of a step.
func (m *Model) limit(i int, p *Pin) int {
	if g := m.Sections[i].Grid; g != nil {
		return g.Of(p.Source).Elements(m.planes(g.Of(p.Source), p.Source))
	}
	before := m.before(i)
	if p.Source == Base {
		before = m.Sections[m.Base(i)].Outputs()
	}
	return sources(p.Source, before, m.Encoder.Inputs()/max(m.Steps, 1))
}

// planes returns the number of planes in the patches that a pin with source s reads.
func (m *Model) planes(g *topology.Grid, s Source) int {
	if s == Input {
		return m.Encoder.Inputs() / (g.Rows * g.Columns)
	}
	return g.Planes
}

// sources returns the number of bits that a pin with source s can choose from. The parameter before is the width of
// the previous layer, and inputs is the number of input bits.
func sources(s Source, before, inputs int) int {
	if s == Input {
		return inputs
	}
	return before
}

// Base returns the number of the section that pins of section i with the source [Base] read, or -1 if there is none.
// For a higher level of a kernel, it is the section before the kernel's lowest level. For layers after the
// convolutions, it is the last level of the last convolution.
func (m *Model) Base(i int) int {
	g := m.Sections[i].Grid
	for j := i - 1; j >= 0; j-- {
		of := m.Sections[j].Grid
		switch {
		case g == nil && of != nil:
			return j
		case g != nil && (of == nil || g.Base == nil):
			return -1
		case g != nil && of.Base == nil: // only the lowest level has no base
			if !of.SameImage(g.Base) {
				return -1
			}
			return j - 1
		}
	}
	return -1
}

// Limit returns the number of bits that pin k of section i can choose from.
func (m *Model) Limit(i, k int) int { return m.limit(i, &m.Sections[i].Pins[k]) }

// These are the names of the encoder's arrays. In addition to the thresholds, a file may have cuts, or offset and
// scale.
const (
	thresholdsName = "encoder.thresholds"
	offsetName     = "encoder.offset"
	scaleName      = "encoder.scale"
	cutsName       = "encoder.cuts"
)

// encoderTensors returns copies of the encoder's arrays, which are small.
func (m *Model) encoderTensors() []Tensor {
	e := &m.Encoder
	shape, features := []int{e.Features(), e.Bits - 1}, []int{e.Features()}
	ts := []Tensor{{Name: thresholdsName, Shape: shape, Data: slices.Concat(e.Thresholds...)}}
	switch q := e.Quantiser; {
	case q == nil:
	case q.Cuts != nil:
		ts = append(ts, Tensor{Name: cutsName, Shape: shape, Data: slices.Concat(q.Cuts...)})
	default:
		ts = append(ts, Tensor{Name: offsetName, Shape: features, Data: q.Offset},
			Tensor{Name: scaleName, Shape: features, Data: q.Scale})
	}
	return ts
}

// allocate makes the arrays of section i for the given number of chains.
func (m *Model) allocate(i, chains int) Section {
	s := m.Sections[i]
	s.Width, s.Pins = chains, slices.Clone(s.Pins)
	gates := chains * s.Layers
	s.Ops = memory.MakeHuge[float32](gates * s.Arity)
	for k := range s.Pins {
		p := &s.Pins[k]
		if p.Source == Spine {
			continue
		}
		p.Wires = MakeIndices(gates*p.K, m.limit(i, p))
		if p.K > 1 {
			p.Logits = memory.MakeHuge[float32](gates * p.K)
		}
	}
	return s
}

// Allocate makes the arrays of all sections of a model that has no arrays. The arrays are filled with zeros.
func (m *Model) Allocate() {
	for i := range m.Sections {
		m.Sections[i] = m.allocate(i, m.Sections[i].Width)
	}
}
