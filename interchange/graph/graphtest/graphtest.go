// Package graphtest evaluates networks of other frameworks in tests, slowly and obviously.
package graphtest

import "ialgn/interchange/graph"

// Scores returns the scores of one sample, in float32. x are its features.
func Scores(n *graph.Network, x []float64) []float32 {
	bits := inputs(n, x)
	value := func(ref graph.Ref) bool { return ref == graph.True || ref >= 0 && bits[ref] }
	line := func(pins []graph.Ref) (line int) {
		for _, p := range pins {
			line <<= 1
			if value(p) {
				line |= 1
			}
		}
		return line
	}
	for i := range n.Dense {
		d := &n.Dense[i]
		after := make([]bool, d.Width)
		for node := range after {
			var pins []graph.Ref
			for k := range d.Pins {
				pins = append(pins, graph.Ref(d.Wire(node, k)))
			}
			after[node] = d.Table(node)>>line(pins)&1 == 1
		}
		bits = after
	}
	if c := n.Circuit; c != nil {
		for node := range c.Nodes() {
			bits = append(bits, c.Tables[node]>>line(c.NodePins(node))&1 == 1)
		}
	}
	var scores []float32
	for class, group := range n.Sum.Groups {
		count := float32(0)
		for _, ref := range group {
			if value(ref) {
				count++
			}
		}
		scores = append(scores, (count+float32(n.Sum.BetaOf(class)))/float32(n.Sum.Tau))
	}
	return scores
}

// inputs returns the input bits of a sample.
func inputs(n *graph.Network, x []float64) []bool {
	bits := make([]bool, n.Input.Bits())
	for i := range bits {
		b := n.Input.Bit(i)
		if t := n.Input.Thresholds; t != nil {
			bits[i] = float32(x[b.Feature]) > t[b.Feature][b.Index]
		} else {
			bits[i] = int(x[b.Feature])>>b.Index&1 == 1
		}
	}
	return bits
}
