// Package gates reads circuits in BLIF and AIGER whose outputs are the bits that a classifier counts, such as those
// that compile --scope gates writes: inputs and outputs are in the order of the file, and the user says how many
// classes there are.
//
// Circuits are combinational. Nothing is simplified but buffers and constants in BLIF; nodes of more than six inputs
// are taken apart. Memory is bounded by the file: no number in it is believed before what it counts was read.
package gates

import (
	"fmt"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/message"
)

// maxInputs bounds the inputs, which an AIGER file only counts.
const maxInputs = 1 << 24

// whyNoSum says why a circuit has no classes.
const whyNoSum = "a circuit does not say which class an output counts for, nor how counts become scores"

// network makes the network of a circuit with the bits that are its outputs.
func network(src *given.Source, format string, c *graph.Circuit, outputs []graph.Ref) (*graph.Network, error) {
	if c.Inputs == 0 || len(outputs) == 0 {
		return nil, fmt.Errorf("%d inputs and %d outputs are no classifier", c.Inputs, len(outputs))
	}
	n := &graph.Network{Format: format, Circuit: c, Input: checkpoint.Bits(c.Inputs)}
	if said := src.Facts.InDim; said != 0 && said != c.Inputs {
		return nil, checkpoint.Contradiction(src, "in_dim", said, "the circuit", c.Inputs)
	}
	if src.Thresholds != nil {
		var err error
		if n.Input, err = checkpoint.Thermometer(src, c.Inputs); err != nil {
			return nil, err
		}
	}
	n.Found("circuit", fmt.Sprintf("%s, %s, %s", message.Plural(c.Inputs, "input", "inputs"),
		message.Plural(c.Nodes(), "node", "nodes"), message.Plural(len(outputs), "output", "outputs")), "the file itself")
	padding := src.Facts.Sum.Padding
	sum := &checkpoint.Sum{Why: whyNoSum, Circuit: true}
	if err := sum.Resolve(src, n, len(outputs), padding != nil && *padding > 0); err != nil {
		return nil, err
	}
	for _, group := range n.Sum.Groups {
		for i, ref := range group {
			if ref >= 0 {
				group[i] = outputs[ref]
			}
		}
	}
	return n, nil
}

// order calls emit for 0 to n-1, each after those that it depends on: element i has pins, each of which pin gives the
// element that drives it, negative if none does. It returns an element that depends on itself, or -1.
func order(n int, pins func(i int) int, pin func(i, k int) int32, emit func(i int) error) (cycle int, err error) {
	const (
		open = 1 + iota
		done
	)
	type visit struct{ node, next int }
	state := make([]byte, n)
	var stack []visit
	for root := range n {
		if state[root] == done {
			continue
		}
		stack = append(stack[:0], visit{root, 0})
		state[root] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == pins(top.node) {
				if err := emit(top.node); err != nil {
					return -1, err
				}
				state[top.node] = done
				stack = stack[:len(stack)-1]
				continue
			}
			next := pin(top.node, top.next)
			top.next++
			if next < 0 || state[next] == done {
				continue
			}
			if state[next] == open {
				return int(next), nil
			}
			state[next] = open
			stack = append(stack, visit{int(next), 0})
		}
	}
	return -1, nil
}

// room returns an error if a circuit is as large as circuits become.
func room(c *graph.Circuit, more int) error {
	if c.Nodes()+more > graph.MaxNodes {
		return fmt.Errorf("more than %d nodes", graph.MaxNodes)
	}
	return nil
}
