package trainer

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/kernel"
	"ialgn/trainer/internal/learned"
)

// paceGates bounds the gates of a network whose pace is measured: with more, in more
// layers of the same kind, a step takes in proportion longer.
const paceGates = 1 << 18

// The least that a pace is measured over, after a step that warms up.
const (
	paceSteps = 3
	paceTime  = 200 * time.Millisecond
)

// PaceDepth returns how many layers of a network [Pace] measures.
func PaceDepth(m *config.Model) int { return min(m.Depth, max(2, paceGates/m.Width)) }

// Pace returns how many gate steps a second this machine trains of a network, on data of
// that many features of eight bits and classes: measured over a few optimiser steps on
// random batches, with at least two layers and at most 2^18 gates. Reading, evaluation and
// checkpoints are not in it.
func Pace(cfg config.Config, features, classes, threads int) (float64, error) {
	cfg.Model.Depth = PaceDepth(&cfg.Model)
	enc, err := encoding.NewUniform(features, cfg.Encoder.Bits, 8, 255, nil)
	if err != nil {
		return 0, err
	}
	if err := cfg.CheckClasses(classes, enc.Inputs()); err != nil {
		return 0, err
	}
	names := make([]string, classes)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	eng, err := engine.New(Initial(cfg, enc, names, threads), cfg.Train.Batch, threads)
	if err != nil {
		return 0, err
	}
	batch := randomBatch(enc.Inputs()*eng.Words(), cfg.Train.Batch, classes)
	o := cfg.Train.Optimizer
	begin, steps := time.Time{}, 0
	for step := 1; steps < paceSteps || time.Since(begin) < paceTime; step++ {
		if step == 2 {
			begin = time.Now()
		}
		eng.Step(batch, kernel.NewAdam(o.LR, o.Beta1, o.Beta2, o.Eps, step))
		steps = step - 1
	}
	gates := float64(cfg.Model.Nodes())
	return gates * float64(steps) / time.Since(begin).Seconds(), nil
}

// randomBatch returns a batch whose rows together have that many words.
func randomBatch(words, samples, classes int) engine.Batch {
	source := rand.New(rand.NewPCG(1, 2))
	b := engine.Batch{X: make([]uint64, words), Labels: make([]uint8, samples)}
	for i := range b.X {
		b.X[i] = source.Uint64()
	}
	for i := range b.Labels {
		b.Labels[i] = uint8(source.IntN(classes))
	}
	return b
}

// Bytes estimates the memory of training a network on that many samples of features of eight bits: parameters and
// moments, what the engine keeps of a batch, the packed data, the sums for learned thresholds, and
// what the program has without a network.
func Bytes(cfg *config.Config, features, samples int) uint64 {
	const program = 64 << 20
	gates := uint64(cfg.Model.Nodes())
	words := uint64(max(kernel.LeastWords, (cfg.Train.Batch+63)/64))
	batch := gates * words * 8
	if cfg.Train.Estimator == "soft" {
		batch = gates * words * 64 * 4
	}
	if cfg.Model.Copies() > 1 { // values and gradients of a unit at all steps, for each goroutine
		batch = gates * engine.Unit * 8 * uint64(runtime.GOMAXPROCS(0))
	}
	levels := uint64(1)
	for 1<<levels < cfg.Encoder.Bits {
		levels++
	}
	data := uint64(features) * uint64(samples) * levels / 8
	rows := uint64(features) * uint64(cfg.Encoder.Bits) * words * 8
	if cfg.Encoder.Learned() {
		data += uint64(features)*uint64(samples) +
			learned.Bytes(layout(cfg, nil), features, features*(cfg.Encoder.Bits-1), cfg.Train.Batch)
	}
	return program + leastBytes(cfg)*11/10 + batch + data + 4*rows
}
