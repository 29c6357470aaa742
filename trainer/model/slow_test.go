package model_test

import (
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// truth is the paper's table of operations, written out: f(0,0), f(0,1), f(1,0),
// f(1,1) of each.
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

// slow is the obvious forward pass of one sample, from the model's logits.
type slow struct {
	layers [][]bool
	counts []int32
	class  uint8
}

func evaluateSlowly(m *model.Model, x []bool) slow {
	var out slow
	h := []bool(nil)
	for _, s := range m.Sections {
		for l := range s.Layers {
			next := make([]bool, s.Width)
			for i := range next {
				g, line := i*s.Layers+l, 0
				for k := range s.Pins {
					if line *= 2; slowPin(&s.Pins[k], g, i, x, h) {
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
	for i, bit := range h {
		if bit {
			out.counts[i/(m.Width/len(m.Classes))]++
		}
	}
	for c := range out.counts {
		if out.counts[c] > out.counts[out.class] {
			out.class = uint8(c)
		}
	}
	return out
}

func slowPin(p *model.Pin, g, chain int, x, h []bool) bool {
	if p.Source == model.Spine {
		return h[chain]
	}
	best := 0
	for k := range p.K {
		if p.K > 1 && p.Logits[g*p.K+k] > p.Logits[g*p.K+best] {
			best = k
		}
	}
	wire := p.Wires.At(g*p.K + best)
	if p.Source == model.Input {
		return x[wire]
	}
	return h[wire]
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

// bitsOf returns the thermometer bits of sample s, feature by feature.
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
