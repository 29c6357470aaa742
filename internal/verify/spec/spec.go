// Package spec turns a model file into an and-inverter graph that defines the meaning of the file. Proofs of the
// compiler use this graph as their reference.
//
// [ReadFrom] takes the raw tensors of a model file. It uses no other code of this module that interprets a model.
// Instead, the package implements the paper and the description of the formats again. Examples are the choice between
// equal logits, the functions of operations, the order of the thermometer bits, the bits that are counted, the choice
// between equal classes, and the encoding of a graph. So a mistake in freezing, in a table of operations, in the
// netlist or in a back end cannot be on both sides of a comparison. The import policy enforces this independence.
//
// The graph is simple on purpose. No gate is simplified or shared, so that the meaning of a model can be read from
// the code.
package spec

import "ialgn/internal/model"

// Network is a model in which each pin has one wire and each node has one function. The wire and the function are the
// candidates with the largest logits. A gate with two pins takes 12 bytes, even if many positions of an image share
// the gate.
type Network struct {
	width      int // counted bits
	classes    int
	offsets    []int // number of ones that are counted for each class in addition to its chains; nil if there are none
	ties       []int // all classes, the one that wins ties first; nil if the lowest class wins
	bits       int   // thermometer bits of a feature, plus one
	bitsIn     int   // bits in a feature word
	thresholds [][]uint16
	layers     []layer
}

// layer is one layer. Element i of each slice belongs to node i. Nodes with two pins have a function, and other nodes
// have a table.
type layer struct {
	width    int
	function []function
	table    []table
	pins     []pin
	grid     *grid // if not nil, the positions at which the nodes are evaluated
}

// pin is one of the inputs of a layer's nodes.
type pin struct {
	anchored bool     // the pin reads thermometer bits; otherwise it reads bits of a layer
	source   []uint32 // the bit that each node reads; on a grid, the element of the patch
	back     int      // the layer that the pin reads: 0 is the previous layer, 1 the layer before, …
	patch    *grid    // if not nil, the pin reads this image instead of the image of the layer's grid
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

// ReadFrom makes the network of a model file. It calls the function chains to read the file. Like
// [model.File.Chains], this function calls its first argument once, and then calls its second argument for each run
// of consecutive chains. ReadFrom needs memory only for the network, which is smaller than the file.
func ReadFrom(chains func(begin func(*model.Model) error, visit model.Visit) error) (*Network, error) {
	n := &Network{}
	var first []int // layer of each section
	steps := 0
	begin := func(m *model.Model) error {
		first, steps = n.form(m), m.Steps
		return nil
	}
	visit := func(section, chain, chains int, s *model.Section) error { // several calls may run at the same time
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

// Classes returns the number of classes, and the number of chains counted for each class. The first chains
// belong to class 0, the next ones to class 1, and so on.
func (n *Network) Classes() (classes, group int) { return n.classes, n.width / n.classes }

// Counted returns the number of bits that are counted for a class. These are the chains of the class, followed by
// constant ones, whose number is the offset of the class.
func (n *Network) Counted(class int) int {
	if n.offsets == nil {
		return n.width / n.classes
	}
	return n.width/n.classes + n.offsets[class]
}

// Ties returns all classes in the order in which they win if their counts are equal.
func (n *Network) Ties() []int {
	order := make([]int, n.classes)
	for place := range order {
		order[place] = place
		if n.ties != nil {
			order[place] = n.ties[place]
		}
	}
	return order
}

// counted returns the bits that are counted for a class, given the bits of the last layer.
func (n *Network) counted(class int, last []literal) []literal {
	group := n.width / n.classes
	all := append([]literal{}, last[class*group:][:group]...)
	for len(all) < n.Counted(class) {
		all = append(all, 1)
	}
	return all
}

// mostCounted returns the largest number of bits that are counted for a class.
func (n *Network) mostCounted() (most int) {
	for class := range n.classes {
		most = max(most, n.Counted(class))
	}
	return most
}

// form allocates the layers of a model, and returns the number of the first layer of each section.
func (n *Network) form(m *model.Model) (first []int) {
	n.width, n.classes, n.bits, n.bitsIn = m.Width, len(m.Classes), m.Encoder.Bits, m.Encoder.BitsIn
	n.thresholds, n.offsets, n.ties = m.Encoder.Thresholds, m.Offsets, m.Ties
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

// choose sets the functions and wires of layer i of a section for a run of chains. The section s has the arrays of
// this run, as [chain][layer][candidate]. The argument first is the number of the run's first chain.
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

// wire returns the bit that a pin of a gate reads. On a spine, it is the previous gate of the same chain. Otherwise
// it is the candidate with the largest logit.
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
