package torchlogix

import (
	"fmt"
	"slices"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// sumNode is a sum in the file.
type sumNode struct {
	id        int32
	inputs    []graph.Ref
	tau, beta float64
}

// readSums reads the sums. Each sum must be an output.
func (r *circuitReader) readSums() error {
	s := r.value(keySums)
	r.net.Sum.Groups = make([][]graph.Ref, len(r.outputs))
	r.taus, r.betas = make([]float64, len(r.outputs)), make([]float64, len(r.outputs))
	return s.array(func() error {
		var n sumNode
		there, err := s.object(sumKeys, func(i int) (err error) {
			switch i {
			case 0:
				n.id, err = r.id(s)
			case 1:
				n.inputs, err = r.sumInputs(s)
			case 2:
				n.tau, err = s.number()
			case 3:
				n.beta, err = s.number()
			}
			return err
		})
		if err != nil {
			return err
		}
		if there != 1<<len(sumKeys)-1 {
			return s.failf("a sum lacks one of the keys %q", sumKeys)
		}
		return r.sumNode(s, n)
	})
}

// sumInputs reads the bits that a sum counts.
func (r *circuitReader) sumInputs(s *stream) ([]graph.Ref, error) {
	refs := make([]graph.Ref, 0, s.upcoming())
	err := s.array(func() error {
		id, err := s.integer()
		if err != nil {
			return err
		}
		ref, ok := r.resolve(id)
		if !ok {
			return s.failf("a sum counts %d, which neither an input nor a gate has as its id", id)
		}
		refs = append(refs, ref)
		return nil
	})
	return refs, err
}

// sumNode adds a sum.
func (r *circuitReader) sumNode(s *stream, n sumNode) error {
	if _, gate := r.resolve(int64(n.id)); gate || r.sums[n.id] {
		return s.failf("node_id %d occurs twice", n.id)
	}
	class, ok := r.outputs[n.id]
	if !ok {
		return s.failf("sum %d is not among the outputs", n.id)
	}
	if n.tau == 0 {
		return s.failf("sum %d: tau is 0", n.id)
	}
	r.sums[n.id] = true
	r.net.Sum.Groups[class], r.taus[class], r.betas[class] = n.inputs, n.tau, n.beta
	return nil
}

// sum completes the network's sum. If the circuit has no sums, the facts say how to count the circuit's outputs.
func (r *circuitReader) sum() error {
	if len(r.sums) == 0 {
		return r.countOutputs()
	}
	if len(r.sums) != len(r.outputs) {
		return fmt.Errorf("outputs: of %d outputs %d are sums, want all or none", len(r.outputs), len(r.sums))
	}
	for class, tau := range r.taus {
		if tau != r.taus[0] {
			return fmt.Errorf("sum_nodes: tau of class %d is %v, and of class 0 %v: one tau for all classes is read",
				class, tau, r.taus[0])
		}
	}
	r.net.Sum.Tau, r.net.Sum.Beta = r.taus[0], oneBeta(r.betas)
	said := *r.src
	withSum := *said.Facts
	withSum.Sum = saidSum(said.Facts)
	said.Facts = &withSum
	return checkpoint.CompareSum(&said, &r.net.Sum, "the circuit")
}

// oneBeta returns a single beta if all betas are equal, or nil if all are 0. Otherwise it returns the betas
// unchanged.
func oneBeta(betas []float64) []float64 {
	if slices.ContainsFunc(betas, func(b float64) bool { return b != betas[0] }) {
		return betas
	}
	if betas[0] == 0 {
		return nil
	}
	return betas[:1:1]
}

// countOutputs divides the outputs into groups, in order. It is used if the outputs are bits.
func (r *circuitReader) countOutputs() error {
	refs := make([]graph.Ref, len(r.outputs))
	for id, i := range r.outputs {
		ref, ok := r.resolve(int64(id))
		if !ok {
			return fmt.Errorf("outputs: %d is the id of no gate, input or sum", id)
		}
		refs[i] = ref
	}
	sum, err := resolveSum(saidSum(r.src.Facts), len(refs), "the circuit ends in bits, without a sum")
	if err != nil {
		return err
	}
	for _, group := range sum.Groups {
		for i, at := range group {
			group[i] = refs[at]
		}
	}
	r.net.Sum = sum
	return nil
}

// front sets the network's input. The input has either bits, or features with a thermometer.
func (r *circuitReader) front() error {
	n := r.net.Circuit.Inputs
	if r.src.Thresholds == nil {
		r.net.Input = graph.Input{Shape: r.shape, Digits: 1}
		if said := r.src.Facts.Input.Shape; said != nil && product(said) == n {
			r.net.Input.Shape = said
		}
		return nil
	}
	t, err := givenThresholds(r.src.Thresholds)
	if err != nil {
		return err
	}
	if n%t.bits != 0 {
		return fmt.Errorf("n_inputs is %d, which %d thresholds of each feature do not divide", n, t.bits)
	}
	shape, err := r.sampleShape(t.bits)
	if err != nil {
		return err
	}
	dim, err := r.featureDim(shape, t.bits)
	if err != nil {
		return err
	}
	in, after, err := t.input(shape, dim)
	if err != nil {
		return err
	}
	if len(r.shape) > 1 && !slices.Equal(after, r.shape) {
		return fmt.Errorf("input_shape: %v, but features of shape %v become %v by %d thresholds in feature_dim %d",
			r.shape, shape, after, t.bits, dim)
	}
	r.net.Input = *in
	return nil
}

// sampleShape returns the shape of a sample before the thermometer.
func (r *circuitReader) sampleShape(bits int) ([]int, error) {
	n := r.net.Circuit.Inputs
	if said := r.src.Facts.Input.Shape; said != nil {
		if err := checkShape(said); err != nil {
			return nil, fmt.Errorf("%s: input.shape: %w", r.src.Said(), err)
		}
		if product(said)*bits != n {
			return nil, fmt.Errorf("%s: input.shape: %v with %d thresholds of each feature is not the circuit's n_inputs %d",
				r.src.Said(), said, bits, n)
		}
		return said, nil
	}
	shape := slices.Clone(r.shape)
	at := 0
	if dim := r.saidDim(); dim != nil && len(shape) > 1 {
		var err error
		if at, err = normalDim(*dim, len(shape)); err != nil {
			return nil, err
		}
		at--
	}
	if shape[at]%bits != 0 {
		return nil, fmt.Errorf("input_shape: %v, but %d thresholds per feature do not divide %d",
			shape, bits, shape[at])
	}
	shape[at] /= bits
	return shape, nil
}

// saidDim returns the feature_dim of the facts, or nil if the user did not give it.
func (r *circuitReader) saidDim() *int {
	for _, l := range r.src.Facts.LayersInOrder {
		if l.FeatureDim != nil {
			return l.FeatureDim
		}
	}
	return nil
}

// featureDim returns the dimension of a sample that contains the bits of a feature. It is the dimension in the facts.
// If the facts do not give it, it is the dimension by which the sample's shape and the circuit's shape differ.
func (r *circuitReader) featureDim(shape []int, bits int) (int, error) {
	if dim := r.saidDim(); dim != nil {
		return *dim, nil
	}
	for at := range shape {
		after := slices.Clone(shape)
		after[at] *= bits
		if slices.Equal(after, r.shape) {
			return at + 1, nil
		}
	}
	if len(shape) == 1 || bits == 1 {
		return 1, nil
	}
	return 0, &given.Missing{
		What: "layers_in_order[0].feature_dim",
		Why:  "the circuit begins behind the thermometer, and its inputs have lost their shape",
	}
}

// report adds findings about the network.
func (r *circuitReader) report() {
	n, name := r.net, r.src.Name
	n.Found("gates", fmt.Sprintf("a circuit of %d gates", n.Circuit.Nodes()), name)
	if n.Input.Thresholds == nil {
		n.Found("input", fmt.Sprintf("%d bits: the circuit begins behind the thermometer", n.Input.Features()), name)
	} else {
		n.Found("thermometer", fmt.Sprintf("%d thresholds of each of %d features", n.Input.PerFeature(),
			n.Input.Features()), "the thresholds given")
	}
	from := name
	if len(r.sums) == 0 {
		from = r.src.Said()
	}
	checkpoint.FoundSum(n, from, len(r.sums) > 0 || saidSum(r.src.Facts).Beta != nil, "the constructor's default")
}
