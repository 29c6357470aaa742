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

// Replacement says how many candidates of a pin are replaced, and which logits the new candidates get.
type Replacement struct {
	Count int     // number of candidates replaced for each pin
	Gap   float64 // difference between the largest logit of a pin and the logit of a new candidate

	Batches int // number of batches in a window of scores
}

// choices holds the choosing pins of a layer, which are the pins with several candidates. It also holds the data
// needed to replace candidates.
type choices struct {
	layer, width  int
	layers, index int // number of layers in the section, and index of this layer in the section
	pins          []choosing
}

// choosing is a pin that chooses among candidates.
type choosing struct {
	number  int // index of the pin in its node
	pin     *kernel.Pin
	sources int // number of sources that the pin can choose from
}

// choicesOf returns the choosing pins of a layer. Its arguments include the number of input bits and the number of
// nodes in the previous layer.
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

// candidates holds the data that all engines need to replace candidates.
type candidates struct {
	all    []choices // by layer
	hidden bool      // whether some pins choose among nodes
	spare  *Scores   // finished scores; the next scores reuse their memory
	rewire func()    // called when hidden candidates have changed
	costs  *costs    // nil without train.cost

	part *ranks.Share // the chains of the network that this rank has; nil means all
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

// number converts a node's number in this rank's part to its number in the whole network.
func (c *candidates) number(node int) int {
	if c.part == nil {
		return node
	}
	return c.part.Number(node)
}

// ReplaceRandom replaces the weakest candidates of every pin by random sources. The random draws depend only on
// (seed, epoch, layer, node, pin).
func (c *candidates) ReplaceRandom(seed uint64, epoch int, r Replacement) {
	for i := range c.all {
		l := &c.all[i]
		for node := range l.width {
			for _, p := range l.pins {
				stream := draw.InStep(seed, draw.Replacement, epoch, l.layer, c.number(node)*kernel.MaxPins+p.number)
				left := 64 * p.pin.K // number of draws before Replace gives up
				p.pin.Replace(node*l.layers+l.index, r.Count, float32(r.Gap), func() (uint32, bool) {
					left--
					return uint32(stream.Below(p.sources)), left >= 0
				})
			}
		}
	}
	c.rewired()
}

// rewired calls the function rewire if hidden candidates may have changed.
func (c *candidates) rewired() {
	if c.hidden {
		c.rewire()
	}
}

// Scores holds estimates of how the loss would change if a pin read another source. There is an estimate for each pin
// in a window of nodes and each source that the pin could read. An estimate is of first order and is summed over some
// batches. Window w of n contains the nodes in the range [width*w/n, width*(w+1)/n) of each layer of the whole
// network.
type Scores struct {
	c         *candidates
	gradients kernel.Gradients
	first     []int // first pin of each layer among the pins of the window
	from, to  []int // range of nodes of each layer
	wholeFrom int   // start of the window in the whole network; used if a rank has only a part
	wholeTo   int
	sums      []float32               // a row for each pin, with one sum for each source
	rows      []scored                // one for each group of a layer's pins that read the same sources
	sources   map[int]*kernel.Sources // sources in a batch: [0] the inputs, [l] the nodes that the pins of layer l read
}

// scored holds the sums of several pins that read the same sources. Each pin has a row of sums.
type scored struct {
	layer, pin int // layer of the network, and index of the pin among the layer's choosing pins
	first      int // index of the first scored pin among the pins of the window
	sums       []float32
	sources    int
	stride     int // length of a row of sums: the number of sources plus padding
	hidden     bool
}

// row returns the sums of the pin in node i of the window.
func (of *scored) row(i int) []float32 { return of.sums[i*of.stride:][:of.sources] }

// newScores returns scores of a window, with all sums zero. The rows of the batches have the given number of words.
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

// stride returns the padded length of a row of sums for the given number of sources.
func stride(sources int) int {
	return (sources + kernel.ProductColumns - 1) / kernel.ProductColumns * kernel.ProductColumns
}

// Tensor returns all sums as a tensor. A checkpoint stores this tensor, and a resumed run reads it back. If a rank
// has only a part of the network, the tensor holds the sums of the rank's chains.
func (s *Scores) Tensor(name string) model.Tensor {
	t := model.Tensor{Name: name, Shape: []int{len(s.sums)}, Data: s.sums}
	if s.c.part == nil {
		return t
	}
	t.Runs = []model.Run{} // not nil: a nil Runs would mean that every rank has the whole tensor
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

// Wants implements [kernel.Sink]. It accepts the gradients of choosing pins in the window.
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

// nodes returns the window's range of nodes in a layer.
func (s *Scores) nodes(layer int) (from, to int) { return s.from[layer], s.to[layer] }

// columnBlock is the number of sources for which a task computes sums at a time.
const columnBlock = 512

// add adds the products of gradients and source bits to the sums. The sources are the inputs x and the rows of the
// nodes of each layer.
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

// key returns the index in Scores.sources of the sources that the pins read.
func (of *scored) key() int {
	if of.hidden {
		return of.layer
	}
	return 0
}

// setSources sets Scores.sources to the bits of a batch.
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

// Replace replaces the weakest candidates of the window's pins by the sources with the smallest sums. If several sums
// are equal, it takes the first source. The scores must not be used afterwards.
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

// memory returns a slice of the given length, filled with zeros. It reuses the memory of finished scores if there are
// any.
func (s *Scores) memory(total int) []float32 {
	if old := s.c.spare; old != nil && cap(old.sums) >= total {
		s.c.spare, s.sources = nil, old.sources
		sums := old.sums[:total]
		clear(sums)
		return sums
	}
	return memory.MakeHuge[float32](total)
}

// leastFirst returns the indices of the n smallest sums in ascending order of the sums. Equal sums keep the order of
// their indices.
func leastFirst(sums []float32, n int) []uint32 {
	best := make([]uint32, 0, n+1)
	bound := float32(math.Inf(1)) // once n sums have been found, only a sum below bound is among the n smallest
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
