package model

import (
	"runtime"

	"ialgn/internal/crew"
)

// Freeze returns the network that the model's argmaxes select: the operation and the
// candidate with the largest logit, the lowest index where several are equal. A light
// gate's truth table has the bits whose logit is above 0. The model must be valid.
//
// Cost: one pass over all logits, spread over the processors.
func (m *Model) Freeze() *Frozen {
	f := m.blankStep()
	first := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		layers := f.Layers[first : first+s.frozenLayers()]
		nodes := s.nodesFor(layers)
		parallel(s.Width, func(from, to int) {
			part := s.chains(from, to)
			part.freeze(nodes, from)
		})
		s.place(layers, nodes, m.Encoder.Bits-1)
		first += len(layers)
	}
	m.finish(f)
	m.repeat(f)
	return f
}

// nodesFor returns the layers to which the argmaxes of a section are written: its layers of a frozen network or, of
// nodes that positions share, one that has each node once.
func (s *Section) nodesFor(layers []FrozenLayer) []FrozenLayer {
	if s.Grid == nil {
		return layers
	}
	return []FrozenLayer{s.blankLayer(s.Width)}
}

// place takes what was written to the layers that nodesFor returned to those of the frozen network, where a feature has
// so many input bits.
func (s *Section) place(layers, nodes []FrozenLayer, bits int) {
	if s.Grid != nil {
		s.unroll(layers, &nodes[0], bits)
	}
}

// Blank returns the frozen network with its arrays still zero.
func (m *Model) Blank() *Frozen {
	f := m.blankStep()
	m.repeat(f)
	return f
}

// blankStep is [Model.Blank] of one step of a recurrent network.
func (m *Model) blankStep() *Frozen {
	f := &Frozen{Name: m.Config.Name, Classes: m.Classes, Width: m.Width, Encoder: m.Encoder}
	for i := range m.Sections {
		f.Layers = append(f.Layers, m.Sections[i].blankLayers()...)
	}
	return f
}

// parallel calls work for ranges that together cover 0 to n, on all processors.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	crew.Each(workers, func(i int) { work(i*n/workers, (i+1)*n/workers) })
}

// chains returns a view of the chains from to to-1.
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

// freeze writes the argmaxes of a section of which only some chains are held, the
// first of them being the network's chain first.
func (s *Section) freeze(layers []FrozenLayer, first int) {
	for g := range s.Width * s.Layers {
		chain, out := first+g/s.Layers, &layers[g%s.Layers]
		out.Op.Set(chain, table(s.Ops[g*s.Arity:(g+1)*s.Arity], len(s.Pins)))
		for k := range s.Pins {
			out.Pins[k].Index[chain] = s.Pins[k].selected(g, chain)
		}
	}
}

// selected returns the source that gate g of the pin's arrays, of the given chain,
// reads.
func (p *Pin) selected(g, chain int) uint32 {
	switch {
	case p.Source == Spine:
		return uint32(chain)
	case p.K == 1:
		return p.Wires.At(g)
	}
	return p.Wires.At(g*p.K + argmax(p.Logits[g*p.K:(g+1)*p.K]))
}

// table returns the number of the truth table that a node's logits select: of two pins and 16 logits,
// the operation with the largest one; otherwise the table that is 1 in the lines with a logit above 0.
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

// Settle leaves each node the candidate that its pin selects, so that there is no choice any more.
func (p *Pin) Settle() {
	n := len(p.Logits) / p.K
	for node := range n { // each place that is written was read before, as a candidate of this node or of an earlier one
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
