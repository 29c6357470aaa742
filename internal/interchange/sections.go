package interchange

import (
	"fmt"
	"slices"

	"github.com/chewxy/math32"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// maxCandidates is the largest number of candidates of a pin in training. If there are more, only the candidates with
// the largest logits are kept.
const maxCandidates = 256

// denseSections returns a section with parameters for each layer. In the last section, the nodes are in the order in
// which they are counted.
func denseSections(n *graph.Network, x *inputs, counted [][]graph.Ref) ([]model.Section, error) {
	before := len(x.bits)
	for i := range n.Dense {
		if err := checkDense(&n.Dense[i], before); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
		before = n.Dense[i].Width
	}
	order := slices.Concat(counted...)
	gates := allGates(n.Dense)
	var sections []model.Section
	sources := x.encoder.Inputs()
	for i := range n.Dense {
		d := denseLayer{Dense: &n.Dense[i], gates: gates, sources: sources, source: model.Previous}
		if i == 0 {
			d.source, d.bits = model.Input, x.bits
		}
		if i == len(n.Dense)-1 {
			d.order = order
		}
		sections = append(sections, d.section())
		sources = n.Dense[i].Width
	}
	return sections, nil
}

// allGates reports whether all layers of two pins have the logits of operations. In a model, either all such layers
// have them or none does.
func allGates(layers []graph.Dense) bool {
	return !slices.ContainsFunc(layers, func(d graph.Dense) bool { return d.Pins == 2 && !d.Softmax16 })
}

// checkDense returns an error if the arrays of a layer do not fit each other. It also returns an error if the layer
// reads a bit that the layer before does not have.
func checkDense(d *graph.Dense, before int) error {
	switch {
	case d.Pins < 1 || d.Pins > graph.MaxPins || d.Softmax16 && d.Pins != 2:
		return fmt.Errorf("nodes of %d pins, want 1 to %d", d.Pins, graph.MaxPins)
	case d.Width < 1 || len(d.Logits) != d.Width*d.Arity():
		return fmt.Errorf("%d logits of %d nodes, want %d each", len(d.Logits), d.Width, d.Arity())
	case d.Candidates < 1 || len(d.Wires) != d.Pins || (d.Candidates > 1) != (d.Choice != nil):
		return fmt.Errorf("%d candidates of %d pins", d.Candidates, len(d.Wires))
	}
	for k, wires := range d.Wires {
		if len(wires) != d.Width*d.Candidates || d.Choice != nil && len(d.Choice[k]) != len(wires) {
			return fmt.Errorf("pin %d has %d wires, want %d for each of %d nodes", k, len(wires), d.Candidates, d.Width)
		}
		for i, w := range wires {
			if int(w) >= before {
				return fmt.Errorf("node %d reads bit %d, want 0 to %d", i/d.Candidates, w, before-1)
			}
		}
	}
	return nil
}

// denseLayer is a layer that becomes a section.
type denseLayer struct {
	*graph.Dense
	gates   bool // keep the logits of operations; otherwise they become a table
	source  model.Source
	sources int
	bits    []graph.Ref // in the first layer, the positions of its inputs in the encoder; nil in later layers
	order   []graph.Ref // in the last layer, its nodes in the order of counting; nil in earlier layers
}

// section returns the section of the layer.
func (d *denseLayer) section() model.Section {
	width := d.Width
	if d.order != nil {
		width = len(d.order)
	}
	candidates := min(d.Candidates, maxCandidates)
	s := model.Section{Layers: 1, Width: width, Arity: d.arity()}
	s.Ops = make([]float32, 0, width*s.Arity)
	for i := range width {
		s.Ops = d.appendLogits(s.Ops, d.node(i))
	}
	for k := range d.Pins {
		p := model.Pin{Source: d.source, K: candidates, Wires: model.MakeIndices(width*candidates, d.sources)}
		if candidates > 1 {
			p.Logits = make([]float32, width*candidates)
		}
		for i := range width {
			d.setPin(&p, k, i)
		}
		s.Pins = append(s.Pins, p)
	}
	return s
}

func (d *denseLayer) arity() int {
	if d.Softmax16 && d.gates {
		return topology.Operations
	}
	return 1 << d.Pins
}

// node returns the source of node i of the section, which is a node of the layer or a constant.
func (d *denseLayer) node(i int) graph.Ref {
	if d.order == nil {
		return graph.Ref(i)
	}
	return d.order[i]
}

// appendLogits appends the logits of a node or a constant to ops.
func (d *denseLayer) appendLogits(ops []float32, node graph.Ref) []float32 {
	switch arity := d.arity(); {
	case node >= 0 && arity == d.Arity():
		return append(ops, d.Logits[int(node)*arity:(int(node)+1)*arity]...)
	case node >= 0:
		return appendTable(ops, d.Table(int(node)), d.Pins)
	case d.Softmax16 && d.gates: // operation 0 is FALSE, operation 15 is TRUE
		logits := make([]float32, arity)
		if logits[0] = 1; node == graph.True {
			logits[0], logits[arity-1] = 0, 1
		}
		return append(ops, logits...)
	case node == graph.True:
		return appendTable(ops, 1<<(1<<d.Pins)-1, d.Pins)
	}
	return appendTable(ops, 0, d.Pins)
}

// appendTable appends logits that select the given truth table.
func appendTable(ops []float32, table uint64, pins int) []float32 {
	for line := range 1 << pins {
		logit := float32(-1)
		if table>>line&1 == 1 {
			logit = 1
		}
		ops = append(ops, logit)
	}
	return ops
}

// setPin sets the candidates of pin k of node i. If node i is a constant, the pin reads the first bit.
func (d *denseLayer) setPin(p *model.Pin, k, i int) {
	node := d.node(i)
	switch {
	case node < 0:
	case p.K == 1:
		p.Wires.Set(i, d.place(d.Wires[k][node]))
	default:
		from := int(node) * d.Candidates
		wires, choice := d.Wires[k][from:from+d.Candidates], d.Choice[k][from:from+d.Candidates]
		for c, at := range largest(choice, p.K) {
			p.Wires.Set(i*p.K+c, d.place(wires[at]))
			p.Logits[i*p.K+c] = choice[at]
		}
	}
}

// largest returns the indices, in ascending order, of the n largest logits. Among equal logits, logits with lower
// indices are selected first. The first of the largest logits is therefore always selected.
func largest(logits []float32, n int) []int {
	sorted := slices.Sorted(slices.Values(logits))
	least := sorted[len(sorted)-n]
	above, _ := slices.BinarySearch(sorted, math32.Nextafter(least, math32.Inf(1)))
	equal := n - (len(sorted) - above) // number of selected logits that equal the least selected logit
	places := make([]int, 0, n)
	for i, v := range logits {
		if v == least && equal > 0 {
			equal--
		} else if v <= least {
			continue
		}
		places = append(places, i)
	}
	return places
}

// place returns the position that an input bit of the layer has in the model.
func (d *denseLayer) place(bit uint32) uint32 {
	if d.bits == nil {
		return bit
	}
	return uint32(d.bits[bit])
}

// circuitSections returns the sections of a circuit. It also accepts layers whose inputs are not bits of the encoder.
func circuitSections(n *graph.Network, x *inputs, counted [][]graph.Ref) ([]model.Section, error) {
	c, out, err := circuitOf(n, slices.Concat(counted...))
	if err != nil {
		return nil, err
	}
	if c.Inputs != len(x.bits) {
		return nil, fmt.Errorf("the circuit has %d inputs, but the input %d bits", c.Inputs, len(x.bits))
	}
	to := x.nodes
	if to == nil {
		to = graph.NewCircuit(x.encoder.Inputs())
	}
	out = simplified(c, x.bits, out, to)
	layers, err := levels(to, out)
	if err != nil {
		return nil, err
	}
	var sections []model.Section
	before := to.Inputs
	for i := range layers {
		sections = append(sections, layers[i].section(i == 0, before))
		before = len(layers[i].tables)
	}
	return sections, nil
}

// circuitOf returns a network as a circuit, together with the bits that are counted.
func circuitOf(n *graph.Network, counted []graph.Ref) (*graph.Circuit, []graph.Ref, error) {
	if n.Dense == nil {
		return n.Circuit, counted, n.Circuit.Check()
	}
	c := graph.NewCircuit(n.Input.Bits())
	before := make([]graph.Ref, c.Inputs)
	for i := range before {
		before[i] = graph.Ref(i)
	}
	for i := range n.Dense {
		if err := checkDense(&n.Dense[i], len(before)); err != nil {
			return nil, nil, fmt.Errorf("layer %d: %w", i, err)
		}
		before = n.Dense[i].AddTo(c, before)
	}
	out := slices.Clone(counted)
	for i, r := range out {
		if r >= 0 {
			out[i] = before[r]
		}
	}
	return c, out, nil
}

// section returns the section of a level.
func (y *level) section(first bool, before int) model.Section {
	width := len(y.tables)
	s := model.Section{Layers: 1, Width: width, Arity: 1 << y.pins, Ops: make([]float32, 0, width<<y.pins)}
	for _, table := range y.tables {
		s.Ops = appendTable(s.Ops, table, y.pins)
	}
	for k := range y.pins {
		p := model.Pin{Source: model.Previous, K: 1, Wires: model.MakeIndices(width, before)}
		if first {
			p.Source = model.Input
		}
		for i, w := range y.wires[k] {
			p.Wires.Set(i, w)
		}
		s.Pins = append(s.Pins, p)
	}
	return s
}
