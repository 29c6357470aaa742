package modelgen

import (
	"math/rand/v2"
	"slices"

	"ialgn/internal/hugepage"
	"ialgn/trainer/model"
)

// sections returns the sections of a topology without arrays: of private chains the first
// layer and the rest, of all others one for each layer, whose gates then follow each other.
func sections(o Options) []model.Section {
	anchor := model.Pin{Source: model.Input, K: o.Anchors}
	wire := model.Pin{Source: model.Previous, K: 1}
	spine := model.Pin{Source: model.Spine, K: 1}
	var first, rest model.Section
	switch o.Topology {
	case "ialgn":
		first.A, first.B, rest.A, rest.B = anchor, anchor, spine, anchor
		if o.Fixed {
			first.A.K = 1
		}
		if o.Hidden > 1 {
			rest.A = model.Pin{Source: model.Previous, K: o.Hidden}
		}
	case "rwlgn", "rwlgn-classwise":
		rest.A, rest.B = wire, wire
	case "rwlgn-spine":
		rest.A, rest.B = spine, wire
	default:
		panic("modelgen: unknown topology " + o.Topology)
	}
	if o.Topology != "ialgn" {
		first.A = model.Pin{Source: model.Input, K: 1}
		first.B = first.A
	}
	first.Layers, rest.Layers = 1, 1
	if o.Topology == "ialgn" && o.Hidden == 1 { // private chains: one section for all of the rest
		rest.Layers = o.Depth - 1
	}
	all := []model.Section{first}
	for layer := 1; layer < o.Depth; layer += rest.Layers {
		all = append(all, rest)
	}
	return all
}

// generator fills the arrays of one section.
type generator struct {
	*rand.Rand
	o       Options
	m       *model.Model
	section int
	inputs  []uint32 // input bits that pins choose from; nil: all
}

// chooseInputs draws the share of n inputs that pins choose from; nil: all of them.
func chooseInputs(r *rand.Rand, n int, share float64) []uint32 {
	if share == 0 || share == 1 {
		return nil
	}
	inputs := make([]uint32, max(1, int(share*float64(n))))
	for i, v := range r.Perm(n)[:len(inputs)] {
		inputs[i] = uint32(v)
	}
	return inputs
}

func (g *generator) fill(s *model.Section) {
	gates, arity := g.m.Width*s.Layers, g.m.Arity()
	s.Ops = g.normal(gates * arity)
	if g.section > 0 && g.o.ShareA+g.o.ShareBinary > 0 {
		for i := range gates {
			g.prefer(s.Ops[i*arity:(i+1)*arity], g.operation())
		}
	}
	g.fillPin(&s.A, s.Layers)
	g.fillPin(&s.B, s.Layers)
}

func (g *generator) normal(n int) []float32 {
	x := hugepage.Make[float32](n)
	for i := range x {
		x[i] = float32(g.NormFloat64())
	}
	return x
}

// binary are the operations that depend on both pins; the rest but A, which are
// constants and the other operations of one pin.
var (
	binary = []uint8{1, 2, 4, 6, 7, 8, 9, 11, 13, 14}
	rest   = []uint8{0, 5, 10, 12, 15}
)

// operation draws an operation of the wanted shares.
func (g *generator) operation() uint8 {
	switch u := g.Float64(); {
	case u < g.o.ShareA:
		return 3
	case u < g.o.ShareA+g.o.ShareBinary:
		return binary[g.IntN(len(binary))]
	}
	return rest[g.IntN(len(rest))]
}

// prefer raises the logits of a gate so that op is what freezing selects.
func (g *generator) prefer(logits []float32, op uint8) {
	if len(logits) == 16 {
		logits[op] += 20
		return
	}
	for i := range logits {
		logits[i] += float32(20*int(op>>(3-i)&1) - 10)
	}
}

// fillPin draws the candidates of a pin, without replacement as far as there are
// enough, and their logits.
func (g *generator) fillPin(p *model.Pin, layers int) {
	if p.Source == model.Spine {
		return
	}
	p.Wires = model.MakeIndices(g.m.Width*layers*p.K, g.sources(p.Source))
	drawn := make([]uint32, 0, p.K)
	for i := range g.m.Width * layers {
		low, n := g.group(p.Source, i/layers)
		drawn = drawn[:0]
		for len(drawn) < p.K {
			v := uint32(low + g.IntN(n))
			if p.Source == model.Input && g.inputs != nil {
				v = g.inputs[v]
			}
			if len(drawn) < n && slices.Contains(drawn, v) {
				continue
			}
			p.Wires.Set(i*p.K+len(drawn), v)
			drawn = append(drawn, v)
		}
	}
	if p.K > 1 {
		p.Logits = g.normal(g.m.Width * layers * p.K)
	}
}

func (g *generator) sources(s model.Source) int {
	if s == model.Input {
		return g.m.Encoder.Inputs()
	}
	return g.m.Width
}

// group returns the sources that a chain may choose from: all, or with class-wise
// wiring the gates of its own class.
func (g *generator) group(s model.Source, chain int) (low, n int) {
	switch {
	case s == model.Input && g.inputs != nil:
		return 0, len(g.inputs)
	case s == model.Input || g.o.Topology != "rwlgn-classwise":
		return 0, g.sources(s)
	}
	n = g.m.Width / g.o.Classes
	return chain / n * n, n
}
