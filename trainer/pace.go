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

// paceGates is the maximum number of gates in a network whose pace is measured. The time of a step is proportional to
// the number of layers, so the pace of a deeper network need not be measured separately.
const paceGates = 1 << 18

// These constants are the minimum number of steps and the minimum time of a measurement, after one step of warm-up.
const (
	paceSteps = 3
	paceTime  = 200 * time.Millisecond
)

// PaceDepth returns the number of layers in the network that [Pace] measures.
func PaceDepth(m *config.Model) int { return min(m.Depth, max(2, paceGates/m.Width)) }

// Pace measures how many gate steps per second this machine trains, with random data of 8-bit features. It runs a few
// optimiser steps. The number of layers is limited so that the network has at most 2^18 gates. This limit is never
// less than two layers. The time for reading, evaluation and checkpoints is not included.
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

// randomBatch returns a batch of random samples. All rows together have the given number of 64-bit words.
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

// Bytes estimates the memory in bytes needed to train a network on samples with 8-bit features. The estimate includes
// the parameters, the moments, the engine's data for a batch, the packed data set, the sums for learned thresholds,
// and the program itself.
func Bytes(cfg *config.Config, features, samples int) uint64 {
	const program = 64 << 20
	gates := uint64(cfg.Model.Nodes())
	words := uint64(max(kernel.LeastWords, (cfg.Train.Batch+63)/64))
	batch := gates * words * 8
	if cfg.Train.Estimator == "soft" {
		batch = gates * words * 64 * 4
	}
	if cfg.Model.Copies() > 1 { // each goroutine holds the values and gradients of a unit at all steps
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
