package kernel

// place is an array whose elements are prefetched. Only one of the three pointers in place is in use. The assembly
// depends on the offsets of the fields.
type place struct {
	bytes  int // distance from one element to the next
	lines  int // cache lines that an element covers
	floats *float32
	narrow *uint16
	wide   *uint32
}

// lineBytes is the size of a cache line.
const lineBytes = 4 * lineFloats

// fetcher prefetches the data of later gates. Most arrays of a layer are outside the nearest caches. The processor's
// own prefetcher does not find the rows that wires lead to, and it does not find elements that are a whole chain
// apart. On the plain path, a fetcher does nothing.
type fetcher struct {
	places []place
	f      *relaxedSteps
}

func (f *fetcher) reset() { f.places, f.f = f.places[:0], relaxedVectors() }

// add adds an array in which each gate of a layer has n elements of the given size.
func (f *fetcher) add(l *Layer, p place, n, size int) {
	p.bytes, p.lines = l.Layers*n*size, (n*size+lineBytes-1)/lineBytes
	f.places = append(f.places, p)
}

// gates adds the arrays that the forward pass reads for the gates of a layer and, for an update, the moments.
func (f *fetcher) gates(l *Layer, update bool) {
	f.logits(l, &l.Logits, l.Arity(), update)
	for _, p := range []*Pin{l.A, l.B} {
		switch {
		case p == nil:
		case p.K == 1:
			f.add(l, place{wide: &p.Bit[l.Index]}, 1, 4)
		default:
			f.logits(l, &p.Logits, p.K, update)
			if first := l.Index * p.K; p.Wide != nil {
				f.add(l, place{wide: &p.Wide[first]}, p.K, 4)
			} else {
				f.add(l, place{narrow: &p.Narrow[first]}, p.K, 2)
			}
		}
	}
}

func (f *fetcher) logits(l *Layer, w *Logits, k int, update bool) {
	f.add(l, place{floats: &w.W[l.Index*k]}, k, 4)
	if len(w.Top) > 0 { // a light gate has no Top
		f.add(l, place{floats: &w.Top[l.Index]}, 1, 4)
	}
	if update {
		f.add(l, place{floats: &w.M[l.Index*k]}, k, 4)
		f.add(l, place{floats: &w.V[l.Index*k]}, k, 4)
	}
}

// rows adds rows of values or gradients. The row of gate i has the given number of floats and begins at float
// i*every.
func (f *fetcher) rows(v []float32, every, floats int) {
	f.places = append(f.places, place{bytes: 4 * every, lines: floats / lineFloats, floats: &v[0]})
}

// fetch prefetches the elements of gate i in all arrays.
func (f *fetcher) fetch(i int) {
	if f.f != nil {
		f.f.fetch(&f.places[0].bytes, len(f.places), i)
	}
}

// row prefetches a row of values.
func (f *fetcher) row(v []float32) {
	if f.f != nil {
		f.f.fetchRow(&v[0], len(v)/lineFloats)
	}
}

// edges prefetches the values that the readers of a gate have left in the trace t. It prefetches n floats for each
// reader.
func (f *fetcher) edges(t *Trace, edges []Edge, row, n int) {
	if f.f != nil && len(edges) > 0 {
		f.f.fetchEdges(&edges[0].Pin, len(edges), &t.Pins[0], 4*row, n/lineFloats)
	}
}
