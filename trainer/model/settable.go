package model

import (
	"math"
	"slices"
)

// SetTable makes a node of a layer, counted over all sections, compute a table, by as small a change of its logits as
// that takes: where these are of operations, the largest one and that of the table's operation change places; where
// they are of lines, those of the lines with another value change their sign, and one of 0 becomes 1. It panics if
// positions share nodes: one of them has no table of its own.
func (m *Model) SetTable(layer, node int, number uint64) {
	if slices.ContainsFunc(m.Sections, func(s Section) bool { return s.Grid != nil }) {
		panic("model: the table of a node that positions share")
	}
	i := 0
	for ; layer >= m.Sections[i].Layers; i++ {
		layer -= m.Sections[i].Layers
	}
	s := &m.Sections[i]
	g := node*s.Layers + layer
	w := s.Ops[g*s.Arity:][:s.Arity]
	if len(s.Pins) == 2 && s.Arity == Operations {
		was, is := argmax(w), int(number)
		w[was], w[is] = w[is], w[was]
		if argmax(w) != is { // a lower one is as large
			w[is] = math.Nextafter32(w[is], math.MaxFloat32)
		}
		return
	}
	for a := range w {
		switch one := number>>(len(w)-1-a)&1 == 1; {
		case one && w[a] == 0:
			w[a] = 1
		case one != (w[a] > 0):
			w[a] = -w[a]
		}
	}
}
