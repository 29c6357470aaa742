package trainer

import (
	"ialgn/internal/config"
	"ialgn/internal/crew"
	"ialgn/internal/draw"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
	"ialgn/internal/topology"
)

// Initial returns the untrained network of a configuration whose sizes have been checked:
//
//   - wires and candidates are drawn as docs/reference/config.md describes for each topology;
//   - selection logits are drawn from N(0,1);
//   - operation and table logits favour passing a pin on. Each is cfg.Model.SkipLogit plus noise from N(0,
//     InitNoise^2). With init random, these logits are drawn from N(0,1) instead (paper, "Training and Inference").
//
// Every random draw depends only on (seed, purpose, layer, node), so the result depends only on the configuration.
//
// A network of private chains has two sections, the first layer and all other layers. This keeps the arrays of a
// chain contiguous. In any other network, each layer is a section.
func Initial(cfg config.Config, enc *encoding.Encoder, classes []string, threads int) *model.Model {
	return initialPart(cfg, enc, classes, nil, threads)
}

// initialPart returns one rank's part of an untrained network, or the whole network if part is nil.
func initialPart(cfg config.Config, enc *encoding.Encoder, classes []string, part *ranks.Share,
	threads int,
) *model.Model {
	m := &model.Model{
		Config: cfg, Classes: classes, Width: cfg.Model.Width, Encoder: *enc, Part: part, Steps: cfg.Model.Steps,
	}
	if part != nil {
		m.Width = part.Width()
	}
	m.Sections = layout(&cfg, part)
	m.Allocate()
	layers := cfg.Model.Layers()
	crew.Each(threads, func(t int) {
		for i := range layers {
			width := m.Sections[i].Width
			for node := width * t / threads; node < width*(t+1)/threads; node++ {
				drawNode(m, i, &layers[i], node)
			}
		}
	})
	drawBalanced(m, layers)
	drawPatches(m, layers)
	drawStructured(m, layers)
	return m
}

// layout returns the sections of a network, or of one rank's part, without arrays.
func layout(cfg *config.Config, part *ranks.Share) []model.Section {
	var all []model.Section
	for _, layer := range cfg.Model.Layers() {
		s := model.Section{Layers: layer.Layers, Width: layer.Width, Arity: cfg.Model.Arity(), Grid: layer.Grid}
		if part != nil {
			s.Width = part.Width()
		}
		for _, p := range layer.Pins {
			s.Pins = append(s.Pins, model.Pin{Source: p.Source, K: p.K})
		}
		all = append(all, s)
	}
	return all
}

// drawNode draws the logits of one node in each layer of section i. The argument node is the index of this node in
// the layer. drawNode also draws the wires of these nodes, unless the wires are balanced or structured.
func drawNode(m *model.Model, i int, layer *topology.Layer, node int) {
	s := &m.Sections[i]
	for l := range s.Layers {
		at := place{m, i, layer.First + l, number(m.Part, node), node*s.Layers + l}
		drawFunction(s.Ops[at.entry*s.Arity:][:s.Arity], &m.Config, layer, at)
		for k := range layer.Pins {
			at.drawPin(k, &layer.Pins[k])
		}
	}
}

// number converts the number of a node in a part to its number in the whole network.
func number(part *ranks.Share, node int) int {
	if part == nil {
		return node
	}
	return part.Number(node)
}

// place identifies a node. It holds the node's section, layer, number in the layer, and index in the section's
// arrays.
type place struct {
	m                           *model.Model
	section, layer, node, entry int
}

// drawFunction draws the logits that decide which function a node computes.
func drawFunction(w []float32, cfg *config.Config, layer *topology.Layer, at place) {
	noise := float32(cfg.Model.InitNoise)
	if cfg.Model.Init == "random" {
		noise = 1
	} else {
		passOn(w, float32(cfg.Model.SkipLogit), len(layer.Pins), layer.PassedBy(at.node))
	}
	if noise == 0 {
		return
	}
	s := draw.New(cfg.Train.Seed, draw.OpLogits, at.layer, at.node)
	for k := range w {
		w[k] += float32(noise * s.Normal())
	}
}

// passOn writes logits that make a node pass on the bits of the pins listed in passed. If the node chooses among 16
// operations, the operation that passes on the listed pin gets a logit with the value skip. If the node has a truth
// table, the logit of a line grows with the number of passed pins that are 1 in this line. It grows from -skip if no
// passed pin is 1 to +skip if all are 1.
func passOn(w []float32, skip float32, pins int, passed []int) {
	if len(passed) == 0 {
		return
	}
	if pins == 2 && len(w) == model.Operations {
		w[model.PinTable(2, passed[0])] = skip
		return
	}
	for line := range w {
		ones := 0
		for _, p := range passed {
			ones += line >> (pins - 1 - p) & 1
		}
		w[line] = float32(skip * float32(2*ones-len(passed)) / float32(len(passed)))
	}
}

// drawPin draws the wires of pin k and, if the pin has candidates, their logits.
func (at place) drawPin(k int, form *topology.Pin) {
	p := &at.m.Sections[at.section].Pins[k]
	seed := at.m.Config.Train.Seed
	switch form.Wires {
	case topology.Chosen:
		at.drawCandidates(p, form, at.m.Limit(at.section, k))
	case topology.Drawn:
		wire := draw.New(seed, form.WireDraws, at.layer, at.node).Below(at.m.Limit(at.section, k))
		p.Wires.Set(at.entry, uint32(wire))
	case topology.ClassWise:
		group := at.m.Config.Model.Width / len(at.m.Classes)
		wire := at.node/group*group + draw.New(seed, form.WireDraws, at.layer, at.node).Below(group)
		p.Wires.Set(at.entry, uint32(wire))
	case topology.Leaves:
		p.Wires.Set(at.entry, uint32(at.node*form.Leaf.Of+form.Leaf.Index))
	case topology.Column:
		p.Wires.Set(at.entry, uint32(at.node%at.m.Limit(at.section, k)))
	case topology.Line:
		p.Wires.Set(at.entry, uint32(topology.LineWire(at.node, at.m.Limit(at.section, k))))
	case topology.Own, topology.Even, topology.EvenClass, topology.Structured, topology.StructuredClass, topology.Patch:
		// the pin has no wires, or they are drawn for several nodes at once
	}
}

// drawCandidates draws distinct candidates for a pin from the given number of sources. It also draws the candidates'
// logits.
func (at place) drawCandidates(p *model.Pin, form *topology.Pin, sources int) {
	seed := at.m.Config.Train.Seed
	var buf [256]uint32
	choice := buf[:p.K]
	draw.New(seed, form.WireDraws, at.layer, at.node).Distinct(choice, sources)
	for j, v := range choice {
		p.Wires.Set(at.entry*p.K+j, v)
	}
	if p.Logits == nil {
		return
	}
	s := draw.New(seed, form.LogitDraws, at.layer, at.node)
	for j := range p.K {
		p.Logits[at.entry*p.K+j] = s.Normal()
	}
}
