package model

import (
	"fmt"

	"ialgn/internal/topology"
)

// maxStepNodes limits the number of nodes of a recurrent network in memory, where each step has its own nodes. The
// network's file has the nodes of only one step.
const maxStepNodes = 1 << 31

// checkSteps checks the additional rules for recurrent networks.
func (m *Model) checkSteps() error {
	if m.Steps == 0 || len(m.Sections) == 0 {
		return nil
	}
	last := &m.Sections[len(m.Sections)-1]
	switch features := m.Encoder.Features(); {
	case m.Steps < 1 || m.Steps > topology.MaxSteps:
		return fmt.Errorf("%d steps, want 1 to %d", m.Steps, topology.MaxSteps)
	case features%m.Steps != 0:
		return fmt.Errorf("%d features cannot be split into %d steps", features, m.Steps)
	case m.Part != nil:
		return fmt.Errorf("a part of a network with %d steps, which cannot be shared among ranks", m.Steps)
	case m.Sections[0].Grid != nil || last.Grid != nil:
		return fmt.Errorf("nodes that positions share in a network with %d steps", m.Steps)
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Layers != 1 {
			return fmt.Errorf("section %d: %d layers in a network with %d steps, want 1", i, s.Layers, m.Steps)
		}
		for k := range s.Pins {
			if from := s.Pins[k].Source; from != Input && from != Previous {
				return fmt.Errorf("section %d: pin %s: source %v in a network with %d steps", i, PinName(k), from, m.Steps)
			}
		}
	}
	return nil
}

// repeat turns the frozen network of one step into the network of all steps, if the model is recurrent.
func (m *Model) repeat(f *Frozen) {
	if m.Steps > 0 {
		f.Layers = repeatSteps(f.Layers, m.Steps, m.Encoder.Inputs()/m.Steps)
	}
}

// repeatSteps returns the layers of all steps. inputs is the number of input bits of a step. In the first step, pins
// that read the state are 0. The tables of their nodes are changed so that they do not depend on these pins, and the
// pins read an input bit instead.
func repeatSteps(core []FrozenLayer, steps, inputs int) []FrozenLayer {
	all := make([]FrozenLayer, 0, steps*len(core))
	for step := range steps {
		for l := range core {
			layer := core[l].clone()
			for k := range layer.Pins {
				switch p := &layer.Pins[k]; {
				case p.Source == Input:
					for i := range p.Index {
						p.Index[i] += uint32(step * inputs)
					}
				case step == 0 && l == 0:
					layer.clear(k)
				}
			}
			all = append(all, layer)
		}
	}
	return all
}

// clear makes pin k of all nodes the constant 0.
func (l *FrozenLayer) clear(k int) {
	l.Pins[k].Source = Input
	clear(l.Pins[k].Index)
	for i := range l.Width() {
		l.Op.Set(i, Restrict(l.Op.At(i), len(l.Pins), k, false))
	}
}
