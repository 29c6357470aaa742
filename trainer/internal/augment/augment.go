// Package augment changes the images of a training set a little, in another way each epoch: it shifts, mirrors, turns,
// scales and shears them. What becomes of an image depends on the seed, the epoch and the number of the sample alone,
// and is computed in integers, so that it is the same on every machine and on any number of goroutines.
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

// Batcher spreads changed samples into thermometer bits, a batch at a time, as an [encoding.Batcher] does with samples
// as they are.
//
// A Batcher is for one caller at a time.
type Batcher struct {
	keys    config.Augment
	seed    uint64
	shape   dataset.Shape
	set     *encoding.Packed
	changed *encoding.Packed // the samples of the batch
	spread  *encoding.Batcher
	index   []int32 // 0, 1, 2 and so on: the samples of changed
	crew    *crew.Crew
	members []*member
}

// member is the room that a goroutine has.
type member struct {
	image    *image
	from, to []byte // a sample
}

// NewBatcher returns a Batcher of samples of set, the feature words of images, which it changes as a configuration
// says; with rows of words words, on a crew. It panics if the set holds something else.
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

// Batch is [encoding.Batcher.Batch] of the samples as they are in an epoch.
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

// Words returns the feature words of the samples of the last batch as they were changed, numbered from 0 in their
// order. The next batch overwrites them.
func (b *Batcher) Words() *encoding.Packed { return b.changed }

// sample writes a sample as it is in an epoch.
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
