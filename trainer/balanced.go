package trainer

import (
	"ialgn/trainer/draw"
	"ialgn/trainer/model"
)

// drawBalanced draws the wires of a random-wired network with balanced wiring.
func drawBalanced(m *model.Model) {
	if c := &m.Config.Model; c.Topology == "ialgn" || c.Wiring != "balanced" {
		return
	}
	for layer := range m.Sections { // each of one layer
		s := &m.Sections[layer]
		groups := 1
		if layer > 0 && m.Config.Model.Topology == "rwlgn-classwise" {
			groups = len(m.Classes)
		}
		for group := range groups {
			drawGroup(m, s, layer, group, groups)
		}
	}
}

// drawGroup draws the wires of a group of gates of a layer from the group's part of the sources. They are a random
// permutation in which each source stands equally often, but for a remainder that is drawn as well.
func drawGroup(m *model.Model, s *model.Section, layer, group, groups int) {
	stream := draw.New(m.Config.Train.Seed, draw.BalancedWires, layer, group)
	var pins []*model.Pin
	for _, p := range []*model.Pin{&s.A, &s.B} {
		if p.Source != model.Spine {
			pins = append(pins, p)
		}
	}
	gates, n := m.Width/groups, sources(m, &s.B)/groups
	order, names := make([]int32, gates*len(pins)), make([]int32, n)
	stream.Permutation(order)
	stream.Permutation(names)
	for i, p := range pins {
		for g := range gates {
			p.Wires.Set(group*gates+g, uint32(group*n)+uint32(names[int(order[i*gates+g])%n]))
		}
	}
}
