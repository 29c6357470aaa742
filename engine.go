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

// engine selects the program that classifies samples. All engines give the same results. Empty means engineAuto.
type engine string

const (
	engineAuto      engine = "auto"      // native for many samples if this system runs it, else simulator
	engineNative    engine = "native"    // machine code, generated for the network
	engineSimulator engine = "simulator" // a loop over the gates; runs on every system
)

// Engines returns the names of the engines that classify samples. The engine native is machine code generated for the
// network. The engine simulator is a loop over the gates that runs on every system. The name auto chooses the faster
// of the two for the number of samples. All engines give the same results.
func Engines() []string {
	return []string{string(engineAuto), string(engineNative), string(engineSimulator)}
}

// worthwhile is the smallest number of samples for which generating machine code saves time. Generation takes about
// 0.3 us for each gate. The simulator takes 25 to 40 ps for each pair of a gate and a sample
// (docs/evidence/benchmarks.md).
const worthwhile = 8_000

// simulates reports whether e classifies this number of samples with the simulator.
func (e engine) simulates(samples int) bool {
	return e == engineSimulator || (e == "" || e == engineAuto) && samples < worthwhile
}

// machineCode returns machine code for a netlist. It returns nil if the simulator should classify this number of
// samples. If words is not nil and the netlist allows it, the code reads feature words instead of bits. machineCode
// returns an error if e requires machine code and this system cannot run it.
func (e engine) machineCode(n *netlist.Netlist, samples int, words *encoding.Encoder) (*runner.Engine, error) {
	if e.simulates(samples) {
		return nil, nil
	}
	if e != "" && !slices.Contains(Engines(), string(e)) {
		return nil, message.Optionf("{Engine} %s: no such engine, want auto, native or simulator", e)
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
		return nil, nil // use the simulator instead
	}
	return nil, message.WithHint(message.Optionf("{Engine native}: %w", err), "leave {Engine} out")
}

// classifier returns the function that classifies this number of samples, given as bit rows. The second result is the
// machine code that the function runs, or nil if the function runs no machine code.
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

// networkCode does the same as [engine.machineCode] for a model's network. The code reads feature words. It contains
// each convolution kernel once, unless the network's form allows only unrolled code.
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

// looped returns machine code that contains each convolution kernel once, or nil if the network's form does not allow
// it.
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

// features describes the feature words of an encoder for the code generator.
func features(e *encoding.Encoder) *backend.Features {
	return backend.FeaturesOf(e.Thresholds, wordBytes(e) > 1)
}

// engineName returns the name of the engine that runs a netlist. If the engine runs machine code, isa is its
// instruction set.
func engineName(e *runner.Engine) (name, isa string) {
	if e == nil {
		return string(engineSimulator), ""
	}
	return string(engineNative), e.ISA().Name
}
