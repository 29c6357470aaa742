package trainer

import (
	"fmt"
	"math/big"
	"strconv"

	"ialgn/internal/config"
	"ialgn/internal/detmath"
	"ialgn/internal/kernel"
)

// leastRate is the minimum learning rate. With smaller rates, a constant of Adam could be too small for a normal
// float32 number.
const leastRate = 1e-30

// schedule computes the learning rate of each optimiser step. The rate depends only on the number of the step, and is
// the same to the bit on every processor.
type schedule struct {
	config.Schedule
	lr            float64
	warmup, total int // steps
	every         int // steps
}

// newSchedule returns the schedule of a run with the given number of batches in each epoch.
func newSchedule(t *config.Train, batches int) schedule {
	return schedule{
		Schedule: t.Schedule, lr: t.Optimizer.LR,
		warmup: warmupSteps(t.Schedule.Warmup, batches),
		total:  t.Epochs * batches, every: t.Schedule.Every * batches,
	}
}

// warmupSteps returns epochs*batches rounded up, where epochs is the exact decimal number in the configuration. For
// example, 0.07 epochs of 100 batches are 7 steps. The product with the float64 nearest to 0.07 would give 8.
func warmupSteps(epochs float64, batches int) int {
	steps, ok := new(big.Rat).SetString(strconv.FormatFloat(epochs, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("trainer: a warm-up of %v epochs", epochs))
	}
	steps.Mul(steps, big.NewRat(int64(batches), 1))
	up, part := new(big.Int).QuoRem(steps.Num(), steps.Denom(), new(big.Int))
	return int(up.Int64()) + part.Sign()
}

// rate returns the learning rate of a step, counted from 1. The formula is in docs/reference/config.md.
func (s *schedule) rate(step int) float64 {
	rate := s.lr * s.course(step)
	if step < s.warmup {
		rate = rate * float64(step) / float64(s.warmup)
	}
	return max(rate, leastRate)
}

// adam returns the constants of Adam for a step.
func (s *schedule) adam(o *config.Optimizer, step int) kernel.Adam {
	rate := s.rate(step)
	adam := kernel.NewAdam(rate, o.Beta1, o.Beta2, o.Eps, step)
	if o.WeightDecay > 0 {
		adam.Keep = float32(1 - float64(rate*o.WeightDecay))
	}
	return adam
}

// course returns the learning rate of a step as a share of the largest rate. It ignores the warm-up.
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
