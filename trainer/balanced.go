package trainer

import (
	"ialgn/internal/draw"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// drawBalanced draws the wires of layers in which all sources are read equally often.
func drawBalanced(m *model.Model, layers []topology.Layer) {
	for i := range layers {
		var pins []int
		groups := 1
		for k, p := range layers[i].Pins {
			switch p.Wires {
			case topology.EvenClass:
				groups = len(m.Classes)
				fallthrough
			case topology.Even:
				pins = append(pins, k)
			default:
			}
		}
		for group := range groups {
			drawGroup(m, i, pins, group, groups)
		}
	}
}

// drawGroup draws the wires of the given pins for one group of a section's nodes. The wires read only the group's
// share of the sources. The list of wires is a random permutation in which each source occurs equally often. If the
// number of wires is not a multiple of the number of sources, some randomly chosen sources occur once more than the
// others.
func drawGroup(m *model.Model, section int, pins []int, group, groups int) {
	if len(pins) == 0 {
		return
	}
	stream := draw.New(m.Config.Train.Seed, draw.BalancedWires, section, group)
	s := &m.Sections[section]
	nodes, n := s.Width/groups, m.Limit(section, pins[0])/groups // in the whole network
	if m.Part != nil {
		nodes = m.Config.Model.Width / groups
	}
	order, names := make([]int32, nodes*len(pins)), make([]int32, n)
	stream.Permutation(order)
	stream.Permutation(names)
	own := s.Width / groups // nodes of the group in this rank's part
	for i, k := range pins {
		for node := group * own; node < (group+1)*own; node++ {
			in := number(m.Part, node) - group*nodes
			s.Pins[k].Wires.Set(node, uint32(group*n)+uint32(names[int(order[i*nodes+in])%n]))
		}
	}
}
