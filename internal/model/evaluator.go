package model

import (
	"ialgn/internal/bitplane"
	"ialgn/internal/ties"
)

// Evaluator computes the forward pass of a frozen network over bit rows, layer by layer. It reuses its memory
// between batches. Several goroutines may evaluate the same network if each has its own Evaluator.
type Evaluator struct {
	f     *Frozen
	words int
	last  []uint64 // [width][words], the bits of the most recently computed layer
	spare []uint64 // the bits of the layer before
	count bitplane.Counter
}

// NewEvaluator returns an evaluator of f, which must be valid and must not change afterwards.
func NewEvaluator(f *Frozen) *Evaluator { return &Evaluator{f: f} }

// Run evaluates 64*words samples. The argument in holds the thermometer bits as rows, [Inputs][words]. After each
// layer, Run calls visit, unless visit is nil. It passes the layer's number, counted from 0, and the layer's bits,
// [width][words]. The bits are valid until visit returns.
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
	widest := 0
	for l := range e.f.Layers {
		widest = max(widest, e.f.Layers[l].Width())
	}
	if n := widest * words; cap(e.last) < n {
		e.last, e.spare = make([]uint64, n), make([]uint64, n)
	}
}

// layer evaluates one layer from the inputs and e.spare into e.last.
func (e *Evaluator) layer(layer *FrozenLayer, in []uint64) {
	rows := [2][]uint64{Input: in, Previous: e.spare}
	words := e.words
	e.last = e.last[:layer.Width()*words]
	if len(layer.Pins) == 2 {
		pa, pb := &layer.Pins[0], &layer.Pins[1]
		a, b := rows[pa.Source], rows[pb.Source]
		for i, op := range layer.Op.Narrow {
			ia, ib := int(pa.Index[i])*words, int(pb.Index[i])*words
			apply(op, e.last[i*words:(i+1)*words], a[ia:ia+words], b[ib:ib+words])
		}
		return
	}
	pins := make([][]uint64, len(layer.Pins))
	for i := range layer.Width() {
		for k := range pins {
			p := &layer.Pins[k]
			pins[k] = rows[p.Source][int(p.Index[i])*words:][:words]
		}
		ApplyTable(layer.Op.At(i), e.last[i*words:(i+1)*words], pins)
	}
}

// Counts writes the class counts after Run. A class's count is the number of ones in its group of gates, plus the
// class's offset. The group of class c is the gates from c*Width/classes up to (c+1)*Width/classes, exclusive. dst has
// the shape [classes][samples] and receives the counts of the first samples in the batch.
func (e *Evaluator) Counts(dst []int32, samples int) {
	group := e.f.Width / len(e.f.Classes)
	for c := range e.f.Classes {
		row := dst[c*samples : (c+1)*samples]
		for w := 0; w*64 < samples; w++ {
			e.count.Reset()
			e.count.AddEvery(e.last[c*group*e.words+w:(c+1)*group*e.words], e.words)
			e.count.Store(row[w*64 : min(w*64+64, samples)])
		}
		if e.f.Offsets != nil {
			for i := range row {
				row[i] += int32(e.f.Offsets[c])
			}
		}
	}
}

// Classify writes the class of each sample. It is the class with the largest count. If several classes have it, the
// first of them in the tie order wins, or the lowest if the order is nil. counts is [classes][len(dst)], as Counts
// writes it.
func Classify(dst []uint8, counts []int32, order []int) {
	samples, first := len(dst), ties.At(order, 0)
	for s := range dst {
		best := counts[first*samples+s]
		dst[s] = uint8(first)
		for place := 1; place*samples < len(counts); place++ {
			c := ties.At(order, place)
			if n := counts[c*samples+s]; n > best {
				best, dst[s] = n, uint8(c)
			}
		}
	}
}
