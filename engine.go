package ialgn

import (
	"context"
	"fmt"
	"slices"

	backend "ialgn/backend/native"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/netlist"
	"ialgn/netlist/freeze"
	"ialgn/sim"
	"ialgn/sim/native"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// Engine says what classifies samples. The results are the same.
type Engine string

// Engines, the first being the zero value's.
const (
	EngineAuto      Engine = "auto"      // the one that is done first
	EngineNative    Engine = "native"    // machine code, made of the network on the spot
	EngineSimulator Engine = "simulator" // a loop over the gates, which runs everywhere
)

// Engines returns the names of all engines.
func Engines() []Engine { return []Engine{EngineAuto, EngineNative, EngineSimulator} }

// worthwhile is the number of samples from which on the making of machine code pays: that takes about 0.3 us a gate,
// and the simulator 25 to 40 ps a gate and sample (docs/BENCHMARKS.md).
const worthwhile = 8_000

// simulates reports whether the simulator is to classify that many samples.
func (e Engine) simulates(samples int) bool {
	return e == EngineSimulator || (e == "" || e == EngineAuto) && samples < worthwhile
}

// machineCode returns the engine of the netlist of a classifier for that many samples, nil if the simulator is to
// classify them. With features it takes their words, too, if there is code for that. It returns an error if machine
// code is asked for and this system does not run it.
func (e Engine) machineCode(n *netlist.Netlist, samples int, features *encoding.Encoder) (*native.Engine, error) {
	if e.simulates(samples) {
		return nil, nil
	}
	if e != "" && !slices.Contains(Engines(), e) {
		return nil, option.Errorf("{Engine} %s: there is no such engine, give auto, native or simulator", e)
	}
	sets, err := native.ISAs()
	if err == nil {
		var code *native.Engine
		if features == nil {
			code, err = native.New(n, sets[0], parallel())
		} else {
			wide := wordBytes(features) > 1
			code, err = native.NewWords(n, sets[0], parallel(), backend.FeaturesOf(features.Thresholds, wide))
		}
		if err == nil {
			return code, nil
		}
	}
	if e != EngineNative {
		return nil, nil // the simulator does it
	}
	return nil, hint.With(option.Errorf("{Engine native}: %w", err), "leave {Engine} out")
}

// classifier returns what classifies that many samples by bit rows, and the machine code that this is, or nil.
func (e Engine) classifier(n *netlist.Netlist, samples int) (
	classify func(context.Context, []uint64, int) (*sim.Result, error), code *native.Engine, err error,
) {
	if code, err = e.machineCode(n, samples, nil); err != nil {
		return nil, nil, err
	}
	if code != nil {
		return code.Classify, code, nil
	}
	simulator, err := sim.NewClassifier(n, parallel())
	if err != nil {
		return nil, nil, fmt.Errorf("%w: compile again", err)
	}
	return simulator.Classify, nil, nil
}

// frozenCode is [Engine.machineCode] for a frozen network, whose feature words it takes.
func (e Engine) frozenCode(f *model.Frozen, samples int) (*native.Engine, error) {
	if e.simulates(samples) {
		return nil, nil
	}
	n, err := freeze.Network(f, netlist.Core)
	if err != nil {
		return nil, err
	}
	return e.machineCode(n, samples, &f.Encoder)
}

// engineName returns what runs a netlist: its instruction set, or the simulator.
func engineName(e *native.Engine) (engine Engine, isa string) {
	if e == nil {
		return EngineSimulator, ""
	}
	return EngineNative, e.ISA().Name
}
