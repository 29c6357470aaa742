package native

import (
	"context"
	"fmt"
	"unsafe"

	"ialgn/internal/nativecall"
	"ialgn/sim"
)

// ClassifyWords writes the classes of samples, one for each element of r.Class, and their counts unless r.Counts is
// nil. x has their feature words, [sample][feature]. The engine is one of [NewWords] for words of this width. It
// returns an error if x or r have other sizes, or ctx's.
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
			count := min(block, samples-from)
			nativecall.Call(w.mapped.Entry(e.code.Edges.Input), uintptr(unsafe.Pointer(&x[from*e.features.Count])),
				uintptr(count), address(w.rows)+uintptr(b*len(e.code.Rows)*e.ISA().RowBytes), address(w.temp))
		}
		w.run(blocks)
		for b := range blocks {
			from := (first + b) * block
			count, counts := min(block, samples-from), unsafe.Pointer(nil)
			if r.Counts != nil {
				counts = unsafe.Pointer(&r.Counts[from*e.Classes()])
			}
			nativecall.Call(w.mapped.Entry(e.code.Edges.Output), address(w.state)+uintptr(b*e.code.State*e.ISA().RowBytes),
				uintptr(count), uintptr(unsafe.Pointer(&r.Class[from])), uintptr(counts))
		}
	})
}
