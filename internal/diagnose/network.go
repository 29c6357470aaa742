package diagnose

import (
	"math"

	"ialgn/internal/model"
)

// network holds the parts of a model on which credit depends: the slopes of its relaxed gates, and the bits of its
// hard forward pass.
type network struct {
	m      *model.Model
	frozen *model.Frozen
	layers []layer
	slopes [][]slopes // indexed [layer][gate]

	// bits holds the bit rows of a batch. The rows of the inputs come first, then the rows of each layer's gates.
	bits  []uint64
	words int
}

// layer is a layer of a model.
type layer struct {
	section *model.Section
	at      int // index of the layer in the section
}

// pins is the number of pins of a gate. Pin A is number 0 and pin B number 1.
const pins = 2

// newNetwork returns the network of a valid model, with room for a batch. The network has neither class offsets nor a
// tie order, because the loss of training does not have them.
func newNetwork(m *model.Model, batch int) *network {
	n := &network{m: m, frozen: m.Freeze(), words: (batch + 63) / 64}
	n.frozen.Offsets, n.frozen.Ties = nil, nil
	for i := range m.Sections {
		for at := range m.Sections[i].Layers {
			n.layers = append(n.layers, layer{&m.Sections[i], at})
		}
	}
	for l := range n.layers {
		all := make([]slopes, m.Width)
		for i := range all {
			all[i] = n.truth(l, i).slopes()
		}
		n.slopes = append(n.slopes, all)
	}
	n.bits = make([]uint64, (m.Encoder.Inputs()+m.Width*len(n.layers))*n.words)
	return n
}

// inputs returns the rows of a batch's inputs. The caller must fill them.
func (n *network) inputs() []uint64 { return n.bits[:n.m.Encoder.Inputs()*n.words] }

// forward computes the rows of all gates from the rows of the inputs. It returns the number of gates that are 1 for
// each class and sample, indexed [class][sample].
func (n *network) forward(samples int) []int32 {
	e, words := model.NewEvaluator(n.frozen), n.m.Width*n.words
	hidden := n.bits[len(n.inputs()):]
	e.Run(n.inputs(), n.words, func(l int, h []uint64) { copy(hidden[l*words:][:words], h) })
	counts := make([]int32, len(n.m.Classes)*samples)
	e.Counts(counts, samples)
	return counts
}

// row returns the index of the bit row that a pin of a gate reads.
func (n *network) row(l, i, pin int) int {
	p := &n.frozen.Layers[l].Pins[pin]
	wire := int(p.Index[i])
	if p.Source == model.Input {
		return wire
	}
	return n.m.Encoder.Inputs() + (l-1)*n.m.Width + wire
}

// bit returns the bit of a sample in a row.
func (n *network) bit(row, sample int) uint64 {
	return n.bits[row*n.words+sample>>6] >> (sample & 63) & 1
}

// pin returns a pin of a layer's gates.
func (l layer) pin(pin int) *model.Pin { return &l.section.Pins[pin] }

// parents calls visit for each hidden gate to which a pin of gate i is wired. It visits all of the pin's candidates,
// not only the selected one. visit also gets the gate's index among the pin's candidates.
func (l layer) parents(i, pin int, visit func(parent, candidate int)) {
	p := l.pin(pin)
	switch p.Source {
	case model.Spine:
		visit(i, 0)
	case model.Previous:
		for j := range p.K {
			visit(int(p.Wires.At((i*l.section.Layers+l.at)*p.K+j)), j)
		}
	}
}

// shares returns the selection probability of each candidate of a pin.
func (l layer) shares(i, pin int) []float64 {
	p := l.pin(pin)
	if p.K == 1 {
		return []float64{1}
	}
	return softmax(p.Logits[(i*l.section.Layers+l.at)*p.K:][:p.K])
}

func softmax(w []float32) []float64 {
	top, sum := float64(w[0]), 0.0
	for _, x := range w {
		top = max(top, float64(x))
	}
	p := make([]float64, len(w))
	for k, x := range w {
		p[k] = math.Exp(float64(x) - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}
