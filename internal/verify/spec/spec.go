// Package spec says what a model file means, as an and-inverter graph: the reference that
// a proof of the compiler starts from.
//
// [ReadFrom] takes the raw tensors of a model file, and nothing else of this module: which
// logit wins a tie, what an operation computes, in which order the thermometer bits of
// the features stand, what is counted, which class wins a tie and how a graph is encoded are
// all written here a second time, from
// the paper and the description of the formats. So a mistake in freezing, in a table of
// operations, in the netlist or in a back end cannot be on both sides of a comparison.
// The import policy holds this.
//
// What is written is plain on purpose: no gate is simplified or shared, so that the
// meaning can be read from the code.
package spec

import "ialgn/internal/model"

// Network is what the largest logits of a model select. It needs 12 bytes for a gate of two pins, and of a node that
// positions share no more.
type Network struct {
	width      int // bits that are counted
	classes    int
	bits       int // thermometer bits a feature, plus one
	bitsIn     int // bits in a feature word
	thresholds [][]uint16
	layers     []layer
}

// layer is one layer: element i of each slice is about node i. Nodes of two pins have functions, others
// have tables.
type layer struct {
	width    int
	function []function
	table    []table
	pins     []pin
	grid     *grid // unless nil, what the nodes are evaluated over
}

// pin is one of the inputs of a layer's nodes.
type pin struct {
	anchored bool     // reads thermometer bits; otherwise bits of a layer
	source   []uint32 // of nodes that positions share: an element of the patch
	back     int      // how many layers before the one before the layer is that it reads
	patch    *grid    // what it reads at a position, if that is another image than the layer's grid has
}

// Read reads the network of a model file, as [ReadFrom] does.
func Read(path string) (*Network, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadFrom(file.Chains)
}

// ReadFrom makes the network of what a reading of a model file, [model.File.Chains], gives to its functions. In
// addition to the network, which is smaller than the file, it needs no memory.
func ReadFrom(chains func(begin func(*model.Model) error, visit model.Visit) error) (*Network, error) {
	n := &Network{}
	var first []int // layer of each section
	steps := 0
	begin := func(m *model.Model) error {
		first, steps = n.form(m), m.Steps
		return nil
	}
	visit := func(section, chain, chains int, s *model.Section) error { // of other chains at the same time
		for i := range s.Layers {
			n.layers[first[section]+i].choose(s, i, chain, chains)
		}
		return nil
	}
	if err := chains(begin, visit); err != nil {
		return nil, err
	}
	if steps > 1 {
		n.repeat(steps)
	}
	return n, nil
}

// Classes returns the number of classes, and the number of chains that are counted for each of them: the first chains
// belong to class 0, the next to class 1, and so on.
func (n *Network) Classes() (classes, group int) { return n.classes, n.width / n.classes }

// form makes room for the layers of a model, and returns the first one of each section.
func (n *Network) form(m *model.Model) (first []int) {
	n.width, n.classes, n.bits, n.bitsIn = m.Width, len(m.Classes), m.Encoder.Bits, m.Encoder.BitsIn
	n.thresholds = m.Encoder.Thresholds
	for i := range m.Sections {
		s := &m.Sections[i]
		first = append(first, len(n.layers))
		for range s.Layers {
			l := layer{width: s.Width, grid: gridOf(s)}
			if len(s.Pins) == 2 {
				l.function = make([]function, s.Width)
			} else {
				l.table = make([]table, s.Width)
			}
			for _, p := range s.Pins {
				own := pin{anchored: p.Source == model.Input, source: make([]uint32, s.Width)}
				own.look(m, i, p.Source)
				l.pins = append(l.pins, own)
			}
			n.layers = append(n.layers, l)
		}
	}
	return first
}

// choose fills in what a run of chains, the first of them being the network's chain
// first, says about layer i of its section. All arrays are [chain][layer][candidate].
func (l *layer) choose(s *model.Section, i, first, chains int) {
	arity := len(s.Ops) / (chains * s.Layers)
	for k := range chains {
		gate := k*s.Layers + i
		if logits := s.Ops[gate*arity:][:arity]; l.table == nil {
			l.function[first+k] = selected(logits)
		} else {
			l.table[first+k] = tableOf(logits)
		}
		for j := range s.Pins {
			l.pins[j].source[first+k] = wire(&s.Pins[j], gate, first+k)
		}
	}
}

// wire returns what a pin of a gate reads: on a spine the gate before it in its own
// chain, else the candidate with the largest logit, or the only one.
func wire(p *model.Pin, gate, chain int) uint32 {
	if p.Source == model.Spine {
		return uint32(chain)
	}
	at := gate * p.K
	if p.K > 1 {
		at += winner(p.Logits[at:][:p.K])
	}
	if len(p.Wires.Wide) > 0 {
		return p.Wires.Wide[at]
	}
	return uint32(p.Wires.Narrow[at])
}
