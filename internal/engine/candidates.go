package engine

import (
	"math"
	"slices"

	"ialgn/internal/draw"
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
)

// Replacement says how candidates give way to others.
type Replacement struct {
	Count int     // candidates of a pin that are replaced
	Gap   float64 // how far the logit of a new candidate is below the largest of its pin

	Batches int // batches of a window, for scores
}

// choices are the pins of a layer that choose, with all that replaces their candidates.
type choices struct {
	layer, width  int
	layers, index int // layers in the section, and which of them this is
	pins          []choosing
}

// choosing is a pin that chooses.
type choosing struct {
	number  int // of the pin
	pin     *kernel.Pin
	sources int // that it can choose from
}

// choicesOf returns the pins that choose of a layer, which reads that many inputs and nodes of the layer before.
func choicesOf(l *kernel.NodeLayer, inputs, before int) choices {
	c := choices{layer: l.Number, width: l.Width, layers: l.Layers, index: l.Index}
	for k, p := range l.Pins {
		if p == nil || p.K == 1 {
			continue
		}
		n := inputs
		if p.Hidden {
			n = before
		}
		c.pins = append(c.pins, choosing{k, p, n})
	}
	return c
}

// candidates is what engines have in common that replace candidates.
type candidates struct {
	all    []choices // by layer
	hidden bool      // whether some choose among nodes
	spare  *Scores   // done with, whose memory the next ones take
	rewire func()    // tells the engine that hidden candidates are others
	costs  *costs    // nil without a pressure towards fewer look-up tables

	part *ranks.Share // which chains of the network these are of; nil: all
}

// newCandidates returns the candidates of a network's layers.
func newCandidates(layers []*kernel.NodeLayer, inputs int, rewire func()) candidates {
	c := candidates{rewire: rewire}
	before := 0
	for _, l := range layers {
		of := choicesOf(l, inputs, before)
		for _, p := range of.pins {
			c.hidden = c.hidden || p.pin.Hidden
		}
		c.all, before = append(c.all, of), l.Width
	}
	return c
}

// number returns the number in the whole network of a node of a layer.
func (c *candidates) number(node int) int {
	if c.part == nil {
		return node
	}
	return c.part.Number(node)
}

// ReplaceRandom gives the weakest candidates of every pin random sources, drawn by (seed, epoch, layer, node, pin).
func (c *candidates) ReplaceRandom(seed uint64, epoch int, r Replacement) {
	for i := range c.all {
		l := &c.all[i]
		for node := range l.width {
			for _, p := range l.pins {
				stream := draw.InStep(seed, draw.Replacement, epoch, l.layer, c.number(node)*kernel.MaxPins+p.number)
				left := 64 * p.pin.K // draws until there is nothing to find
				p.pin.Replace(node*l.layers+l.index, r.Count, float32(r.Gap), func() (uint32, bool) {
					left--
					return uint32(stream.Below(p.sources)), left >= 0
				})
			}
		}
	}
	c.rewired()
}

// rewired tells the engine of changes.
func (c *candidates) rewired() {
	if c.hidden {
		c.rewire()
	}
}

// Scores sum over some batches, for the pins of a share of the nodes, what the loss would change by, to first order, if
// a pin read each of its sources. The nodes of window w of n are those from width*w/n up to width*(w+1)/n of each
// layer of the whole network.
type Scores struct {
	c         *candidates
	gradients kernel.Gradients
	first     []int // first pin of each layer among the pins of the window
	from, to  []int // nodes of each layer
	wholeFrom int   // the same in the whole network, if this is a part of it
	wholeTo   int
	sums      []float32               // by pin, each a row of its sources
	rows      []scored                // rows of each layer's pins, where these have the same sources
	sources   map[int]*kernel.Sources // of a batch: those of the inputs under 0, of the pins of layer l under l
}

// scored is a row of sums for each of some pins in turn, which read the same sources.
type scored struct {
	layer, pin int // of the network; index among the layer's choosing pins
	first      int // the first of them among the pins of the window
	sums       []float32
	sources    int
	stride     int // of a row of sums: the sources, with some of no meaning behind them
	hidden     bool
}

// row returns the sums of the pin of node i of the window.
func (of *scored) row(i int) []float32 { return of.sums[i*of.stride:][:of.sources] }

// newScores returns zero scores of a window, for batches with rows of so many words.
func (c *candidates) newScores(window, windows, words int) *Scores {
	s := &Scores{c: c, sources: map[int]*kernel.Sources{}}
	if c.part != nil {
		whole := c.part.Classes * c.part.PerClass
		s.wholeFrom, s.wholeTo = whole*window/windows, whole*(window+1)/windows
	}
	pins, total := 0, 0
	for i := range c.all {
		l := &c.all[i]
		from, to := l.width*window/windows, l.width*(window+1)/windows
		if c.part != nil {
			from, to = c.part.Before(s.wholeFrom), c.part.Before(s.wholeTo)
		}
		s.from, s.to, s.first = append(s.from, from), append(s.to, to), append(s.first, pins)
		for _, p := range l.pins {
			total += (to - from) * stride(p.sources)
		}
		pins += (to - from) * len(l.pins)
	}
	s.sums = s.memory(total)
	rest := s.sums
	for i := range c.all {
		l := &c.all[i]
		n := s.to[i] - s.from[i]
		for k, p := range l.pins {
			of := scored{
				layer: i, pin: k, first: s.first[i] + k*n, sources: p.sources, stride: stride(p.sources), hidden: p.pin.Hidden,
			}
			of.sums, rest = rest[:n*of.stride], rest[n*of.stride:]
			s.rows = append(s.rows, of)
		}
	}
	s.gradients = kernel.Gradients{
		Samples: 64 * words, Q: make([]int8, pins*64*words), Step: make([]float32, pins),
	}
	return s
}

// stride returns the length of a row of sums for so many sources.
func stride(sources int) int {
	return (sources + kernel.ProductColumns - 1) / kernel.ProductColumns * kernel.ProductColumns
}

// Tensor returns all sums, which a checkpoint stores and a resumed run overwrites: of a rank's part those of its
// chains.
func (s *Scores) Tensor(name string) model.Tensor {
	t := model.Tensor{Name: name, Shape: []int{len(s.sums)}, Data: s.sums}
	if s.c.part == nil {
		return t
	}
	t.Runs = []model.Run{} // not nil: that would be a tensor that every rank has all of
	at := 0
	for i := range s.c.all {
		for _, p := range s.c.all[i].pins {
			size := stride(p.sources)
			t.Runs = append(t.Runs, model.ChainRuns(*s.c.part, s.wholeFrom, s.wholeTo, at, size)...)
			at += (s.wholeTo - s.wholeFrom) * size
		}
	}
	t.Shape[0] = at
	return t
}

// Wants implements [kernel.Sink]: it takes those of pins that choose.
func (s *Scores) Wants(layer, node, pin int) bool {
	return node >= s.from[layer] && node < s.to[layer] &&
		slices.ContainsFunc(s.c.all[layer].pins, func(p choosing) bool { return p.number == pin })
}

// Take implements [kernel.Sink].
func (s *Scores) Take(step, layer, node, pin int, _ uint32, beta []float32) {
	from, to := s.nodes(layer)
	for k, p := range s.c.all[layer].pins {
		if p.number == pin {
			s.gradients.Take(s.first[layer]+k*(to-from)+node-from, beta, step, layer, s.c.number(node), pin)
		}
	}
}

// nodes returns the nodes of a layer in the window.
func (s *Scores) nodes(layer int) (from, to int) { return s.from[layer], s.to[layer] }

// columnBlock is the number of sources that a task sums at a time.
const columnBlock = 512

// add adds the products of the gradients with the bits of all sources: inputs, or the rows of each layer's nodes.
func (s *Scores) add(b *base, x []uint64, rows [][]uint64) {
	type task struct {
		of   *scored
		from int
	}
	var tasks []task
	s.setSources(b, x, rows)
	for i := range s.rows {
		for from := 0; from < s.rows[i].sources; from += columnBlock {
			tasks = append(tasks, task{&s.rows[i], from})
		}
	}
	size := b.crew.Size()
	b.crew.Run(func(member int) {
		for i := member; i < len(tasks); i += size {
			of := tasks[i].of
			g := s.gradients.Pins(of.first, of.first+len(of.sums)/of.stride)
			g.AddProducts(of.sums, s.sources[of.key()], tasks[i].from, min(tasks[i].from+columnBlock, of.sources))
		}
	})
}

// key returns where the sources of the pins are in Scores.sources.
func (of *scored) key() int {
	if of.hidden {
		return of.layer
	}
	return 0
}

// setSources tells what can be read in a batch.
func (s *Scores) setSources(b *base, x []uint64, rows [][]uint64) {
	var of []*scored
	for i := range s.rows {
		key := s.rows[i].key()
		if !slices.ContainsFunc(of, func(o *scored) bool { return o.key() == key }) {
			of = append(of, &s.rows[i])
		}
		if s.sources[key] == nil {
			s.sources[key] = &kernel.Sources{}
		}
	}
	b.crew.Run(func(member int) {
		for i := member; i < len(of); i += b.crew.Size() {
			bits := x
			if of[i].hidden {
				bits = rows[of[i].layer-1]
			}
			s.sources[of[i].key()].Set(bits, b.words, of[i].sources)
		}
	})
}

// Replace gives the weakest candidates of the window's pins the sources that promise most: of least sums, of equal ones
// the first. The scores must not be used after it.
func (s *Scores) Replace(r Replacement) {
	for _, of := range s.rows {
		l := &s.c.all[of.layer]
		p := l.pins[of.pin]
		for i := range len(of.sums) / of.stride {
			node, row := s.from[of.layer]+i, of.row(i)
			if !of.hidden {
				s.c.costs.add(row, r.Batches)
			}
			best := leastFirst(row, r.Count+p.pin.K)
			p.pin.Replace(node*l.layers+l.index, r.Count, float32(r.Gap), func() (uint32, bool) {
				if len(best) == 0 {
					return 0, false
				}
				source := best[0]
				best = best[1:]
				return source, true
			})
		}
	}
	s.c.rewired()
	s.c.spare = s
}

// memory returns so many zeros, from scores that are done with if there are any.
func (s *Scores) memory(total int) []float32 {
	if old := s.c.spare; old != nil && cap(old.sums) >= total {
		s.c.spare, s.sources = nil, old.sources
		sums := old.sums[:total]
		clear(sums)
		return sums
	}
	return memory.MakeHuge[float32](total)
}

// leastFirst returns the indices of the n least of the sums in their order, of equal ones the first first.
func leastFirst(sums []float32, n int) []uint32 {
	best := make([]uint32, 0, n+1)
	bound := float32(math.Inf(1)) // what a sum must be below once there are n
	for i, x := range sums {
		if x >= bound {
			continue
		}
		at := len(best)
		for at > 0 && x < sums[best[at-1]] {
			at--
		}
		best = append(best, 0)
		copy(best[at+1:], best[at:])
		best[at] = uint32(i)
		if len(best) > n {
			best = best[:n]
		}
		if len(best) == n {
			bound = sums[best[n-1]]
		}
	}
	return best
}
