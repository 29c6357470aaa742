package engine

import (
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
)

// walk is what the engines have in common that go layer by layer, with rows of bits or of values.
type walk[L any, T uint64 | float32] struct {
	on     *base
	layers []L
	rows   [][]T           // outputs of each layer's nodes, [width][row]
	traces [2]kernel.Trace // of the current layer and of the one above it, which alternate between the two

	// The current step. It is stored here, and the tasks that read it are made once: a closure for each layer of each
	// batch would leave 26 KB a batch to the garbage collector at depth 100.
	batch Batch
	adam  kernel.Adam
	layer int
}

// up does a task for each layer, from the first to the last, with a batch.
func (w *walk[L, T]) up(b Batch, task func(member int)) {
	w.on.check(b)
	w.batch = b
	for w.layer = range w.layers {
		w.on.crew.Run(task)
	}
}

// down does a task for each layer that is not frozen, from the last to the first of them.
func (w *walk[L, T]) down(adam kernel.Adam, task func(member int)) {
	w.adam = adam
	for w.layer = len(w.layers) - 1; w.layer >= w.batch.trained(len(w.layers)); w.layer-- {
		w.on.crew.Run(task)
	}
}

// freezes says that the engine knows frozen layers.
func (w *walk[L, T]) freezes() {}

// below returns the rows of the layer below the current one, nil for the first layer.
func (w *walk[L, T]) below() []T {
	if w.layer == 0 {
		return nil
	}
	return w.rows[w.layer-1]
}

// turns returns the trace of the current layer and that of the layer above it, nil for the last layer.
func (w *walk[L, T]) turns() (own, next *kernel.Trace) {
	if own = &w.traces[w.layer%2]; w.layer < len(w.layers)-1 {
		next = &w.traces[(w.layer+1)%2]
	}
	return own, next
}

// stack is a network of gates that is walked. Each goroutine has a range of every layer's gates.
type stack[T uint64 | float32] struct {
	*network
	walk[*kernel.Layer, T]
	bounds []int // first gate of each goroutine's range, and the end of the last
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

// reconnect finds anew who reads whom, after wires have changed.
func (s *stack[T]) reconnect() {
	for i, l := range newLayerList(s.network) {
		*s.layers[i] = *l
	}
	if s.probe != nil {
		s.probe.connect()
	}
}

// newLayerList returns the layers of a network with their uses by the layers above.
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

// mostSlots returns the largest number of slots of a gate, but at least one: kernels take
// the address of the first also where no gate reads the layer before.
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
