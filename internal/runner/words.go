package runner

import (
	"context"
	"fmt"
	"unsafe"

	"ialgn/internal/nativecall"
	"ialgn/internal/wordcode"
	"ialgn/sim"
)

// ClassifyWords classifies samples given as feature words x[sample][feature]. It stores the class
// of each sample in r.Class, whose length is the number of samples, and the counts in r.Counts
// unless r.Counts is nil. The engine must be made by [NewWords] for words of this width. It returns
// an error if x or r have other sizes, or if ctx is done.
func ClassifyWords[T uint8 | uint16](ctx context.Context, e *Engine, x []T, r sim.Result) error {
	samples, size := len(r.Class), int(unsafe.Sizeof(T(0)))
	if e.features == nil || e.features.Wide != (size == 2) {
		return fmt.Errorf("engine %s: it does not take feature words of %d bits", e.ISA().Name, 8*size)
	}
	if len(x) != samples*e.features.Count || r.Counts != nil && len(r.Counts) != samples*e.Classes() {
		return fmt.Errorf("engine %s: %d words and room for %d counts, need %d and %d for %d samples of %d features",
			e.ISA().Name, len(x), len(r.Counts), samples*e.features.Count, samples*e.Classes(), samples, e.features.Count)
	}
	block := e.ISA().Samples()
	return e.each(ctx, samples, func(w *worker, first, blocks int) {
		for b := range blocks {
			from := (first + b) * block
			makeRows(w, b, x[from*e.features.Count:], min(block, samples-from))
			w.convolve(b)
		}
		w.run(blocks)
		for b := range blocks {
			from := (first + b) * block
			end := min(from+block, samples)
			part := sim.Result{Classes: r.Classes, Class: r.Class[from:end]}
			if r.Counts != nil {
				part.Counts = r.Counts[from*e.Classes() : end*e.Classes()]
			}
			w.makeNumbers(b, part)
		}
	})
}

// makeRows computes the input rows of a block from the features of its samples.
func makeRows[T uint8 | uint16](w *worker, block int, x []T, samples int) {
	rows := address(w.input(block))
	for _, input := range w.code.Edges.Inputs {
		nativecall.Call(w.mapped.Entry(input), uintptr(unsafe.Pointer(&x[0])), uintptr(samples), rows,
			address(w.temp))
	}
}

// makeNumbers computes the classes of a block from the state rows. It also computes the counts if r has room for
// them. Each call of the code handles some of the samples.
func (w *worker) makeNumbers(block int, r sim.Result) {
	rows := uintptr(block * w.code.State * w.ISA().RowBytes)
	for from := 0; from < len(r.Class); from += w.piece {
		counts := unsafe.Pointer(nil)
		if r.Counts != nil {
			counts = unsafe.Pointer(&r.Counts[from*w.Classes()])
		}
		nativecall.Call(w.mapped.Entry(w.code.Edges.Output), address(w.state)+rows+uintptr(from/8),
			uintptr(min(w.piece, len(r.Class)-from)), uintptr(unsafe.Pointer(&r.Class[from])), uintptr(counts))
	}
}

// These times are in picoseconds. The first is the maximum time of a call that computes classes and counts. The
// second is the time for one digit in the count of one sample, which is twice the time measured with AVX2.
const (
	longestNumbers = 50_000_000
	perDigit       = 100
)

// pieceOf returns the number of samples for which a call computes classes and counts. The number is a multiple of 64.
// It is a whole block, unless so many classes would make the call too long.
func pieceOf(c *wordcode.Classifier) int {
	digits := 0
	for _, count := range c.Counts {
		digits += count.Count
	}
	return max(1, longestNumbers/perDigit/max(1, digits)/64) * 64
}
