package torchlogix

import (
	"fmt"
	"slices"

	"ialgn/internal/interchange/graph"
)

// circuit unrolls all layers into a circuit.
func (r *reader) circuit() error {
	c := graph.NewCircuit(r.net.Input.Bits())
	r.net.Circuit = c
	nodes, pins, refs := int64(0), int64(0), int64(c.Inputs)
	for _, l := range r.layers {
		nodes, pins = nodes+int64(l.nodes), pins+int64(l.pins)
		refs = max(refs, int64(product(l.out)))
	}
	if nodes > graph.MaxNodes {
		return fmt.Errorf("unrolled, it has %d nodes, more than %d", nodes, graph.MaxNodes)
	}
	if err := r.take(12*nodes+4*pins+8*refs, fmt.Sprintf("a circuit of %d nodes", nodes)); err != nil {
		return err
	}
	c.Tables = slices.Grow(c.Tables, int(nodes))
	c.Start = slices.Grow(c.Start, int(nodes))
	c.Pins = slices.Grow(c.Pins, int(pins))
	before := make([]graph.Ref, c.Inputs)
	for i := range before {
		before[i] = graph.Ref(i)
	}
	for _, l := range r.layers {
		var err error
		if before, err = r.unroll(l, before); err != nil {
			return fmt.Errorf("layer %q: %w", l.name(), err)
		}
	}
	r.layers[len(r.layers)-1].refs = before
	return nil
}

// unroll adds a layer to the circuit and returns its output bits.
func (r *reader) unroll(l *layer, before []graph.Ref) ([]graph.Ref, error) {
	switch l.Type {
	case typeDense:
		held := r.left
		d, err := r.dense(l)
		if err != nil {
			return nil, err
		}
		r.left = held
		return d.AddTo(r.net.Circuit, before), nil
	case typeConv:
		return r.conv(l, before)
	case typePool:
		return r.pool(l, before), nil
	}
	return before, nil
}

// pool adds an OR pooling. The padding is 0.
func (r *reader) pool(l *layer, before []graph.Ref) []graph.Ref {
	rows, columns := l.in[1], l.in[2]
	out := make([]graph.Ref, 0, product(l.out))
	var window []graph.Ref
	for channel := range l.out[0] {
		for i := range l.out[1] {
			for j := range l.out[2] {
				window = window[:0]
				top, left := i*l.Stride-*l.Padding, j*l.Stride-*l.Padding
				for row := max(top, 0); row < min(top+l.Kernel, rows); row++ {
					for column := max(left, 0); column < min(left+l.Kernel, columns); column++ {
						window = append(window, before[(channel*rows+row)*columns+column])
					}
				}
				out = append(out, r.net.Circuit.Or(window...))
			}
		}
	}
	return out
}

// tree is the tree of a convolution while it is unrolled.
type tree struct {
	l      *layer
	before []graph.Ref
	nodes  []int      // for each level, the number of nodes
	tables [][]uint64 // for each level: [node][kernel]
}

// conv adds a convolution. It adds one tree of tables for each kernel at each position.
func (r *reader) conv(l *layer, before []graph.Ref) ([]graph.Ref, error) {
	t := &tree{l: l, before: before}
	for level := range l.TreeDepth {
		if err := r.level(t, level); err != nil {
			return nil, err
		}
	}
	positions := product(l.out[1:])
	size := 12 * int64(positions) * int64(t.nodes[0]) * int64(l.Rank) // references, and the indices of one pin
	if err := r.take(size, "connections._indices_L0"); err != nil {
		return nil, err
	}
	defer r.give(size)
	out := make([]graph.Ref, 0, product(l.out))
	for kernel := range l.Kernels {
		leaves, err := t.leaves(kernel)
		if err != nil {
			return nil, err
		}
		for p := range positions {
			out = append(out, t.unroll(r.net.Circuit, kernel, leaves[p*t.nodes[0]*l.Rank:]))
		}
	}
	return out, nil
}

// level reads the tables of a level. It checks that the nodes read the nodes of the level below in order.
func (r *reader) level(t *tree, level int) error {
	name := fmt.Sprintf("tree_weights.%d", level)
	w := t.l.tensor(name)
	size := 4 * int64(w.Elements())
	if err := r.take(size+8*int64(w.Shape[0]*w.Shape[1]), name); err != nil {
		return err
	}
	defer r.give(size)
	logits, err := r.logits(t.l, w, name)
	if err != nil {
		return err
	}
	d := &graph.Dense{Pins: t.l.Rank, Softmax16: t.l.Parametrization == parRaw, Logits: logits}
	tables := make([]uint64, w.Shape[0]*w.Shape[1])
	for i := range tables {
		tables[i] = d.Table(i)
	}
	t.nodes, t.tables = append(t.nodes, w.Shape[0]), append(t.tables, tables)
	if level == 0 {
		return nil
	}
	return t.children(level)
}

// children checks the indices of a level above the leaves, if the file has these indices.
func (t *tree) children(level int) error {
	name := fmt.Sprintf("connections._indices_L%d", level)
	idx := t.l.tensor(name)
	if idx == nil {
		return nil
	}
	rank, nodes := t.l.Rank, t.nodes[level]
	if !slices.Equal(idx.Shape, []int{rank, nodes}) {
		return fmt.Errorf("%s are of shape %v, want %v", name, idx.Shape, []int{rank, nodes})
	}
	indices, err := idx.Int64()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i, v := range indices {
		if pin, node := i/nodes, i%nodes; v != int64(node*rank+pin) {
			return fmt.Errorf("%s: child %d of node %d is %d, want %d: trees whose children are in another order are not read",
				name, pin, node, v, node*rank+pin)
		}
	}
	return nil
}

// leaves returns the bits that the leaves of a kernel read. The result is ordered [position][node][pin].
func (t *tree) leaves(kernel int) ([]graph.Ref, error) {
	const name = "connections._indices_L0"
	l, nodes := t.l, t.nodes[0]
	positions := product(l.out[1:])
	out := make([]graph.Ref, positions*nodes*l.Rank)
	for pin := range l.Rank {
		indices, err := slice(slice(l.tensor(name), pin), kernel).Int64()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range positions * nodes {
			at := [3]int64(indices[3*i:])
			ref, err := t.pixel(i/nodes, at)
			if err != nil {
				return nil, fmt.Errorf("%s: pin %d of node %d of kernel %d at position %d: %w",
					name, pin, i%nodes, kernel, i/nodes, err)
			}
			out[i*l.Rank+pin] = ref
		}
	}
	return out, nil
}

// pixel returns the bit at a row, column and channel of the padded image. The bit must be in the receptive field of
// the position.
func (t *tree) pixel(position int, at [3]int64) (graph.Ref, error) {
	l := t.l
	top, left := int64(position/l.out[2]*l.Stride), int64(position%l.out[2]*l.Stride)
	row, column, channel := at[0], at[1], at[2]
	if row < top || row >= top+int64(l.ReceptiveField[0]) || column < left || column >= left+int64(l.ReceptiveField[1]) {
		return 0, fmt.Errorf("row %d and column %d are outside its field of %v from %d and %d, by stride %d",
			row, column, l.ReceptiveField, top, left, l.Stride)
	}
	if channel < 0 || channel >= int64(l.in[0]) {
		return 0, fmt.Errorf("channel %d, want 0 to %d", channel, l.in[0]-1)
	}
	row, column = row-int64(*l.Padding), column-int64(*l.Padding)
	if row < 0 || row >= int64(l.in[1]) || column < 0 || column >= int64(l.in[2]) {
		return graph.False, nil
	}
	return t.before[(int(channel)*l.in[1]+int(row))*l.in[2]+int(column)], nil
}

// unroll adds the tree of a kernel at one position and returns the output of the tree. pins holds the bits that the
// leaves read, ordered [node][pin].
func (t *tree) unroll(c *graph.Circuit, kernel int, pins []graph.Ref) graph.Ref {
	rank := t.l.Rank
	for level, nodes := range t.nodes {
		outs := make([]graph.Ref, nodes)
		for s := range outs {
			outs[s] = c.Add(t.tables[level][s*t.l.Kernels+kernel], pins[s*rank:(s+1)*rank]...)
		}
		pins = outs
	}
	return pins[0]
}
