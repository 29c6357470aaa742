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
	f := m.Blank()
	first := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		layers := f.Layers[first : first+s.Layers]
		parallel(m.Width, func(from, to int) {
			part := s.chains(from, to, m.Arity())
			part.freeze(layers, from, m.Arity())
		})
		first += s.Layers
	}
	return f
}

// Blank returns the frozen network with its arrays still zero.
func (m *Model) Blank() *Frozen {
	f := &Frozen{Name: m.Config.Name, Classes: m.Classes, Width: m.Width, Encoder: m.Encoder}
	for i := range m.Sections {
		s := &m.Sections[i]
		for range s.Layers {
			f.Layers = append(f.Layers, FrozenLayer{
				Op:      make([]uint8, m.Width),
				A:       make([]uint32, m.Width),
				B:       make([]uint32, m.Width),
				ASource: s.A.Source.frozen(),
				BSource: s.B.Source.frozen(),
			})
		}
	}
	return f
}

// parallel calls work for ranges that together cover 0 to n, on all processors.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	crew.Each(workers, func(i int) { work(i*n/workers, (i+1)*n/workers) })
}

// chains returns a view of the chains from to to-1.
func (s *Section) chains(from, to, arity int) Section {
	return Section{
		Layers: s.Layers,
		Ops:    s.Ops[from*s.Layers*arity : to*s.Layers*arity],
		A:      s.A.gates(from*s.Layers, to*s.Layers),
		B:      s.B.gates(from*s.Layers, to*s.Layers),
	}
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
func (s *Section) freeze(layers []FrozenLayer, first, arity int) {
	for g := range len(s.Ops) / arity {
		chain, out := first+g/s.Layers, &layers[g%s.Layers]
		out.Op[chain] = operation(s.Ops[g*arity : (g+1)*arity])
		out.A[chain] = s.A.selected(g, chain)
		out.B[chain] = s.B.selected(g, chain)
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

// operation returns the paper's number of the operation that a gate's 16 or 4 logits
// select. A light gate's logits stand for f(0,0), f(0,1), f(1,0), f(1,1), which are
// bits 3 to 0 of the paper's number.
func operation(logits []float32) uint8 {
	if len(logits) == 16 {
		return uint8(argmax(logits))
	}
	op := uint8(0)
	for _, v := range logits {
		op <<= 1
		if v > 0 {
			op |= 1
		}
	}
	return op
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
