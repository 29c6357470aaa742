package prune

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"ialgn/internal/crew"
)

// counted are the counted bits of a network over all samples.
type counted struct {
	*loss
	crew    *crew.Crew
	labels  []uint8
	classes int
	words   int
	rows    []uint64  // by bit, [words]
	counts  []int32   // [samples][classes]
	less    []float64 // what a sample's loss changes by if a class's count is one less, [classes][samples]
}

// Bytes returns what the choice of counted bits takes in memory for the bits themselves, in a network whose last layer
// has that many nodes.
func Bytes(width, samples int) uint64 { return uint64(width) * (uint64(samples) + 63) / 64 * 8 }

// chooseBits chooses a share of the counted bits that are not 0 in any case, and removes them from the network.
func (t *Task) chooseBits(ctx context.Context, n *network, share float64) ([]Constant, error) {
	group, last := n.Width/len(n.Classes), len(n.Layers)-1
	var left []int // bits that are left
	kept := make([]int, len(n.Classes))
	for i := range n.Width {
		if n.Layers[last].Op.At(i) != 0 {
			left = append(left, i)
			kept[i/group]++
		}
	}
	spare := 0
	for _, n := range kept {
		spare += max(0, n-1)
	}
	remove := min(rounded(share, len(left)), spare)
	if remove == 0 {
		return nil, nil
	}
	c, err := t.newCounted(ctx, n)
	if err != nil {
		return nil, err
	}
	var removed []Constant
	each := (remove + bitRounds - 1) / bitRounds
	for len(removed) < remove {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var gone []int
		for _, i := range c.order(left, group) {
			if kept[i/group] > 1 && len(gone) < min(each, remove-len(removed)) {
				kept[i/group]--
				gone = append(gone, i)
			}
		}
		for _, i := range gone {
			bit := Constant{Layer: last, Node: i}
			removed = append(removed, bit)
			n.fix(bit)
		}
		left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(gone, i) })
		c.remove(gone, group)
	}
	return removed, nil
}

// order returns bits by what the loss changes by without them.
func (c *counted) order(left []int, group int) []int {
	scores := make([]float64, len(left))
	size := c.crew.Size()
	c.crew.Run(func(member int) {
		for at := len(left) * member / size; at < len(left)*(member+1)/size; at++ {
			scores[at] = c.score(left[at], left[at]/group)
		}
	})
	order := make([]int, len(left))
	for at := range order {
		order[at] = at
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	for k, at := range order {
		order[k] = left[at]
	}
	return order
}

// newCounted evaluates a network.
func (t *Task) newCounted(ctx context.Context, n *network) (*counted, error) {
	samples := t.Samples.Len()
	c := &counted{
		loss: newLoss(n.Frozen, t.Tau), crew: t.crew(), labels: t.Samples.Labels, classes: len(n.Classes),
		words: (samples + 63) / 64,
	}
	c.rows, c.counts = make([]uint64, n.Width*c.words), make([]int32, samples*c.classes)
	c.less = make([]float64, samples*c.classes)
	err := t.eachBlock(ctx, n.Frozen, func() func(b *block) { return c.take })
	all := make([]uint64, c.words)
	for w := range all {
		all[w] = ^uint64(0)
	}
	c.update(all)
	return c, err
}

// take stores the bits and counts of a block.
func (c *counted) take(b *block) {
	last := b.layers[len(b.layers)-1]
	for i := range len(last) / blockWords {
		copy(c.rows[i*c.words : (i+1)*c.words][b.from/64:], last[i*blockWords:][:(b.samples+63)/64])
	}
	for s := range b.samples {
		copy(c.counts[(b.from+s)*c.classes:][:c.classes], b.counts[s*c.classes:])
	}
}

// score returns what the loss of all samples changes by without a bit of a class.
func (c *counted) score(bit, class int) (sum float64) {
	less := c.less[class*len(c.labels):][:len(c.labels)]
	for w, set := range c.rows[bit*c.words:][:c.words] {
		for ; set != 0; set &= set - 1 {
			if s := 64*w + bits.TrailingZeros64(set); s < len(less) {
				sum += less[s]
			}
		}
	}
	return sum
}

// remove takes bits out of the counts.
func (c *counted) remove(gone []int, group int) {
	changed := make([]uint64, c.words)
	for _, i := range gone {
		for w, set := range c.rows[i*c.words:][:c.words] {
			changed[w] |= set
			for ; set != 0; set &= set - 1 {
				if s := 64*w + bits.TrailingZeros64(set); s < len(c.labels) {
					c.counts[s*c.classes+i/group]--
				}
			}
		}
	}
	c.update(changed)
}

// update computes what the loss changes by of the samples of a row of bits.
func (c *counted) update(row []uint64) {
	size := c.crew.Size()
	c.crew.Run(func(member int) {
		from, to := len(row)*member/size, len(row)*(member+1)/size
		for w := from; w < to; w++ {
			for set := row[w]; set != 0; set &= set - 1 {
				if s := 64*w + bits.TrailingZeros64(set); s < len(c.labels) {
					c.changes(c.counts[s*c.classes:][:c.classes], c.labels[s], func(class int, less, _ float64) {
						c.less[class*len(c.labels)+s] = less
					})
				}
			}
		}
	})
}
