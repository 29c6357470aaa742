package model

import "ialgn/internal/bitplane"

// Evaluator is the forward pass of a frozen network over bit rows, layer by layer. It
// keeps its memory between batches; several goroutines need one each, over the same
// network.
type Evaluator struct {
	f     *Frozen
	words int
	last  []uint64 // [Width][words], the last layer's bits
	spare []uint64 // the layer before
	count bitplane.Counter
}

// NewEvaluator returns an evaluator of f, which must be valid and stay unchanged.
func NewEvaluator(f *Frozen) *Evaluator { return &Evaluator{f: f} }

// Run evaluates 64*words samples. in holds the thermometer bits as rows,
// [Inputs][words]. After each layer, counted from 0, it calls visit, if that is not
// nil, with the layer's bits [Width][words], which are valid until visit returns.
func (e *Evaluator) Run(in []uint64, words int, visit func(layer int, h []uint64)) {
	e.resize(words)
	in = in[:e.f.Inputs()*words]
	for l := range e.f.Layers {
		e.last, e.spare = e.spare, e.last
		e.layer(&e.f.Layers[l], in)
		if visit != nil {
			visit(l, e.last)
		}
	}
}

func (e *Evaluator) resize(words int) {
	e.words = words
	n := e.f.Width * words
	if cap(e.last) < n {
		e.last, e.spare = make([]uint64, n), make([]uint64, n)
	}
	e.last, e.spare = e.last[:n], e.spare[:n]
}

// layer evaluates one layer from the inputs and e.spare into e.last.
func (e *Evaluator) layer(layer *FrozenLayer, in []uint64) {
	rows := [2][]uint64{Input: in, Previous: e.spare}
	a, b, words := rows[layer.ASource], rows[layer.BSource], e.words
	for i, op := range layer.Op {
		ia, ib := int(layer.A[i])*words, int(layer.B[i])*words
		apply(op, e.last[i*words:(i+1)*words], a[ia:ia+words], b[ib:ib+words])
	}
}

// Counts writes how many gates of each class's group are 1 after Run: dst is
// [classes][samples], for the first samples of the batch. The group of class c are
// the gates c*Width/classes up to (c+1)*Width/classes.
func (e *Evaluator) Counts(dst []int32, samples int) {
	group := e.f.Width / len(e.f.Classes)
	for c := range e.f.Classes {
		row := dst[c*samples : (c+1)*samples]
		for w := 0; w*64 < samples; w++ {
			e.count.Reset()
			e.count.AddEvery(e.last[c*group*e.words+w:(c+1)*group*e.words], e.words)
			e.count.Store(row[w*64 : min(w*64+64, samples)])
		}
	}
}

// Classify writes the class with the largest count of each sample, the lowest class
// where several are equal. counts is [classes][len(dst)], as Counts writes it.
func Classify(dst []uint8, counts []int32) {
	clear(dst)
	samples := len(dst)
	for s := range dst {
		best := counts[s]
		for c := 1; c*samples < len(counts); c++ {
			if n := counts[c*samples+s]; n > best {
				best, dst[s] = n, uint8(c)
			}
		}
	}
}
