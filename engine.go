package ialgn

import (
	"context"
	"fmt"
	"slices"

	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/message"
	backend "ialgn/internal/native"
	"ialgn/internal/runner"
	"ialgn/netlist"
	"ialgn/sim"
)

// engine says what classifies samples. The results are the same. Empty is engineAuto.
type engine string

const (
	engineAuto      engine = "auto"      // the one that is done first
	engineNative    engine = "native"    // machine code, made of the network on the spot
	engineSimulator engine = "simulator" // a loop over the gates, which runs everywhere
)

// Engines returns the names of what classifies samples, with the same results: native is machine code that is made of
// the network on the spot, simulator is a loop over the gates, which runs everywhere, and auto is the one of the two
// that is done first.
func Engines() []string {
	return []string{string(engineAuto), string(engineNative), string(engineSimulator)}
}

// worthwhile is the number of samples from which on the making of machine code pays: that takes about 0.3 us a gate,
// and the simulator 25 to 40 ps a gate and sample (docs/BENCHMARKS.md).
const worthwhile = 8_000

// simulates reports whether the simulator is to classify that many samples.
func (e engine) simulates(samples int) bool {
	return e == engineSimulator || (e == "" || e == engineAuto) && samples < worthwhile
}

// machineCode returns the engine of the netlist of a classifier for that many samples, nil if the simulator is to
// classify them. With an encoder it takes words of its features, too, if there is code for that. It returns an error if
// machine code is asked for and this system does not run it.
func (e engine) machineCode(n *netlist.Netlist, samples int, words *encoding.Encoder) (*runner.Engine, error) {
	if e.simulates(samples) {
		return nil, nil
	}
	if e != "" && !slices.Contains(Engines(), string(e)) {
		return nil, message.Optionf("{Engine} %s: there is no such engine, give auto, native or simulator", e)
	}
	sets, err := runner.ISAs()
	if err == nil {
		var code *runner.Engine
		if words == nil {
			code, err = runner.New(n, sets[0], parallel())
		} else {
			code, err = runner.NewWords(n, sets[0], parallel(), features(words))
		}
		if err == nil {
			return code, nil
		}
	}
	if e != engineNative {
		return nil, nil // the simulator does it
	}
	return nil, message.WithHint(message.Optionf("{Engine native}: %w", err), "leave {Engine} out")
}

// classifier returns what classifies that many samples by bit rows, and the machine code that this is, or nil.
func (e engine) classifier(n *netlist.Netlist, samples int) (
	classify func(context.Context, []uint64, int) (*sim.Result, error), code *runner.Engine, err error,
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

// networkCode is [engine.machineCode] for the network of a model, whose feature words it takes. Kernels of convolutions
// have their code once, unless the network is of a form for which there is only unrolled code.
func (e engine) networkCode(n *network, samples int) (*runner.Engine, error) {
	if e.simulates(samples) {
		return nil, nil
	}
	if code := n.looped(); code != nil {
		return code, nil
	}
	f, err := n.unrolled()
	if err != nil {
		return nil, err
	}
	unrolled, err := freeze.Network(f, netlist.Core)
	if err != nil {
		return nil, err
	}
	return e.machineCode(unrolled, samples, n.encoder)
}

// looped returns machine code that has the kernels of convolutions once, nil if there is none for the network.
func (n *network) looped() *runner.Engine {
	if n.compact == nil {
		return nil
	}
	kernels, err := freeze.Positions(n.compact)
	if kernels == nil || err != nil {
		return nil
	}
	sets, err := runner.ISAs()
	if err != nil {
		return nil
	}
	code, err := runner.NewLooped(kernels, sets[0], parallel(), features(n.encoder))
	if err != nil {
		return nil
	}
	return code
}

// features returns what code must know of feature words.
func features(e *encoding.Encoder) *backend.Features {
	return backend.FeaturesOf(e.Thresholds, wordBytes(e) > 1)
}

// engineName returns what runs a netlist: its instruction set, or the simulator.
func engineName(e *runner.Engine) (name, isa string) {
	if e == nil {
		return string(engineSimulator), ""
	}
	return string(engineNative), e.ISA().Name
}
