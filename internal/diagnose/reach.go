package diagnose

import (
	"math/bits"
	"sync/atomic"

	"ialgn/internal/crew"
)

// reachWords is the number of words in a bit set of outputs. [descent] walks down the wires and carries one of these
// sets for each gate. The number is large enough to make the walk along the wires cheap, and small enough for the
// words to stay in a cache.
const reachWords = 16

// reach says which outputs the sampled gates reach through hidden wires. Wires that are not selected also count. Both
// fields are indexed [layer][sampled].
type reach struct {
	outputs  [][]int32 // number of outputs reached, which is |D| in the paper
	eligible [][]bool  // whether a sampled output is reached
}

// newReach follows the wires down from all outputs. The results are exact, since the outputs are kept as bit sets.
//
// For each pin and layer, newReach needs width^2/64 OR operations on words.
func newReach(n *network, sampled []int, members *crew.Crew) *reach {
	r := &reach{}
	for range n.layers {
		r.outputs = append(r.outputs, make([]int32, len(sampled)))
		r.eligible = append(r.eligible, make([]bool, len(sampled)))
	}
	const outputs = 64 * reachWords
	parts := (n.m.Width + outputs - 1) / outputs
	found := make([]*descent, parts)
	var next atomic.Int32
	members.Run(func(int) {
		for k := int(next.Add(1)) - 1; k < parts; k = int(next.Add(1)) - 1 {
			found[k] = newDescent(n, k*outputs)
			found[k].all(sampled)
		}
	})
	for _, d := range found {
		for l := range d.counts {
			for k, c := range d.counts[l] {
				r.outputs[l][k] += c
				r.eligible[l][k] = r.eligible[l][k] || d.hits[l][k]
			}
		}
	}
	return r
}

// descent follows the wires down from a range of outputs.
type descent struct {
	n         *network
	first     int // index of the first output
	own, next [][reachWords]uint64
	counts    [][]int32
	hits      [][]bool
}

func newDescent(n *network, first int) *descent {
	return &descent{
		n: n, first: first, own: make([][reachWords]uint64, n.m.Width),
		next: make([][reachWords]uint64, n.m.Width),
	}
}

// all goes down through all layers and counts, for each sampled gate, the outputs that the gate reaches.
func (d *descent) all(sampled []int) {
	depth := len(d.n.layers)
	d.counts, d.hits = make([][]int32, depth), make([][]bool, depth)
	var wanted [reachWords]uint64
	for i := range min(64*reachWords, d.n.m.Width-d.first) {
		d.own[d.first+i][i/64] |= 1 << (i % 64)
	}
	for _, i := range sampled {
		for w, x := range d.own[i] {
			wanted[w] |= x
		}
	}
	for l := depth - 1; l >= 0; l-- {
		d.count(l, sampled, &wanted)
		if l > 0 {
			d.down(l)
		}
	}
	d.own, d.next = nil, nil
}

// count counts the outputs that each sampled gate of a layer reaches. The argument wanted marks the sampled outputs.
func (d *descent) count(l int, sampled []int, wanted *[reachWords]uint64) {
	d.counts[l], d.hits[l] = make([]int32, len(sampled)), make([]bool, len(sampled))
	for k, i := range sampled {
		for w, x := range d.own[i] {
			d.counts[l][k] += int32(bits.OnesCount64(x))
			d.hits[l][k] = d.hits[l][k] || x&wanted[w] != 0
		}
	}
}

// down moves from layer l to the layer below.
func (d *descent) down(l int) {
	clear(d.next)
	for i := range d.own {
		from := &d.own[i]
		for pin := range pins {
			d.n.layers[l].parents(i, pin, func(parent, _ int) {
				to := &d.next[parent]
				for w, x := range from {
					to[w] |= x
				}
			})
		}
	}
	d.own, d.next = d.next, d.own
}
