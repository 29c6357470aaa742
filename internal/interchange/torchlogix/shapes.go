package torchlogix

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// input determines the shape of a sample, and how the sample's features become bits.
func (r *reader) input() error {
	t, l, err := r.thresholds()
	if err != nil {
		return err
	}
	bits := 1
	if t != nil {
		bits = t.bits
	}
	shape, err := r.sampleShape(t, l)
	if err != nil {
		return err
	}
	if err := checkShape(shape); err != nil {
		return fmt.Errorf("input.shape: %w", err)
	}
	if t == nil {
		r.net.Input = graph.Input{Shape: shape, Digits: 1}
		return nil
	}
	if err := r.take(int64(product(shape)*bits)*8+int64(product(shape))*24, "thermometer"); err != nil {
		return err
	}
	flat := shape
	if r.flatFirst(l) {
		flat = []int{product(shape)}
	}
	dim, err := r.featureDim(l, flat, bits)
	if err != nil {
		return err
	}
	in, after, err := t.input(flat, dim)
	if err != nil {
		return fmt.Errorf("layer %q: %w", l.name(), err)
	}
	in.Shape = shape
	r.net.Input, l.out = *in, after
	return nil
}

// flatFirst reports whether samples are flattened before a layer.
func (r *reader) flatFirst(l *layer) bool {
	for _, k := range r.layers {
		if k == l {
			return false
		}
		if k.Type == typeFlatten {
			return true
		}
	}
	return false
}

// featureDim returns the dimension of a sample that contains the bits of a feature.
func (r *reader) featureDim(l *layer, shape []int, bits int) (int, error) {
	switch {
	case l.FeatureDim != nil:
		return *l.FeatureDim, nil
	case len(shape) == 1 || bits == 1:
		return 1, nil
	}
	return 0, l.missing("feature_dim", fmt.Sprintf("which the file does not say; samples are of shape %v", shape))
}

// firstGates returns the first layer of gates. flat reports whether the bits are flattened before this layer.
func (r *reader) firstGates() (l *layer, flat bool) {
	for _, l := range r.layers {
		switch l.Type {
		case typeFlatten:
			flat = true
		case typeDense, typeConv, typePool:
			return l, flat
		}
	}
	return nil, flat
}

// sampleShape returns the shape of a sample. It is the shape in the facts, or the shape that follows from the first
// layer of gates.
func (r *reader) sampleShape(t *thresholds, thermometer *layer) ([]int, error) {
	if said := r.src.Facts.Input.Shape; said != nil {
		return said, nil
	}
	first, flat := r.firstGates()
	if first.Type == typeConv && !flat {
		return imageShape(first, t, thermometer)
	}
	missing := missing("input.shape", "the file does not say how many features a sample has and how they lie")
	n := r.firstWidth(first)
	if t == nil {
		if n == 0 || first.Type != typeDense {
			return nil, missing
		}
		return []int{n}, nil
	}
	rows := product(t.shape)
	switch {
	case first.Type != typeDense:
	case rows > 1 && len(t.shape) == 1 && (n == 0 || n == rows*t.bits):
		return []int{rows}, nil
	case n%(rows*t.bits) != 0:
		return nil, fmt.Errorf("%s: in is %d, which thresholds of shape %v and %d bits do not divide",
			first.key, n, t.shape, t.bits)
	case rows > 1 || n == 0:
	case t.bits == 1 || thermometer.FeatureDim != nil && *thermometer.FeatureDim == -2:
		// The bits are grouped by feature, whatever shape the sample has.
		return []int{n / t.bits}, nil
	}
	return nil, missing
}

// firstWidth returns the number of bits that the first layer of gates reads, or 0 if it is not known.
func (r *reader) firstWidth(first *layer) int {
	if first.In > 0 {
		return first.In
	}
	return r.src.Facts.InDim
}

// imageShape returns the shape of the images that a convolution reads. If there is a thermometer, the result is the
// shape of the images before the thermometer.
func imageShape(conv *layer, t *thresholds, thermometer *layer) ([]int, error) {
	switch {
	case len(conv.InDim) != 2:
		return nil, conv.missing("in_dim", "which the file does not say")
	case conv.Channels < 1:
		return nil, conv.missing("channels", "which the file does not say")
	}
	shape := []int{conv.Channels, conv.InDim[0], conv.InDim[1]}
	if t == nil {
		return shape, nil
	}
	at := 1
	if dim := thermometer.FeatureDim; dim != nil {
		var err error
		if at, err = normalDim(*dim, len(shape)); err != nil {
			return nil, fmt.Errorf("%s: %w", thermometer.key, err)
		}
	} else if t.bits > 1 {
		return nil, thermometer.missing("feature_dim", "which the file does not say")
	}
	if shape[at-1]%t.bits != 0 {
		return nil, fmt.Errorf("layer %q reads images of shape %v, but %d thresholds per feature do not divide %d",
			conv.name(), shape, t.bits, shape[at-1])
	}
	shape[at-1] /= t.bits
	return shape, nil
}

// shapes determines the shape of the bits after each layer, and the size of each layer as a circuit.
func (r *reader) shapes() error {
	shape := r.net.Input.Shape
	for _, l := range r.layers {
		l.in = shape
		err := l.shape()
		var missing *given.Missing
		if errors.As(err, &missing) {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s (layer %q): %w", l.key, l.name(), err)
		}
		shape = l.out
	}
	return nil
}

// shape determines the shape of the bits after a layer.
func (l *layer) shape() error {
	switch l.Type {
	case typeFlatten:
		l.out = []int{product(l.in)}
	case typeDense:
		return l.denseShape()
	case typeConv:
		return l.convShape()
	case typePool:
		return l.poolShape()
	case typeSum:
		l.out = l.in
	}
	return nil
}

// denseShape is [layer.shape] for a dense layer.
func (l *layer) denseShape() error {
	n := product(l.in)
	if l.In != 0 && l.In != n {
		return fmt.Errorf("in is %d, but what is before the layer has %d bits", l.In, n)
	}
	l.In, l.out = n, []int{l.Out}
	l.nodes, l.pins = l.Out, l.Out*l.Rank
	return nil
}

// convShape is [layer.shape] for a convolution.
func (l *layer) convShape() error {
	if len(l.in) != 3 {
		return fmt.Errorf("it reads images, but what is before it is of shape %v", l.in)
	}
	if l.Channels != 0 && l.Channels != l.in[0] {
		return fmt.Errorf("channels is %d, but what is before the layer has %d", l.Channels, l.in[0])
	}
	if l.InDim != nil && !slices.Equal(l.InDim, l.in[1:]) {
		return fmt.Errorf("in_dim is %v, but what is before the layer is of %v", l.InDim, l.in[1:])
	}
	switch {
	case l.Stride == 0:
		return l.missing("stride", "which no tensor holds")
	case l.Padding == nil:
		return l.missing("padding", "which no tensor holds")
	case len(l.ReceptiveField) != 2:
		return l.missing("receptive_field", "which no tensor holds")
	}
	rows, err := steps(l.in[1], *l.Padding, l.ReceptiveField[0], l.Stride)
	if err != nil {
		return err
	}
	columns, err := steps(l.in[2], *l.Padding, l.ReceptiveField[1], l.Stride)
	if err != nil {
		return err
	}
	positions := l.tensor("connections._indices_L0").Shape[2]
	if positions != rows*columns {
		return fmt.Errorf("a field of %v, stride %d and padding %d have %d x %d positions, but the file has %d",
			l.ReceptiveField, l.Stride, *l.Padding, rows, columns, positions)
	}
	l.out = []int{l.Kernels, rows, columns}
	for level := range l.TreeDepth {
		l.nodes += l.tensor(fmt.Sprintf("tree_weights.%d", level)).Shape[0]
	}
	l.nodes = product([]int{l.nodes, product(l.out)})
	l.pins = l.nodes * l.Rank
	return nil
}

// maxSide limits the numbers in the facts, so that their sums do not overflow.
const maxSide = 1 << 20

// steps returns the number of positions of a window along a dimension.
func steps(size, padding, window, stride int) (int, error) {
	if padding < 0 || padding > maxSide || window < 1 || window > maxSide || stride < 1 || stride > maxSide {
		return 0, fmt.Errorf("a window of %d, stride %d and padding %d are not possible", window, stride, padding)
	}
	if size+2*padding < window {
		return 0, fmt.Errorf("a window of %d is larger than %d with a padding of %d", window, size, padding)
	}
	return (size+2*padding-window)/stride + 1, nil
}

// poolShape is [layer.shape] for a pooling.
func (l *layer) poolShape() error {
	if len(l.in) != 3 {
		return fmt.Errorf("it reads images, but what is before it is of shape %v", l.in)
	}
	switch {
	case l.Kernel == 0:
		return l.missing("kernel", "which no tensor holds")
	case l.Stride == 0:
		return l.missing("stride", "which no tensor holds")
	case l.Padding == nil:
		return l.missing("padding", "which no tensor holds")
	case *l.Padding > l.Kernel/2:
		return fmt.Errorf("padding is %d, more than half the kernel of %d", *l.Padding, l.Kernel)
	}
	rows, err := steps(l.in[1], *l.Padding, l.Kernel, l.Stride)
	if err != nil {
		return err
	}
	columns, err := steps(l.in[2], *l.Padding, l.Kernel, l.Stride)
	if err != nil {
		return err
	}
	l.out = []int{l.in[0], rows, columns}
	windows := product(l.out)
	nodes, pins := orSize(min(l.Kernel, l.in[1]) * min(l.Kernel, l.in[2]))
	l.nodes, l.pins = product([]int{windows, nodes}), product([]int{windows, pins})
	return nil
}

// orSize returns the number of nodes and pins that [graph.Circuit.Or] adds for n bits.
func orSize(n int) (nodes, pins int) {
	for n > 1 {
		full, rest := n/graph.MaxPins, n%graph.MaxPins
		nodes, pins = nodes+full, pins+full*graph.MaxPins
		n = full
		if rest > 0 {
			n++
		}
		if rest > 1 {
			nodes, pins = nodes+1, pins+rest
		}
	}
	return nodes, pins
}
