package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// These constants limit the sizes of the networks. Two of five networks are large.
const (
	mostGates  = 2000
	largeGates = 300 // a large network has more gates than this
)

// shape is the size of a network.
type shape struct {
	classes, size int // size is the number of chains of each class
	depth         int
	features      int
	bits, bitsIn  int
}

// drawShape draws a shape with 1 to mostGates gates.
func drawShape(r *rand.Rand) shape {
	large := r.IntN(5) < 2
	for {
		s := shape{classes: drawClasses(r), size: 1, depth: 1}
		first, then := &s.size, &s.depth // the dimension that is drawn first can become larger
		if r.IntN(2) == 0 {
			first, then = then, first
		}
		for _, dim := range []*int{first, then} {
			if r.IntN(6) > 0 {
				*dim = 1 + skewed(r, max(1, mostGates/(s.classes*s.size*s.depth)))
			}
		}
		if gates := s.classes * s.size * s.depth; gates > mostGates || (gates > largeGates) != large {
			continue
		}
		s.bitsIn = 1 + r.IntN(8)
		s.bits = 2 + skewed(r, min(15, 1<<s.bitsIn-1))
		s.features = 1 + skewed(r, 30)
		return s
	}
}

func drawClasses(r *rand.Rand) int {
	switch r.IntN(10) {
	case 0:
		return 2 + r.IntN(99)
	case 1:
		return 100
	case 2:
		return 1
	}
	return 2 + r.IntN(11)
}

// skewed draws a number from 0 to n-1. Each power of two is about equally frequent.
func skewed(r *rand.Rand, n int) int { return r.IntN(1 + r.IntN(n)) }

// drawNetwork draws a network and returns it with the name of its topology.
func drawNetwork(r *rand.Rand) (*model.Frozen, string) {
	s := drawShape(r)
	shares := [][2]float64{{0, 0}, {0.884, 0.114}, {0.5, 0.4}, {0, 1}}[r.IntN(4)]
	kind := gateTopologies[r.IntN(len(gateTopologies))]
	var f *model.Frozen
	switch kind {
	case "chain", "random":
		o := netgen.FrozenOptions{
			Width: s.classes * s.size, Depth: s.depth, Features: s.features, Bits: s.bits, BitsIn: s.bitsIn,
			Classes: s.classes, ShareA: shares[0], ShareBinary: shares[1], Mix: netgen.Mix(r.IntN(3)),
		}
		if kind == "random" {
			o.Topology = netgen.Random
		}
		f = netgen.Frozen(r.Uint64(), o)
	default:
		o := netgen.ModelOptions{
			Topology: kind, Width: s.classes * s.size, Depth: s.depth, Features: s.features, Bits: s.bits,
			BitsIn: s.bitsIn, Classes: s.classes, Light: r.IntN(4) == 0, Seed: r.Uint64(),
			ShareA: shares[0], ShareBinary: shares[1],
		}
		if kind == "ialgn" {
			o.Anchors, o.Hidden, o.Fixed = 1+r.IntN(4), 1+r.IntN(2), r.IntN(4) == 0
		}
		f = netgen.Model(o).Freeze()
	}
	spoil(r, f)
	return f, kind
}

// drawNodes draws a network of look-up tables and returns it with the name of its topology.
func drawNodes(r *rand.Rand) (*model.Frozen, string) {
	s := drawShape(r)
	shares := [][2]float64{{0, 0}, {0.5, 0.3}, {0, 0.6}}[r.IntN(3)]
	kind := nodeTopologies[r.IntN(len(nodeTopologies))]
	o := netgen.ModelOptions{
		Topology: kind, Width: s.classes * s.size, Depth: s.depth, Features: s.features, Bits: s.bits, BitsIn: s.bitsIn,
		Classes: s.classes, Inputs: 1 + r.IntN(model.MaxPins), Anchors: 1 + r.IntN(4), Seed: r.Uint64(),
		ShareA: shares[0], ShareBinary: shares[1],
	}
	switch kind {
	case "chains of tables":
		o.Topology, o.Hidden, o.Light = "ialgn", 1+r.IntN(2), true
	case "tree":
		o.Light = true
		o.Leaves, o.Depth = 1+r.IntN(o.Inputs), 2
		level := o.Leaves // number of nodes in the lowest level for each root
		nodes := 1 + level
		for ; nodes+level*o.Leaves < mostGates/s.classes && o.Depth < 7 && r.IntN(2) == 0; nodes += level {
			level *= o.Leaves
			o.Depth++
		}
		o.Width = s.classes * max(1, min(s.size, mostGates/(s.classes*nodes)))
	case "layered":
		widths := []string{fmt.Sprint(o.Width)}
		for l, left := 1, mostGates-o.Width; l < s.depth && left > 0; l++ {
			width := 1 + skewed(r, min(left, 2*o.Width))
			widths, left = append(widths, fmt.Sprint(width)), left-width
		}
		slices.Reverse(widths)
		o.Widths, o.Hidden, o.Light = strings.Join(widths, ","), 1+r.IntN(3), r.IntN(2) == 0
	}
	f := netgen.Model(o).Freeze()
	spoil(r, f)
	return f, kind
}

// spoil adds to a network features that passes may handle wrongly. Each feature has a certain probability.
func spoil(r *rand.Rand, f *model.Frozen) {
	for _, change := range []func(*rand.Rand, *model.Frozen){
		sharedAnchors, samePins, constantChains, equalChains, equalClasses, oddThresholds,
	} {
		if r.IntN(4) == 0 {
			change(r, f)
		}
	}
	if err := f.Validate(); err != nil {
		panic("fuzzcompile: " + err.Error())
	}
}

// sharedAnchors makes half of the gates read the same anchor as the preceding gate in the chain.
func sharedAnchors(r *rand.Rand, f *model.Frozen) {
	for l := 1; l < f.Depth(); l++ {
		before, own := lastPin(&f.Layers[l-1]), lastPin(&f.Layers[l])
		if own.Source == model.Previous && l > 1 && f.Layers[l-1].Width() != f.Layers[l-2].Width() {
			continue // the gates read layers of different widths
		}
		for i := range min(len(own.Index), len(before.Index)) {
			if own.Source == before.Source && r.IntN(2) == 0 {
				own.Index[i] = before.Index[i]
			}
		}
	}
}

func lastPin(layer *model.FrozenLayer) *model.FrozenPin { return &layer.Pins[len(layer.Pins)-1] }

// samePins makes half of the gates read the same net with both pins, where possible.
func samePins(r *rand.Rand, f *model.Frozen) {
	for l := range f.Layers {
		a, b := &f.Layers[l].Pins[0], lastPin(&f.Layers[l])
		for i := range b.Index {
			if a.Source == b.Source && r.IntN(2) == 0 {
				b.Index[i] = a.Index[i]
			}
		}
	}
}

// constantChains makes the last gates of some chains, or of a whole class, constant.
func constantChains(r *rand.Rand, f *model.Frozen) {
	layer, size := &f.Layers[f.Depth()-1], f.Width/len(f.Classes)
	for range 1 + r.IntN(4) {
		layer.Op.Set(r.IntN(f.Width), drawConstant(r, layer))
	}
	if from := r.IntN(len(f.Classes)) * size; r.IntN(2) == 0 {
		for i := range size {
			layer.Op.Set(from+i, drawConstant(r, layer))
		}
	}
}

// drawConstant draws the table of constant 0 or 1 for a node of the layer.
func drawConstant(r *rand.Rand, layer *model.FrozenLayer) uint64 {
	return model.LastTable(len(layer.Pins)) * uint64(r.IntN(2))
}

// constantNetwork makes the last gates of all chains constant. The argument but is the number of a chain that is left
// out, or negative. If all chains are constant, the netlist reads no input and has no encoder.
func constantNetwork(r *rand.Rand, f *model.Frozen, but int) {
	layer := &f.Layers[f.Depth()-1]
	for i := range f.Width {
		if i != but {
			layer.Op.Set(i, drawConstant(r, layer))
		}
	}
}

// equalChains makes some chains copies of other chains. It changes the last layer of some copies, so that some copies
// are complementary to the original.
func equalChains(r *rand.Rand, f *model.Frozen) {
	layer := &f.Layers[f.Depth()-1]
	last, all := layer.Op, model.LastTable(len(layer.Pins))
	for range 1 + r.IntN(1+f.Width/4) {
		from, to := r.IntN(f.Width), r.IntN(f.Width)
		if copyChain(f, from, to); from != to && r.IntN(2) == 0 {
			change := uint64(1 + r.IntN(15)) // 15 is the complement
			last.Set(to, last.At(to)^max(1, all/15)*change&all)
		}
	}
	if from, to := r.IntN(f.Width), r.IntN(f.Width); from != to {
		copyChain(f, from, to)
		last.Set(to, last.At(to)^all)
	}
}

// equalClasses makes one class equal to another class, so that both have the same count for every sample.
func equalClasses(r *rand.Rand, f *model.Frozen) {
	size := f.Width / len(f.Classes)
	from, to := r.IntN(len(f.Classes)), r.IntN(len(f.Classes))
	for i := range size {
		copyChain(f, from*size+i, to*size+i)
	}
}

// copyChain copies the gates of one chain to another chain.
func copyChain(f *model.Frozen, from, to int) {
	for l := range f.Layers {
		layer := &f.Layers[l]
		if layer.Width() != f.Width {
			continue // a layer of another width has no nodes of these chains
		}
		layer.Op.Set(to, layer.Op.At(from))
		for k := range layer.Pins {
			p := &layer.Pins[k]
			own := p.Source == model.Previous && int(p.Index[from]) == from && f.Layers[l-1].Width() == f.Width
			if p.Index[to] = p.Index[from]; own {
				p.Index[to] = uint32(to)
			}
		}
	}
}

// In one of eight networks, cutFeatures gives the features cuts instead of scales. Some of the cuts are equal.
func cutFeatures(r *rand.Rand, f *model.Frozen) {
	if r.IntN(8) > 0 {
		return
	}
	var cuts [][]float64
	for range f.Encoder.Features() {
		row := make([]float64, f.Encoder.Bits-1)
		for j := range row {
			row[j] = r.NormFloat64() * math.Pow(10, float64(r.IntN(5)))
			if j > 0 && r.IntN(4) == 0 {
				row[j] = row[j-1]
			}
		}
		slices.Sort(row)
		cuts = append(cuts, row)
	}
	e, err := encoding.NewCuts(cuts, nil)
	if err != nil {
		panic("fuzzcompile: " + err.Error())
	}
	f.Encoder = *e
}

// oddThresholds draws new thresholds, with repeated and extreme values.
func oddThresholds(r *rand.Rand, f *model.Frozen) {
	e := encoding.Encoder{Bits: f.Encoder.Bits, BitsIn: f.Encoder.BitsIn, Max: f.Encoder.Max}
	for range f.Encoder.Thresholds {
		row := make([]uint16, e.Bits-1)
		for i := range row {
			row[i] = uint16(r.IntN(int(e.Max) + 1))
		}
		slices.Sort(row)
		e.Thresholds = append(e.Thresholds, row)
	}
	if err := e.Check(); err != nil {
		panic("fuzzcompile: " + err.Error())
	}
	f.Encoder = e
}
