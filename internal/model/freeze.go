package model

import (
	"runtime"

	"ialgn/internal/crew"
)

// Freeze returns the network that the largest logits select. Each node gets the operation with the largest logit, and
// each pin gets the candidate with the largest logit. Of several equal logits, the lowest index is selected. If a
// node has one logit for each line of its truth table, a line is 1 if its logit is above 0. The model must be valid.
//
// Freeze makes one pass over all logits, in parallel on all processors.
func (m *Model) Freeze() *Frozen { return m.unrolled(m.selected()) }

// selected returns the nodes that the largest logits select, as layers of each section. A node that positions share
// occurs once.
func (m *Model) selected() [][]FrozenLayer {
	nodes := m.blankNodes()
	for i := range m.Sections {
		s := &m.Sections[i]
		parallel(s.Width, func(from, to int) {
			part := s.chains(from, to)
			part.freeze(nodes[i], from)
		})
	}
	return nodes
}

// blankNodes returns the layers that [Model.selected] fills. Their arrays are still zero.
func (m *Model) blankNodes() (nodes [][]FrozenLayer) {
	for i := range m.Sections {
		s, layers := &m.Sections[i], []FrozenLayer(nil)
		for range s.Layers {
			layers = append(layers, s.blankLayer(s.Width))
		}
		nodes = append(nodes, layers)
	}
	return nodes
}

// unrolled returns the frozen network of the given nodes, which come from [Model.selected]. The network keeps the
// nodes' arrays.
func (m *Model) unrolled(nodes [][]FrozenLayer) *Frozen {
	f := m.withoutLayers()
	for i := range m.Sections {
		layers := nodes[i]
		if s := &m.Sections[i]; s.Grid != nil {
			layers = s.blankLayers()
			s.unroll(layers, &nodes[i][0], m.Encoder.Bits-1)
		}
		f.Layers = append(f.Layers, layers...)
	}
	m.finish(f)
	m.repeat(f)
	return f
}

// Blank returns the frozen network with arrays of zeros.
func (m *Model) Blank() *Frozen {
	f := m.withoutLayers()
	for i := range m.Sections {
		f.Layers = append(f.Layers, m.Sections[i].blankLayers()...)
	}
	m.repeat(f)
	return f
}

// withoutLayers returns the frozen network without layers.
func (m *Model) withoutLayers() *Frozen {
	f := &Frozen{Name: m.Config.Name, Classes: m.Classes, Width: m.Width, Encoder: m.Encoder}
	if m.Part == nil {
		f.Offsets, f.Ties, f.Calibration = m.Offsets, m.Ties, m.Calibration
	}
	return f
}

// parallel divides the range from 0 to n into parts. It calls the function work for each part, on all processors at
// once.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	crew.Each(workers, func(i int) { work(i*n/workers, (i+1)*n/workers) })
}

// chains returns a view of the chains from .. to-1.
func (s *Section) chains(from, to int) Section {
	part := Section{
		Layers: s.Layers, Width: to - from, Arity: s.Arity, Grid: s.Grid,
		Ops: s.Ops[from*s.Layers*s.Arity : to*s.Layers*s.Arity],
	}
	for k := range s.Pins {
		part.Pins = append(part.Pins, s.Pins[k].gates(from*s.Layers, to*s.Layers))
	}
	return part
}

func (p *Pin) gates(from, to int) Pin {
	v := Pin{Source: p.Source, K: p.K}
	if p.Source == Spine {
		return v
	}
	v.Wires = p.Wires.Slice(from*p.K, to*p.K)
	if p.K > 1 {
		v.Logits = p.Logits[from*p.K : to*p.K]
	}
	return v
}

// freeze writes the selected operations and candidates of a section. The section holds only some of the network's
// chains. The parameter first is the number of the section's first chain in the network.
func (s *Section) freeze(layers []FrozenLayer, first int) {
	for g := range s.Width * s.Layers {
		chain, out := first+g/s.Layers, &layers[g%s.Layers]
		out.Op.Set(chain, table(s.Ops[g*s.Arity:(g+1)*s.Arity], len(s.Pins)))
		for k := range s.Pins {
			out.Pins[k].Index[chain] = s.Pins[k].selected(g, chain)
		}
	}
}

// selected returns the bit that gate g reads. g is the gate's number in the pin's arrays, and chain is the gate's
// chain in the network.
func (p *Pin) selected(g, chain int) uint32 {
	switch {
	case p.Source == Spine:
		return uint32(chain)
	case p.K == 1:
		return p.Wires.At(g)
	}
	return p.Wires.At(g*p.K + argmax(p.Logits[g*p.K:(g+1)*p.K]))
}

// table returns the number of the truth table that a node's logits select. For two pins and 16 logits, the number is
// the operation with the largest logit. Otherwise the table has a logit for each line, and a line is 1 if its logit
// is above 0.
func table(logits []float32, pins int) uint64 {
	if pins == 2 && len(logits) == Operations {
		return uint64(argmax(logits))
	}
	t := uint64(0)
	for _, v := range logits {
		t <<= 1
		if v > 0 {
			t |= 1
		}
	}
	return t
}

// Settle removes all candidates of each node except the selected candidate.
func (p *Pin) Settle() {
	n := len(p.Logits) / p.K
	for node := range n { // overwrites only candidates of this node or earlier nodes, which were read before
		p.Wires.Set(node, p.Wires.At(node*p.K+argmax(p.Logits[node*p.K:][:p.K])))
	}
	p.Wires, p.Logits, p.K = p.Wires.Slice(0, n), nil, 1
}

// argmax returns the lowest index of the largest element.
func argmax(x []float32) int {
	best, at := x[0], 0
	for i, v := range x {
		if v > best {
			best, at = v, i
		}
	}
	return at
}
