// Package gates reads classifier circuits in BLIF and AIGER. The outputs of a circuit are the bits that the
// classifier counts, as in the files that the command compile --scope gates writes. Inputs and outputs keep the order
// of the file. The user says how many classes there are.
//
// Circuits are combinational. The readers simplify nothing except buffers and constants in BLIF. A gate with more
// than six inputs becomes several nodes. The file's size limits the memory. A file may claim any number of items, but
// memory is allocated only for items that were read.
package gates

import (
	"fmt"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/message"
)

// maxInputs is the largest number of inputs. An AIGER file gives the number of inputs without listing them, so the
// file's size does not limit this number.
const maxInputs = 1 << 24

// whyNoSum says why a circuit has no classes.
const whyNoSum = "a circuit does not say which class an output counts for, nor how counts become scores"

// network makes a network from a circuit and its outputs.
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

// order calls emit for the elements 0 to n-1. Each element comes after the elements that it depends on. Element i has
// pins(i) pins. pin(i, k) is the element that drives pin k, or is negative if no element drives the pin. order
// returns an element that depends on itself, or -1.
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

// room returns an error if a circuit would become too large with the given number of additional nodes.
func room(c *graph.Circuit, more int) error {
	if c.Nodes()+more > graph.MaxNodes {
		return fmt.Errorf("more than %d nodes", graph.MaxNodes)
	}
	return nil
}
