package diagnose

import (
	"context"
	"math"
	"sync/atomic"

	"ialgn/internal/crew"
	"ialgn/internal/kernel"
)

// lanes is the number of outputs that are handled at the same time. The credit of these outputs at one gate fills a
// cache line.
const lanes = kernel.SparseLanes

// block holds at most lanes outputs of a group, with one lane for each output.
type block struct {
	*group
	first, last int                        // range of the sampled outputs; last is excluded
	sums        [][patterns][lanes]float64 // indexed [layer][sampled]; sums over the samples so far
}

// pass computes the credit of a batch for each pair of a sampled output and a sampled gate. The credit is the
// gradient that reaches the gate's value. It is summed separately for each combination of bits at the gate's pins,
// over the samples with these bits.
type pass struct {
	n       *network
	sampled []int
	members *crew.Crew
	groups  []*group
	blocks  []block
	rows    [][2][][lanes]float64 // for each goroutine, the credit in the current stage and in the stage above
}

func newPass(n *network, sampled []int, members *crew.Crew) *pass {
	p := &pass{n: n, sampled: sampled, members: members, groups: n.split(sampled)}
	maxGates := 0
	for _, g := range p.groups {
		for i := range g.stages {
			maxGates = max(maxGates, len(g.stages[i].gates))
		}
		for at := g.first; at < g.last; at += lanes {
			sums := make([][patterns][lanes]float64, len(n.layers)*len(sampled))
			p.blocks = append(p.blocks, block{g, at, min(at+lanes, g.last), sums})
		}
	}
	for range members.Size() {
		p.rows = append(p.rows, [2][][lanes]float64{make([][lanes]float64, maxGates), make([][lanes]float64, maxGates)})
	}
	return p
}

// batch computes the credit of a batch. The inputs of the batch must be in the network. If ctx is cancelled, batch
// stops early and the sums have no meaning.
func (p *pass) batch(ctx context.Context, labels []uint8, done func(sample int)) {
	counts := p.n.forward(len(labels))
	for i := range p.blocks {
		clear(p.blocks[i].sums)
	}
	for s, label := range labels {
		if ctx.Err() != nil {
			return
		}
		p.sample(s, p.n.loss(counts, s, len(labels), label))
		done(s)
	}
}

// loss returns the gradient of the batch's mean cross-entropy for sample s. Element c is the gradient with respect to
// each output of class c. samples is the number of samples in the batch.
func (n *network) loss(counts []int32, s, samples int, label uint8) []float64 {
	tau := n.m.Config.Model.Tau
	top, sum, delta := int32(0), 0.0, make([]float64, len(n.m.Classes))
	for c := range delta {
		top = max(top, counts[c*samples+s])
	}
	for c := range delta {
		delta[c] = math.Exp(float64(counts[c*samples+s]-top) / tau)
		sum += delta[c]
	}
	for c := range delta {
		delta[c] /= sum
		if c == int(label) {
			delta[c]--
		}
		delta[c] /= float64(samples) * tau
	}
	return delta
}

// sample adds the credit of a sample to the sums.
func (p *pass) sample(s int, delta []float64) {
	depth := len(p.n.layers)
	p.share(len(p.groups)*depth, func(_, task int) { p.groups[task/depth].stages[task%depth].choose(p.n, s) })
	p.share(len(p.blocks), func(member, task int) { p.down(member, &p.blocks[task], delta) })
}

// share calls task for the numbers 0 to tasks-1. Each goroutine takes the next number when it is free.
func (p *pass) share(tasks int, task func(member, task int)) {
	var next atomic.Int32
	p.members.Run(func(member int) {
		for k := int(next.Add(1)) - 1; k < tasks; k = int(next.Add(1)) - 1 {
			task(member, k)
		}
	})
}

// down computes the credit of one sample for a block, from the outputs down to the first layer.
func (p *pass) down(member int, b *block, delta []float64) {
	own, next := p.rows[member][0], p.rows[member][1]
	top, perClass := len(b.stages)-1, p.n.m.Width/len(delta)
	above := own[:len(b.stages[top].gates)]
	clear(above)
	for k := b.first; k < b.last; k++ {
		above[k-b.group.first][k-b.first] = delta[p.sampled[k]/perClass]
	}
	for l := top; l >= 0; l-- {
		t := &b.stages[l]
		if l < top {
			kernel.Sparse(next[:len(t.gates)], above, t.start, t.reader, t.chosen)
			own, next = next, own
		}
		above = own[:len(t.gates)]
		sums := b.sums[l*len(p.sampled):][:len(p.sampled)]
		for i := range t.looks {
			k := &t.looks[i]
			add(&sums[k.sampled][k.pattern%patterns], &above[k.row])
		}
	}
}

func add(to, x *[lanes]float64) {
	for i, v := range x {
		to[i] += v
	}
}
