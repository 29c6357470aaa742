package qonnx

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/onnx"
)

// window describes a window that slides over the spatial axes of a value.
type window struct {
	in              []int // lengths of the spatial axes
	kernel, strides []int
	begin           []int // number of zeros added before each axis
	out             []int // number of positions along each axis
}

// readWindow reads the attributes of ONNX's Conv. Padding after the end of an axis changes only the number of
// positions.
func readWindow(n *onnx.Node, in []int) (*window, error) {
	w := &window{in: in}
	axes := len(in)
	var err error
	read := func(name string, count, least int, usual int64) (list []int) {
		a := n.Attribute(name)
		if a == nil {
			a = &onnx.Attribute{Ints: slices.Repeat([]int64{usual}, count)}
		}
		if len(a.Ints) != count {
			err = fmt.Errorf("its %s are %v, not %d numbers", name, a.Ints, count)
			return make([]int, count)
		}
		for _, v := range a.Ints {
			if v < int64(least) || v > 1<<16 {
				err = fmt.Errorf("its %s are %v", name, a.Ints)
			}
			list = append(list, int(v))
		}
		return list
	}
	if n.Attribute("kernel_shape") == nil {
		return nil, errors.New("it has no kernel_shape")
	}
	w.kernel, w.strides = read("kernel_shape", axes, 1, 1), read("strides", axes, 1, 1)
	pads := read("pads", 2*axes, 0, 0)
	if err != nil {
		return nil, err
	}
	w.begin = pads[:axes]
	for i, d := range in {
		free := d + pads[i] + pads[axes+i] - w.kernel[i]
		if free < 0 {
			return nil, fmt.Errorf("its kernel_shape %v is larger than %v with all pads", w.kernel, in)
		}
		w.out = append(w.out, free/w.strides[i]+1)
	}
	return w, nil
}

// place returns the index of the element at the given offset within the window, if the window is at the given
// position. The index is in C order of the spatial axes. The result is -1 if the element is in the padding.
func (w *window) place(position, offset int) int {
	at, step := 0, 1
	for i := len(w.in) - 1; i >= 0; i-- {
		x := position%w.out[i]*w.strides[i] + offset%w.kernel[i] - w.begin[i]
		position, offset = position/w.out[i], offset/w.kernel[i]
		if x < 0 || x >= w.in[i] {
			return -1
		}
		at, step = at+x*step, step*w.in[i]
	}
	return at
}

// tree holds the look-up tables that a LookupTableConv applies at every position.
type tree struct {
	*window
	*tables                   // [kernel][node]
	channels              int // channels of the input
	kernels, leaves, rank int
	depth, nodes          int
	indices               []int32 // [kernel][leaf][rank]; each is an index into a patch
	elem                  onnx.DataType
}

// lookupTableConv unrolls trees of look-up tables over all positions. If the depth is 0, the result is the inputs of
// the leaves.
func lookupTableConv(r *reader, n *onnx.Node) (*value, error) {
	a, err := attributes(n, map[string]int64{
		"tree_depth": 1, "kernel_shape": 0, "strides": 0, "pads": 0, "channel_group_size": 0,
	})
	if err != nil {
		return nil, err
	}
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	t, err := r.readTree(n, v, a["tree_depth"])
	if err != nil {
		return nil, err
	}
	defer r.free(4 * int64(len(t.indices)))
	shape := append(append([]int{1}, t.out...), t.kernels)
	if t.depth == 0 {
		shape = append(shape, t.rank)
	}
	total := product(shape)
	if total < 0 || len(shape) > maxAxes {
		return nil, fmt.Errorf("shape %v is too large", shape)
	}
	if t.depth == 0 {
		return r.passThrough(v, t, shape)
	}
	defer r.freeTables(t.tables)
	if v, err = r.bits(v, 1); err != nil {
		return nil, err
	}
	if err := errors.Join(r.room(total), r.look(total*(t.leaves*t.rank+t.nodes))); err != nil {
		return nil, err
	}
	w := &value{shape: shape, elem: t.elem, digits: 1, refs: make([]graph.Ref, 0, total)}
	for position := range size(t.out) {
		for kernel := range t.kernels {
			ref, err := r.tree(v, t, position, kernel)
			if err != nil {
				return nil, err
			}
			w.refs = append(w.refs, ref)
		}
	}
	r.lookups++
	return w, nil
}

// readTree reads the operands and attributes of a LookupTableConv.
func (r *reader) readTree(n *onnx.Node, v *value, depth int64) (*tree, error) {
	axes := len(v.shape) - 2
	if axes < 1 || axes > 3 {
		return nil, fmt.Errorf("its input has the shape %v: give samples, rows, columns and channels", v.shape[1:])
	}
	w, err := readWindow(n, v.shape[1:1+axes])
	if err != nil {
		return nil, err
	}
	indices, err := r.tensor(n, 1)
	if err != nil {
		return nil, err
	}
	i := indices.Dims
	if len(i) != 3 || product(dims(indices)) < 1 {
		return nil, fmt.Errorf("its indices have the shape %v, not kernels, leaves and rank", i)
	}
	t := &tree{
		window: w, channels: v.shape[1+axes], kernels: int(i[0]), leaves: int(i[1]), rank: int(i[2]), depth: int(depth),
	}
	patch := product(append(slices.Clone(w.kernel), t.channels))
	if patch < 0 {
		return nil, fmt.Errorf("its kernel_shape %v is too large", w.kernel)
	}
	if t.indices, err = r.readIndices(indices, patch); err != nil {
		return nil, err
	}
	if depth == 0 && t.leaves == 1 {
		return t, nil
	}
	if !t.isTree() {
		return nil, fmt.Errorf("its indices have the shape %v, which does not fit a tree of depth %d", i, depth)
	}
	return t, r.readTrees(n, t)
}

// isTree counts the nodes of a tree. It reports whether the number of leaves fits the tree's depth.
func (t *tree) isTree() bool {
	if t.depth < 1 || t.depth > 30 || t.rank > 24 {
		return false
	}
	width := 1
	for level := range t.depth {
		if t.nodes += width; level < t.depth-1 && width <= t.leaves {
			width *= t.rank
		}
	}
	return width == t.leaves
}

// readTrees reads the tables of a LookupTableConv.
func (r *reader) readTrees(n *onnx.Node, t *tree) error {
	table, err := r.tensor(n, 2)
	if err != nil {
		return err
	}
	if !slices.Equal(table.Dims, []int64{int64(t.kernels), int64(t.nodes), 1 << t.rank}) {
		return fmt.Errorf("its tables have the shape %v, not %v", table.Dims, []int{t.kernels, t.nodes, 1 << t.rank})
	}
	t.elem = table.Type
	if t.tables, err = r.readTables(table, 1<<t.rank); err == nil && len(t.digits) != 1 {
		err = errors.New("its tables have entries above 1")
	}
	return err
}

// tree adds the nodes of one kernel at one position, starting with the leaves. A node above the leaves has one pin
// for each node that it reads.
func (r *reader) tree(v *value, t *tree, position, kernel int) (graph.Ref, error) {
	level := make([]graph.Ref, 0, t.leaves*t.rank)
	for _, at := range t.indices[kernel*t.leaves*t.rank : (kernel+1)*t.leaves*t.rank] {
		ref := graph.False
		if p := t.place(position, int(at)/t.channels); p >= 0 {
			ref = v.refs[p*t.channels+int(at)%t.channels]
		}
		level = append(level, ref)
	}
	pins, node := make([]graph.Ref, t.rank), kernel*t.nodes
	for range t.depth {
		next := level[:0]
		for i := 0; i < len(level); i += t.rank {
			for k := range pins {
				pins[t.rank-1-k] = level[i+k]
			}
			ref, err := r.function(true, t.table(0, node), pins)
			if err != nil {
				return 0, err
			}
			next, node = append(next, ref), node+1
		}
		level = next
	}
	return level[0], nil
}

// passThrough returns the inputs of the leaves of trees with depth 0.
func (r *reader) passThrough(v *value, t *tree, shape []int) (*value, error) {
	if v.isSums() || v.weights != nil {
		return nil, errors.New("it reads sums or weighted bits")
	}
	if err := errors.Join(r.room(size(shape)), r.look(size(shape))); err != nil {
		return nil, err
	}
	from := make([]int32, 0, size(shape))
	for position := range size(t.out) {
		for _, at := range t.indices {
			p := t.place(position, int(at)/t.channels)
			if p >= 0 {
				p = p*t.channels + int(at)%t.channels
			}
			from = append(from, int32(p))
		}
	}
	return r.pick(v, from, shape)
}

// maxPool computes ONNX's MaxPool of bits, with channels first. The result is the OR of the bits in each window.
// Padding is never the largest element.
func maxPool(r *reader, n *onnx.Node) (*value, error) {
	if err := checkPool(n); err != nil {
		return nil, err
	}
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	if len(v.shape) < 3 || len(v.shape) > 5 {
		return nil, fmt.Errorf("its input has the shape %v: give samples, channels, rows and columns", v.shape[1:])
	}
	if v, err = r.bits(v, 1); err != nil {
		return nil, err
	}
	w, err := readWindow(n, v.shape[2:])
	if err != nil {
		return nil, err
	}
	shape := append([]int{1, v.shape[1]}, w.out...)
	total, kernel := product(shape), product(w.kernel)
	if total < 0 || kernel < 0 {
		return nil, fmt.Errorf("shape %v is too large", shape)
	}
	if err := errors.Join(r.room(total), r.look(total), r.look(total*min(kernel, 1<<20))); err != nil {
		return nil, err
	}
	p := &value{shape: shape, elem: v.elem, digits: 1, refs: make([]graph.Ref, 0, total)}
	plane := size(w.in)
	for channel := range v.shape[1] {
		for position := range size(w.out) {
			var in []graph.Ref
			for offset := range kernel {
				if at := w.place(position, offset); at >= 0 {
					in = append(in, v.refs[channel*plane+at])
				}
			}
			if r.unrolled -= int64(len(in)); r.unrolled < 0 {
				return nil, fmt.Errorf("unrolled it has more than %d nodes", maxUnrolled)
			}
			p.refs = append(p.refs, r.circuit.Or(in...))
		}
	}
	return p, nil
}

// checkPool returns an error for attributes of a pooling that are not supported.
func checkPool(n *onnx.Node) error {
	for i := range n.Attributes {
		switch a := &n.Attributes[i]; a.Name {
		case "kernel_shape", "strides", "pads", "storage_order": // readWindow reads these, except the unused storage_order
		case "auto_pad":
			if a.Text != "NOTSET" {
				return errors.New("auto_pad is not read: give pads")
			}
		case "ceil_mode":
			if a.Int != 0 {
				return errors.New("ceil_mode is not read: give pads")
			}
		case "dilations":
			if slices.ContainsFunc(a.Ints, func(d int64) bool { return d != 1 }) {
				return errors.New("dilations are not read")
			}
		default:
			return fmt.Errorf("its attribute %.80q is not known", a.Name)
		}
	}
	return nil
}
