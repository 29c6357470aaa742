package engine

import (
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
)

// stack is what the engines have in common that go layer by layer, with rows of bits or of
// values. Each goroutine has a range of every layer's gates.
type stack[T uint64 | float32] struct {
	*network
	layers []*kernel.Layer
	rows   [][]T           // outputs of each layer's gates, [width][row]
	traces [2]kernel.Trace // traces of the current layer and of the one above it, which alternate between the two
	bounds []int           // first gate of each goroutine's range, and the end of the last

	// The current step. It is stored here, and the tasks that read it are made once: a closure for each layer of each
	// batch would leave 26 KB a batch to the garbage collector at depth 100.
	batch Batch
	adam  kernel.Adam
	layer int
}

func newStack[T uint64 | float32](n *network, row int) *stack[T] {
	s := &stack[T]{network: n, layers: newLayerList(n)}
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

// up does a task for each layer, from the first to the last, with a batch.
func (s *stack[T]) up(b Batch, task func(member int)) {
	s.check(b)
	s.batch = b
	for s.layer = range s.layers {
		s.crew.Run(task)
	}
}

// down does a task for each layer that is not frozen, from the last to the first of them.
func (s *stack[T]) down(adam kernel.Adam, task func(member int)) {
	s.adam = adam
	for s.layer = len(s.layers) - 1; s.layer >= s.batch.trained(len(s.layers)); s.layer-- {
		s.crew.Run(task)
	}
}

// freezes says that the engine knows frozen layers.
func (s *stack[T]) freezes() {}

// below returns the rows of the layer below the current one, nil for the first layer.
func (s *stack[T]) below() []T {
	if s.layer == 0 {
		return nil
	}
	return s.rows[s.layer-1]
}

// turns returns the trace of the current layer and that of the layer above it, nil for the last layer. The two
// buffers change roles at each layer.
func (s *stack[T]) turns() (own, next *kernel.Trace) {
	own, next = &s.traces[s.layer%2], &s.traces[(s.layer+1)%2]
	if s.layer == len(s.layers)-1 {
		next = nil
	}
	return own, next
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
