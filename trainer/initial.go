package trainer

import (
	"ialgn/internal/crew"
	"ialgn/internal/hugepage"
	"ialgn/trainer/config"
	"ialgn/trainer/draw"
	"ialgn/trainer/encoding"
	"ialgn/trainer/kernel"
	"ialgn/trainer/model"
)

// spineOp is the operation that passes pin A on, which skip-biased initialisation
// prefers.
const spineOp = 3

// Initial returns the untrained network of a configuration, whose sizes have been checked:
// wires and candidates as docs/CONFIG.md describes the topologies, selection logits N(0,1),
// operation logits skip-biased (cfg.Model.SkipLogit on A, 0 elsewhere; for light gates plus
// or minus it; plus N(0, InitNoise^2)) or N(0,1) for init random (paper, "Training and
// Inference"). Every draw is keyed by (seed, purpose, layer, gate), so the result depends
// on the configuration alone.
//
// A network of private chains has two sections, so that the arrays of a chain stand
// together; of any other, each layer is a section.
func Initial(cfg config.Config, enc *encoding.Encoder, classes []string, threads int) *model.Model {
	m := &model.Model{Config: cfg, Classes: classes, Width: cfg.Model.Width, Encoder: *enc}
	m.Sections = layout(&cfg)
	for i := range m.Sections {
		allocate(m, &m.Sections[i])
	}
	crew.Each(threads, func(t int) {
		for chain := m.Width * t / threads; chain < m.Width*(t+1)/threads; chain++ {
			drawChain(m, chain)
		}
	})
	drawBalanced(m)
	return m
}

// layout returns the sections of a configuration without arrays.
func layout(cfg *config.Config) []model.Section {
	section := func(layer, layers int) model.Section {
		s := model.Section{Layers: layers}
		s.A, s.B = pinsOf(&cfg.Model, layer)
		return s
	}
	all, step := []model.Section{section(0, 1)}, 1
	if cfg.PrivateChains() {
		step = max(1, cfg.Model.Depth-1)
	}
	for l := 1; l < cfg.Model.Depth; l += step {
		all = append(all, section(l, step))
	}
	return all
}

// allocate makes the arrays of a section.
func allocate(m *model.Model, s *model.Section) {
	gates := m.Width * s.Layers
	s.Ops = hugepage.Make[float32](gates * m.Arity())
	for _, p := range []*model.Pin{&s.A, &s.B} {
		if p.Source == model.Spine {
			continue
		}
		if p.Wires = model.MakeIndices(gates*p.K, sources(m, p)); p.K > 1 {
			p.Logits = hugepage.Make[float32](gates * p.K)
		}
	}
}

// pinsOf returns the pins of a layer's gates without arrays.
func pinsOf(c *config.Model, layer int) (a, b model.Pin) {
	a, b = model.Pin{Source: model.Input, K: 1}, model.Pin{Source: model.Input, K: 1}
	if c.Topology == "ialgn" {
		b.K = c.Anchors
		switch {
		case layer > 0 && c.Hidden == 1:
			a.Source = model.Spine
		case layer > 0:
			a.Source, a.K = model.Previous, c.Hidden
		case c.FirstPin == "relaxed":
			a.K = c.Anchors
		}
		return a, b
	}
	if layer > 0 {
		a.Source, b.Source = model.Previous, model.Previous
		if c.Topology == "rwlgn-spine" {
			a.Source = model.Spine
		}
	}
	return a, b
}

// drawChain draws what belongs to all gates of an index, one a layer: their logits and, but
// for balanced ones, their wires.
func drawChain(m *model.Model, chain int) {
	layer := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		for l := range s.Layers {
			g := chain*s.Layers + l
			drawOps(s.Ops[g*m.Arity():][:m.Arity()], &m.Config, layer, chain)
			if m.Config.Model.Topology == "ialgn" {
				wires, logits := draw.FirstWires, draw.FirstLogits
				if layer > 0 {
					wires, logits = draw.HiddenWires, draw.HiddenLogits
				}
				drawCandidates(m, &s.A, g, wires, logits, layer, chain)
				drawCandidates(m, &s.B, g, draw.AnchorWires, draw.AnchorLogits, layer, chain)
			} else if m.Config.Model.Wiring == "random" {
				drawWire(m, &s.A, g, draw.RandomWireA, layer, chain)
				drawWire(m, &s.B, g, draw.RandomWireB, layer, chain)
			}
			layer++
		}
	}
}

// drawOps draws the operation logits of a gate.
func drawOps(w []float32, cfg *config.Config, layer, gate int) {
	noise, skip := float32(cfg.Model.InitNoise), float32(cfg.Model.SkipLogit)
	switch {
	case cfg.Model.Init == "random":
		noise = 1
	case len(w) == kernel.LightOps:
		copy(w, []float32{-skip, -skip, skip, skip})
	default:
		w[spineOp] = skip
	}
	if noise == 0 {
		return
	}
	s := draw.New(cfg.Train.Seed, draw.OpLogits, layer, gate)
	for k := range w {
		w[k] += float32(noise * s.Normal())
	}
}

// drawCandidates draws the distinct candidates of a pin of gate g and their logits.
func drawCandidates(m *model.Model, p *model.Pin, g int, wires, logits draw.Purpose, layer, gate int) {
	if p.Source == model.Spine {
		return
	}
	seed := m.Config.Train.Seed
	var buf [256]uint32
	choice := buf[:p.K]
	draw.New(seed, wires, layer, gate).Distinct(choice, sources(m, p))
	for j, v := range choice {
		p.Wires.Set(g*p.K+j, v)
	}
	if p.Logits == nil {
		return
	}
	s := draw.New(seed, logits, layer, gate)
	for j := range p.K {
		p.Logits[g*p.K+j] = s.Normal()
	}
}

// drawWire draws the wire of a pin of gate g from all sources or, class-wise, from the
// hidden gates of its class.
func drawWire(m *model.Model, p *model.Pin, g int, purpose draw.Purpose, layer, gate int) {
	if p.Source == model.Spine {
		return
	}
	low, n := 0, sources(m, p)
	if group := m.Width / len(m.Classes); p.Source == model.Previous && m.Config.Model.Topology == "rwlgn-classwise" {
		low, n = gate/group*group, group
	}
	p.Wires.Set(g, uint32(low+draw.New(m.Config.Train.Seed, purpose, layer, gate).Below(n)))
}

// sources returns the number of bits that a pin could read.
func sources(m *model.Model, p *model.Pin) int {
	if p.Source == model.Input {
		return m.Encoder.Inputs()
	}
	return m.Width
}
