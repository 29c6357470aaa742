package diagnose

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"ialgn/internal/bitplane"
	"ialgn/internal/encoding"
	"ialgn/internal/memory"
	"ialgn/internal/model"
)

// Bits holds the bits of a layer for all samples of a set, sample by sample.
type Bits struct {
	Width  int // number of bits of a sample
	Words  int // words of each sample; bit i is bit i%64 of word i/64, unused bits are 0
	Labels []uint8
	words  []uint64
}

// NewBits returns bits that are all 0, for samples with the given labels.
func NewBits(width int, labels []uint8) *Bits {
	b := &Bits{Width: width, Words: (width + 63) / 64, Labels: labels}
	b.words = memory.MakeHuge[uint64](len(labels) * b.Words)
	return b
}

// Sample returns the words of a sample.
func (b *Bits) Sample(i int) []uint64 { return b.words[i*b.Words : (i+1)*b.Words] }

// Digest returns a SHA-256 hash of the bits and labels.
func (b *Bits) Digest() [sha256.Size]byte {
	h := sha256.New()
	buffer := binary.LittleEndian.AppendUint64(nil, uint64(b.Width))
	h.Write(append(buffer, b.Labels...))
	for i := range b.Labels {
		buffer, _ = binary.Append(buffer[:0], binary.LittleEndian, b.Sample(i)) // binary.Append cannot fail for words
		h.Write(buffer)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Collect returns the bits of a layer for a whole set. If ctx is cancelled, it returns the context's error.
func Collect(ctx context.Context, f *model.Frozen, set *encoding.Packed, layer, threads int) (*Bits, error) {
	width := f.Inputs()
	if layer > 0 {
		width = f.Layers[layer-1].Width()
	}
	b := NewBits(width, set.Labels)
	err := sweep(ctx, f, set, threads, func() visitor {
		return visitor{func(l int, rows []uint64, from, to int) {
			if l == layer {
				b.store(rows, from, to)
			}
		}, func() {}}
	})
	return b, err
}

// store converts rows of bits into words of samples. The rows hold the samples with indices in the range [from, to).
func (b *Bits) store(rows []uint64, from, to int) {
	var m [64]uint64
	for c := range b.Words {
		bits := min(64, b.Width-64*c)
		for w := range batchWords {
			for k := range bits {
				m[k] = rows[(64*c+k)*batchWords+w]
			}
			clear(m[bits:])
			bitplane.Transpose(&m)
			for s := range max(0, min(64, to-from-64*w)) {
				b.words[(from+64*w+s)*b.Words+c] = m[s]
			}
		}
	}
}
