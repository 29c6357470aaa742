// Package torchlogix reads networks that torchlogix trained, and reads and writes torchlogix's circuits.
//
// torchlogix saves a network in three forms. [Read] reads two of them, as values of package torchfile. A state dict
// has named tensors and little else. A whole module also has the attributes of its layers. The third form is the JSON
// of torchlogix's class Circuit. It has gates of two inputs, without the thermometer. [ReadCircuit] reads this form,
// and [WriteCircuit] writes it.
//
// # What a state dict lacks
//
// A state dict has only tensors. It lacks the following data:
//   - the parametrization, order and pooling of layers;
//   - the stride and padding of convolutions;
//   - the dimension that contains a thermometer's bits;
//   - the number of classes, tau and beta.
//
// The user's facts give this data, with the keys of torchlogix's constructors. A whole module has all of it. If both
// the file and the facts have a value, the two must agree. If neither has it, and it does not follow from the shapes
// of tensors, the result is a [given.Missing] with the key of the facts. Nothing is guessed.
//
// # Results
//
// A network of dense layers becomes [graph.Dense] with its logits and candidates, so that training can continue. A
// network with a convolution or a pooling is unrolled into a [graph.Circuit] of the selected tables.
//
// # Sources
//
// The facts about torchlogix come from its commit 6c6ad50 (ligerlac/torchlogix, MIT):
//   - the order of address bits from parametrization.py;
//   - connections from connections.py;
//   - convolution trees from layers/conv.py;
//   - thermometers from layers/binarization.py.
//
// Later versions apply softplus to the differences of a learnable thermometer. A file does not show this.
package torchlogix

import (
	"fmt"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// Format is the name of this format for users.
const Format = "torchlogix"

// reader reads a network.
type reader struct {
	src    *given.Source
	state  *state
	net    *graph.Network
	layers []*layer // the layers that compute something, in order, without the group sum
	left   int64    // bytes that may still be allocated
	beta   bool     // the file or the user gives the sum's beta
	near   int      // for warp, the number of table lines whose sum is so close to 0 that rounding may change the line
}

// Read returns the network in a state dict or a whole module.
//
// The file's size limits the memory. Including an unrolled circuit, Read holds at most twice the file's size plus 32
// MiB at any time. For a short time, it holds one more tensor. It returns an error for a network that needs more.
func Read(src *given.Source, value any) (*graph.Network, error) {
	st, err := readState(value)
	if err != nil {
		return nil, err
	}
	r := &reader{
		src: src, state: st, net: &graph.Network{Format: Format}, left: 2*src.Size + 32<<20,
	}
	for _, step := range []func() error{r.order, r.know, r.input, r.shapes, r.build, r.sum} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.report()
	return r.net, nil
}

// Recognise reports whether a value of package torchfile is a state dict or a module of torchlogix. Read may still
// return an error for such a value.
func Recognise(value any) bool { return recognise(checkpoint.Content(value)) }

// take counts n bytes as allocated. It returns an error if the limit does not allow them.
func (r *reader) take(n int64, what string) error {
	if r.left -= n; r.left < 0 {
		return fmt.Errorf("%s: takes %d bytes, and with what was read before more than twice the file and 32 MiB", what, n)
	}
	return nil
}

// give counts n bytes as free again.
func (r *reader) give(n int64) { r.left += n }

// build makes dense layers or a circuit.
func (r *reader) build() error {
	dense := true
	for _, l := range r.layers {
		dense = dense && l.Type != typeConv && l.Type != typePool
	}
	if !dense {
		return r.circuit()
	}
	for _, l := range r.layers {
		if l.Type != typeDense {
			continue
		}
		d, err := r.dense(l)
		if err != nil {
			return fmt.Errorf("layer %q: %w", l.name(), err)
		}
		r.net.Dense = append(r.net.Dense, *d)
	}
	return nil
}

// sum sets the group sum.
func (r *reader) sum() error {
	last := r.layers[len(r.layers)-1]
	said, err := r.groupSum()
	if err != nil {
		return err
	}
	why := "torchlogix saves neither classes nor tau nor beta in a state dict"
	if r.state.module {
		why = "the module has no GroupSum"
	}
	r.beta = said.Beta != nil
	sum, err := resolveSum(said, product(last.out), why)
	if err != nil || r.net.Circuit == nil {
		r.net.Sum = sum
		return err
	}
	for _, group := range sum.Groups {
		for i, at := range group {
			group[i] = last.refs[at]
		}
	}
	r.net.Sum = sum
	return nil
}
