package engine

import (
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
)

// walk holds the common parts of the engines that go layer by layer. Rows hold either bits or values.
type walk[L any, T uint64 | float32] struct {
	on     *base
	layers []L
	bottom []T             // rows that the first layer reads, besides input bits; nil if there are none
	rows   [][]T           // outputs of each layer's nodes, [width][row]
	traces [2]kernel.Trace // the current layer's trace and the trace of the layer above; they alternate

	// The following fields describe the current step. They are fields so that the closures of the tasks are made only
	// once. Making closures for each layer of each batch would allocate 26 KB per batch at depth 100.
	batch Batch
	adam  kernel.Adam
	layer int
}

// up runs a task for each layer, from the first layer to the last. The task reads the batch b.
func (w *walk[L, T]) up(b Batch, task func(member int)) {
	w.on.check(b)
	w.batch = b
	for w.layer = range w.layers {
		w.on.crew.Run(task)
	}
}

// down runs a task for each layer that is trained, from the last to the first.
func (w *walk[L, T]) down(adam kernel.Adam, task func(member int)) {
	w.adam = adam
	for w.layer = len(w.layers) - 1; w.layer >= w.batch.trained(len(w.layers)); w.layer-- {
		w.on.crew.Run(task)
	}
}

// freezes marks an engine that supports frozen layers.
func (w *walk[L, T]) freezes() {}

// below returns the rows of the layer below the current one. For the first layer, it returns the bottom.
func (w *walk[L, T]) below() []T {
	if w.layer == 0 {
		return w.bottom
	}
	return w.rows[w.layer-1]
}

// turns returns the trace of the current layer and the trace of the layer above. For the last layer, the second trace
// is nil.
func (w *walk[L, T]) turns() (own, next *kernel.Trace) {
	if own = &w.traces[w.layer%2]; w.layer < len(w.layers)-1 {
		next = &w.traces[(w.layer+1)%2]
	}
	return own, next
}

// stack is a network of gates, with the state of a pass over its layers. Each goroutine handles a range of every
// layer's gates.
type stack[T uint64 | float32] struct {
	*network
	walk[*kernel.Layer, T]
	bounds []int // first gate of each goroutine's range, then the end of the last range
}

func newStack[T uint64 | float32](n *network, row int) *stack[T] {
	s := &stack[T]{network: n, walk: walk[*kernel.Layer, T]{on: n.base, layers: newLayerList(n)}}
	for range s.layers {
		s.rows = append(s.rows, memory.MakeHuge[T](n.m.Width*row))
	}
	for t := range n.crew.Size() + 1 {
		s.bounds = append(s.bounds, n.m.Width*t/n.crew.Size())
	}
	return s
}

// reconnect rebuilds the lists of readers after wires have changed.
func (s *stack[T]) reconnect() {
	for i, l := range newLayerList(s.network) {
		*s.layers[i] = *l
	}
	if s.probe != nil {
		s.probe.connect()
	}
}

// newLayerList returns the layers of a network. The field Uses of each layer holds the readers in the layer above.
func newLayerList(n *network) []*kernel.Layer {
	var all []*kernel.Layer
	for _, s := range n.sections {
		for l := range s.Layers {
			all = append(all, &kernel.Layer{Gates: s, Index: l})
		}
	}
	for i, next := range all[1:] {
		all[i].Uses = kernel.NewUses(next.Gates, next.Index, n.m.Width)
	}
	return all
}

// mostSlots returns the largest number of slots of a gate, but at least 1. Kernels take the address of the first slot
// even if no gate reads the previous layer.
func mostSlots(layers []*kernel.Layer) int {
	slots := 1
	for _, l := range layers {
		a, b := l.Slots()
		slots = max(slots, a+b)
	}
	return slots
}

// mostCandidates returns the largest number of candidates of a pin.
func mostCandidates(layers []*kernel.Layer) int {
	k := 1
	for _, l := range layers {
		if k = max(k, l.B.K); l.A != nil {
			k = max(k, l.A.K)
		}
	}
	return k
}
