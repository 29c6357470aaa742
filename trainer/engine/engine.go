// Package engine trains networks of private chains: an IALGN with a same-index spine,
// where a chain depends on the others only through the class counts.
//
// A step runs chain by chain. The forward pass is a Boolean circuit on packed bits, 64
// samples a word, and leaves the class counts; the loss turns them into one upstream
// gradient for each class and sample; the backward pass walks each chain from its last
// gate to its first, recomputing the chain's bits and updating each gate with Adam as
// soon as its gradient is known, so no gradient of the network is ever stored. The
// arithmetic of a gate is package kernel's, where the maths and the summation order
// stand.
//
// An [Engine] works on the slices of a [model.Model], which therefore always holds the
// current parameters; it owns the moments and, for each gate, the running argmaxes.
// Chains are split over goroutines. Counts are integers and chains are private, so
// results do not depend on the number of threads, to the bit.
package engine

import (
	"errors"
	"fmt"

	"ialgn/internal/crew"
	"ialgn/internal/hugepage"
	"ialgn/trainer/kernel"
	"ialgn/trainer/model"
)

// Engine trains one model. Its methods must not be called concurrently.
type Engine struct {
	m        *model.Model
	first    *kernel.Gates
	rest     *kernel.Gates // nil at depth 1
	depth    int
	classes  int
	words    int // a row of bits
	tau      float32
	delta    [][]float32 // [classes][samples, padded], the upstream gradient
	counts   []int32     // [classes][samples, padded]
	workers  []*worker
	crew     *crew.Crew // of the workers
	losses   []float64  // of each sample
	right    []bool
	perClass int // chains a class
}

// Batch is a batch of samples as bit rows: X has a row of [Engine.Words] words for
// each input bit. Bits past the last label have no influence.
type Batch struct {
	X      []uint64
	Labels []uint8
}

// Result is what a batch gave before its update.
type Result struct {
	Loss    float64 // mean cross-entropy
	Correct int
}

// New returns an engine for the model, which it will change, with batches of at most
// maxBatch samples on the given number of goroutines. The moments are zero.
func New(m *model.Model, maxBatch, threads int) (*Engine, error) {
	if err := trainable(m); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if maxBatch < 1 || threads < 1 {
		return nil, fmt.Errorf("engine: batch %d and threads %d must be positive", maxBatch, threads)
	}
	if _, err := kernel.Path(); err != nil {
		return nil, err
	}
	e := &Engine{
		m: m, depth: m.Depth(), classes: len(m.Classes), perClass: m.Width / len(m.Classes),
		words: max(kernel.LeastWords, (maxBatch+63)/64), tau: float32(m.Config.Model.Tau),
		first: newSection(&m.Sections[0]),
	}
	if len(m.Sections) > 1 {
		e.rest = newSection(&m.Sections[1])
	}
	padded := e.words * 64
	e.counts = make([]int32, e.classes*padded)
	e.losses, e.right = make([]float64, padded), make([]bool, padded)
	e.delta = make([][]float32, e.classes)
	for c := range e.delta {
		e.delta[c] = make([]float32, padded)
	}
	threads = min(threads, m.Width)
	for t := range threads {
		e.workers = append(e.workers, newWorker(e, m.Width*t/threads, m.Width*(t+1)/threads))
	}
	e.crew = crew.New(threads)
	return e, nil
}

// trainable says why the model is not a network of private chains, or nil.
func trainable(m *model.Model) error {
	if len(m.Sections) == 0 || len(m.Sections) > 2 || m.Sections[0].Layers != 1 {
		return errors.New("the model is not made of a first layer and a rest")
	}
	if m.Arity() != kernel.Ops {
		return errors.New("the model has light gates; only 16-way gates can be trained")
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.B.Source != model.Input {
			return fmt.Errorf("section %d: pin B does not read the input", i)
		}
		if want := []model.Source{model.Input, model.Spine}[i]; s.A.Source != want {
			return fmt.Errorf("section %d: pin A is not a private spine", i)
		}
		for _, p := range []*model.Pin{&s.A, &s.B} { // vector kernels read where a wire leads, unchecked
			gates := m.Width * s.Layers
			if p.Source == model.Input && (p.Wires.Len() != gates*p.K || int(p.Wires.Max()) >= m.Encoder.Inputs()) {
				return fmt.Errorf("section %d: wires are missing or lead beyond the %d input bits", i, m.Encoder.Inputs())
			}
		}
	}
	return nil
}

// newSection returns the kernels' view of a section, which shares its arrays.
func newSection(s *model.Section) *kernel.Gates {
	gates := len(s.Ops) / kernel.Ops
	n := &kernel.Gates{Layers: s.Layers, Logits: newLogits(s.Ops, gates), Op: hugepage.Make[uint8](gates), B: newPin(&s.B, gates)}
	if s.A.Source == model.Input {
		n.A = newPin(&s.A, gates)
	}
	n.Refresh()
	return n
}

func newLogits(w []float32, gates int) kernel.Logits {
	floats := hugepage.Make[float32]
	return kernel.Logits{W: w, M: floats(len(w)), V: floats(len(w)), Top: floats(gates)}
}

func newPin(p *model.Pin, gates int) *kernel.Pin {
	n := &kernel.Pin{K: p.K, Narrow: p.Wires.Narrow, Wide: p.Wires.Wide, Bit: hugepage.Make[uint32](gates)}
	if p.K > 1 {
		n.Logits = newLogits(p.Logits, gates)
	}
	return n
}

// Crew returns the goroutines of the step, for what is done between steps: they are still
// awake then. It must not be used during one.
func (e *Engine) Crew() *crew.Crew { return e.crew }

// Words returns the number of words of a row of a [Batch].
func (e *Engine) Words() int { return e.words }

// Step trains on one batch with the given Adam constants and returns the loss and the
// number of correct classifications before the update. A batch may be smaller than
// the engine's largest; the gradient is that of the mean over its own samples.
func (e *Engine) Step(b Batch, adam kernel.Adam) Result {
	if need := e.m.Encoder.Inputs() * e.words; len(b.X) < need || len(b.Labels) > 64*e.words {
		panic("engine: batch does not have the engine's shape") // assembly does not look
	}
	e.each(func(w *worker) { w.forward(b.X) })
	e.gather()
	r := e.loss(b.Labels)
	e.each(func(w *worker) { w.backward(b.X, len(b.Labels), &adam) })
	return r
}

// each runs f for every worker and waits.
func (e *Engine) each(f func(w *worker)) { e.crew.Run(func(i int) { f(e.workers[i]) }) }

// gather sums the workers' counts. A class may be split between workers.
func (e *Engine) gather() {
	clear(e.counts)
	for _, w := range e.workers {
		from := w.firstClass * e.words * 64
		for i, n := range w.counts {
			e.counts[from+i] += n
		}
	}
}

// Frozen writes the network that the current argmaxes select to f, which is nil or a
// former result to be overwritten, and returns it.
func (e *Engine) Frozen(f *model.Frozen) *model.Frozen {
	if f == nil {
		f = &model.Frozen{Name: e.m.Config.Name, Classes: e.m.Classes, Width: e.m.Width, Encoder: e.m.Encoder}
		for l := range e.depth {
			f.Layers = append(f.Layers, model.FrozenLayer{
				Op: make([]uint8, e.m.Width), A: make([]uint32, e.m.Width), B: make([]uint32, e.m.Width),
				ASource: model.Input, BSource: model.Input,
			})
			if l > 0 {
				f.Layers[l].ASource = model.Previous
			}
		}
	}
	for i := range e.m.Width {
		l := &f.Layers[0]
		l.Op[i], l.A[i], l.B[i] = e.first.Op[i], e.first.A.Bit[i], e.first.B.Bit[i]
		for d := 1; d < e.depth; d++ {
			l, g := &f.Layers[d], i*e.rest.Layers+d-1
			l.Op[i], l.A[i], l.B[i] = e.rest.Op[g], uint32(i), e.rest.B.Bit[g]
		}
	}
	return f
}

// Moment is one of Adam's moment arrays, of the shape of the parameter it belongs to.
type Moment struct {
	Name  string // the parameter's name in the model file, and .m or .v
	Shape []int  // width, layers, k
	Data  []float32
}

// Moments returns the live moment arrays in a fixed order; a checkpoint stores them
// and a resumed run overwrites them.
func (e *Engine) Moments() []Moment {
	var all []Moment
	add := func(name string, layers, k int, m, v []float32) {
		if m != nil {
			shape := []int{e.m.Width, layers, k}
			all = append(all, Moment{name + ".m", shape, m}, Moment{name + ".v", shape, v})
		}
	}
	for i, s := range []*kernel.Gates{e.first, e.rest} {
		if s == nil {
			continue
		}
		add(fmt.Sprintf("section%d.ops", i), s.Layers, kernel.Ops, s.M, s.V)
		if s.A != nil {
			add(fmt.Sprintf("section%d.a.logits", i), s.Layers, s.A.K, s.A.M, s.A.V)
		}
		add(fmt.Sprintf("section%d.b.logits", i), s.Layers, s.B.K, s.B.M, s.B.V)
	}
	return all
}
