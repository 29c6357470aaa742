// Package model holds a logic gate network as it is trained and stored: its wires,
// its logits, its encoder, its file format, and the network that its argmaxes select.
//
// A [Model] describes any network whose layers are nodes of up to six pins: the paper's gates, which
// have two, and look-up tables. Its layers stand in [Section]s, runs of consecutive layers of the same
// width whose pins have the same sources and numbers of candidates: a network of private chains (an
// IALGN with k_h = 1) has two, the first layer and the rest, any other one for each layer. All arrays
// of a section are chain-major, [width][layers][k], because a private chain is what training, files
// and freezing walk along. The nodes of a section of a convolution are evaluated at all positions of an
// image ([Section.Grid]); [Frozen] has them unrolled, a node for each position. The layers of a recurrent network are
// evaluated at all steps of a sequence ([Model.Steps]); [Frozen] has them once for each step.
//
// [Frozen] is what a model computes: for each node its truth table (of a gate, the argmax operation)
// and the argmax candidate of each pin, ties to the lowest index. [Evaluator] is its forward
// pass, bit-parallel, layer by layer: the trainer's own word on what was trained, and
// what the compiler's output is verified against.
package model

import (
	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/ranks"
	"ialgn/internal/topology"
)

// Source says where a pin gets its bit from.
type Source = topology.Source

// The sources of a pin.
const (
	Input    = topology.Input
	Previous = topology.Previous
	Spine    = topology.Spine
	Base     = topology.Base
)

// MaxPins is the largest fan-in of a node.
const MaxPins = topology.MaxPins

// Pin is one input of all nodes of a section.
type Pin struct {
	Source Source
	K      int       // candidates of each node; 1 and none stored for Spine
	Wires  Indices   // [width][layers][K]
	Logits []float32 // [width][layers][K] if K > 1, else nil
}

// Section is a run of consecutive layers of the same form.
type Section struct {
	Layers int
	Width  int // nodes in each layer

	// Arity is the number of logits that decide what a node computes. It is [Operations], one for each
	// operation of two pins in the paper's numbering, or 2^len(Pins), one for each line of a truth
	// table. The number of a line has the pins as its binary digits, pin 0 as the highest one.
	Arity int
	Ops   []float32 // these logits, [width][layers][Arity]
	Pins  []Pin     // 1 to [MaxPins]

	// Grid, unless nil, says at which positions the nodes are evaluated: there are Width of them at each. The wires of
	// pins are elements of the patch of a position. Such sections have one layer, and stand before those without.
	Grid *topology.Grid
}

// Operations is the number of operations of two pins.
const Operations = topology.Operations

// Model is a network with its parameters.
type Model struct {
	Config   config.Config
	Classes  []string
	Width    int // nodes of the last layer, a multiple of len(Classes); class c owns the nodes c*Width/C ..
	Encoder  encoding.Encoder
	Sections []Section
	Record   Record

	// Steps is the number of steps of a sequence that a sample is, each with its share of the features, in their order.
	// All sections are evaluated at each step, and pins of the first one with source [Previous] read the last layer of
	// the step before, zeros at the first. The last layer of the last step is counted. 0: there are no steps.
	Steps int

	// What it has of a network that several ranks train. nil: all of it. It is not in the file.
	Part *ranks.Share
}

// Record is the training record: only what configuration, data and seed determine.
type Record struct {
	DataSet string  `json:"data_set"`
	Train   string  `json:"train_sha256"` // digest of the decoded training data, as package dataset defines it
	Test    string  `json:"test_sha256"`
	Start   *Start  `json:"start,omitempty"` // nil: drawn by the seed
	Epochs  []Epoch `json:"epochs"`
	// The epoch whose parameters these are, from 1. 0: those after the last epoch, where there is no validation set.
	Kept int `json:"kept_epoch,omitempty"`

	Origin   *Origin   `json:"origin,omitempty"`   // nil: it was trained here from the beginning
	Pruned   *Pruned   `json:"pruned,omitempty"`   // nil: nothing was removed
	Refilled *Refilled `json:"refilled,omitempty"` // nil: no tables were to be refilled
}

// Origin says that the network was trained by another program, or that training went on from such a network.
type Origin struct {
	Format string  `json:"format"`         // what its files are, such as torchlogix
	Files  []Start `json:"files"`          // that it was read from
	Beta   float64 `json:"beta,omitempty"` // what the program adds to every class count before it divides by tau
}

// Pruned is what was removed during training.
type Pruned struct {
	Epoch      int     `json:"epoch"`       // after how many epochs
	Bits       int     `json:"bits"`        // counted bits that became 0
	Nodes      int     `json:"nodes"`       // other nodes that became constant
	LossBefore float64 `json:"loss_before"` // mean of the frozen network over the training set, right before and after
	LossAfter  float64 `json:"loss_after"`
}

// Refilled is what was done to tables at the end of training, and what the network reaches with them.
type Refilled struct {
	Nodes             int `json:"nodes"` // with another table
	Pins              int `json:"pins"`  // on which these do not depend any more
	TestCorrect       int `json:"test_correct"`
	ValidationCorrect int `json:"validation_correct,omitempty"`
}

// Start names the model file whose parameters training started from.
type Start struct {
	Name   string `json:"name"` // without its folder
	SHA256 string `json:"sha256"`
}

// Epoch is one line of the training record. Accuracies are counts, so that they can
// be compared exactly.
type Epoch struct {
	Loss         float64 `json:"loss"`          // mean over the epoch's samples
	TrainCorrect int     `json:"train_correct"` // by the forward passes of the training batches, before each update
	TrainSamples int     `json:"train_samples"`
	TestCorrect  int     `json:"test_correct"`
	TestSamples  int     `json:"test_samples"`

	// Of the test samples, by the relaxed network, if estimator soft trains it.
	RelaxedCorrect int `json:"test_relaxed_correct,omitempty"`

	ValidationCorrect int `json:"validation_correct,omitempty"`
	ValidationSamples int `json:"validation_samples,omitempty"`
}

// Depth returns the number of layers.
func (m *Model) Depth() int {
	d := 0
	for i := range m.Sections {
		d += m.Sections[i].Layers
	}
	return d
}

// Nodes returns the number of nodes in all layers, of shared ones at all positions and steps; the ORs of pooling are
// none.
func (m *Model) Nodes() int {
	n := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		nodes := s.Layers * s.Width
		if s.Grid != nil {
			nodes *= s.Grid.Positions()
		}
		n += nodes
	}
	return n * max(m.Steps, 1)
}

// FanIn returns the largest number of inputs of a node.
func (m *Model) FanIn() (n int) {
	for i := range m.Sections {
		n = max(n, len(m.Sections[i].Pins))
	}
	return n
}

// FrozenNodes returns the number of nodes of the frozen network ([Frozen.Gates]), but for those that only pass bits on
// to layers further up: pooling has some, too.
func (m *Model) FrozenNodes() int {
	n := m.Nodes()
	for i := range m.Sections {
		if s := &m.Sections[i]; s.frozenLayers() > s.Layers {
			n += s.Outputs()
		}
	}
	return n
}

// before returns the number of bits of the layer before section i: for the first the state of a recurrent network, else
// 0.
func (m *Model) before(i int) int {
	switch {
	case i == 0 && m.Steps > 0:
		return m.Sections[len(m.Sections)-1].Outputs()
	case i == 0:
		return 0
	}
	return m.Sections[i-1].Outputs()
}

// Outputs returns the number of bits that leave the section's last layer.
func (s *Section) Outputs() int {
	if s.Grid == nil {
		return s.Width
	}
	rows, columns := s.Grid.Pooled()
	return s.Width * rows * columns
}
