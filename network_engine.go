package ialgn

import (
	"context"
	"sync"
	"sync/atomic"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/runner"
	"ialgn/sim"
)

// networkEngine classifies samples with a frozen network. It starts with the trainer's forward pass, and switches to
// machine code after a number of samples, if more samples arrive.
type networkEngine struct {
	network *network
	frozen  *model.Frozen
	choice  engine

	samples atomic.Int64 // number of samples classified so far
	once    sync.Once
	code    atomic.Pointer[runner.Engine]
}

// newEngine returns the engine of a network. It returns an error if choice asks for machine code and this system
// cannot run it.
func newEngine(n *network, choice engine) (*networkEngine, error) {
	f, err := n.unrolled()
	if err != nil {
		return nil, err
	}
	e := &networkEngine{network: n, frozen: f, choice: choice}
	if choice == "" || choice == engineAuto {
		return e, nil
	}
	code, err := choice.networkCode(n, 0)
	e.code.Store(code)
	return e, err
}

// classify writes the classes and counts of len(r.Class) samples to r. It returns an error only if the context
// ends. Several goroutines may call classify at once.
func (e *networkEngine) classify(ctx context.Context, samples words, r sim.Result) error {
	if samples := e.samples.Add(int64(len(r.Class))); !e.choice.simulates(int(samples)) {
		e.once.Do(func() {
			if e.code.Load() == nil {
				if code, err := e.choice.networkCode(e.network, worthwhile); err == nil {
					e.code.Store(code)
				}
			}
		})
	}
	switch code := e.code.Load(); {
	case code == nil:
		return e.evaluate(ctx, samples, r)
	case samples.wide != nil:
		return runner.ClassifyWords(ctx, code, samples.wide, r)
	default:
		return runner.ClassifyWords(ctx, code, samples.narrow, r)
	}
}

// evaluate classifies samples with the trainer's forward pass, on all processors.
func (e *networkEngine) evaluate(ctx context.Context, samples words, r sim.Result) error {
	enc := &e.frozen.Encoder
	levels := encoding.NewPacked(enc.Features(), enc.LevelBits())
	values := make([]uint16, enc.Features())
	for i := range r.Class {
		samples.get(values, i)
		enc.Levels(values, values)
		levels.Append(values, 0)
	}
	scores, err := e.frozen.Evaluate(ctx, levels, 0)
	if err != nil {
		return err
	}
	for i, class := range scores.Predicted {
		r.Class[i] = uint16(class)
	}
	copy(r.Counts, scores.Counts)
	return nil
}
