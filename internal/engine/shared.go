package engine

import (
	"fmt"
	"math"

	"ialgn/internal/kernel"
	"ialgn/internal/kernel/shared"
	"ialgn/internal/memory"
	"ialgn/internal/model"
)

// sharedEngine trains networks whose nodes are shared by positions or steps. The other engines compute one node for
// all samples of a batch. This engine takes one unit of [shared.Lanes] samples through the whole network, forward and
// backward, so the rows of a unit stay in the processor's caches. Each goroutine has its own units. At the end of a
// step, the gradient sums of all units are added up for each node, in the order of the units.
//
// Values are float32 numbers with every estimator. The backward pass needs numbers and takes four fifths of the time,
// so packed bits would save little. With a hard estimator, the truth tables of the forward pass hold zeros and ones.
type sharedEngine struct {
	*base
	all      []*kernel.Nodes // all sections
	sections []*kernel.Nodes // the first sections, whose nodes this engine trains itself
	layers   []*kernel.NodeLayer
	behind   *behind // trains the other sections; nil if there are none
	course   course
	input    []uint32       // position in an arena of each input bit's row
	field    image          // a copy of the input image with a wider border, for pins of later layers that read it
	fields   []uint32       // position of each input bit's row in field; nil if there are no such pins
	outs     map[int]*image // output image of each block; the key is the block's last section
	tables   []*nodeTables  // by section
	passes   []*kernel.NodePass
	arenas   []*arena // by goroutine
	sums     []*sums  // by unit
	soft     bool
	scoring  *sharedScores // nil if nothing is scored
	noise    *kernel.Noise // noise in the layers that are not frozen; nil if there is no noise

	batch Batch
	adam  kernel.Adam
	train bool // whether the current pass includes a backward pass

	prepare, run, update func(member int)
}

// Unit is the number of samples that a goroutine takes through a network with shared nodes at a time.
const Unit = shared.Lanes

// course takes a unit forward through the network and backward again. The slices x and g are the values and the
// gradients of an arena.
type course interface {
	// forward computes all values in x. The values of the input bits must already be in x.
	forward(x []float32)

	// clear zeroes the gradients to which backward adds.
	clear(g []float32)

	// backward passes the gradients of the counted bits on to all other bits. It adds to the sums of the nodes in the
	// layer with index trained and in all later layers. Earlier layers are not trained.
	backward(x, g []float32, s *sums, trained int)

	// counted returns the position of the last layer's first row. The layer's other rows follow it without gaps. The
	// readout counts these rows.
	counted() uint32
}

// arena is a goroutine's memory for its current unit.
type arena struct {
	x, g   []float32 // values and gradients
	choice []float32 // sums for the candidates of a pin
}

// sums holds a unit's sums for the nodes.
type sums struct {
	unit   int
	scores *sharedScores // takes the gradients of pins; nil if nothing is scored
	lines  [][]float32   // one element for each section, [nodes][lines]
	chosen [][][]float32 // one element for each section and pin, [nodes][candidates]; nil for a pin with one candidate
}

// nodeTables holds the functions that the nodes of a section compute in the current step.
type nodeTables struct {
	relaxed bool      // whether values are relaxed in this step
	forward []float32 // truth values of the forward pass, [nodes][lines]
	hard    []float32 // truth values of the selected tables
	slopes  []float32 // truth values whose slopes the backward pass uses
	kept    []float32 // values that [kernel.NodePass.Truth] keeps for the update, [nodes][per]
	per     int

	// For each pin, q holds the probabilities of the candidates, [nodes][candidates], and selected holds the selected
	// candidates. Both are nil for a pin with one candidate.
	q        [][]float32
	selected [][]int32
}

// settle makes gradients pass through the selected table and the selected candidates of node n in a frozen layer.
func (t *nodeTables) settle(n, lines int) {
	copy(t.slopes[n*lines:][:lines], t.hard[n*lines:])
	for k, all := range t.selected {
		if all == nil {
			continue
		}
		candidates := len(t.q[k]) / len(all)
		q := t.q[k][n*candidates:][:candidates]
		clear(q)
		q[all[n]] = 1
	}
}

// newTables returns the tables of a section.
func newTables(n *kernel.Nodes, kept int) *nodeTables {
	size := n.Width << len(n.Pins)
	t := &nodeTables{
		hard: memory.MakeHuge[float32](size), slopes: memory.MakeHuge[float32](size),
		kept: memory.MakeHuge[float32](n.Width * kept), per: kept,
	}
	for _, p := range n.Pins {
		var q []float32
		var selected []int32
		if p != nil && p.K > 1 {
			q, selected = memory.MakeHuge[float32](n.Width*p.K), make([]int32, n.Width)
		}
		t.q, t.selected = append(t.q, q), append(t.selected, selected)
	}
	return t
}

// newShared returns the engine of a recurrent network or of a network with a grid.
func newShared(b *base) (Engine, error) {
	if err := checkScored(b.m, b.words*64); err != nil {
		return nil, err
	}
	e := &sharedEngine{base: b, all: newSections(b.m), soft: b.m.Config.Train.Estimator == "soft"}
	first := firstBehind(b.m)
	e.sections = e.all[:first]
	e.outs = map[int]*image{}
	e.layers = nodeLayers(e.sections, 0)
	e.candidates = candidates{rewire: func() {}}
	if b.m.Steps == 0 { // the candidates of recurrent networks are never replaced
		e.candidates = candidates{all: e.scorable(), hidden: true, rewire: e.rewireChoices}
	}
	o := kernel.NodeOptions{}
	if t := &b.m.Config.Train; t.Estimator == "gumbel" {
		e.noise = &kernel.Noise{Seed: t.Seed, Temperature: float32(t.Temperature)}
		o.Noise = e.noise
	}
	widest := widestPin(e.sections)
	for range b.crew.Size() {
		e.passes = append(e.passes, kernel.NewNodePass(o, b.words, widest))
	}
	for _, n := range e.sections {
		e.tables = append(e.tables, newTables(n, e.passes[0].Kept(n)))
	}
	var size int
	if b.m.Steps > 0 {
		e.course, size = e.newRecurrence()
	} else {
		e.course, size = e.place()
	}
	if size > math.MaxUint32 {
		return nil, fmt.Errorf("engine: the bits of %d samples at all positions or steps take %d numbers, but there "+
			"can be %d; use fewer nodes, smaller images or fewer steps", shared.Lanes, size, math.MaxUint32)
	}
	for range b.crew.Size() {
		e.arenas = append(e.arenas, &arena{
			memory.MakeHuge[float32](size), memory.MakeHuge[float32](size), make([]float32, widest),
		})
	}
	for range b.words * 64 / shared.Lanes {
		e.sums = append(e.sums, e.newSums())
	}
	e.prepare, e.run, e.update = e.prepareNodes, e.runUnits, e.updateNodes
	if first < len(e.all) {
		e.behind = e.newBehind(first)
	}
	return e, nil
}

func (e *sharedEngine) newSums() *sums {
	s := &sums{}
	for _, n := range e.sections {
		var chosen [][]float32
		for _, p := range n.Pins {
			var r []float32
			if p != nil && p.K > 1 {
				r = memory.MakeHuge[float32](n.Width * p.K)
			}
			chosen = append(chosen, r)
		}
		s.lines = append(s.lines, memory.MakeHuge[float32](n.Width<<len(n.Pins)))
		s.chosen = append(s.chosen, chosen)
	}
	return s
}

// clear sets the sums to zero.
func (s *sums) clear() {
	for i := range s.lines {
		clear(s.lines[i])
		for _, r := range s.chosen[i] {
			clear(r)
		}
	}
}

// Step implements [Engine].
func (e *sharedEngine) Step(b Batch, adam kernel.Adam) Result {
	e.adam, e.train = adam, true
	r := e.pass(b)
	e.addScores()
	e.crew.Run(e.update)
	return r
}

// Measure implements [Engine].
func (e *sharedEngine) Measure(b Batch) Result {
	e.train = false
	return e.pass(b)
}

// pass takes a batch forward through the network and, if e.train is set, backward again.
func (e *sharedEngine) pass(b Batch) Result {
	e.check(b)
	e.batch = b
	for i, t := range e.tables {
		if t.forward, t.relaxed = t.hard, e.soft && i >= b.Frozen; t.relaxed {
			t.forward = t.slopes
		}
	}
	e.crew.Run(e.prepare)
	if e.behind != nil {
		return e.passBehind(b)
	}
	for _, d := range e.delta {
		clear(d[len(b.Labels):])
	}
	e.weigh(b)
	e.crew.Run(e.run)
	return e.total(len(b.Labels))
}

// units returns the number of units of the batch.
func (e *sharedEngine) units() int { return (len(e.batch.Labels) + shared.Lanes - 1) / shared.Lanes }

// forwardUnits takes a goroutine's units forward through the network. It calls the function then for each of them.
func (e *sharedEngine) forwardUnits(member int, then func(a *arena, u int)) {
	for u, size := member, e.crew.Size(); u < e.units(); u += size {
		a := e.arenas[member]
		e.load(a, u)
		e.course.forward(a.x)
		then(a, u)
	}
}

// runUnits takes a goroutine's units through the network.
func (e *sharedEngine) runUnits(member int) {
	e.forwardUnits(member, func(a *arena, u int) {
		e.count(a, u)
		from, n := u*shared.Lanes, len(e.batch.Labels)
		for s := from; s < min(from+shared.Lanes, n); s++ {
			e.losses[s], e.right[s] = e.sample(s, e.batch.Labels[s], e.logits[member])
		}
		if e.train {
			e.back(a, u, e.countedGradients)
		}
	})
}

// load writes the values of a unit's input bits.
func (e *sharedEngine) load(a *arena, u int) {
	word, shift := u*shared.Lanes/64, u*shared.Lanes%64
	for i, at := range e.input {
		bits := e.batch.X[i*e.words+word] >> shift
		to := (*[shared.Lanes]float32)(a.x[at:])
		copy(to[:8], bytesOfBits[bits&0xff][:])
		copy(to[8:], bytesOfBits[bits>>8&0xff][:])
	}
	for i, at := range e.fields {
		copy(a.x[at:at+shared.Lanes], a.x[e.input[i]:])
	}
}

// bytesOfBits holds, for each value of a byte, its eight bits as numbers.
var bytesOfBits = func() (all [256][8]float32) {
	for b := range all {
		for i := range all[b] {
			all[b][i] = float32(b >> i & 1)
		}
	}
	return all
}()

// count adds up the values of each class's nodes for a unit, in order.
func (e *sharedEngine) count(a *arena, u int) {
	rows, class := a.x[e.course.counted():], e.perClass*shared.Lanes
	for c := range e.classes {
		counts := [shared.Lanes]float64{}
		for at := c * class; at < (c+1)*class; at += shared.Lanes {
			for lane, v := range (*[shared.Lanes]float32)(rows[at:]) {
				counts[lane] += float64(v)
			}
		}
		copy(e.counts[c*e.words*64+u*shared.Lanes:], counts[:])
	}
}

// back passes a unit's gradients backward through the network. The function outputs writes the gradients of the
// outputs, with which back begins.
func (e *sharedEngine) back(a *arena, u int, outputs func(a *arena, u int)) {
	s := e.sums[u]
	s.clear()
	s.unit, s.scores = u, e.scoring
	e.course.clear(a.g)
	outputs(a, u)
	e.scoring.pack(a.x, u)
	e.course.backward(a.x, a.g, s, e.batch.trained(len(e.all)))
}

// countedGradients writes the gradients of the bits that are counted for classes.
func (e *sharedEngine) countedGradients(a *arena, u int) {
	rows := a.g[e.course.counted():]
	for i := range e.m.Width {
		copy(rows[i*shared.Lanes:][:shared.Lanes], e.delta[i/e.perClass][u*shared.Lanes:])
	}
}

// prepareNodes computes the tables and probabilities of the step for a goroutine's nodes.
func (e *sharedEngine) prepareNodes(member int) {
	p := e.passes[member]
	p.Number = e.batch.Step
	for i, l := range e.layers {
		t := e.tables[i]
		if p.Noise = e.noise; i < e.batch.Frozen {
			p.Noise = nil
		}
		lines := 1 << len(l.Pins)
		for n := l.Width * member / e.crew.Size(); n < l.Width*(member+1)/e.crew.Size(); n++ {
			p.Truth(l, n, t.slopes[n*lines:][:lines], t.hard[n*lines:][:lines], t.kept[n*t.per:][:t.per])
			for k, pin := range l.Pins {
				if pin != nil && pin.K > 1 {
					t.selected[k][n] = int32(p.Choice(l, n, k, t.q[k][n*pin.K:][:pin.K]))
				}
			}
			if i < e.batch.trained(len(e.all)) {
				t.settle(n, lines)
			}
		}
	}
}

// updateNodes updates a goroutine's nodes.
func (e *sharedEngine) updateNodes(member int) {
	p := e.passes[member]
	p.Number, p.Adam = e.batch.Step, e.adam
	for i := e.batch.trained(len(e.all)); i < len(e.layers); i++ {
		l := e.layers[i]
		if p.Noise = e.noise; i < e.batch.Frozen {
			p.Noise = nil
		}
		for n := l.Width * member / e.crew.Size(); n < l.Width*(member+1)/e.crew.Size(); n++ {
			e.updateNode(member, i, l, n)
		}
	}
}

// updateNode updates node n of section i.
func (e *sharedEngine) updateNode(member, i int, l *kernel.NodeLayer, n int) {
	p := e.passes[member]
	var s [1 << kernel.MaxPins]float32
	lines := 1 << len(l.Pins)
	for _, u := range e.sums[:e.units()] {
		for a, v := range u.lines[i][n*lines:][:lines] {
			s[a] += v
		}
	}
	shared.Lines(s[:lines])
	t := e.tables[i]
	p.StepFunction(l, n, s[:lines], t.slopes[n*lines:][:lines], t.kept[n*t.per:][:t.per])
	for k, pin := range l.Pins {
		if pin == nil || pin.K == 1 {
			continue
		}
		r := e.arenas[member].choice[:pin.K]
		clear(r)
		for _, u := range e.sums[:e.units()] {
			for j, v := range u.chosen[i][k][n*pin.K:][:pin.K] {
				r[j] += v
			}
		}
		p.StepChoice(l, n, k, t.q[k][n*pin.K:][:pin.K], r)
	}
}

// freezes marks an engine that supports frozen layers.
func (e *sharedEngine) freezes() {}

// Frozen implements [Engine].
func (e *sharedEngine) Frozen(*model.Frozen) *model.Frozen { return e.m.Freeze() }

// Moments implements [Engine].
func (e *sharedEngine) Moments() []Moment { return sectionMoments(e.all) }
