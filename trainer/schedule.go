package trainer

import (
	"fmt"
	"math/big"
	"strconv"

	"ialgn/internal/config"
	"ialgn/internal/detmath"
	"ialgn/internal/kernel"
)

// leastRate keeps the constants of Adam normal float32 numbers.
const leastRate = 1e-30

// schedule is the course of the learning rate: a function of the optimiser step alone,
// with the same bits on every processor.
type schedule struct {
	config.Schedule
	lr            float64
	warmup, total int // steps
	every         int // steps
}

// newSchedule returns the schedule of a run with that many batches an epoch.
func newSchedule(t *config.Train, batches int) schedule {
	return schedule{
		Schedule: t.Schedule, lr: t.Optimizer.LR,
		warmup: warmupSteps(t.Schedule.Warmup, batches),
		total:  t.Epochs * batches, every: t.Schedule.Every * batches,
	}
}

// warmupSteps returns epochs times batches, rounded up, of the decimal number that stands
// in the configuration: 0.07 epochs of 100 batches are 7 steps, and 8 by the product of
// the float64 that is nearest to 0.07.
func warmupSteps(epochs float64, batches int) int {
	steps, ok := new(big.Rat).SetString(strconv.FormatFloat(epochs, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("trainer: a warm-up of %v epochs", epochs))
	}
	steps.Mul(steps, big.NewRat(int64(batches), 1))
	up, part := new(big.Int).QuoRem(steps.Num(), steps.Denom(), new(big.Int))
	return int(up.Int64()) + part.Sign()
}

// rate returns the learning rate of a step, counted from 1: docs/CONFIG.md has the
// formula.
func (s *schedule) rate(step int) float64 {
	rate := s.lr * s.course(step)
	if step < s.warmup {
		rate = rate * float64(step) / float64(s.warmup)
	}
	return max(rate, leastRate)
}

// adam returns the constants of a step.
func (s *schedule) adam(o *config.Optimizer, step int) kernel.Adam {
	rate := s.rate(step)
	adam := kernel.NewAdam(rate, o.Beta1, o.Beta2, o.Eps, step)
	if o.WeightDecay > 0 {
		adam.Keep = float32(1 - float64(rate*o.WeightDecay))
	}
	return adam
}

// course returns the share of the learning rate at a step without the warm-up.
func (s *schedule) course(step int) float64 {
	switch s.Kind {
	case "cosine":
		done := float64(max(0, step-1-s.warmup)) / float64(max(1, s.total-s.warmup))
		return s.Final + float64((1-s.Final)*detmath.HalfCosine(done))
	case "step":
		return detmath.Pow(s.Factor, (step-1)/s.every)
	}
	return 1
}
