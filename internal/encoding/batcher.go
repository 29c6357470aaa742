package encoding

import (
	"fmt"
	"sync/atomic"

	"ialgn/internal/crew"
)

// blockFeatures is the number of features that a [Batcher] spreads at a time. It is a multiple of 64, so that a block
// consists of whole words of a sample for every width of a feature. 128 levels of 4 bits fill a cache line. The bit
// planes of a block stay in the nearest cache.
const blockFeatures = 128

// Batcher spreads samples of a packed set into thermometer bits, one batch at a time. It combines [Packed.Gather]
// with [Encoder.Thermometer] or [Encoder.Compare], block by block on several goroutines, and never holds the bit
// planes of a whole batch in memory.
//
// A Batcher serves one caller at a time. Only [NewBatcher] allocates memory.
type Batcher struct {
	enc    *Encoder
	set    *Packed
	words  int
	crew   *crew.Crew
	planes [][]uint64 // bit planes of one block, one buffer for each goroutine

	spread func(dst, planes []uint64, from, to int) // writes the bits of the block's features from .. to-1
}

// NewBatcher returns a Batcher for the samples of a set, which must hold levels of the encoder enc. Each bit row has
// the given number of words. The Batcher runs on the crew c. During training, c should be the crew of the training
// step, because its goroutines are awake. NewBatcher panics if the set does not hold levels of enc.
func NewBatcher(enc *Encoder, set *Packed, words int, c *crew.Crew) *Batcher {
	if set.Features != enc.Features() || set.Width != enc.LevelBits() {
		panic(fmt.Sprintf("encoding: %d features of %d bits are not levels of %d features of %d bits",
			set.Features, set.Width, enc.Features(), enc.LevelBits()))
	}
	b := newBatcher(enc, set, words, c)
	b.spread = func(dst, planes []uint64, from, to int) { enc.spread(dst, planes, words, to-from) }
	return b
}

// NewWordBatcher is [NewBatcher] for a set that holds feature words of at least BitsIn bits instead of levels.
func NewWordBatcher(enc *Encoder, set *Packed, words int, c *crew.Crew) *Batcher {
	if set.Features != enc.Features() || set.Width < enc.BitsIn {
		panic(fmt.Sprintf("encoding: %d features of %d bits are not words of %d features of %d bits",
			set.Features, set.Width, enc.Features(), enc.BitsIn))
	}
	b := newBatcher(enc, set, words, c)
	b.spread = func(dst, planes []uint64, from, to int) { enc.compare(dst, planes, set.Width, words, from, to) }
	return b
}

func newBatcher(enc *Encoder, set *Packed, words int, c *crew.Crew) *Batcher {
	b := &Batcher{enc: enc, set: set, words: words, crew: c, planes: make([][]uint64, c.Size())}
	for i := range b.planes {
		b.planes[i] = make([]uint64, min(blockFeatures, set.Features)*set.Width*words)
	}
	return b
}

func (b *Batcher) blocks() int { return (b.set.Features + blockFeatures - 1) / blockFeatures }

// Batch writes the thermometer bits of the samples as bit rows. Input bit r of sample index[i] becomes bit i%64 of
// dst[r*words + i/64]. Bits after the last sample are zero, in all words of a row.
//
// It panics if dst is too short, if a row is too short for the samples, or if an index is out of range.
func (b *Batcher) Batch(dst []uint64, index []int32) {
	if len(dst) < b.enc.Inputs()*b.words || len(index) > 64*b.words {
		panic(fmt.Sprintf("encoding: %d samples do not fit %d words, %d a row, %d rows",
			len(index), len(dst), b.words, b.enc.Inputs()))
	}
	for _, i := range index {
		_ = b.set.Labels[i] // panics here, in the caller's goroutine
	}
	var next atomic.Int32
	b.crew.Run(func(member int) {
		for k := int(next.Add(1)) - 1; k < b.blocks(); k = int(next.Add(1)) - 1 {
			b.block(dst, b.planes[member], index, k)
		}
	})
}

// block writes the thermometer bits of block k.
func (b *Batcher) block(dst, planes []uint64, index []int32, k int) {
	from := k * blockFeatures
	to := min(from+blockFeatures, b.set.Features)
	b.set.gather(planes, b.words, index, from, to)
	b.spread(dst[from*(b.enc.Bits-1)*b.words:], planes, from, to)
}
