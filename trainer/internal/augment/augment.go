// Package augment shifts, mirrors, rotates, scales and shears the images of a training set slightly. Each image
// changes differently in each epoch. The change depends only on the seed, the epoch and the number of the sample. It
// is computed in integers, so every machine and any number of goroutines give the same image.
package augment

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"ialgn/internal/config"
	"ialgn/internal/crew"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
)

// Batcher changes the samples of a batch and encodes them as thermometer bits. An [encoding.Batcher] encodes
// unchanged samples. A Batcher must not be used by several goroutines at once.
type Batcher struct {
	keys    config.Augment
	seed    uint64
	shape   dataset.Shape
	set     *encoding.Packed
	changed *encoding.Packed // the changed samples of the batch
	spread  *encoding.Batcher
	index   []int32 // 0, 1, 2, ...: the indices of the samples in changed
	crew    *crew.Crew
	members []*member
}

// member is the working memory of one goroutine.
type member struct {
	image    *image
	from, to []byte // a sample before and after the change
}

// NewBatcher returns a Batcher for the samples of set, which are the feature words of images. The configuration says
// how to change the samples. The rows of encoded bits have the given number of words. NewBatcher panics if the set
// does not hold images of the given shape.
func NewBatcher(cfg *config.Train, shape dataset.Shape, enc *encoding.Encoder, set *encoding.Packed, words int,
	c *crew.Crew,
) *Batcher {
	if set.Width != 8 || set.Features != shape.Planes*shape.Height*shape.Width {
		panic(fmt.Sprintf("augment: %d features of %d bits are not the pixels of images of %d x %d x %d", set.Features,
			set.Width, shape.Planes, shape.Height, shape.Width))
	}
	b := &Batcher{
		keys: cfg.Augment, seed: cfg.Seed, shape: shape, set: set, changed: encoding.NewBlank(set.Features, 8, 64*words),
		crew: c,
	}
	b.spread = encoding.NewWordBatcher(enc, b.changed, words, c)
	for i := range int32(64 * words) {
		b.index = append(b.index, i)
	}
	for range c.Size() {
		size := (set.Features + 7) / 8 * 8
		b.members = append(b.members, &member{newImage(shape), make([]byte, size), make([]byte, size+writeSlack)})
	}
	return b
}

// Batch is like [encoding.Batcher.Batch], but it changes the samples for the given epoch before it encodes them.
func (b *Batcher) Batch(dst []uint64, epoch int, index []int32) {
	if len(index) > len(b.index) {
		panic(fmt.Sprintf("augment: %d samples for batches of %d", len(index), len(b.index)))
	}
	var next atomic.Int32
	b.crew.Run(func(member int) {
		for k := int(next.Add(1)) - 1; k < len(index); k = int(next.Add(1)) - 1 {
			b.members[member].sample(b, b.changed.Row(k), epoch, int(index[k]))
		}
	})
	b.spread.Batch(dst, b.index[:len(index)])
}

// Words returns the feature words of the changed samples of the last batch, numbered from 0 in the order of the
// batch. The next batch overwrites them.
func (b *Batcher) Words() *encoding.Packed { return b.changed }

// sample writes a sample, changed for the given epoch, to dst.
func (m *member) sample(b *Batcher, dst []uint64, epoch, sample int) {
	src := b.set.Row(sample)
	c := drawChange(&b.keys, b.shape, b.seed, epoch, sample)
	if c == unchanged {
		copy(dst, src)
		return
	}
	for i, w := range src {
		binary.LittleEndian.PutUint64(m.from[8*i:], w)
	}
	for size, p := b.shape.Height*b.shape.Width, 0; p < b.shape.Planes; p++ {
		m.image.load(m.from[p*size:][:size])
		m.image.change(m.to[p*size:], &c)
	}
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint64(m.to[8*i:])
	}
}
