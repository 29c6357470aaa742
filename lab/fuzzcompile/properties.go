package main

import (
	"fmt"
	"slices"

	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// gateTopologies lists the topologies of networks of gates. The topologies chain and random come from package netgen,
// with the paper's shares of operations.
var gateTopologies = []string{"chain", "random", "ialgn", "rwlgn", "rwlgn-spine", "rwlgn-classwise"}

// nodeTopologies lists the kinds of networks with nodes of one to six pins, for seeds from firstNodes on.
var nodeTopologies = []string{"chains of tables", "tree", "layered"}

// sharedTopologies lists the topologies whose nodes are shared between the positions of an image, for seeds from
// firstShared on.
var sharedTopologies = []string{topology.Conv}

// property is a property of a network that a compiler may handle wrongly. It is measured on the finished network, and
// not taken from the options with which the network was generated.
type property struct {
	name string
	has  func(p *profile) bool
}

// profile is a network with data to measure properties.
type profile struct {
	*model.Frozen
	model *model.Model
	roots []int // [chain]: number of the chain's function; equal functions have equal numbers
	size  int   // number of chains in each class
}

var properties = []property{
	{"1 gate", func(p *profile) bool { return p.Gates() == 1 }},
	{fmt.Sprintf("over %d gates", largeGates), func(p *profile) bool { return p.Gates() > largeGates }},
	{"1 layer", func(p *profile) bool { return p.Depth() == 1 }},
	{"2 classes", func(p *profile) bool { return len(p.Classes) == 2 }},
	{"100 classes", func(p *profile) bool { return len(p.Classes) == 100 }},
	{"number of classes not a power of two", func(p *profile) bool { return notPower(len(p.Classes)) }},
	{"classes of 1 chain", func(p *profile) bool { return p.size == 1 }},
	{"class size not a power of two", func(p *profile) bool { return notPower(p.size) }},
	{"class size of 2^k-1, over 1", func(p *profile) bool { return p.size > 1 && !notPower(p.size+1) }},
	{"n_b = 2", func(p *profile) bool { return p.Encoder.Bits == 2 }},
	{"1 feature", func(p *profile) bool { return p.Encoder.Features() == 1 }},
	{"class offsets", func(p *profile) bool { return slices.ContainsFunc(p.Offsets, func(n int) bool { return n > 0 }) }},
	{"class offset as large as the class", func(p *profile) bool { return p.LargestCount() == 2*p.size }},
	{"tie order", func(p *profile) bool { return p.Ties != nil }},
	{"tie order of 10 or more classes", func(p *profile) bool { return len(p.Ties) >= 10 }},
	{"words by cuts", func(p *profile) bool { return p.Encoder.ByCuts() }},
	{"repeated threshold", (*profile).repeatedThreshold},
	{"duplicate anchor in a chain", (*profile).duplicateAnchor},
	{"duplicate candidate of a pin", (*profile).duplicateCandidate},
	{"both pins on one net", (*profile).samePins},
	{"constant gate counted", (*profile).constantChain},
	{"all gates that are counted constant", func(p *profile) bool { return p.constants() == p.Width }},
	{"all but one of them constant", func(p *profile) bool { return p.Width > 1 && p.constants() == p.Width-1 }},
	{"equal chains", func(p *profile) bool { return p.equalChains(0) }},
	{"equal chains in two classes", (*profile).equalAcross},
	{"complementary chains", func(p *profile) bool { return p.equalChains(p.allOnes()) }},
	{"equal classes", (*profile).equalClasses},
	{"softmax16", func(p *profile) bool {
		return len(p.Layers[0].Pins) == 2 && p.model.Sections[0].Arity == model.Operations
	}},
	{"light", func(p *profile) bool { return len(p.Layers[0].Pins) == 2 && p.model.Sections[0].Arity == 4 }},
	{"1 pin a node", pinned(1)},
	{"3 pins a node", pinned(3)},
	{"4 pins a node", pinned(4)},
	{"5 pins a node", pinned(5)},
	{"6 pins a node", pinned(6)},
	{"positions share nodes", func(p *profile) bool { return p.model.Sections[0].Grid != nil }},
	{"positions are pooled", anyGrid(func(g *topology.Grid) bool { return g.Pool > 1 })},
	{"a row or column is left out of pooling", anyGrid(func(g *topology.Grid) bool {
		rows, columns := g.Size()
		return g.Pool > 1 && (rows%2 > 0 || columns%2 > 0)
	})},
	{"patches with a stride", anyGrid(func(g *topology.Grid) bool { return g.Stride > 1 })},
	{"patches beyond the edges", anyGrid(func(g *topology.Grid) bool { return g.Padding > 0 })},
	{"pins on what the lowest level reads, or on the last convolution", anyPin(model.Base)},
	{"pins on input bits under a patch", anyGrid(func(g *topology.Grid) bool { return g.Field != nil })},
	{"convolutions alone", func(p *profile) bool { return p.model.Sections[len(p.model.Sections)-1].Grid != nil }},
	{"layers of several widths", func(p *profile) bool { return p.Layers[0].Width() != p.Width }},
}

// pinned returns a function that reports whether the nodes of the first layer have the given number of pins.
func pinned(pins int) func(p *profile) bool {
	return func(p *profile) bool { return len(p.Layers[0].Pins) == pins }
}

// anyGrid returns a function that reports whether a condition holds for any section with shared nodes.
func anyGrid(holds func(g *topology.Grid) bool) func(p *profile) bool {
	return func(p *profile) bool {
		return slices.ContainsFunc(p.model.Sections, func(s model.Section) bool { return s.Grid != nil && holds(s.Grid) })
	}
}

// anyPin returns a function that reports whether any pin reads the given source.
func anyPin(of model.Source) func(p *profile) bool {
	return func(p *profile) bool {
		return slices.ContainsFunc(p.model.Sections, func(s model.Section) bool {
			return slices.ContainsFunc(s.Pins, func(pin model.Pin) bool { return pin.Source == of })
		})
	}
}

// propertiesOf returns the names of a network's properties.
func propertiesOf(f *model.Frozen, m *model.Model) []string {
	p := &profile{Frozen: f, model: m, size: f.Width / len(f.Classes)}
	p.roots = p.number(0)
	var names []string
	for _, property := range properties {
		if property.has(p) {
			names = append(names, property.name)
		}
	}
	return names
}

func notPower(n int) bool { return n&(n-1) != 0 }

func (p *profile) repeatedThreshold() bool {
	return slices.ContainsFunc(p.Encoder.Thresholds, func(row []uint16) bool {
		return len(slices.Compact(slices.Clone(row))) < len(row)
	})
}

// duplicateAnchor reports whether any gate reads the same input bit as the preceding gate in its chain.
func (p *profile) duplicateAnchor() bool {
	for l := 1; l < p.Depth(); l++ {
		a, b := lastPin(&p.Layers[l-1]), lastPin(&p.Layers[l])
		if a.Source != model.Input || b.Source != model.Input {
			continue
		}
		for i := range min(len(a.Index), len(b.Index)) {
			if a.Index[i] == b.Index[i] {
				return true
			}
		}
	}
	return false
}

func (p *profile) duplicateCandidate() bool {
	for i := range p.model.Sections {
		for _, pin := range p.model.Sections[i].Pins {
			for at := 0; at+1 < pin.Wires.Len(); at++ {
				if at%pin.K+1 < pin.K && pin.Wires.At(at) == pin.Wires.At(at+1) {
					return true
				}
			}
		}
	}
	return false
}

func (p *profile) samePins() bool {
	return slices.ContainsFunc(p.Layers, func(l model.FrozenLayer) bool {
		a, b := &l.Pins[0], lastPin(&l)
		for i := range a.Index {
			if a != b && a.Source == b.Source && a.Index[i] == b.Index[i] {
				return true
			}
		}
		return false
	})
}

// constants returns the number of constant gates in the last layer.
func (p *profile) constants() (n int) {
	for i := range p.Width {
		if op := p.Layers[p.Depth()-1].Op.At(i); op == 0 || op == p.allOnes() {
			n++
		}
	}
	return n
}

// allOnes returns the table of constant 1 for the last layer's nodes.
func (p *profile) allOnes() uint64 { return model.LastTable(len(p.Layers[p.Depth()-1].Pins)) }

func (p *profile) constantChain() bool { return p.constants() > 0 }

// number numbers the functions that the chains have after the last operation of each chain is XORed with change. If
// change is 0, these are the functions of the chains. If change is all ones, they are the complements. Chains with
// equal gates get equal numbers. A changed chain that equals no chain of the network gets a negative number.
func (p *profile) number(change uint64) []int {
	type gate struct {
		op   uint64
		pins [model.MaxPins]int
	}
	numbers := map[gate]int{}
	var before, after []int
	at := func(l *model.FrozenLayer, i int) gate {
		g := gate{op: l.Op.At(i)}
		for k := range l.Pins {
			if wire := l.Pins[k].Index[i]; l.Pins[k].Source == model.Input {
				g.pins[k] = -1 - int(wire)
			} else {
				g.pins[k] = before[wire]
			}
		}
		return g
	}
	for l := range p.Layers {
		layer := &p.Layers[l]
		before, after = after, make([]int, layer.Width())
		for i := range after {
			g := at(layer, i)
			if _, known := numbers[g]; !known {
				numbers[g] = len(numbers)
			}
			after[i] = numbers[g]
		}
	}
	if change == 0 {
		return after
	}
	for i := range after {
		g := at(&p.Layers[p.Depth()-1], i)
		g.op ^= change
		if n, known := numbers[g]; known {
			after[i] = n
		} else {
			after[i] = -1 - i
		}
	}
	return after
}

// equalChains reports whether a chain equals another chain after its last operation is XORed with change.
func (p *profile) equalChains(change uint64) bool {
	first := map[int]int{}
	for i, n := range p.roots {
		if _, known := first[n]; !known {
			first[n] = i
		}
	}
	for i, n := range p.number(change) {
		if j, known := first[n]; known && j != i {
			return true
		}
	}
	return false
}

// equalAcross reports whether two chains of different classes are equal.
func (p *profile) equalAcross() bool {
	class := map[int]int{}
	for i, n := range p.roots {
		if c, known := class[n]; known && c != i/p.size {
			return true
		}
		class[n] = i / p.size
	}
	return false
}

// equalClasses reports whether two classes always have the same count.
func (p *profile) equalClasses() bool {
	seen := map[string]bool{}
	for from := 0; from < p.Width; from += p.size {
		key := fmt.Sprint(slices.Sorted(slices.Values(p.roots[from : from+p.size])))
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}
