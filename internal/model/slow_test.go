package model_test

import (
	"slices"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// truth is the paper's table of operations, written out. For each operation, it has f(0,0), f(0,1), f(1,0) and
// f(1,1).
var truth = [16][4]bool{
	0:  {false, false, false, false}, // FALSE
	1:  {false, false, false, true},  // A AND B
	2:  {false, false, true, false},  // A AND NOT B
	3:  {false, false, true, true},   // A
	4:  {false, true, false, false},  // NOT A AND B
	5:  {false, true, false, true},   // B
	6:  {false, true, true, false},   // A XOR B
	7:  {false, true, true, true},    // A OR B
	8:  {true, false, false, false},  // NOR
	9:  {true, false, false, true},   // XNOR
	10: {true, false, true, false},   // NOT B
	11: {true, false, true, true},    // A OR NOT B
	12: {true, true, false, false},   // NOT A
	13: {true, true, false, true},    // NOT A OR B
	14: {true, true, true, false},    // NAND
	15: {true, true, true, true},     // TRUE
}

// slow is the forward pass of one sample in the obvious form. It is computed from the model's logits.
type slow struct {
	layers [][]bool
	counts []int32
	class  uint8
}

func evaluateSlowly(m *model.Model, x []bool) slow {
	var out slow
	h := []bool(nil)
	var left [][]bool // the sections' outputs
	for i := range m.Sections {
		s := &m.Sections[i]
		if i > 0 {
			left = append(left, h)
		}
		base := []bool(nil)
		if b := m.Base(i); b >= 0 {
			base = left[b]
		}
		if s.Grid != nil {
			h = evaluatePatches(m, s, [3][]bool{x, h, base}, &out)
			continue
		}
		for l := range s.Layers {
			next := make([]bool, s.Width)
			for i := range next {
				g, line := i*s.Layers+l, 0
				for k := range s.Pins {
					if line *= 2; slowPin(&s.Pins[k], g, i, [3][]bool{x, h, base}) {
						line++
					}
				}
				next[i] = slowNode(s.Ops[g*s.Arity:(g+1)*s.Arity], line, len(s.Pins))
			}
			h = next
			out.layers = append(out.layers, h)
		}
	}
	out.counts = make([]int32, len(m.Classes))
	for c, n := range m.Offsets {
		out.counts[c] = int32(n)
	}
	for i, bit := range h {
		if bit {
			out.counts[i/(m.Width/len(m.Classes))]++
		}
	}
	largest := slices.Max(out.counts)
	for c := len(out.counts) - 1; c >= 0; c-- { // from the last to the first, so that the first one is left
		if class := slowTie(m, c); out.counts[class] == largest {
			out.class = uint8(class)
		}
	}
	return out
}

// slowTie returns the class at a place of the tie order.
func slowTie(m *model.Model, place int) int {
	if m.Ties == nil {
		return place
	}
	return m.Ties[place]
}

// evaluatePatches evaluates a section whose nodes are shared by positions. It includes pooling.
func evaluatePatches(m *model.Model, s *model.Section, from [3][]bool, out *slow) []bool {
	g := s.Grid
	rows, columns := (g.Rows+2*g.Padding-g.Side)/g.Stride+1, (g.Columns+2*g.Padding-g.Side)/g.Stride+1
	var all []bool
	for node := range s.Width {
		for y := range rows {
			for x0 := range columns {
				line := 0
				for k := range s.Pins {
					if line *= 2; slowElement(m, s, k, node, y, x0, from) {
						line++
					}
				}
				all = append(all, slowNode(s.Ops[node*s.Arity:][:s.Arity], line, len(s.Pins)))
			}
		}
	}
	out.layers = append(out.layers, all)
	if g.Pool == 1 {
		return all
	}
	var pooled []bool
	for node := range s.Width {
		for y := range rows / 2 {
			for x0 := range columns / 2 {
				at := (node*rows+2*y)*columns + 2*x0
				pooled = append(pooled, all[at] || all[at+1] || all[at+columns] || all[at+columns+1])
			}
		}
	}
	out.layers = append(out.layers, pooled)
	return pooled
}

// slowElement returns the bit that pin k of a node reads at the position in row y and column c.
func slowElement(m *model.Model, s *model.Section, k, node, y, c int, from [3][]bool) bool {
	p := &s.Pins[k]
	g := s.Grid.Of(p.Source)
	element := slowWire(p, node)
	plane, row, column := element/(g.Side*g.Side), element/g.Side%g.Side, element%g.Side
	row, column = row+y*g.Stride-g.Padding, column+c*g.Stride-g.Padding
	switch {
	case row < 0 || row >= g.Rows || column < 0 || column >= g.Columns:
		return false
	case p.Source == model.Input:
		bits := m.Encoder.Bits - 1
		return from[0][((plane/bits*g.Rows+row)*g.Columns+column)*bits+plane%bits]
	}
	return slowSource(p, from)[(plane*g.Rows+row)*g.Columns+column]
}

// slowSource returns the bits that a pin may read. They are the input, the section before or the base.
func slowSource(p *model.Pin, from [3][]bool) []bool {
	switch p.Source {
	case model.Input:
		return from[0]
	case model.Base:
		return from[2]
	}
	return from[1]
}

func slowPin(p *model.Pin, g, chain int, from [3][]bool) bool {
	if p.Source == model.Spine {
		return from[1][chain]
	}
	return slowSource(p, from)[slowWire(p, g)]
}

// slowWire returns the candidate with the largest logit.
func slowWire(p *model.Pin, g int) int {
	best := 0
	for k := range p.K {
		if p.K > 1 && p.Logits[g*p.K+k] > p.Logits[g*p.K+best] {
			best = k
		}
	}
	return int(p.Wires.At(g*p.K + best))
}

func slowNode(logits []float32, line, pins int) bool {
	if pins != 2 || len(logits) == 4 {
		return logits[line] > 0
	}
	op := 0
	for k, v := range logits {
		if v > logits[op] {
			op = k
		}
	}
	return truth[op][line]
}

// bitsOf returns the thermometer bits of sample s, ordered by feature.
func bitsOf(e *encoding.Encoder, p *encoding.Packed, s int) []bool {
	level := make([]uint16, p.Features)
	p.Values(level, s)
	var x []bool
	for _, v := range level {
		for j := 1; j < e.Bits; j++ {
			x = append(x, int(v) >= j)
		}
	}
	return x
}
