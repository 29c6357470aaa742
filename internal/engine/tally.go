package engine

import "ialgn/internal/bitplane"

// tally counts the ones of each class in a goroutine's range of nodes of the last layer.
type tally struct {
	r        *readout
	lo, hi   int // the range of nodes
	counters []bitplane.Counter
	counts   []int32 // [classes touched][samples, padded]
}

func newTally(r *readout, lo, hi int) *tally {
	touched := (hi-1)/r.perClass - lo/r.perClass + 1
	return &tally{
		r: r, lo: lo, hi: hi, counters: make([]bitplane.Counter, r.words), counts: make([]int32, touched*r.words*64),
	}
}

// classes counts the ones of the nodes in the range. For each class, it calls add with the nodes of this class that
// are in the range. The function add must pass the rows of these nodes to [tally.rows].
func (t *tally) classes(add func(from, to int)) {
	first := t.lo / t.r.perClass
	for from := t.lo; from < t.hi; {
		class := from / t.r.perClass
		to := min((class+1)*t.r.perClass, t.hi)
		add(from, to)
		for k := range t.counters {
			t.counters[k].Store(t.counts[((class-first)*t.r.words+k)*64:][:64])
			t.counters[k].Reset()
		}
		from = to
	}
}

// rows counts the ones in the rows of the given number of nodes of one class.
func (t *tally) rows(nodes int, out []uint64) {
	for k := range t.counters {
		t.counters[k].AddRows(out[k:nodes*t.r.words], t.r.words)
	}
}

// layer counts the range's nodes, given the rows of the whole layer.
func (t *tally) layer(out []uint64) {
	t.classes(func(from, to int) { t.rows(to-from, out[from*t.r.words:]) })
}
