package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"ialgn/trainer/config"
	"ialgn/trainer/model"
)

// mostCandidates is how many candidates a pin of a model has at most.
const mostCandidates = 4

// newModel returns a model whose largest logits select the network: candidates that are not
// selected stand beside those that are, some of them the same, and of equal logits the first
// one counts. Parametrization and sections are drawn; a layer whose pins A all read the gate
// before may be a spine.
func newModel(r *rand.Rand, f *model.Frozen) *model.Model {
	m := &model.Model{Width: f.Width, Classes: f.Classes, Encoder: f.Encoder}
	m.Config.Name = f.Name
	m.Config.Model = config.Model{Width: f.Width, Depth: f.Depth(), Parametrization: parametrizations[r.IntN(2)], Tau: 1}
	spine := r.IntN(4) > 0
	for from := 0; from < f.Depth(); {
		to := from + 1
		spines := spine && isSpine(f.Layers[from])
		second := f.Layers[from].Pins[1].Source
		for spines && to < f.Depth() && isSpine(f.Layers[to]) && f.Layers[to].Pins[1].Source == second {
			to++
		}
		m.Sections = append(m.Sections, newSection(r, m, f, from, to, spines))
		from = to
	}
	return m
}

var parametrizations = []string{"softmax16", "light"}

// isSpine reports whether the gates of a layer read the gates before them with pin A.
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

// newSection returns the section of the layers from to to-1.
func newSection(r *rand.Rand, m *model.Model, f *model.Frozen, from, to int, spine bool) model.Section {
	layers := f.Layers[from:to]
	s := model.Section{Layers: to - from, Width: f.Width, Arity: model.Operations}
	if m.Config.Model.Parametrization == "light" {
		s.Arity = 4
	}
	a, b := make([]uint32, 0, f.Width*s.Layers), make([]uint32, 0, f.Width*s.Layers)
	for chain := range f.Width {
		for _, l := range layers {
			s.Ops = appendOperation(r, s.Ops, l.Op.Narrow[chain], s.Arity)
			a, b = append(a, l.Pins[0].Index[chain]), append(b, l.Pins[1].Index[chain])
		}
	}
	first := model.Pin{Source: model.Spine, K: 1}
	if source := layers[0].Pins[0].Source; !spine {
		first = newPin(r, source, a, sources(f, source))
	}
	second := layers[0].Pins[1].Source
	s.Pins = []model.Pin{first, newPin(r, second, b, sources(f, second))}
	return s
}

func sources(f *model.Frozen, s model.Source) int {
	if s == model.Input {
		return f.Inputs()
	}
	return f.Width
}

// appendOperation appends the logits that select an operation: 16, or the four of its truth
// table f(0,0), f(0,1), f(1,0), f(1,1), which are bits 3 to 0 of its number.
func appendOperation(r *rand.Rand, logits []float32, op uint8, arity int) []float32 {
	if arity == 16 {
		return appendLargest(r, logits, int(op), arity)
	}
	for bit := 3; bit >= 0; bit-- {
		if op>>bit&1 == 1 {
			logits = append(logits, []float32{math.SmallestNonzeroFloat32, 1, 3}[r.IntN(3)])
		} else {
			logits = append(logits, []float32{-1, 0, float32(math.Copysign(0, -1))}[r.IntN(3)])
		}
	}
	return logits
}

// appendLargest appends n logits of which the first largest has the given index.
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

// newPin returns a pin that selects the given wires, each less than limit.
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

// sameNetwork reports whether two frozen networks are the same.
func sameNetwork(a, b *model.Frozen) bool {
	samePin := func(x, y model.FrozenPin) bool { return x.Source == y.Source && slices.Equal(x.Index, y.Index) }
	sameLayer := func(x, y model.FrozenLayer) bool {
		return slices.Equal(x.Op.Narrow, y.Op.Narrow) && slices.Equal(x.Op.Wide, y.Op.Wide) &&
			slices.EqualFunc(x.Pins, y.Pins, samePin)
	}
	x, y := &a.Encoder, &b.Encoder
	return a.Width == b.Width && slices.Equal(a.Classes, b.Classes) && slices.EqualFunc(a.Layers, b.Layers, sameLayer) &&
		x.Bits == y.Bits && x.BitsIn == y.BitsIn && x.Max == y.Max &&
		slices.EqualFunc(x.Thresholds, y.Thresholds, slices.Equal[[]uint16])
}
