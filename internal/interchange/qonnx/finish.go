package qonnx

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/graph"
)

// layer is a LookupTable of one-bit words. A network may be a chain of such layers.
type layer struct{ width, pins int }

// finish makes the network from the most useful output. An output can be sums, the class with the largest sum, or
// bits.
func (r *reader) finish() (*graph.Network, error) {
	v, name := r.outcome()
	if v == nil || r.circuit == nil {
		return nil, errors.New("no output of its graph depends on look-up tables")
	}
	if v.isSums() {
		if len(v.sums) < 2 {
			return nil, fmt.Errorf("its output %.80q has one score: give one for each class", name)
		}
		r.net.Sum = graph.Sum{Groups: v.sums, Beta: same(v.beta), Tau: v.tau}
		if v.tau == 0 {
			r.net.Sum.Tau = 1
		}
		if err := checkpoint.CompareSum(r.src, &r.net.Sum, "the graph"); err != nil {
			return nil, err
		}
		checkpoint.FoundSum(r.net, r.src.Name, true, "")
	} else if err := r.groups(v, name); err != nil {
		return nil, err
	}
	r.found()
	if !r.dense() {
		r.net.Circuit = r.circuit
	}
	return r.net, nil
}

// outcome returns the most useful output and its name.
func (r *reader) outcome() (best *value, name string) {
	rank := func(v *value) int {
		switch {
		case v == nil || v.isFeatures():
			return 0
		case v.isBits() && v.weights == nil:
			return 1
		case v.isClass:
			return 2
		case v.isSums():
			return 3
		}
		return 0
	}
	for _, o := range r.graph.Outputs {
		if v := r.values[o.Name]; rank(v) > rank(best) {
			best, name = v, o.Name
		}
	}
	return best, name
}

// same returns a list of one number if all numbers of the list are equal. Otherwise it returns the list unchanged.
func same(list []float64) []float64 {
	if len(list) > 0 && !slices.ContainsFunc(list, func(x float64) bool { return x != list[0] }) {
		return list[:1]
	}
	return list
}

// groups turns an output of bits into sums, with the groups that the user gives.
func (r *reader) groups(v *value, name string) error {
	n, facts := v.elements(), &r.src.Facts.Sum
	sum := &checkpoint.Sum{Why: fmt.Sprintf("the graph ends in bits, %.80q, and does not count them", name), Circuit: true}
	if err := sum.Resolve(r.src, r.net, n, facts.Padding != nil && *facts.Padding > 0); err != nil {
		return err
	}
	for g, group := range r.net.Sum.Groups {
		var counted []graph.Ref
		for _, at := range group {
			if at < 0 { // a zero that was added after the last bit
				continue
			}
			if err := r.count(&counted, v, int(at)); err != nil {
				return err
			}
		}
		r.net.Sum.Groups[g] = counted
	}
	return nil
}

// found adds findings about the network.
func (r *reader) found() {
	from := r.src.Name
	in := &r.net.Input
	switch {
	case in.Thresholds != nil:
		r.net.Found("input", fmt.Sprintf("%d features, %d thresholds each", in.Features(), in.PerFeature()), from)
	default:
		r.net.Found("input", fmt.Sprintf("%d numbers of %d bits", in.Features(), in.Digits), from)
	}
	r.net.Found("network", fmt.Sprintf("%d operators of look-up tables, %d tables", r.lookups, r.circuit.Nodes()), from)
}

// dense turns the circuit into dense layers. This is possible if each layer reads the layer before and the sums read
// the last layer. Otherwise dense changes nothing and returns false.
func (r *reader) dense() bool {
	c, s := r.circuit, &r.net.Sum
	nodes, bytes := 0, int64(0)
	for _, l := range r.layers {
		nodes += l.width
		if l.pins <= graph.MaxPins {
			bytes += int64(l.width) * (4<<l.pins + 4*int64(l.pins))
		}
	}
	if len(r.layers) == 0 || nodes != c.Nodes() || r.take(bytes) != nil || !r.isChain() {
		return false
	}
	node, before := 0, 0 // node: the first node of the layer; before: the first bit that this node reads
	for _, l := range r.layers {
		d := graph.Dense{
			Width: l.width, Pins: l.pins, Candidates: 1, Wires: make([][]uint32, l.pins),
			Logits: make([]float32, 0, l.width<<l.pins),
		}
		for i := range l.width {
			for line := range 1 << l.pins {
				d.Logits = append(d.Logits, float32(int(c.Tables[node+i]>>line&1)*2-1))
			}
		}
		for k := range d.Wires {
			d.Wires[k] = make([]uint32, l.width)
			for i := range d.Wires[k] {
				d.Wires[k][i] = uint32(int(c.NodePins(node + i)[k]) - before)
			}
		}
		r.net.Dense = append(r.net.Dense, d)
		before, node = c.Inputs+node, node+l.width
	}
	for g, group := range s.Groups {
		s.Groups[g] = slices.Clone(group) // classes may share their bits
		for i := range group {
			if group[i] >= 0 {
				s.Groups[g][i] -= graph.Ref(before)
			}
		}
	}
	return true
}

// isChain reports whether each of the recorded layers reads the layer before.
func (r *reader) isChain() bool {
	c, node, before, width := r.circuit, 0, 0, r.circuit.Inputs
	outside := func(ref graph.Ref) bool { return int(ref) < before || int(ref) >= before+width }
	for _, l := range r.layers {
		if l.pins > graph.MaxPins {
			return false
		}
		for i := range l.width {
			if pins := c.NodePins(node + i); len(pins) != l.pins || slices.ContainsFunc(pins, outside) {
				return false
			}
		}
		before, node, width = c.Inputs+node, node+l.width, l.width
	}
	for _, group := range r.net.Sum.Groups {
		if slices.ContainsFunc(group, func(ref graph.Ref) bool { return ref >= 0 && outside(ref) }) {
			return false
		}
	}
	return true
}
