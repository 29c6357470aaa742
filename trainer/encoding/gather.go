package encoding

import (
	"fmt"

	"ialgn/internal/bitplane"
)

// Gather writes the samples of a batch as bit rows: bit b of feature f of sample
// index[i] becomes bit i%64 of dst[(f*Width+b)*words + i/64]. Bits past the last
// sample are zero, in all of the words of a row.
//
// dst has Rows()*words elements, and words is at least len(index)/64, rounded up. It
// panics if they are too few or an index is out of range. It allocates nothing and
// may run in several goroutines at once.
func (p *Packed) Gather(dst []uint64, words int, index []int32) {
	p.checkRows(dst, words, len(index))
	var base [64]int
	for w := range words {
		n := min(max(len(index)-64*w, 0), 64)
		for s := range n {
			base[s] = int(index[64*w+s]) * p.stride
		}
		p.spread(dst, words, w, base[:n])
	}
}

// GatherRange is [Packed.Gather] of the samples from, from+1, ... to-1.
func (p *Packed) GatherRange(dst []uint64, words, from, to int) {
	p.checkRows(dst, words, to-from)
	var base [64]int
	for w := range words {
		n := min(max(to-from-64*w, 0), 64)
		for s := range n {
			base[s] = (from + 64*w + s) * p.stride
		}
		p.spread(dst, words, w, base[:n])
	}
}

func (p *Packed) checkRows(dst []uint64, words, samples int) {
	if samples < 0 || 64*words < samples || len(dst) < p.Rows()*words {
		panic(fmt.Sprintf("encoding: %d samples do not fit %d words, %d a row, %d rows", samples, len(dst), words, p.Rows()))
	}
}

// spread writes word w of all rows from the samples that start at base, at most 64:
// one 64 x 64 transposition for each word of a sample.
func (p *Packed) spread(dst []uint64, words, w int, base []int) {
	var m [64]uint64
	for c := range p.stride {
		for s, b := range base {
			m[s] = p.words[b+c]
		}
		clear(m[len(base):])
		bitplane.Transpose(&m)
		out := dst[64*c*words:]
		for k := range min(64, p.Rows()-64*c) {
			out[k*words+w] = m[k]
		}
	}
}
