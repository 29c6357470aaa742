// Package engine trains networks: one step of forward pass, loss, backward pass and Adam
// at a time. What happens to a gate is package kernel's, where the maths and the summation
// order stand; an engine decides in which order gates are walked.
//
// There are six. [New] takes the chain engine for networks of private chains of gates under hard
// forward values, an IALGN with a same-index spine, where a chain depends on the others
// only through the class counts: it walks chain by chain and stores nothing for each gate
// but its parameters. All other networks of gates with hard values go through the layer engine,
// and those chains of which layers are frozen while others train; on a network that both can train,
// both give the same bits. Raw relaxed gradients, of any network of gates, go through the relaxed
// engine, which has numbers where these have bits.
// Networks of other nodes than gates of two pins, of several widths, and the estimators and gradients that
// engines of gates have not, go through the two node engines, with bits and with numbers.
// Networks whose nodes are shared by positions or steps go through the shared engine.
//
// An engine works on the slices of a [model.Model], which therefore always holds the
// current parameters; it owns the moments and, for each gate, the running argmaxes. Gates
// are split over goroutines, and every sum has one order, so results do not depend on the
// number of threads, to the bit.
package engine

import (
	"errors"
	"fmt"

	"ialgn/internal/crew"
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
)

// Engine trains one model. Its methods must not be called concurrently.
type Engine interface {
	// Step trains on one batch with the given Adam constants and returns the loss and the
	// number of correct classifications before the update. A batch may be smaller than
	// the engine's largest; the gradient is that of the mean over its own samples. Where the
	// result has an error, nothing was updated.
	Step(b Batch, adam kernel.Adam) Result

	// Measure returns what Step would, and changes nothing.
	Measure(b Batch) Result

	// NewScores returns scores of a window of that many that cover the network, with nothing added to them.
	NewScores(window, windows int) *Scores

	// Score has the following steps add to s, until it is called with nil.
	Score(s *Scores)

	// Tell has the following steps tell s of the gradients of pins, until it is called with nil.
	Tell(s kernel.Sink)

	// ReplaceRandom gives the weakest candidates of every pin random sources, drawn by (seed, epoch, layer, node, pin).
	ReplaceRandom(seed uint64, epoch int, r Replacement)

	// Words returns the number of words of a row of a [Batch].
	Words() int

	// Crew returns the goroutines of the step, for what is done between steps: they are
	// still awake then. It must not be used during one.
	Crew() *crew.Crew

	// Frozen writes the network that the current argmaxes select to f, which is nil or a
	// former result to be overwritten, and returns it.
	Frozen(f *model.Frozen) *model.Frozen

	// Moments returns the live moment arrays in a fixed order; a checkpoint stores them
	// and a resumed run overwrites them.
	Moments() []Moment
}

// Batch is a batch of samples as bit rows: X has a row of [Engine.Words] words for
// each input bit. Bits past the last label have no influence.
type Batch struct {
	X      []uint64
	Labels []uint8
	Step   int // number of the step, from 1: the key of draws that differ from step to step

	// Frozen is how many layers, from the first on, are frozen (train.freeze): their values are the bits of what their
	// logits select, without noise, and nothing of them is updated, or told to a sink. But if the last layer is frozen,
	// too, that is updated all the same, by gradients that pass its choices straight through.
	Frozen int

	Note int32 // what the rank has to say beside its counts; of no meaning to the engine
}

// trained returns the first layer, of so many, that a step updates.
func (b *Batch) trained(layers int) int { return min(b.Frozen, layers-1) }

// Result is what a batch gave before its update.
type Result struct {
	Loss    float64 // mean cross-entropy
	Correct int

	Notes int32 // the sum of the notes of all ranks
	Err   error // of the exchange with other ranks, after which the run is over
}

// Moment is one of Adam's moment arrays, of the shape of the parameter it belongs to.
type Moment struct {
	Name  string // the parameter's name in the model file, and .m or .v
	Shape []int  // width, layers, k
	Data  []float32
}

// New returns an engine for the model, which it will change, with batches of at most
// maxBatch samples on the given number of goroutines. The moments are zero.
func New(m *model.Model, maxBatch, threads int) (Engine, error) {
	return NewRank(m, maxBatch, threads, nil)
}

// NewRank returns an engine for a rank's part of a network (m.Part) or, with a nil all, what [New] does for the whole.
// The class counts of each batch are those of all ranks together, and so are loss and gradients. The chains of the
// network must be private, and its values hard.
func NewRank(m *model.Model, maxBatch, threads int, all ranks.Comm) (Engine, error) {
	e, err := newEngine(m, maxBatch, threads)
	if _, can := e.(interface{ freezes() }); err == nil && !can && m.Config.Train.Freeze.Active() {
		return nil, errors.New("train.freeze.kind: the layers of such a network cannot be frozen one by one; use none")
	}
	if err != nil || all == nil {
		return e, err
	}
	if !m.Config.Model.PrivateChains() || m.Config.Train.Estimator == "soft" {
		return nil, errors.New("engine: a network whose ranks share more than counts of bits")
	}
	e.(interface{ join(all ranks.Comm) }).join(all)
	return e, nil
}

// newEngine returns an engine that knows of no other ranks.
func newEngine(m *model.Model, maxBatch, threads int) (Engine, error) {
	switch {
	case len(m.Sections) > 0 && (m.Sections[0].Grid != nil || m.Steps > 0):
		b, err := newBase(m, maxBatch, threads)
		if err != nil {
			return nil, err
		}
		return newShared(b)
	case !gates(m):
		if err := checkEdges(m); err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
		b, err := newBase(m, maxBatch, threads)
		if err != nil {
			return nil, err
		}
		return newNodeEngine(b), nil
	case chains(m) && m.Config.Train.Estimator != "soft" && !m.Config.Train.Freeze.Active():
		return newChains(m, maxBatch, threads)
	}
	return newLayers(m, maxBatch, threads)
}

// base is what all engines have in common: a model, its readout and goroutines.
type base struct {
	*readout
	m     *model.Model
	depth int
	crew  *crew.Crew

	candidates
	scores *Scores     // of the current window, nil if nothing is scored
	told   kernel.Sink // of [Engine.Tell]
	sink   kernel.Sink // scores and told, as far as there are any
	probe  *probe      // made by the first step that tells a sink
}

// network is a model in the form of the kernels of gates.
type network struct {
	*base
	sections []*kernel.Gates
}

func newBase(m *model.Model, maxBatch, threads int) (*base, error) {
	if maxBatch < 1 || threads < 1 {
		return nil, fmt.Errorf("engine: batch %d and threads %d must be positive", maxBatch, threads)
	}
	if _, err := kernel.Path(); err != nil {
		return nil, err
	}
	if err := checkWires(m); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	threads = min(threads, m.Width)
	return &base{
		readout: newReadout(m, max(kernel.LeastWords, (maxBatch+63)/64), threads),
		m:       m, depth: m.Depth(), crew: crew.New(threads),
	}, nil
}

func newNetwork(m *model.Model, maxBatch, threads int) (*network, error) {
	b, err := newBase(m, maxBatch, threads)
	if err != nil {
		return nil, err
	}
	n := &network{base: b}
	for i := range m.Sections {
		n.sections = append(n.sections, newSection(&m.Sections[i]))
	}
	n.candidates = newCandidates(nodeLayers(n.views()), m.Encoder.Inputs(), func() {})
	n.part = m.Part
	return n, nil
}

// views returns the sections as nodes, with the same state.
func (n *network) views() []*kernel.Nodes {
	var all []*kernel.Nodes
	for _, s := range n.sections {
		nodes := s.Nodes(n.m.Width)
		nodes.Part = n.m.Part
		all = append(all, nodes)
	}
	return all
}

// checkWires says which wires are missing or lead nowhere: vector kernels read where they
// lead, unchecked.
func checkWires(m *model.Model) error {
	if len(m.Sections) == 0 {
		return errors.New("the model has no sections")
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		for k := range s.Pins {
			p := &s.Pins[k]
			switch {
			case i == 0 && p.Source != model.Input && m.Steps == 0:
				return fmt.Errorf("section %d: a pin reads a layer before the first", i)
			case k > 0 && p.Source == model.Spine:
				return fmt.Errorf("section %d: pin %s is on the spine, which pin A alone can be", i, model.PinName(k))
			case p.Source == model.Spine:
			case p.Wires.Len() != s.Width*s.Layers*p.K || int(p.Wires.Max()) >= m.Limit(i, k):
				return fmt.Errorf("section %d: wires are missing or lead beyond the %d bits of their source", i, m.Limit(i, k))
			}
		}
	}
	return nil
}

// newSection returns the kernels' view of a section, which shares its arrays.
func newSection(s *model.Section) *kernel.Gates {
	gates := s.Width * s.Layers
	n := &kernel.Gates{
		Layers: s.Layers, Light: s.Arity == kernel.LightOps, Op: memory.MakeHuge[uint8](gates),
		B: newPin(&s.Pins[1], gates),
	}
	tops := gates
	if n.Light {
		tops = 0
	}
	n.Logits = newLogits(s.Ops, tops)
	if s.Pins[0].Source != model.Spine {
		n.A = newPin(&s.Pins[0], gates)
	}
	n.Refresh()
	return n
}

// newLogits returns logits with zero moments, and room for the largest logit of so many softmaxes.
func newLogits(w []float32, tops int) kernel.Logits {
	floats := memory.MakeHuge[float32]
	return kernel.Logits{W: w, M: floats(len(w)), V: floats(len(w)), Top: floats(tops)}
}

func newPin(p *model.Pin, gates int) *kernel.Pin {
	n := &kernel.Pin{
		K: p.K, Hidden: p.Source == model.Previous,
		Narrow: p.Wires.Narrow, Wide: p.Wires.Wide, Bit: memory.MakeHuge[uint32](gates),
	}
	if p.K > 1 {
		n.Logits = newLogits(p.Logits, gates)
	}
	return n
}

// Crew implements [Engine].
func (b *base) Crew() *crew.Crew { return b.crew }

// Words implements [Engine].
func (b *base) Words() int { return b.words }

// check panics if a batch does not have the engine's shape: assembly does not look.
func (b *base) check(batch Batch) {
	need, samples := b.m.Encoder.Inputs()*b.words, len(batch.Labels)
	if len(batch.X) < need || samples < 1 || samples > 64*b.words {
		panic("engine: batch does not have the engine's shape")
	}
}

// Frozen implements [Engine].
func (n *network) Frozen(f *model.Frozen) *model.Frozen {
	if f == nil {
		f = n.m.Blank()
	}
	layer := 0
	for _, s := range n.sections {
		for l := range s.Layers {
			to := &f.Layers[layer]
			for i := range n.m.Width {
				g := i*s.Layers + l
				a := uint32(i)
				if s.A != nil {
					a = s.A.Bit[g]
				}
				to.Op.Narrow[i], to.Pins[0].Index[i], to.Pins[1].Index[i] = s.Op[g], a, s.B.Bit[g]
			}
			layer++
		}
	}
	return f
}

// Moments implements [Engine].
func (n *network) Moments() []Moment {
	var all []Moment
	for i, s := range n.sections {
		all = appendMoments(all, fmt.Sprintf("section%d.ops", i), n.m.Width, s.Layers, s.Arity(), &s.Logits)
		if s.A != nil {
			all = appendMoments(all, fmt.Sprintf("section%d.a.logits", i), n.m.Width, s.Layers, s.A.K, &s.A.Logits)
		}
		all = appendMoments(all, fmt.Sprintf("section%d.b.logits", i), n.m.Width, s.Layers, s.B.K, &s.B.Logits)
	}
	return all
}

// appendMoments appends the moments of logits, if there are any.
func appendMoments(all []Moment, name string, width, layers, k int, l *kernel.Logits) []Moment {
	if l.M == nil {
		return all
	}
	shape := []int{width, layers, k}
	return append(all, Moment{name + ".m", shape, l.M}, Moment{name + ".v", shape, l.V})
}
