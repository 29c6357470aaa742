package ialgn

import (
	"ialgn/internal/encoding"
	"ialgn/sim"
)

// words holds the feature words of samples, [sample][feature]. If the encoder's words have at most 8 bits, they are
// in the field narrow. Otherwise they are in the field wide.
type words struct {
	narrow []uint8
	wide   []uint16
}

// wordBytes returns the size of an encoder's feature words in [words], in bytes.
func wordBytes(enc *encoding.Encoder) int {
	if enc.BitsIn <= 8 {
		return 1
	}
	return 2
}

// newWords allocates the words of samples.
func newWords(enc *encoding.Encoder, samples int) words {
	n := samples * enc.Features()
	if wordBytes(enc) == 1 {
		return words{narrow: make([]uint8, n)}
	}
	return words{wide: make([]uint16, n)}
}

// first returns the first n words, which share their memory with w.
func (w words) first(n int) words {
	if w.wide != nil {
		return words{wide: w.wide[:n]}
	}
	return words{narrow: w.narrow[:n]}
}

// put sets the words of sample i.
func (w words) put(i int, values []uint16) {
	if w.wide != nil {
		copy(w.wide[i*len(values):], values)
		return
	}
	for f, v := range values {
		w.narrow[i*len(values)+f] = uint8(v)
	}
}

// get reads the words of sample i.
func (w words) get(values []uint16, i int) {
	if w.wide != nil {
		copy(values, w.wide[i*len(values):])
		return
	}
	for f, v := range w.narrow[i*len(values):][:len(values)] {
		values[f] = uint16(v)
	}
}

// newResult allocates the result for the given number of samples.
func newResult(classes, samples int) sim.Result {
	return sim.Result{Classes: classes, Class: make([]uint16, samples), Counts: make([]int32, samples*classes)}
}

// resultOf returns the results for the first n samples in r. They share their memory with r.
func resultOf(r sim.Result, n int) sim.Result {
	return sim.Result{Classes: r.Classes, Class: r.Class[:n], Counts: r.Counts[:n*r.Classes]}
}
