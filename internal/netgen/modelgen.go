// This file makes random models of every form that a model file describes, for tests and benchmarks of the
// packages that read models.
//
// The models are valid but untrained: they have random wires and candidates, random logits, and a uniform
// encoder of 8-bit features or an encoder by cuts. The same [ModelOptions] give the same model.

package netgen

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/ties"
	"ialgn/internal/topology"
)

// ModelOptions describe a model. Zero fields have the values of [ModelOptions.Defaults].
type ModelOptions struct {
	Topology string // name of a row of package topology
	Width    int
	Depth    int
	Inputs   int    // pins of a node, default 2
	Leaves   int    // leaves of a tree's node or of a kernel
	Widths   string // widths of the layers, which determine Width and Depth
	Features int
	Bits     int // one more than the thermometer bits of a feature
	BitsIn   int // width of a feature word
	Classes  int
	Anchors  int // candidates of a pin that reads inputs; only for ialgn
	Hidden   int // candidates of the spine pin; 1 for a fixed spine
	Light    bool
	Fixed    bool // pin A of the first layer has one candidate
	Cuts     bool // cuts turn real features into words; their number determines BitsIn
	Offsets  bool // the classes have offsets, and the model has a calibration
	Ties     bool // the classes have a tie order
	Tau      float64
	Seed     uint64

	// These options of convolutions are named after keys of the configuration. Image determines Features. Kernels
	// determines Width and Depth.
	Image, Kernels, Patch, Stride, Padding, Levels, Pool string

	Chains, Anchored int // also options of convolutions
	Channels         int // planes that a kernel reads; 0 for all

	// ShareA is the share of operation A after layer 1, and ShareBinary is the share of the ten binary operations
	// together. The rest is divided among the other operations. If both fields are 0, all sixteen operations are
	// equally likely.
	ShareA, ShareBinary float64

	// ShareInputs is the share of the thermometer bits from which pins choose. These bits are drawn once for all
	// pins. 0 and 1 mean all bits.
	ShareInputs float64
}

// Defaults returns the options with zero fields filled in. The default is an IALGN with 30 chains, 5 layers and 3
// classes. It has 6 features with 3 thermometer bits each, and 4 candidates for each anchor.
func (o ModelOptions) Defaults() ModelOptions {
	if o.Topology == "" {
		o.Topology = "ialgn"
	}
	if o.Tau == 0 {
		o.Tau = 3
	}
	switch {
	case o.Kernels != "":
		k := o.convolutions()
		size, fault := k.ImageSize()
		if fault == nil {
			fault = k.Check()
		}
		if fault != nil {
			panic("netgen: " + fault.Key + ": " + fault.Problem)
		}
		o.Features, o.Width, o.Depth = size[0]*size[1]*size[2], k.Width, k.Depth
	case o.Widths != "":
		widths, err := (&topology.Keys{Widths: o.Widths}).LayerWidths()
		if err != nil {
			panic("netgen: " + err.Error())
		}
		o.Width, o.Depth = widths[len(widths)-1], len(widths)
	}
	if o.Cuts {
		o.BitsIn = bits.Len(uint(cmp.Or(o.Bits, defaultBits) - 1))
	}
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.Width, 30},
		{&o.Depth, 5},
		{&o.Features, 6},
		{&o.Bits, defaultBits},
		{&o.BitsIn, 8},
		{&o.Classes, 3},
		{&o.Anchors, 4},
		{&o.Hidden, 1},
		{&o.Inputs, 2},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return o
}

// convolutions returns the completed keys of a network of convolutions.
func (o *ModelOptions) convolutions() topology.Keys {
	k := topology.Keys{
		Topology: topology.Conv, Inputs: cmp.Or(o.Inputs, 2), Hidden: cmp.Or(o.Hidden, 1), Widths: o.Widths, Wiring: "random",
		Parametrization: topology.Light, Image: o.Image, Kernels: o.Kernels, Patch: o.Patch, Stride: o.Stride,
		Padding: o.Padding, Levels: o.Levels, Pool: o.Pool, Leaves: o.Leaves, Chains: o.Chains, Anchored: o.Anchored,
		Channels: o.Channels,
		Anchors:  cmp.Or(o.Anchors, 4),
	}
	k.Complete(func(key string) bool { return key == "channels" })
	return k
}

// Possible reports whether the network of convolutions is valid, and returns the number of bits that the network
// counts.
func (o *ModelOptions) Possible() (width int, ok bool) {
	k := o.convolutions()
	if k.Check() != nil {
		return 0, false
	}
	size, _ := k.ImageSize()
	features := size[0] * size[1] * size[2]
	return k.Width, k.CheckData(1, features, features*(cmp.Or(o.Bits, defaultBits)-1)) == nil
}

// defaultBits is the default of Bits.
const defaultBits = 4

// Model returns a random model. It panics if the options are not valid, for example if the width is not a
// multiple of the classes.
func Model(o ModelOptions) *model.Model {
	o = o.Defaults()
	r := rand.New(rand.NewPCG(o.Seed, 0x6d6f64656c67656e))
	m := &model.Model{
		Config:  configuration(o),
		Width:   o.Width,
		Encoder: Encoder(o.Features, o.Bits, o.BitsIn),
		Record:  record(r, o.Classes),
	}
	if o.Cuts {
		m.Encoder = CutEncoder(o.Features, o.Bits)
	}
	for c := range o.Classes {
		m.Classes = append(m.Classes, fmt.Sprintf("class %d", c))
	}
	layers := m.Config.Model.Layers()
	for _, l := range layers {
		s := model.Section{Layers: l.Layers, Width: l.Width, Arity: m.Config.Model.Arity(), Grid: l.Grid}
		for _, p := range l.Pins {
			s.Pins = append(s.Pins, model.Pin{Source: p.Source, K: p.K})
		}
		m.Sections = append(m.Sections, s)
	}
	inputs := chooseInputs(r, m.Encoder.Inputs(), o.ShareInputs)
	for i := range m.Sections {
		g := modelGenerator{r, o, m, i, layers[i], inputs}
		g.fill(&m.Sections[i])
	}
	if o.Offsets {
		m.Offsets, m.Calibration = Offsets(o.Seed, o.Classes, o.Width/o.Classes), calibration(o.Seed)
	}
	if o.Ties {
		m.Ties = Ties(o.Seed, o.Classes)
	}
	if err := m.Validate(); err != nil {
		panic("netgen: " + err.Error())
	}
	return m
}

// Offsets returns random class offsets. One of them is 0, and one of the others is the number of chains of a class,
// which is the largest possible offset. There must be at least two classes.
func Offsets(seed uint64, classes, chains int) []int {
	r := rand.New(rand.NewPCG(seed, 0x6f666673657473))
	offsets := make([]int, classes)
	for c := range offsets {
		offsets[c] = r.IntN(chains + 1)
	}
	order := r.Perm(classes)
	offsets[order[0]], offsets[order[1]] = 0, chains
	return offsets
}

// Ties returns a random tie order, which is never the ascending order. There must be at least two classes.
func Ties(seed uint64, classes int) []int {
	r := rand.New(rand.NewPCG(seed, 0x74696573))
	order := r.Perm(classes)
	if ties.Check(order, classes) != nil {
		slices.Reverse(order)
	}
	return order
}

func calibration(seed uint64) *model.Calibration {
	r := rand.New(rand.NewPCG(seed, 0x63616c6962))
	c := &model.Calibration{Temperature: 0.5 + r.Float64()}
	for range 3 {
		n := 1 + r.IntN(50)
		c.Samples, c.Leads, c.Correct = c.Samples+n, append(c.Leads, n), append(c.Correct, r.IntN(n+1))
	}
	return c
}

// Encoder returns a uniform encoder whose features use all values of their words.
func Encoder(features, bits, bitsIn int) encoding.Encoder {
	e, err := encoding.NewUniform(features, bits, bitsIn, 1<<bitsIn-1, nil)
	if err != nil {
		panic("netgen: " + err.Error())
	}
	return *e
}

// Samples returns n random samples for the encoder, stored as levels, with random labels.
func Samples(e *encoding.Encoder, n, classes int, seed uint64) *encoding.Packed {
	r := rand.New(rand.NewPCG(seed, 0x73616d706c6573))
	p := encoding.NewPacked(e.Features(), e.LevelBits())
	level := make([]uint16, e.Features())
	for range n {
		for f := range level {
			level[f] = uint16(r.IntN(e.Bits))
		}
		p.Append(level, r.IntN(classes))
	}
	return p
}

func configuration(o ModelOptions) config.Config {
	c := config.Config{Name: o.Topology}
	c.Data.Set = "digits"
	c.Encoder = config.Encoder{
		Kind: "thermometer", Bits: o.Bits, Thresholds: "uniform", Ranges: "robust", BitsIn: o.BitsIn,
	}
	c.Model = config.Model{
		Topology:        o.Topology,
		Width:           o.Width,
		Depth:           o.Depth,
		Inputs:          o.Inputs,
		Leaves:          o.Leaves,
		Widths:          o.Widths,
		Anchors:         o.Anchors,
		Hidden:          o.Hidden,
		Parametrization: topology.Softmax16,
		Init:            "random",
		FirstPin:        topology.Relaxed,
		Wiring:          "random",
		Tau:             o.Tau,
	}
	if o.Kernels != "" {
		k := o.convolutions()
		to := &c.Model
		to.Image, to.Kernels, to.Patch, to.Stride, to.Padding, to.Levels, to.Pool = k.Image, k.Kernels, k.Patch, k.Stride,
			k.Padding, k.Levels, k.Pool
		to.Chains, to.Anchored, to.Channels = k.Chains, k.Anchored, k.Channels
	}
	if o.Light || o.Inputs != 2 {
		c.Model.Parametrization = topology.Light
	}
	if o.Fixed {
		c.Model.FirstPin = "fixed"
	}
	c.Train = config.Train{Estimator: "ste", Epochs: 1, Batch: 100, Seed: o.Seed, Gradients: "float32"}
	c.Train.Candidates.Kind, c.Train.Freeze.Kind, c.Train.Validation.Keep = "fixed", "none", "best"
	c.Train.Optimizer = config.Optimizer{Kind: "adam", LR: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	c.Train.Schedule.Kind = "constant"
	return c
}

func record(r *rand.Rand, classes int) model.Record {
	return model.Record{
		DataSet: "digits",
		Train:   fmt.Sprintf("%064x", r.Uint64()),
		Test:    fmt.Sprintf("%064x", r.Uint64()),
		Epochs: []model.Epoch{{
			Loss: float64(classes) * r.Float64(), TrainCorrect: 1, TrainSamples: 2, TestCorrect: 3,
			TestSamples: 4,
		}},
	}
}
