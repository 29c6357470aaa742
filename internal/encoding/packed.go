package encoding

import (
	"fmt"
	"math/bits"
)

// Packed holds samples of small unsigned features, packed bit by bit. For training it holds the levels of a data set.
// For simulation of a full design it holds feature words. Bit b of feature f of a sample is bit f*Width+b of the
// sample's row.
type Packed struct {
	Features int
	Width    int // bits per feature
	Labels   []uint8

	stride int        // words per sample
	shift  int        // a chunk has 1<<shift samples
	chunks [][]uint64 // pieces of rows, so that a set grows without being copied
}

// chunkWords is the approximate size of a full chunk in words.
const chunkWords = 1 << 18

// NewPacked returns an empty set of samples with the given number of features, each width bits wide. It panics if
// there are no features or if width is not 1 to 16.
func NewPacked(features, width int) *Packed {
	if features < 1 || width < 1 || width > MaxBitsIn {
		panic(fmt.Sprintf("encoding: cannot pack %d features of %d bits", features, width))
	}
	stride := (features*width + 63) / 64
	return &Packed{Features: features, Width: width, stride: stride, shift: bits.Len(uint(max(1, chunkWords/stride))) - 1}
}

// NewBlank returns a set of samples whose values and labels are all 0. The rows may be changed. NewBlank panics like
// [NewPacked].
func NewBlank(features, width, samples int) *Packed {
	p := NewPacked(features, width)
	zeros := make([]uint16, features)
	for range samples {
		p.Append(zeros, 0)
	}
	return p
}

// Len returns the number of samples.
func (p *Packed) Len() int { return len(p.Labels) }

// Rows returns the number of bit rows that [Packed.Gather] writes, which is Features*Width.
func (p *Packed) Rows() int { return p.Features * p.Width }

// Append adds one sample. It panics if the number of values is not the number of features, if a value does not fit
// into Width bits, or if the label does not fit into a byte.
func (p *Packed) Append(values []uint16, label int) {
	if len(values) != p.Features || label < 0 || label > 255 {
		panic(fmt.Sprintf("encoding: %d values with label %d for %d features", len(values), label, p.Features))
	}
	last := p.last()
	*last = p.appendRow(*last, values)
	p.Labels = append(p.Labels, uint8(label))
}

// appendRow appends the packed words of a sample.
func (p *Packed) appendRow(row []uint64, values []uint16) []uint64 {
	word, shift := uint64(0), 0
	for f, v := range values {
		if v>>p.Width != 0 {
			panic(fmt.Sprintf("encoding: value %d of feature %d does not fit %d bits", v, f, p.Width))
		}
		word |= uint64(v) << shift
		if shift += p.Width; shift >= 64 {
			row = append(row, word)
			shift -= 64
			word = uint64(v) >> (p.Width - shift)
		}
	}
	if shift > 0 {
		row = append(row, word)
	}
	return row
}

// last returns the chunk that the next sample belongs to.
func (p *Packed) last() *[]uint64 {
	if len(p.chunks) == p.Len()>>p.shift {
		p.chunks = append(p.chunks, nil)
	}
	return &p.chunks[len(p.chunks)-1]
}

// Row returns the packed words of sample i. The result is a view, which may be changed only in a set made by
// [NewBlank].
func (p *Packed) Row(i int) []uint64 {
	at := i & (1<<p.shift - 1) * p.stride
	return p.chunks[i>>p.shift][at : at+p.stride : at+p.stride]
}

// Values unpacks sample i into dst, one element for each feature.
func (p *Packed) Values(dst []uint16, i int) {
	row, mask := p.Row(i), uint64(1)<<p.Width-1
	for f := range dst[:p.Features] {
		w, s := f*p.Width/64, f*p.Width%64
		v := row[w] >> s
		if s+p.Width > 64 {
			v |= row[w+1] << (64 - s)
		}
		dst[f] = uint16(v & mask)
	}
}
