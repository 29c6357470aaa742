package prune

import (
	"context"
	"sync/atomic"

	"ialgn/internal/crew"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// blockWords is the number of words of a row of a block of samples.
const blockWords = 8

// block is what a network says about some consecutive samples, in bit rows of blockWords words.
type block struct {
	from, samples int
	in            []uint64   // by input bit
	layers        [][]uint64 // by layer and node
	counts        []int32    // of the classes, [samples][classes]

	index   []int32
	byClass []int32
	eval    *model.Evaluator
	batcher *encoding.Batcher
	f       *model.Frozen
}

// blocks returns the number of blocks of all samples.
func (t *Task) blocks() int { return (t.Samples.Len() + 64*blockWords - 1) / (64 * blockWords) }

// newBlock returns a block of samples of the task, which a crew reads.
func (t *Task) newBlock(f *model.Frozen, c *crew.Crew) *block {
	b := &block{
		in: make([]uint64, f.Inputs()*blockWords), eval: model.NewEvaluator(f), f: f,
		batcher: encoding.NewBatcher(&f.Encoder, t.Samples, blockWords, c),
		counts:  make([]int32, 64*blockWords*len(f.Classes)), byClass: make([]int32, 64*blockWords*len(f.Classes)),
	}
	for l := range f.Layers {
		b.layers = append(b.layers, make([]uint64, f.Layers[l].Width()*blockWords))
	}
	return b
}

// run evaluates block number k of all, of so many samples.
func (b *block) run(k, all int) {
	b.from = k * 64 * blockWords
	b.samples = min(64*blockWords, all-b.from)
	b.index = b.index[:0]
	for i := range b.samples {
		b.index = append(b.index, int32(b.from+i))
	}
	b.batcher.Batch(b.in, b.index)
	b.eval.Run(b.in, blockWords, func(layer int, h []uint64) { copy(b.layers[layer], h) })
	classes := len(b.f.Classes)
	b.eval.Counts(b.byClass[:classes*b.samples], b.samples)
	for c := range classes {
		for s, n := range b.byClass[c*b.samples:][:b.samples] {
			b.counts[s*classes+c] = n
		}
	}
}

// row returns what a pin of a node of a layer reads.
func (b *block) row(layer int, p *model.FrozenPin, node int) []uint64 {
	rows := b.in
	if p.Source == model.Previous {
		rows = b.layers[layer-1]
	}
	return rows[int(p.Index[node])*blockWords:][:blockWords]
}

// valid returns the bits of a word of a row that belong to samples.
func (b *block) valid(word int) uint64 {
	switch n := b.samples - 64*word; {
	case n >= 64:
		return ^uint64(0)
	case n <= 0:
		return 0
	default:
		return 1<<n - 1
	}
}

// eachBlock evaluates a network over all samples, block by block on several goroutines. Each calls visitor once, and
// with what that returns visits its blocks, in no order.
func (t *Task) eachBlock(ctx context.Context, f *model.Frozen, visitor func() func(b *block)) error {
	var next atomic.Int64
	g, ctx := crew.NewGroup(ctx)
	for range min(max(1, t.Threads), t.blocks()) {
		visit := visitor()
		g.Go(func() error {
			b := t.newBlock(f, crew.New(1))
			for k := int(next.Add(1)) - 1; k < t.blocks(); k = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				b.run(k, t.Samples.Len())
				visit(b)
			}
			return nil
		})
	}
	return g.Wait()
}
