package engine

import (
	"math"
	"slices"

	"ialgn/internal/crew"
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
	key     int // pins with the same key choose from the same sources
}

// choicesOf returns the choosing pins of a layer. Its arguments include the number of input bits and the number of
// nodes in the previous layer.
func choicesOf(l *kernel.NodeLayer, inputs, before int) choices {
	c := choices{layer: l.Number, width: l.Width, layers: l.Layers, index: l.Index}
	for k, p := range l.Pins {
		if p == nil || p.K == 1 {
			continue
		}
		n, key := inputs, 0
		if p.Hidden {
			n, key = before, l.Number
		}
		c.pins = append(c.pins, choosing{k, p, n, key})
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
// batches.
type Scores struct {
	c         *candidates
	from, to  []int // range of nodes of each layer
	wholeFrom int   // start of the window in the whole network; used if a rank has only a part
	wholeTo   int
	sums      []float32        // a row for each pin, with one sum for each source
	rows      []scored         // one for each choosing pin of a layer, in the order of the layers
	first     []int            // index in rows of the first row of each layer
	sources   map[int]*sources // by [choosing.key]
}

// scored holds the sums of a pin of all nodes of a layer that are in the window. Each node has a row of sums.
type scored struct {
	layer, pin int // layer of the network, and index of the pin among the layer's choosing pins
	from       *sources
	gradients  kernel.Gradients
	sums       []float32
}

// sources holds the sources of some pins in a batch.
type sources struct {
	kernel.Sources
	n     int      // number of scored sources
	drawn []uint32 // the scored sources, in ascending order; nil if all sources are scored
	bits  []uint64 // memory for rows of bits that have to be gathered
}

// stride returns the length of a row of sums, with its padding.
func (f *sources) stride() int {
	return (f.n + kernel.ProductColumns - 1) / kernel.ProductColumns * kernel.ProductColumns
}

// at returns a scored source.
func (f *sources) at(i uint32) uint32 {
	if f.drawn == nil {
		return i
	}
	return f.drawn[i]
}

// row returns the sums of the pin in node i of the window.
func (of *scored) row(i int) []float32 { return of.sums[i*of.from.stride():][:of.from.n] }

// leastDrawn is the smallest number of sources that are scored, if there are so many.
const leastDrawn = 256

// addSources adds the sources of a pin to s.sources, if they are missing. It draws the window's share of them.
func (s *Scores) addSources(p *choosing, w Window) {
	if s.sources[p.key] != nil {
		return
	}
	f := &sources{n: p.sources}
	if n := max(leastDrawn, int(w.Share*float64(p.sources))); w.Share > 0 && n < p.sources {
		f.n, f.drawn = n, make([]uint32, n)
		draw.InStep(w.Seed, draw.ScoredSources, w.Epoch, p.key, w.Number).Distinct(f.drawn, p.sources)
		slices.Sort(f.drawn)
	}
	s.sources[p.key] = f
}

// Window says which nodes are scored, for which sources. With n windows in an epoch, window w has the nodes in the
// range [width*w/n, width*(w+1)/n) of each layer of the whole network.
type Window struct {
	Number, Windows int     // w and n
	Share           float64 // share of the sources that are scored; 0 means all
	Seed            uint64  // the drawn sources depend on Seed, Epoch and Number
	Epoch           int
}

// newScores returns scores of a window, with all sums zero. The function samples returns the number of samples of a
// layer, at all its positions.
func (c *candidates) newScores(w Window, samples func(layer int) int) *Scores {
	s := &Scores{c: c, sources: map[int]*sources{}}
	window, windows := w.Number, w.Windows
	if c.part != nil {
		whole := c.part.Classes * c.part.PerClass
		s.wholeFrom, s.wholeTo = whole*window/windows, whole*(window+1)/windows
	}
	total := 0
	for i := range c.all {
		l := &c.all[i]
		from, to := l.width*window/windows, l.width*(window+1)/windows
		if c.part != nil {
			from, to = c.part.Before(s.wholeFrom), c.part.Before(s.wholeTo)
		}
		s.from, s.to = append(s.from, from), append(s.to, to)
		for k := range l.pins {
			s.addSources(&l.pins[k], w)
			total += (to - from) * s.sources[l.pins[k].key].stride()
		}
	}
	s.sums = s.memory(total)
	rest := s.sums
	for i := range c.all {
		l := &c.all[i]
		s.first = append(s.first, len(s.rows))
		n := s.to[i] - s.from[i]
		for k, p := range l.pins {
			of := scored{layer: i, pin: k, from: s.sources[p.key]}
			of.sums, rest = rest[:n*of.from.stride()], rest[n*of.from.stride():]
			of.gradients = kernel.NewGradients(n, samples(i))
			s.rows = append(s.rows, of)
		}
	}
	return s
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
			size := s.sources[p.key].stride()
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
	of := &s.rows[s.index(layer, pin)]
	of.gradients.Take(node-s.from[layer], beta, step, layer, s.c.number(node), pin)
}

// index returns the index in rows of a choosing pin of a layer.
func (s *Scores) index(layer, pin int) int {
	return s.first[layer] + slices.IndexFunc(s.c.all[layer].pins, func(p choosing) bool { return p.number == pin })
}

// choosing returns the pin that a row of scores belongs to.
func (s *Scores) choosing(of *scored) *choosing { return &s.c.all[of.layer].pins[of.pin] }

// nodes returns the window's range of nodes in a layer.
func (s *Scores) nodes(layer int) (from, to int) { return s.from[layer], s.to[layer] }

// columnBlock is the number of sources for which a task computes sums at a time.
const columnBlock = 512

// add adds the products of gradients and source bits to the sums. The sources are the inputs x and the rows of the
// nodes of each layer.
func (s *Scores) add(b *base, x []uint64, rows [][]uint64) {
	s.addProducts(b.crew, func(of *scored) {
		bits := x
		if s.choosing(of).pin.Hidden {
			bits = rows[of.layer-1]
		}
		of.from.set(bits, b.words)
	})
}

// set sets the sources, given the rows of all sources.
func (f *sources) set(rows []uint64, words int) {
	if f.drawn != nil {
		f.bits = f.bits[:0]
		for _, i := range f.drawn {
			f.bits = append(f.bits, rows[int(i)*words:][:words]...)
		}
		rows = f.bits
	}
	f.Set(rows, words, f.n)
}

// addProducts adds the products of gradients and source bits to the sums. The function set sets the sources of a pin.
func (s *Scores) addProducts(c *crew.Crew, set func(of *scored)) {
	type task struct {
		of   *scored
		from int
	}
	var tasks []task
	var different []*scored // one for the pins that read the same sources
	for i := range s.rows {
		of := &s.rows[i]
		if !slices.ContainsFunc(different, func(o *scored) bool { return o.from == of.from }) {
			different = append(different, of)
		}
		for from := 0; from < of.from.n; from += columnBlock {
			tasks = append(tasks, task{of, from})
		}
	}
	c.Run(func(member int) {
		for i := member; i < len(different); i += c.Size() {
			set(different[i])
		}
	})
	c.Run(func(member int) {
		for i := member; i < len(tasks); i += c.Size() {
			of := tasks[i].of
			of.gradients.AddProducts(of.sums, &of.from.Sources, tasks[i].from, min(tasks[i].from+columnBlock, of.from.n))
		}
	})
}

// Replace replaces the weakest candidates of the window's pins by the sources with the smallest sums. If several sums
// are equal, it takes the first source. The scores must not be used afterwards.
func (s *Scores) Replace(r Replacement) {
	for _, of := range s.rows {
		l := &s.c.all[of.layer]
		p := l.pins[of.pin]
		for i := range len(of.sums) / of.from.stride() {
			node, row := s.from[of.layer]+i, of.row(i)
			if !p.pin.Hidden {
				s.c.costs.add(row, of.from, r.Batches)
			}
			best := leastFirst(row, r.Count+p.pin.K)
			p.pin.Replace(node*l.layers+l.index, r.Count, float32(r.Gap), func() (uint32, bool) {
				if len(best) == 0 {
					return 0, false
				}
				source := of.from.at(best[0])
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
		s.c.spare = nil
		for key, f := range s.sources { // the memory of sources is used again, too
			if o := old.sources[key]; o != nil {
				f.Sources, f.bits = o.Sources, o.bits
			}
		}
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
