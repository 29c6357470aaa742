// Package model holds a logic gate network as it is trained and stored, with its wires, logits and encoder. It also
// defines the file format, and the Boolean network that the logits select.
//
// A [Model] describes any network whose layers consist of nodes of up to six pins. The nodes are the paper's gates,
// which have two pins, or look-up tables. The layers of a Model are grouped into [Section]s. A section is a run of
// consecutive layers of the same width whose pins have the same sources and numbers of candidates. A network of
// private chains (an IALGN with k_h = 1) has one section for the first layer and one for all other layers. Other
// networks have one section for each layer. All arrays of a section are chain-major, [width][layers][k], because
// training, files and freezing process one private chain after the other. The nodes of a convolution are evaluated at
// all positions of an image ([Section.Grid]). The layers of a recurrent network are evaluated at all steps of a
// sequence ([Model.Steps]).
//
// [Frozen] is the Boolean network that a model computes. It has a truth table for each node, and the selected
// candidate for each pin. The selected candidate has the largest logit, or is the lowest of several with equal
// logits. A Frozen has a node for each position and each step. [Evaluator] computes the forward pass of a Frozen,
// bit-parallel and layer by layer. The trainer measures accuracy with an Evaluator, and the compiler's output is
// verified against its results.
package model

import (
	"cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/ranks"
	"ialgn/internal/topology"
)

// Source says where a pin gets its bit.
type Source = topology.Source

// These are the sources of a pin.
const (
	Input    = topology.Input
	Previous = topology.Previous
	Spine    = topology.Spine
	Base     = topology.Base
)

// MaxPins is the largest number of pins of a node.
const MaxPins = topology.MaxPins

// Pin is one input of all nodes of a section.
type Pin struct {
	Source Source
	K      int       // number of candidates of each node; 1 for a spine, whose candidate is not stored
	Wires  Indices   // [width][layers][K]
	Logits []float32 // [width][layers][K]; nil if K is 1
}

// Section is a run of consecutive layers of the same form.
type Section struct {
	Layers int
	Width  int // nodes in each layer

	// Arity is the number of logits that select the function of a node. It is [Operations], with one logit for each
	// operation of two pins in the paper's numbering, or 2^len(Pins), with one logit for each line of a truth table. The
	// binary digits of a line's number are the values of the pins. Pin 0 is the highest digit.
	Arity int
	Ops   []float32 // the logits of the nodes' functions, [width][layers][Arity]
	Pins  []Pin     // 1 to [MaxPins]

	// Grid, unless it is nil, gives the positions at which the nodes are evaluated. There are Width nodes at each
	// position. Wires are then numbers of elements of the position's patch. Sections with a grid have one layer, and
	// come before sections without a grid.
	Grid *topology.Grid
}

// Operations is the number of operations of two pins.
const Operations = topology.Operations

// Model is a network with its parameters.
type Model struct {
	Config   config.Config
	Classes  []string
	Width    int // nodes of the last layer, a multiple of len(Classes); class c owns nodes c*Width/len(Classes) ..
	Encoder  encoding.Encoder
	Sections []Section
	Record   Record

	// Steps is the number of steps of a sequence, or 0 for a network that is not recurrent. A sample is a sequence, and
	// its features are divided equally among the steps, in order. All sections are evaluated at each step. Pins of the
	// first section with source [Previous] read the last layer of the step before, or zeros at the first step. The class
	// counts are taken from the last layer at the last step.
	Steps int

	Offsets     []int        // added to the class counts; nil, or a number for each class (see [Frozen])
	Ties        []int        // tie order of the classes; nil, or all classes (see [Frozen])
	Calibration *Calibration // of the validation set; nil if there was none

	// Part describes the part of the network that this rank trains. It is nil if this process trains the whole network.
	// Part is not stored in the file.
	Part *ranks.Share
}

// Record is the training record. It depends only on configuration, data and seed.
type Record struct {
	DataSet string  `json:"data_set"`
	Train   string  `json:"train_sha256"` // digest of the decoded training data; see package dataset
	Test    string  `json:"test_sha256"`
	Start   *Start  `json:"start,omitempty"` // nil if the seed determined the first parameters
	Epochs  []Epoch `json:"epochs"`
	// Kept is the epoch whose parameters the model has, counted from 1. Kept is 0 if there is no validation set. The
	// model then has the parameters of the last epoch.
	Kept int `json:"kept_epoch,omitempty"`

	Offsets  *Shifted  `json:"offsets,omitempty"`  // nil if no class has an offset
	Ties     *Shifted  `json:"ties,omitempty"`     // nil if there is no tie order
	Origin   *Origin   `json:"origin,omitempty"`   // nil if the network was trained here from the beginning
	Pruned   *Pruned   `json:"pruned,omitempty"`   // nil if nothing was removed
	Refilled *Refilled `json:"refilled,omitempty"` // nil if tables were not refilled
}

// Shifted has the results of the kept epoch with the class offsets ([Model.Offsets]) or the tie order ([Model.Ties]),
// which were chosen after training.
type Shifted struct {
	TestCorrect       int     `json:"test_correct"`
	ValidationCorrect int     `json:"validation_correct,omitempty"` // 0 if there is no validation set
	ValidationMetric  float64 `json:"validation_metric,omitempty"`  // as in [Epoch]
}

// Shifted returns the results with the class offsets or the tie order, or nil if there are neither.
func (r *Record) Shifted() *Shifted { return cmp.Or(r.Offsets, r.Ties) }

// Origin says that another program trained this network, or the network from which training started.
type Origin struct {
	Format string  `json:"format"`         // format of the files, such as torchlogix
	Files  []Start `json:"files"`          // the files from which the network was read
	Beta   float64 `json:"beta,omitempty"` // added to every class count before the division by tau
}

// Pruned says how much was removed during training.
type Pruned struct {
	Epoch      int     `json:"epoch"`       // number of epochs before pruning
	Bits       int     `json:"bits"`        // number of counted bits that became 0
	Nodes      int     `json:"nodes"`       // number of other nodes that became constant
	LossBefore float64 `json:"loss_before"` // mean loss of the frozen network over the training set
	LossAfter  float64 `json:"loss_after"`
}

// Refilled says how many truth tables were changed at the end of training, and how accurate the network is with the
// changed tables.
type Refilled struct {
	Nodes             int `json:"nodes"` // number of nodes with a changed table
	Pins              int `json:"pins"`  // number of pins on which the changed tables no longer depend
	TestCorrect       int `json:"test_correct"`
	ValidationCorrect int `json:"validation_correct,omitempty"`
}

// Start names the model file from whose parameters training started.
type Start struct {
	Name   string `json:"name"` // name of the file without its folder
	SHA256 string `json:"sha256"`
}

// Epoch is one line of the training record. Accuracies are stored as counts, so that they can be compared exactly.
type Epoch struct {
	Loss         float64 `json:"loss"`          // mean over the samples of the epoch
	TrainCorrect int     `json:"train_correct"` // counted in the forward passes of training, before each update
	TrainSamples int     `json:"train_samples"`
	TestCorrect  int     `json:"test_correct"`
	TestSamples  int     `json:"test_samples"`

	// RelaxedCorrect counts the test samples that the relaxed network classifies correctly. It is set only with the
	// estimator soft.
	RelaxedCorrect int `json:"test_relaxed_correct,omitempty"`

	ValidationCorrect int `json:"validation_correct,omitempty"`
	ValidationSamples int `json:"validation_samples,omitempty"`
	// ValidationMetric is the metric of train.validation.metric on the validation set. It is 0 if the metric is the
	// accuracy, which follows from the counts.
	ValidationMetric float64 `json:"validation_metric,omitempty"`
}

// Depth returns the number of layers.
func (m *Model) Depth() int {
	d := 0
	for i := range m.Sections {
		d += m.Sections[i].Layers
	}
	return d
}

// Nodes returns the number of nodes in all layers. Shared nodes count once for each position and step. The OR nodes
// of pooling do not count.
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

// FrozenNodes returns the number of nodes of the frozen network ([Frozen.Gates]), including the OR nodes of pooling.
// It does not count nodes that only pass bits on to later layers.
func (m *Model) FrozenNodes() int {
	n := m.Nodes()
	for i := range m.Sections {
		if s := &m.Sections[i]; s.frozenLayers() > s.Layers {
			n += s.Outputs()
		}
	}
	return n
}

// before returns the number of bits of the layer before section i. For the first section, the result is the number of
// bits of a recurrent network's state, or 0 if the network is not recurrent.
func (m *Model) before(i int) int {
	switch {
	case i == 0 && m.Steps > 0:
		return m.Sections[len(m.Sections)-1].Outputs()
	case i == 0:
		return 0
	}
	return m.Sections[i-1].Outputs()
}

// Outputs returns the number of output bits of the section's last layer.
func (s *Section) Outputs() int {
	if s.Grid == nil {
		return s.Width
	}
	rows, columns := s.Grid.Pooled()
	return s.Width * rows * columns
}
