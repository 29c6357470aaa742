// Package engine trains networks. One step is a forward pass, the loss, a backward pass and an Adam update.
//
// Package kernel holds the arithmetic of a single gate and fixes the order of its sums. An engine decides in which
// order the gates are processed. [New] chooses one of six engines:
//
//   - the chain engine, for networks of private chains of gates with hard forward values (an IALGN with a same-index
//     spine). A chain depends on other chains only through the class counts, so this engine goes chain by chain and
//     stores nothing for a gate except its parameters;
//   - the layer engine, for all other networks of gates with hard values, and for chains whose layers are frozen one
//     by one. If the chain engine and the layer engine can both train a network, they give the same bits;
//   - the relaxed engine, for networks of gates trained with raw relaxed gradients. It stores float32 values where
//     the first two engines store bits;
//   - two node engines, the first with bits and the second with float32 values. They train nodes with any number of
//     pins, layers of several widths, and the estimators and gradients that the engines of gates do not support;
//   - the shared engine, for networks whose nodes are shared by positions or steps.
//
// An engine works on the slices of a [model.Model], so the model always holds the current parameters. The engine owns
// the Adam moments and the current argmax of every softmax. Gates are split over goroutines, and every sum has one
// fixed order, so results are identical to the bit for any number of threads.
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
	// Step trains on one batch with the given Adam constants. It returns the loss and the number of correct
	// classifications, computed before the update. A batch may be smaller than the engine's largest batch. The step
	// follows the gradient of the mean loss over the samples of the batch. If the result has an error, Step has
	// updated nothing.
	Step(b Batch, adam kernel.Adam) Result

	// Measure returns the same result as Step, but changes nothing.
	Measure(b Batch) Result

	// NewScores returns empty scores for a window. All windows of an epoch together cover the network.
	NewScores(w Window) *Scores

	// Score makes the following steps add to the scores s. Score(nil) ends the scoring.
	Score(s *Scores)

	// Tell makes the following steps pass the gradients of pins to the sink s. Tell(nil) removes the sink.
	Tell(s kernel.Sink)

	// ReplaceRandom replaces the weakest candidates of every pin by random sources. The random draws depend only on
	// (seed, epoch, layer, node, pin).
	ReplaceRandom(seed uint64, epoch int, r Replacement)

	// Words returns the number of words of a row of a [Batch]. A word holds 64 samples.
	Words() int

	// Crew returns the goroutines that execute a step. The caller may give them other work between steps, but not
	// during a step.
	Crew() *crew.Crew

	// Frozen writes the network that the current argmaxes select to f and returns f. The argument f is an earlier
	// result, which is overwritten, or nil for a new network.
	Frozen(f *model.Frozen) *model.Frozen

	// Moments returns the engine's own moment arrays, not copies, in a fixed order. A checkpoint stores these arrays,
	// and a resumed run overwrites them.
	Moments() []Moment
}

// Batch is a batch of samples as rows of bits. X has a row of [Engine.Words] words for each input bit. Bits past the
// last label have no influence.
type Batch struct {
	X      []uint64
	Labels []uint8
	Step   int // number of the step, from 1; random draws depend on it

	// Frozen is the number of frozen layers, counted from the first (train.freeze). The values of a frozen layer are
	// the bits of the gates that the layer's logits select, without noise. A frozen layer is not updated, and its
	// gradients are not passed to a sink. The last layer is an exception. If it is frozen, it is still updated, with
	// gradients that pass straight through its choices.
	Frozen int

	// Weights holds the weight of each class in the loss; nil: all classes weigh 1. The loss is the weighted mean of the
	// samples' losses, and a sample has the weight of its class.
	Weights []float32

	Note int32 // a number that a rank sends along with its counts; the engine does not interpret it
}

// trained returns the index of the first layer that a step updates.
func (b *Batch) trained(layers int) int { return min(b.Frozen, layers-1) }

// Result is the outcome of a batch before its update.
type Result struct {
	Loss    float64 // mean cross-entropy
	Correct int

	Notes int32 // the sum of the notes of all ranks
	Err   error // error in the exchange with other ranks, after which the run cannot continue
}

// Moment is one of Adam's moment arrays. It has the shape of its parameter.
type Moment struct {
	Name  string // the parameter's name in the model file, followed by .m or .v
	Shape []int  // width, layers, k
	Data  []float32
}

// New returns an engine that trains m in place, with batches of at most maxBatch samples on the given number of
// goroutines. The moments are zero.
func New(m *model.Model, maxBatch, threads int) (Engine, error) {
	return NewRank(m, maxBatch, threads, nil)
}

// NewRank returns an engine for a rank's part of a network (m.Part). If the argument all is nil, NewRank does the
// same as [New]. The class counts of each batch are summed over all ranks, so loss and gradients are the same as if
// one process trained the whole network. The network must have private chains and hard values.
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

// newEngine returns an engine for a network that is not divided among ranks.
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
	case suitsChains(m):
		return newChains(m, maxBatch, threads)
	}
	return newLayers(m, maxBatch, threads)
}

// base holds the common parts of all engines, such as the model, the readout and the goroutines.
type base struct {
	*readout
	m     *model.Model
	depth int
	crew  *crew.Crew

	candidates
	scores *Scores     // scores of the current window, nil if nothing is scored
	told   kernel.Sink // set by [Engine.Tell]
	sink   kernel.Sink // forwards gradients to scores and told; nil if both are nil
	probe  *probe      // made by the first step that has a sink
}

// network is a model in the form that the kernels of gates use.
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
	n.candidates = newCandidates(nodeLayers(n.views(), 0), m.Encoder.Inputs(), func() {})
	n.part = m.Part
	return n, nil
}

// views returns the sections in the form that the kernels of nodes use. The views share the state of the gates.
func (n *network) views() []*kernel.Nodes {
	var all []*kernel.Nodes
	for _, s := range n.sections {
		nodes := s.Nodes(n.m.Width)
		nodes.Part = n.m.Part
		all = append(all, nodes)
	}
	return all
}

// checkWires returns an error if wires are missing or exceed the number of sources. Vector kernels read at the wires'
// indices without a check.
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

// newSection returns the kernels' view of a section. The view shares the section's arrays.
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

// newLogits returns logits with zero moments. It makes room for the largest logit of each softmax. The argument tops
// is the number of softmaxes.
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

// check panics if a batch does not have the engine's shape, because the assembly does not check it.
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

// appendMoments appends the moments of logits, unless they have none.
func appendMoments(all []Moment, name string, width, layers, k int, l *kernel.Logits) []Moment {
	if l.M == nil {
		return all
	}
	shape := []int{width, layers, k}
	return append(all, Moment{name + ".m", shape, l.M}, Moment{name + ".v", shape, l.V})
}
