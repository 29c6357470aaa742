// Package netgen makes random frozen networks, models and netlists, for tests and benchmarks of the packages
// that read, compile, emit and simulate them.
//
// All results are valid and depend only on the seed and the options. Options that are not valid, such as a
// width that is not a multiple of the classes, are a programmer's mistake and cause a panic.
package netgen

import (
	"fmt"
	"math/rand/v2"

	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/netlist"
)

// FrozenOptions describe a frozen network. Zero fields have default values.
type FrozenOptions struct {
	Width    int // gates in a layer, default 30
	Depth    int // layers, default 5
	Features int // default 6
	Bits     int // one more than the thermometer bits of a feature; default 4
	BitsIn   int // width of a feature word, default 8
	Classes  int // default 3; must divide Width

	// ShareA is the share of operation A after layer 1, and ShareBinary is the share of the ten binary operations
	// together. The rest is divided among the other five operations. If both fields are 0, all sixteen operations are
	// equally likely. In the paper's networks, ShareA is 0.884 and ShareBinary is 0.114.
	ShareA, ShareBinary float64

	// Mix is the distribution of the binary operations after layer 1 and, unless it is Uniform, of all
	// operations of layer 1.
	Mix Mix

	Topology Topology

	Offsets bool // the classes have offsets
	Ties    bool // the classes have a tie order
}

// Mix is a distribution over the binary operations.
type Mix uint8

// These are the mixes.
const (
	// Uniform draws all ten operations equally often.
	Uniform Mix = iota
	// Measured draws the binary operations as often as they occur in the paper's networks. 80 % are AND or OR with
	// pin B plain or negated, 10 % are AND or OR with pin A negated, and 10 % are XOR. In layer 1, half of the gates
	// are binary, and the other half are A.
	Measured
	// Dense is like Measured, but all gates of layer 1 are A. If ShareBinary is 1, all chains have a step in each
	// further layer.
	Dense
)

// Topology says what the gates after layer 1 read.
type Topology uint8

// These are the topologies. Layer 1 always reads inputs.
const (
	Chain  Topology = iota // pin A reads the gate with the same index in the layer before, and pin B an input
	Random                 // both pins read any gates of the layer before
)

func (o FrozenOptions) withDefaults() FrozenOptions {
	for _, d := range []struct {
		field *int
		value int
	}{{&o.Width, 30}, {&o.Depth, 5}, {&o.Features, 6}, {&o.Bits, 4}, {&o.BitsIn, 8}, {&o.Classes, 3}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return o
}

// Paper returns options for width x depth gates with the inputs of the paper's MNIST networks (784 pixels of 8
// bits, n_b = 4), ten classes, and the shares of the paper's operation census.
func Paper(width, depth int) FrozenOptions {
	return FrozenOptions{
		Width: width, Depth: depth, Features: 784, Bits: 4, BitsIn: 8, Classes: 10,
		ShareA: 0.884, ShareBinary: 0.114,
	}
}

// Chains returns the options of the random networks by which chain mapping is measured. They have the paper's shares
// of operations, and the width and depth of the network with the given name. The networks a, b and c have 784 pixels,
// and d has 3072 features of 15 thermometer bits. Chains panics for any other name.
func Chains(name string) FrozenOptions {
	o := map[string]FrozenOptions{
		"a": Paper(1000, 6), "b": Paper(1000, 100), "c": Paper(8000, 100), "d": Paper(12000, 100),
	}[name]
	if o.Width == 0 {
		panic("netgen: no chains of the name " + name)
	}
	if o.Mix, o.ShareA, o.ShareBinary = Measured, 0.885, 0.114; name == "d" {
		o.Features, o.Bits = 3072, 16
	}
	return o
}

// LongChains returns options for chains with the given number of steps: 45 % are AND, 45 % are OR, and 10 % are XOR.
func LongChains(chains, steps int) FrozenOptions {
	o := Paper(chains, steps+1)
	o.Mix, o.ShareA, o.ShareBinary = Dense, 0, 1
	return o
}

// FrozenNetlist returns the netlist that [freeze.WithMargin] makes of the network of [Frozen]. If the margin is 0, the
// netlist does not say whether the class is uncertain.
func FrozenNetlist(seed uint64, o FrozenOptions, s netlist.Scope, margin int) *netlist.Netlist {
	n, err := freeze.WithMargin(Frozen(seed, o), s, margin)
	if err != nil {
		panic("netgen: " + err.Error())
	}
	return n
}

// Frozen returns a random frozen network with a uniform encoder whose features use all values of their words.
func Frozen(seed uint64, o FrozenOptions) *model.Frozen {
	o = o.withDefaults()
	e, err := encoding.NewUniform(o.Features, o.Bits, o.BitsIn, 1<<o.BitsIn-1, nil)
	if err != nil {
		panic("netgen: " + err.Error())
	}
	f := &model.Frozen{Name: "random", Width: o.Width, Encoder: *e}
	for c := range o.Classes {
		f.Classes = append(f.Classes, fmt.Sprint(c))
	}
	g := frozenGenerator{rand.New(rand.NewPCG(seed, 0x66726f7a656e)), o, f}
	for l := range o.Depth {
		f.Layers = append(f.Layers, g.layer(l))
	}
	if o.Offsets {
		f.Offsets = Offsets(seed, o.Classes, o.Width/o.Classes)
	}
	if o.Ties {
		f.Ties = Ties(seed, o.Classes)
	}
	if err := f.Validate(); err != nil {
		panic("netgen: " + err.Error())
	}
	return f
}

type frozenGenerator struct {
	*rand.Rand
	o FrozenOptions
	f *model.Frozen
}

func (g *frozenGenerator) layer(l int) model.FrozenLayer {
	layer := model.FrozenLayer{Op: model.MakeTables(g.o.Width, 2)}
	for i := range layer.Op.Narrow {
		layer.Op.Narrow[i] = g.operation(l)
	}
	pin := func(s model.Source, index []uint32) {
		layer.Pins = append(layer.Pins, model.FrozenPin{Source: s, Index: index})
	}
	switch {
	case l == 0:
		pin(model.Input, g.indices(g.f.Inputs()))
		pin(model.Input, g.indices(g.f.Inputs()))
	case g.o.Topology == Random:
		pin(model.Previous, g.indices(g.o.Width))
		pin(model.Previous, g.indices(g.o.Width))
	default:
		pin(model.Previous, g.own())
		pin(model.Input, g.indices(g.f.Inputs()))
	}
	return layer
}

// indices draws a source below limit for each gate.
func (g *frozenGenerator) indices(limit int) []uint32 {
	s := make([]uint32, g.o.Width)
	for i := range s {
		s[i] = g.Uint32N(uint32(limit))
	}
	return s
}

// own returns the index of each gate itself, which is the source of a spine.
func (g *frozenGenerator) own() []uint32 {
	s := make([]uint32, g.o.Width)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

// These are the operations that depend on both pins, and the other operations except A.
var (
	binaryOps = [...]uint8{1, 2, 4, 6, 7, 8, 9, 11, 13, 14}
	otherOps  = [...]uint8{0, 5, 10, 12, 15}
)

// measuredOps lists each operation as often as it occurs in forty draws of Measured, on average.
var measuredOps = [...]uint8{
	1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 7, 7, 7, 7, 7, 7, 7, 7, 11, 11, 11, 11, 11, 11, 11, 11,
	4, 8, 13, 14, 6, 6, 9, 9,
}

func (g *frozenGenerator) operation(l int) uint8 {
	switch {
	case l > 0 && g.o.Mix != Uniform && g.Float64() < g.o.ShareBinary,
		l == 0 && g.o.Mix == Measured && g.IntN(2) == 0:
		return measuredOps[g.IntN(len(measuredOps))]
	case g.o.Mix != Uniform:
		return g.other(l)
	}
	if l == 0 || g.o.ShareA+g.o.ShareBinary == 0 {
		return uint8(g.IntN(16))
	}
	return shared(g.Rand, g.o.ShareA, g.o.ShareBinary)
}

// shared draws an operation. A and the binary operations have the given shares, and the other operations are equally
// likely.
func shared(r *rand.Rand, shareA, shareBinary float64) uint8 {
	switch u := r.Float64(); {
	case u < shareA:
		return 3
	case u < shareA+shareBinary:
		return binaryOps[r.IntN(len(binaryOps))]
	}
	return otherOps[r.IntN(len(otherOps))]
}

// other draws an operation that is not binary, for mixes other than Uniform.
func (g *frozenGenerator) other(l int) uint8 {
	if rest := 1 - g.o.ShareBinary; l == 0 || g.Float64()*rest < g.o.ShareA {
		return 3
	}
	return otherOps[g.IntN(len(otherOps))]
}
