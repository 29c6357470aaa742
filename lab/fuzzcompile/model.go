package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// mostCandidates is the maximum number of candidates of a pin.
const mostCandidates = 4

// newModel returns a random model whose frozen form is the given network. Each pin has the selected candidate and
// other candidates, some of which are equal. Among equal logits, the first is selected. The parametrization and the
// sections are random. A layer in which every pin A reads the preceding gate may become a spine.
func newModel(r *rand.Rand, f *model.Frozen) *model.Model {
	m := &model.Model{Width: f.Width, Classes: f.Classes, Encoder: f.Encoder, Offsets: f.Offsets, Ties: f.Ties}
	m.Config.Name = f.Name
	m.Config.Model = config.Model{Width: f.Width, Depth: f.Depth(), Parametrization: parametrizations[r.IntN(2)], Tau: 1}
	spine := r.IntN(4) > 0
	for from := 0; from < f.Depth(); {
		to := from + 1
		spines := spine && isSpine(f.Layers[from]) && f.Layers[from-1].Width() == f.Layers[from].Width()
		for spines && to < f.Depth() && isSpine(f.Layers[to]) && alike(&f.Layers[from], &f.Layers[to]) {
			to++
		}
		m.Sections = append(m.Sections, newSection(r, m, f, from, to, spines))
		from = to
	}
	return m
}

// alike reports whether two layers can be in one section. It ignores pin A of the layers.
func alike(a, b *model.FrozenLayer) bool {
	sameSource := func(p, q model.FrozenPin) bool { return p.Source == q.Source }
	return a.Width() == b.Width() && slices.EqualFunc(a.Pins[1:], b.Pins[1:], sameSource)
}

var parametrizations = []string{topology.Softmax16, topology.Light}

// isSpine reports whether pin A of every gate in a layer reads the gate before it.
func isSpine(l model.FrozenLayer) bool {
	if l.Pins[0].Source != model.Previous {
		return false
	}
	for i, a := range l.Pins[0].Index {
		if int(a) != i {
			return false
		}
	}
	return true
}

// newSection returns a section with the layers in the range [from, to).
func newSection(r *rand.Rand, m *model.Model, f *model.Frozen, from, to int, spine bool) model.Section {
	layers := f.Layers[from:to]
	pins, width := len(layers[0].Pins), layers[0].Width()
	s := model.Section{Layers: to - from, Width: width, Arity: 1 << pins}
	if pins == 2 && m.Config.Model.Parametrization == topology.Softmax16 {
		s.Arity = model.Operations
	}
	selected := make([][]uint32, pins) // indexed [pin][node and layer]
	for node := range width {
		for _, l := range layers {
			s.Ops = appendFunction(r, s.Ops, l.Op.At(node), pins, s.Arity)
			for k := range selected {
				selected[k] = append(selected[k], l.Pins[k].Index[node])
			}
		}
	}
	for k, wires := range selected {
		source := layers[0].Pins[k].Source
		limit := f.Inputs()
		if source == model.Previous {
			limit = f.Layers[from-1].Width()
		}
		if k == 0 && spine {
			s.Pins = append(s.Pins, model.Pin{Source: model.Spine, K: 1})
		} else {
			s.Pins = append(s.Pins, newPin(r, source, wires, limit))
		}
	}
	return s
}

// appendFunction appends logits that select a function. A node of two pins may have 16 logits, one for each
// operation. Otherwise there is one logit for each line of the truth table. In the function's number, the line for
// inputs that are all 0 is the highest digit.
func appendFunction(r *rand.Rand, logits []float32, op uint64, pins, arity int) []float32 {
	if pins == 2 && arity == model.Operations {
		return appendLargest(r, logits, int(op), arity)
	}
	for bit := arity - 1; bit >= 0; bit-- {
		if op>>bit&1 == 1 {
			logits = append(logits, []float32{math.SmallestNonzeroFloat32, 1, 3}[r.IntN(3)])
		} else {
			logits = append(logits, []float32{-1, 0, float32(math.Copysign(0, -1))}[r.IntN(3)])
		}
	}
	return logits
}

// appendLargest appends n logits. The first of the largest logits has the given index.
func appendLargest(r *rand.Rand, logits []float32, index, n int) []float32 {
	largest := float32(r.IntN(3) - 1)
	for i := range n {
		below := float32(r.IntN(3))
		switch {
		case i == index:
			below = 0
		case i < index:
			below++
		}
		logits = append(logits, largest-below)
	}
	return logits
}

// newPin returns a pin that selects the given wires. All wires must be below limit.
func newPin(r *rand.Rand, source model.Source, selected []uint32, limit int) model.Pin {
	p := model.Pin{Source: source, K: 1 + r.IntN(mostCandidates)}
	p.Wires = model.MakeIndices(len(selected)*p.K, limit)
	for gate, wire := range selected {
		at := r.IntN(p.K)
		for k := range p.K {
			candidate := uint32(r.IntN(limit))
			if k == at {
				candidate = wire
			}
			p.Wires.Set(gate*p.K+k, candidate)
		}
		if p.K > 1 {
			p.Logits = appendLargest(r, p.Logits, at, p.K)
		}
	}
	return p
}

// sameNetwork reports whether two frozen networks are equal.
func sameNetwork(a, b *model.Frozen) bool {
	samePin := func(x, y model.FrozenPin) bool { return x.Source == y.Source && slices.Equal(x.Index, y.Index) }
	sameLayer := func(x, y model.FrozenLayer) bool {
		return slices.Equal(x.Op.Narrow, y.Op.Narrow) && slices.Equal(x.Op.Wide, y.Op.Wide) &&
			slices.EqualFunc(x.Pins, y.Pins, samePin)
	}
	x, y := &a.Encoder, &b.Encoder
	return a.Width == b.Width && slices.Equal(a.Classes, b.Classes) && slices.Equal(a.Offsets, b.Offsets) &&
		slices.Equal(a.Ties, b.Ties) &&
		slices.EqualFunc(a.Layers, b.Layers, sameLayer) &&
		x.Bits == y.Bits && x.BitsIn == y.BitsIn && x.Max == y.Max &&
		slices.EqualFunc(x.Thresholds, y.Thresholds, slices.Equal[[]uint16])
}
