package trainer

import (
	"ialgn/internal/draw"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// drawPatches draws the wires of convolution kernels. For each kernel it first draws some planes of the image. It
// then draws the elements that the kernel's pins read from the patch of these planes. Pins without candidates read
// different elements as long as unread elements are left. A pin with candidates gets different elements as its
// candidates.
func drawPatches(m *model.Model, layers []topology.Layer) {
	for i := 0; i < len(layers); {
		p := kernelsFrom(m, layers, i)
		for kernel := range p.kernels {
			p.draw(kernel)
		}
		i += max(1, p.levels)
	}
}

// patches describes the pins of a convolution that read its patches.
type patches struct {
	m               *model.Model
	layer           int // the lowest layer of the convolution
	kernels, levels int // levels is 0 if the layer does not begin a convolution
	pins            []patchPin
	area, planes    int
}

// patchPin describes one pin, which all nodes of a layer have.
type patchPin struct {
	*model.Pin
	section, nodes int // nodes of each kernel
}

// kernelsFrom returns the convolution whose lowest layer is layers[first]. If no convolution begins there, the levels
// of the result are 0.
func kernelsFrom(m *model.Model, layers []topology.Layer, first int) *patches {
	p := &patches{m: m, layer: layers[first].First}
	if layers[first].Pins[0].Wires != topology.Patch {
		return p
	}
	for p.levels = 1; first+p.levels < len(layers) && layers[first+p.levels].Pins[0].Wires == topology.Leaves; p.levels++ {
	}
	p.kernels = layers[first+p.levels-1].Width
	for i := first; i < first+p.levels; i++ {
		for k := range layers[i].Pins {
			if layers[i].Pins[k].Wires == topology.Patch {
				p.pins = append(p.pins, patchPin{&m.Sections[i].Pins[k], i, layers[i].Width / p.kernels})
			}
		}
	}
	g := m.Sections[first].Grid
	p.area = g.Side * g.Side
	p.planes = m.Limit(first, 0) / p.area
	return p
}

// draw draws the wires of a kernel. The wires depend only on (seed, layer, kernel).
func (p *patches) draw(kernel int) {
	stream := draw.New(p.m.Config.Train.Seed, draw.PatchWires, p.layer, kernel)
	chosen := make([]uint32, p.m.Config.Model.ReadPlanes(p.planes))
	stream.Distinct(chosen, p.planes)
	elements := len(chosen) * p.area
	element := func(n uint32) uint32 {
		return chosen[int(n)/p.area]*uint32(p.area) + n%uint32(p.area)
	}
	var left []uint32 // elements that no pin reads yet
	p.each(kernel, func(pin *model.Pin, node int) {
		candidates := make([]uint32, pin.K)
		if pin.K > 1 {
			stream.Distinct(candidates, elements)
		} else {
			if len(left) == 0 {
				left = make([]uint32, min(elements, p.leaves()))
				stream.Distinct(left, elements)
			}
			candidates[0], left = left[0], left[1:]
		}
		for j, n := range candidates {
			pin.Wires.Set(node*pin.K+j, element(n))
			if pin.K > 1 {
				pin.Logits[node*pin.K+j] = stream.Normal()
			}
		}
	})
}

// leaves returns the number of a kernel's pins that read its patch.
func (p *patches) leaves() (n int) {
	for _, pin := range p.pins {
		n += pin.nodes
	}
	return n
}

// each calls f for each pin of a kernel that reads its patch, from the lowest layer up, node by node.
func (p *patches) each(kernel int, f func(pin *model.Pin, node int)) {
	for from := 0; from < len(p.pins); {
		to := from
		for to < len(p.pins) && p.pins[to].section == p.pins[from].section {
			to++
		}
		for node := kernel * p.pins[from].nodes; node < (kernel+1)*p.pins[from].nodes; node++ {
			for _, pin := range p.pins[from:to] {
				f(pin.Pin, node)
			}
		}
		from = to
	}
}
