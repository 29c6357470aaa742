package trainer

import (
	"ialgn/trainer/draw"
	"ialgn/trainer/model"
	"ialgn/trainer/topology"
)

// drawPatches draws what the kernels of convolutions read of their patches: some planes for each kernel, and of these
// the elements that its pins read, which differ as far as there are enough, or the candidates of each pin, which do.
func drawPatches(m *model.Model, layers []topology.Layer) {
	for i := range layers {
		pins := layers[i].Pins
		if pins[0].Wires != topology.Patch {
			continue
		}
		kernels := layers[i].Width
		for above := i + 1; above < len(layers) && layers[above].Pins[0].Wires == topology.Leaves; above++ {
			kernels = layers[above].Width
		}
		for kernel := range kernels {
			p := patch{m: m, section: i, layer: layers[i].First, nodes: layers[i].Width / kernels}
			for k := range pins {
				if pins[k].Wires == topology.Patch {
					p.pins = append(p.pins, m.Sections[i].Pins[k])
				}
			}
			p.draw(kernel)
		}
	}
}

// patch is what one kernel of a section reads.
type patch struct {
	m              *model.Model
	section, layer int
	nodes          int         // of a kernel that read the patch
	pins           []model.Pin // of a node that do
}

// draw draws the wires of a kernel: of (seed, layer, kernel).
func (p *patch) draw(kernel int) {
	s := &p.m.Sections[p.section]
	keys := &p.m.Config.Model
	area := s.Grid.Side * s.Grid.Side
	planes := p.m.Limit(p.section, 0) / area
	stream := draw.New(p.m.Config.Train.Seed, draw.PatchWires, p.layer, kernel)
	chosen := make([]uint32, keys.ReadPlanes(planes))
	stream.Distinct(chosen, planes)
	element := func(n uint32) uint32 { return chosen[int(n)/area]*uint32(area) + n%uint32(area) }
	if p.pins[0].K > 1 {
		p.drawCandidates(kernel, stream, len(chosen)*area, element)
		return
	}
	leaves := make([]uint32, p.nodes*len(p.pins))
	for from := 0; from < len(leaves); {
		n := min(len(leaves)-from, len(chosen)*area)
		stream.Distinct(leaves[from:from+n], len(chosen)*area)
		from += n
	}
	for j, leaf := range leaves {
		p.pins[j%len(p.pins)].Wires.Set(kernel*p.nodes+j/len(p.pins), element(leaf))
	}
}

// drawCandidates draws distinct candidates of each pin among so many elements, and their logits.
func (p *patch) drawCandidates(kernel int, stream *draw.Stream, elements int, element func(n uint32) uint32) {
	for node := kernel * p.nodes; node < (kernel+1)*p.nodes; node++ {
		for k := range p.pins {
			pin := &p.pins[k]
			candidates := make([]uint32, pin.K)
			stream.Distinct(candidates, elements)
			for j, n := range candidates {
				pin.Wires.Set(node*pin.K+j, element(n))
				pin.Logits[node*pin.K+j] = stream.Normal()
			}
		}
	}
}
