package encoding

import (
	"fmt"

	"ialgn/internal/bitplane"
)

// Gather writes the samples of a batch as bit rows. Bit b of feature f in sample index[i] becomes bit i%64 of
// dst[(f*Width+b)*words + i/64]. Bits after the last sample are zero, in all words of a row.
//
// dst must have Rows()*words elements, and words must be at least len(index)/64, rounded up. Otherwise Gather panics.
// It also panics if an index is out of range. It allocates nothing, and several goroutines may call it at once.
func (p *Packed) Gather(dst []uint64, words int, index []int32) {
	p.checkRows(dst, words, len(index))
	p.gather(dst, words, index, 0, p.Features)
}

// gather is [Packed.Gather] for the features from .. to-1, where from is a multiple of 64.
func (p *Packed) gather(dst []uint64, words int, index []int32, from, to int) {
	first, rows := from*p.Width/64, (to-from)*p.Width
	var samples [64][]uint64
	for w := range words {
		n := min(max(len(index)-64*w, 0), 64)
		for s := range n {
			samples[s] = p.Row(int(index[64*w+s]))[first:]
		}
		spread(dst, words, w, samples[:n], rows)
	}
}

// GatherRange is [Packed.Gather] for the samples from .. to-1.
func (p *Packed) GatherRange(dst []uint64, words, from, to int) {
	p.checkRows(dst, words, to-from)
	var samples [64][]uint64
	for w := range words {
		n := min(max(to-from-64*w, 0), 64)
		for s := range n {
			samples[s] = p.Row(from + 64*w + s)
		}
		spread(dst, words, w, samples[:n], p.Rows())
	}
}

func (p *Packed) checkRows(dst []uint64, words, samples int) {
	if samples < 0 || 64*words < samples || len(dst) < p.Rows()*words {
		panic(fmt.Sprintf("encoding: %d samples do not fit %d words, %d a row, %d rows", samples, len(dst), words, p.Rows()))
	}
}

// spread writes word w of all rows from at most 64 samples. It does one 64 x 64 transposition for each word of a
// sample.
func spread(dst []uint64, words, w int, samples [][]uint64, rows int) {
	var m [64]uint64
	for c := 0; 64*c < rows; c++ {
		for s, x := range samples {
			m[s] = x[c]
		}
		clear(m[len(samples):])
		bitplane.Transpose(&m)
		out := dst[64*c*words:]
		for k := range min(64, rows-64*c) {
			out[k*words+w] = m[k]
		}
	}
}
