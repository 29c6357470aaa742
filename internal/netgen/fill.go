package netgen

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"ialgn/internal/memory"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// modelGenerator fills the arrays of one section.
type modelGenerator struct {
	*rand.Rand
	o       ModelOptions
	m       *model.Model
	section int
	layer   topology.Layer
	inputs  []uint32 // input bits from which pins choose; nil for all
}

// chooseInputs draws the input bits from which pins choose: a share of n inputs. It returns nil for all inputs.
func chooseInputs(r *rand.Rand, n int, share float64) []uint32 {
	if share == 0 || share == 1 {
		return nil
	}
	inputs := make([]uint32, max(1, int(share*float64(n))))
	for i, v := range r.Perm(n)[:len(inputs)] {
		inputs[i] = uint32(v)
	}
	return inputs
}

func (g *modelGenerator) fill(s *model.Section) {
	gates, arity := s.Width*s.Layers, s.Arity
	s.Ops = g.normal(gates * arity)
	if g.section > 0 && g.o.ShareA+g.o.ShareBinary > 0 {
		for i := range gates {
			if pins := len(s.Pins); pins == 2 {
				g.prefer(s.Ops[i*arity:(i+1)*arity], g.operation())
			} else {
				g.preferTable(s.Ops[i*arity:(i+1)*arity], g.table(pins))
			}
		}
	}
	for k := range s.Pins {
		g.fillPin(s, k)
	}
}

func (g *modelGenerator) normal(n int) []float32 {
	x := memory.MakeHuge[float32](n)
	for i := range x {
		x[i] = float32(g.NormFloat64())
	}
	return x
}

// operation draws an operation with the shares of the options.
func (g *modelGenerator) operation() uint8 { return shared(g.Rand, g.o.ShareA, g.o.ShareBinary) }

// prefer raises the logits of a gate so that freezing selects op.
func (g *modelGenerator) prefer(logits []float32, op uint8) {
	if len(logits) == 16 {
		logits[op] += 20
		return
	}
	g.preferTable(logits, uint64(op))
}

// table draws the number of a table with the given number of pins (see [model.Tables]). With a probability of ShareA,
// the table passes pin A on. With a probability of ShareBinary, its output is 1 if enough pins are 1. Otherwise it is
// any table.
func (g *modelGenerator) table(pins int) uint64 {
	switch u := g.Float64(); {
	case u < g.o.ShareA:
		return model.PinTable(pins, 0)
	case u < g.o.ShareA+g.o.ShareBinary:
		least, t := 1+g.IntN(pins), uint64(0)
		for line := range 1 << pins {
			if t <<= 1; bits.OnesCount(uint(line)) >= least {
				t |= 1
			}
		}
		return t
	}
	return g.Uint64() & model.LastTable(pins)
}

// preferTable raises the logits of the lines in which the table is 1, and lowers the other logits, so that freezing
// selects the table.
func (g *modelGenerator) preferTable(logits []float32, table uint64) {
	for i := range logits {
		logits[i] += float32(20*int(table>>(len(logits)-1-i)&1) - 10)
	}
}

// fillPin draws the candidates of a pin and their logits. Candidates are distinct if there are enough sources.
func (g *modelGenerator) fillPin(s *model.Section, k int) {
	p, form := &s.Pins[k], &g.layer.Pins[k]
	if p.Source == model.Spine {
		return
	}
	entries := s.Width * s.Layers
	p.Wires = model.MakeIndices(entries*p.K, g.m.Limit(g.section, k))
	if form.Wires == topology.Leaves {
		for i := range entries {
			p.Wires.Set(i, uint32(i*form.Leaf.Of+form.Leaf.Index))
		}
		return
	}
	drawn := make([]uint32, 0, p.K)
	for i := range entries {
		low, n := g.group(k, i/s.Layers)
		drawn = drawn[:0]
		for len(drawn) < p.K {
			v := uint32(low + g.IntN(n))
			if p.Source == model.Input && g.inputs != nil {
				v = g.inputs[v]
			}
			if len(drawn) < n && slices.Contains(drawn, v) {
				continue
			}
			p.Wires.Set(i*p.K+len(drawn), v)
			drawn = append(drawn, v)
		}
	}
	if p.K > 1 {
		p.Logits = g.normal(entries * p.K)
	}
}

// group returns the range of sources from which pin k of a node may choose. With class-wise wiring, these are the
// nodes of the node's own class. Otherwise they are all sources.
func (g *modelGenerator) group(k, node int) (low, n int) {
	switch form := &g.layer.Pins[k]; {
	case form.Source == model.Input && g.inputs != nil:
		return 0, len(g.inputs)
	case form.Wires == topology.ClassWise:
		n = g.m.Width / g.o.Classes
		return node / n * n, n
	}
	return 0, g.m.Limit(g.section, k)
}
