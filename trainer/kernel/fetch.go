package kernel

import "unsafe"

// place is an array whose elements are fetched ahead of their use. Assembly knows its
// fields.
type place struct {
	base  unsafe.Pointer
	bytes int // an element
	lines int // of the cache, that an element takes
}

// lineBytes is a line of the cache.
const lineBytes = 4 * lineFloats

// fetcher asks for what a gate to come needs, for few arrays of a layer are in the first
// caches, and the processor itself fetches ahead neither rows that wires lead to nor what
// lies a whole chain apart. On the plain path it does nothing.
type fetcher struct {
	places []place
	f      *relaxedSteps
}

func (f *fetcher) reset() { f.places, f.f = f.places[:0], relaxedVectors() }

// addPlace adds an array with n elements a gate, of which the given one comes first; stride has
// the gates from one fetched to the next.
func addPlace[T any](f *fetcher, v []T, first, stride, n int) {
	if len(v) == 0 {
		return
	}
	size := int(unsafe.Sizeof(v[0]))
	f.places = append(f.places, place{unsafe.Pointer(&v[first*n]), stride * n * size, (n*size + lineBytes - 1) / lineBytes})
}

// gates adds what the forward pass needs of the gates of a layer and, for an update, their
// moments.
func (f *fetcher) gates(l *Layer, update bool) {
	f.logits(l, &l.Logits, l.Arity(), update)
	for _, p := range []*Pin{l.A, l.B} {
		switch {
		case p == nil:
		case p.K == 1:
			addPlace(f, p.Bit, l.Index, l.Layers, 1)
		default:
			f.logits(l, &p.Logits, p.K, update)
			addPlace(f, p.Narrow, l.Index, l.Layers, p.K)
			addPlace(f, p.Wide, l.Index, l.Layers, p.K)
		}
	}
}

func (f *fetcher) logits(l *Layer, w *Logits, k int, update bool) {
	addPlace(f, w.W, l.Index, l.Layers, k)
	addPlace(f, w.Top, l.Index, l.Layers, 1)
	if update {
		addPlace(f, w.M, l.Index, l.Layers, k)
		addPlace(f, w.V, l.Index, l.Layers, k)
	}
}

// rows adds rows of values or gradients, of which each gate has every so many floats some.
func (f *fetcher) rows(v []float32, every, floats int) {
	if len(v) > 0 {
		f.places = append(f.places, place{unsafe.Pointer(&v[0]), 4 * every, floats / lineFloats})
	}
}

// fetch asks for the elements of gate i.
func (f *fetcher) fetch(i int) {
	if f.f != nil {
		f.f.fetch((*byte)(unsafe.Pointer(&f.places[0])), len(f.places), i)
	}
}

// row asks for a row of values.
func (f *fetcher) row(v []float32) {
	if f.f != nil {
		f.f.fetchRow(&v[0], len(v)/lineFloats)
	}
}

// edges asks for what the readers of a gate have left, n floats each.
func (f *fetcher) edges(t *Trace, edges []Edge, row, n int) {
	if f.f != nil && len(edges) > 0 {
		f.f.fetchEdges(&edges[0].Pin, len(edges), &t.Pins[0], 4*row, n/lineFloats)
	}
}
