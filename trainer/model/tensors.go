package model

import (
	"fmt"

	"ialgn/internal/hugepage"
)

// tensors returns all arrays of the model, in the order of a file before alignment.
// Arrays that were not made yet are empty; name, type and shape hold all the same.
func (m *Model) tensors() []Tensor {
	ts := m.encoderTensors()
	for i := range m.Sections {
		ts = append(ts, m.sectionTensors(i)...)
	}
	return ts
}

// sectionTensors returns the arrays of section i.
func (m *Model) sectionTensors(i int) []Tensor {
	s, prefix := &m.Sections[i], fmt.Sprintf("section%d.", i)
	ts := []Tensor{{prefix + "ops", []int{m.Width, s.Layers, m.Arity()}, s.Ops}}
	ts = m.appendPin(ts, prefix+"a.", s.Layers, &s.A)
	return m.appendPin(ts, prefix+"b.", s.Layers, &s.B)
}

func (m *Model) appendPin(ts []Tensor, prefix string, layers int, p *Pin) []Tensor {
	if p.Source == Spine {
		return ts
	}
	shape := []int{m.Width, layers, p.K}
	wires := Tensor{prefix + "wires", shape, p.Wires.Narrow}
	if !narrow(m.limit(p)) {
		wires.Data = p.Wires.Wide
	}
	ts = append(ts, wires)
	if p.K > 1 {
		ts = append(ts, Tensor{prefix + "logits", shape, p.Logits})
	}
	return ts
}

// limit returns how many bits pin p can choose from.
func (m *Model) limit(p *Pin) int { return sources(p.Source, m.Width, m.Encoder.Inputs()) }

// encoderTensors returns copies of the encoder's arrays, which are small.
func (m *Model) encoderTensors() []Tensor {
	e := &m.Encoder
	var flat []uint16
	for _, t := range e.Thresholds {
		flat = append(flat, t...)
	}
	ts := []Tensor{{"encoder.thresholds", []int{e.Features(), e.Bits - 1}, flat}}
	if q := e.Quantiser; q != nil {
		ts = append(ts,
			Tensor{"encoder.offset", []int{e.Features()}, q.Offset},
			Tensor{"encoder.scale", []int{e.Features()}, q.Scale})
	}
	return ts
}

// allocate makes the arrays of section i for the given number of chains.
func (m *Model) allocate(i, chains int) Section {
	s := m.Sections[i]
	gates := chains * s.Layers
	s.Ops = hugepage.Make[float32](gates * m.Arity())
	for _, p := range []*Pin{&s.A, &s.B} {
		if p.Source == Spine {
			continue
		}
		p.Wires = MakeIndices(gates*p.K, m.limit(p))
		if p.K > 1 {
			p.Logits = hugepage.Make[float32](gates * p.K)
		}
	}
	return s
}
