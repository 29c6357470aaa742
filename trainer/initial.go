package trainer

import (
	"sync"

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

// Initial returns the untrained IALGN of a configuration, whose sizes have been
// checked: anchors N(0,1) among k_x distinct random candidates, operation logits
// skip-biased (cfg.Model.SkipLogit on A, 0 elsewhere, plus N(0, InitNoise^2)) or
// N(0,1) for init random (paper, "Training and Inference"). Every draw is keyed by
// (seed, purpose, layer, gate), so the result depends on the configuration alone.
func Initial(cfg config.Config, enc *encoding.Encoder, classes []string, threads int) *model.Model {
	m := &model.Model{Config: cfg, Classes: classes, Width: cfg.Model.Width, Encoder: *enc}
	firstK := 1
	if cfg.Model.FirstPin == "relaxed" {
		firstK = cfg.Model.Anchors
	}
	m.Sections = append(m.Sections, newSection(m, 1, firstK))
	if cfg.Model.Depth > 1 {
		m.Sections = append(m.Sections, newSection(m, cfg.Model.Depth-1, 0))
	}
	var wg sync.WaitGroup
	for t := range threads {
		wg.Go(func() {
			for chain := m.Width * t / threads; chain < m.Width*(t+1)/threads; chain++ {
				drawChain(m, chain)
			}
		})
	}
	wg.Wait()
	return m
}

// newSection allocates a section with anchors of the configuration's k_x on pin B, and
// with firstK candidates on pin A or, if that is 0, the spine.
func newSection(m *model.Model, layers, firstK int) model.Section {
	gates := m.Width * layers
	s := model.Section{
		Layers: layers, Ops: hugepage.Make[float32](gates * kernel.Ops),
		A: model.Pin{Source: model.Spine, K: 1}, B: newPin(m, gates, m.Config.Model.Anchors),
	}
	if firstK > 0 {
		s.A = newPin(m, gates, firstK)
	}
	return s
}

func newPin(m *model.Model, gates, k int) model.Pin {
	p := model.Pin{Source: model.Input, K: k, Wires: model.MakeIndices(gates*k, m.Encoder.Inputs())}
	if k > 1 {
		p.Logits = hugepage.Make[float32](gates * k)
	}
	return p
}

// drawChain draws the wires and logits of all gates of a chain.
func drawChain(m *model.Model, chain int) {
	layer := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		for l := range s.Layers {
			g := chain*s.Layers + l
			drawOps(s.Ops[g*kernel.Ops:][:kernel.Ops], &m.Config, layer, chain)
			if s.A.Source == model.Input {
				drawPin(m, &s.A, g, draw.FirstWires, draw.FirstLogits, layer, chain)
			}
			drawPin(m, &s.B, g, draw.AnchorWires, draw.AnchorLogits, layer, chain)
			layer++
		}
	}
}

func drawOps(w []float32, cfg *config.Config, layer, chain int) {
	noise := float32(cfg.Model.InitNoise)
	if cfg.Model.Init == "random" {
		noise = 1
	} else {
		w[spineOp] = float32(cfg.Model.SkipLogit)
	}
	if noise == 0 {
		return
	}
	s := draw.New(cfg.Train.Seed, draw.OpLogits, layer, chain)
	for k := range w {
		w[k] += float32(noise * s.Normal())
	}
}

func drawPin(m *model.Model, p *model.Pin, g int, wires, logits draw.Purpose, layer, chain int) {
	seed := m.Config.Train.Seed
	var buf [256]uint32
	choice := buf[:p.K]
	draw.New(seed, wires, layer, chain).Distinct(choice, m.Encoder.Inputs())
	for j, v := range choice {
		p.Wires.Set(g*p.K+j, v)
	}
	if p.Logits == nil {
		return
	}
	s := draw.New(seed, logits, layer, chain)
	for j := range p.K {
		p.Logits[g*p.K+j] = s.Normal()
	}
}
