package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/topology"
)

// drawShared draws a network of convolutions. All positions together have 1 to mostGates nodes. drawShared returns a
// model, because a frozen network does not say which nodes are shared.
func drawShared(r *rand.Rand) *model.Model {
	large := r.IntN(3) > 0
	for {
		o, ok := drawConvolutions(r)
		if !ok {
			continue
		}
		m := netgen.Model(o)
		if n := m.Freeze().Gates(); n > mostGates || (n > largeGates) != large {
			continue
		}
		for _, change := range []func(*rand.Rand, *model.Model){equalKernels, constantKernels, equalPins} {
			if r.IntN(4) == 0 {
				change(r, m)
			}
		}
		if f := m.Freeze(); r.IntN(4) == 0 {
			oddThresholds(r, f)
			m.Encoder = f.Encoder
		}
		if err := m.Validate(); err != nil {
			panic("fuzzcompile: " + err.Error())
		}
		return m
	}
}

// drawConvolutions draws the options of a network with convolutions. It returns false if no network can have these
// options.
func drawConvolutions(r *rand.Rand) (netgen.ModelOptions, bool) {
	shares := [][2]float64{{0, 0}, {0.5, 0.3}, {0, 0.6}}[r.IntN(3)]
	o := netgen.ModelOptions{
		Topology: topology.Conv, Inputs: 2, Hidden: 1 + r.IntN(3), Light: true, Seed: r.Uint64(), ShareA: shares[0],
		ShareBinary: shares[1],
	}
	if r.IntN(2) == 0 {
		o.Inputs, o.Light = 2+r.IntN(model.MaxPins-1), r.IntN(2) == 0
	}
	o.BitsIn = 1 + r.IntN(8)
	o.Bits = 2 + skewed(r, min(6, 1<<o.BitsIn-1))
	o.Image = fmt.Sprintf("%d,%d,%d", 1+skewed(r, 4), 1+r.IntN(9), 1+r.IntN(9))
	n := 1 + r.IntN(3)
	list := func(draw func() int) string {
		var all []string
		for range n {
			all = append(all, fmt.Sprint(draw()))
		}
		return strings.Join(all, ",")
	}
	o.Kernels = list(func() int { return 1 + skewed(r, 9) })
	o.Levels = list(func() int { return 1 + skewed(r, 4) })
	o.Stride, o.Pool = list(func() int { return 1 + skewed(r, 3) }), list(func() int { return 1 + r.IntN(2) })
	var patches, padding []string
	for range n {
		side := 1 + r.IntN(4)
		patches, padding = append(patches, fmt.Sprint(side)), append(padding, fmt.Sprint(r.IntN(side)))
	}
	o.Patch, o.Padding = strings.Join(patches, ","), strings.Join(padding, ",")
	if r.IntN(3) > 0 {
		o.Widths = list(func() int { return 1 + r.IntN(60) })
	}
	switch r.IntN(6) {
	case 0:
		o.Leaves = 1 + r.IntN(o.Inputs)
	case 1:
		o.Anchored, o.Anchors = 1+r.IntN(o.Inputs-1), 1+r.IntN(3)
	case 2:
		o.Widths, o.Chains, o.Anchors = fmt.Sprint(1+r.IntN(60)), 1+r.IntN(4), 1+r.IntN(3)
	}
	// Impossible options, such as patches larger than the pooled image, are rejected.
	width, ok := o.Possible()
	if !ok {
		return o, false
	}
	for o.Classes = drawClasses(r); width%o.Classes != 0; o.Classes-- {
	}
	return o, true
}

// equalKernels makes some nodes of a section copies of other nodes.
func equalKernels(r *rand.Rand, m *model.Model) {
	s := &m.Sections[r.IntN(len(m.Sections))]
	for range 1 + r.IntN(s.Width) {
		from, to := r.IntN(s.Width), r.IntN(s.Width)
		copy(s.Ops[to*s.Arity:][:s.Arity], s.Ops[from*s.Arity:][:s.Arity])
		for k := range s.Pins {
			p := &s.Pins[k]
			for j := range p.Wires.Len() / s.Width { // a spine has no wires
				p.Wires.Set(to*p.K+j, p.Wires.At(from*p.K+j))
				if p.K > 1 {
					p.Logits[to*p.K+j] = p.Logits[from*p.K+j]
				}
			}
		}
	}
}

// constantKernels makes some nodes of a section constant.
func constantKernels(r *rand.Rand, m *model.Model) {
	s := &m.Sections[r.IntN(len(m.Sections))]
	for range 1 + r.IntN(4) {
		makeConstant(r, s, r.IntN(s.Width))
	}
}

// constantLast makes the nodes of the last section constant. If the argument but is true, one node is left out.
func constantLast(r *rand.Rand, m *model.Model, but bool) {
	s := &m.Sections[len(m.Sections)-1]
	left := -1
	if but {
		left = r.IntN(s.Width)
	}
	for node := range s.Width {
		if node != left {
			makeConstant(r, s, node)
		}
	}
}

// makeConstant makes a node constant.
func makeConstant(r *rand.Rand, s *model.Section, node int) {
	w, one := s.Ops[node*s.Arity:][:s.Arity], float32(2*r.IntN(2)-1)
	for i := range w {
		w[i] = one
	}
	if s.Arity == model.Operations && len(s.Pins) == 2 {
		w[(len(w)-1)*r.IntN(2)] = 9
	}
}

// equalPins makes half of the nodes in a section read the same element with two pins.
func equalPins(r *rand.Rand, m *model.Model) {
	s := &m.Sections[r.IntN(len(m.Sections))]
	a, b := &s.Pins[0].Wires, &s.Pins[len(s.Pins)-1].Wires
	if s.Pins[0].Source != s.Pins[len(s.Pins)-1].Source || a.Len() != b.Len() {
		return // the pins read different sources, or have different numbers of candidates
	}
	for i := range a.Len() {
		if r.IntN(2) == 0 {
			b.Set(i, a.At(i))
		}
	}
}
