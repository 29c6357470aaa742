// Package torchlogix reads networks that torchlogix trained, and reads and writes its circuits.
//
// torchlogix saves a network in three forms. [Read] takes two of them from package torchfile: a state dict, which holds
// tensors by name and little else, and a whole module, which holds the attributes of its layers too. [ReadCircuit]
// takes the third, the JSON of its class Circuit: gates of two inputs behind the thermometer, which [WriteCircuit]
// writes.
//
// # What a state dict does not say
//
// Parametrization, order and pooling of layers, stride and padding of convolutions, the dimension that a thermometer's
// bits become part of, classes, tau and beta are no tensors. They come from the user's facts, whose keys are those of
// torchlogix's constructors; a whole module says all of them. What stands in both is compared, and a difference is an
// error. What stands in neither and does not follow from the shapes of tensors is a [given.Missing], whose What is the
// key of the facts. Nothing is guessed.
//
// # What comes out
//
// Layers of nodes alone come out with their logits and candidates, as [graph.Dense], so that training can go on. If
// there is a convolution or a pooling, all is unrolled into a [graph.Circuit] of the tables that count.
//
// The facts about torchlogix are those of its commit 6c6ad50 (ligerlac/torchlogix, MIT): the order of address bits in
// parametrization.py, connections in connections.py, convolution trees in layers/conv.py, thermometers in
// layers/binarization.py. Later versions bend the differences of a learnable thermometer through softplus, which a file
// does not tell.
package torchlogix

import (
	"fmt"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// Format is what the user calls this format.
const Format = "torchlogix"

// reader reads a network.
type reader struct {
	src    *given.Source
	state  *state
	net    *graph.Network
	layers []*layer // that do something, in order; the group sum is not among them
	left   int64    // bytes that may still be taken
	beta   bool     // the file or the user says the sum's beta
	near   int      // warp: lines whose sum is so small that rounding may decide it
}

// Read returns the network of a state dict or a whole module.
//
// Memory is bounded by the file's size: at most twice that and 32 MiB are held at any time, a circuit that is unrolled
// included, and for a moment one tensor more. A file whose network is larger is refused.
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

// Recognise says whether a value of package torchfile is a state dict or a module of torchlogix, for Read to say what
// is wrong with it.
func Recognise(value any) bool { return recognise(checkpoint.Content(value)) }

// take counts bytes as held, or is the error that there are not as many left.
func (r *reader) take(n int64, what string) error {
	if r.left -= n; r.left < 0 {
		return fmt.Errorf("%s: takes %d bytes, and with what was read before more than twice the file and 32 MiB", what, n)
	}
	return nil
}

// give counts bytes as held no longer.
func (r *reader) give(n int64) { r.left += n }

// build makes layers or a circuit.
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

// sum makes the group sum.
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
