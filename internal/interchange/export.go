package interchange

import (
	"ialgn/internal/interchange/graph"
	"ialgn/internal/model"
)

// Network returns a frozen network as a graph, from which the writers produce the formats of other frameworks. The
// network's inputs are the bits of the thermometer, numbered as in the encoder. Scores are (count + beta) / tau.
func Network(f *model.Frozen, tau, beta float64) *graph.Network {
	c := graph.NewCircuit(f.Inputs())
	in := make([]graph.Ref, f.Inputs())
	for i := range in {
		in[i] = graph.Ref(i)
	}
	before, pins := in, make([]graph.Ref, 0, graph.MaxPins)
	for l := range f.Layers {
		layer := &f.Layers[l]
		out := make([]graph.Ref, layer.Width())
		for i := range out {
			pins = pins[:0]
			for k := range layer.Pins {
				p := &layer.Pins[k]
				if p.Source == model.Input {
					pins = append(pins, in[p.Index[i]])
				} else {
					pins = append(pins, before[p.Index[i]])
				}
			}
			out[i] = c.Add(tableOf(layer.Op.At(i), len(pins)), pins...)
		}
		before = out
	}
	n := &graph.Network{
		Input:   graph.Input{Shape: []int{f.Inputs()}, Digits: 1},
		Circuit: c, Sum: graph.Sum{Groups: make([][]graph.Ref, len(f.Classes)), Beta: []float64{beta}, Tau: tau},
	}
	size := f.Width / len(f.Classes)
	for class := range n.Sum.Groups {
		n.Sum.Groups[class] = before[class*size : (class+1)*size]
	}
	return n
}

// tableOf returns the truth table of the operation with number op. The highest digit of op is the output for pins
// that are all 0.
func tableOf(op uint64, pins int) uint64 {
	lines := 1 << pins
	table := uint64(0)
	for line := range lines {
		table |= op >> (lines - 1 - line) & 1 << line
	}
	return table
}
