//go:build linux

package runner

import (
	"fmt"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/sim"
)

// guarded returns n words. They end less than a cache line before a page that cannot be accessed.
func guarded(t *testing.T, n int) []uint64 {
	t.Helper()
	page := unix.Getpagesize() / 8
	pages := max(1, (n+page-1)/page) * page
	memory, err := unix.Mmap(-1, 0, 8*(pages+page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mprotect(memory[8*pages:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	skip := (pages - n) / line * line
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(memory))), pages)[skip:]
}

// TestLoopedGuarded runs code that loops over positions, with images at the end of accessible memory. It runs each
// code two times in succession. The code must not write the rows of zeros around an image, and must give the same
// results as the trainer's evaluation.
func TestLoopedGuarded(t *testing.T) {
	for i, form := range netgen.Convolutions() {
		m := form.Model(uint64(100 + i))
		n := looped(t, m)
		if n == nil {
			continue
		}
		f := m.Freeze()
		for _, isa := range sets(t) {
			e, err := NewLooped(n, isa, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := e.worker()
			c := e.code
			w.rows, w.state = guarded(t, e.blocks*c.Last*w.words), guarded(t, e.blocks*c.State*w.words)
			w.local = guarded(t, c.Local*w.words)
			for k := range w.images {
				w.images[k] = guarded(t, c.Stages[k].Image*w.words)
			}
			for turn := range 2 {
				checkGuarded(t, fmt.Sprintf("%s, %s, turn %d", form.Name, isa.Name, turn), f, w, uint64(turn))
			}
		}
	}
}

// checkGuarded classifies a block with the worker's memory.
func checkGuarded(t *testing.T, name string, f *model.Frozen, w *worker, seed uint64) {
	t.Helper()
	samples := 64 * w.words
	x := randomRows(seed, f.Inputs(), samples)
	w.load(0, x, w.words, 0)
	w.convolve(0)
	w.run(1)
	classes := len(f.Classes)
	r := &sim.Result{Classes: classes, Class: make([]uint16, samples), Counts: make([]int32, samples*classes)}
	w.store(0, r, 0)
	eval, counts := model.NewEvaluator(f), make([]int32, classes*samples)
	eval.Run(x, w.words, nil)
	eval.Counts(counts, samples)
	for i := range samples {
		for c := range classes {
			if got, want := r.Counts[i*classes+c], counts[c*samples+i]; got != want {
				t.Fatalf("%s: sample %d: count %d of class %d, want %d", name, i, got, c, want)
			}
		}
	}
	for k, image := range w.images {
		checkBorder(t, fmt.Sprintf("%s, image %d", name, k), w, k, image)
	}
}

// checkBorder checks that all rows of an image are zero, except for the rows that the previous convolution or the
// input writes.
func checkBorder(t *testing.T, name string, w *worker, stage int, image []uint64) {
	t.Helper()
	written := make([]bool, w.code.Stages[stage].Image)
	if stage == 0 {
		for row, bit := range w.code.Rows {
			written[row] = bit >= 0
		}
	} else {
		before := &w.code.Stages[stage-1]
		for y := range before.Rows {
			for x := range before.Columns {
				first := before.Out.First + y*before.Out.Row + x*before.Out.Column
				for plane := range before.Out.Column {
					written[first+plane] = true
				}
			}
		}
	}
	for row, is := range written {
		for _, word := range image[row*w.words:][:w.words] {
			if !is && word != 0 {
				t.Fatalf("%s: row %d of the border is %x", name, row, word)
			}
		}
	}
}
