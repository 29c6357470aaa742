// This file measures how much training changes the parameters of each layer. The measure is the mean absolute change
// of a parameter in an Adam step (IALGN paper, Figure 1 a and b). It is averaged over the first steps of a run, and
// also over its last steps.
//
// A change is the difference of the stored float32 number before and after the step. An update that is lost in the
// rounding of a large parameter is no change. If the parameters of a layer did not change in any step of a window,
// the mean is exactly 0.
//
// A [Meter] watches a [trainer.Run] without changing it: the final model is the same, byte for byte. The meter keeps
// a copy of the parameters while a window is open. A measured step takes up to about twice as long as other steps,
// which are not slowed down.

package diagnose

import (
	"encoding/json"
	"fmt"

	"ialgn/internal/crew"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/trainer"
)

var _ trainer.Watcher = (*Meter)(nil)

// UpdateKind is a kind of parameters. The kinds differ in what a parameter selects.
type UpdateKind int

// These are the kinds of parameters.
const (
	Operations UpdateKind = iota // a gate's operation: 16 logits, or the 4 of a light gate
	Anchors                      // the input bit that a pin reads
	Hidden                       // the gate of the preceding layer that a pin reads
	kinds
)

// Window is a range of consecutive steps of a run, from First to Last inclusive. Steps are counted from 1.
type Window struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Meter measures one run.
type Meter struct {
	size   int // maximum number of steps in a window
	crew   *crew.Crew
	arrays []*array
	counts [][]int // number of parameters, indexed [kind][layer]
	state
}

// state holds the measurements so far. It is stored in checkpoints.
type state struct {
	Steps   int     `json:"steps"` // number of steps in the whole run
	Initial measure `json:"initial"`
	Final   measure `json:"final"`
}

// measure holds the sums of a window.
type measure struct {
	Window
	Done int         `json:"done"` // number of steps of the window that were measured so far
	Sums [][]float64 `json:"sums"` // sums of the absolute changes, indexed [kind][layer]
}

// NewMeter returns a meter with windows of at most the given number of steps, which must be positive. If a run has
// fewer steps, both windows are the whole run.
func NewMeter(steps, threads int) *Meter {
	if steps < 1 {
		panic("diagnose: a window needs a step")
	}
	return &Meter{size: steps, crew: crew.New(threads)}
}

// Begin implements [trainer.Watcher].
func (m *Meter) Begin(net *model.Model, steps int, state string) error {
	m.arrays, m.counts = arrays(net), table[int](net.Depth())
	for _, a := range m.arrays {
		for l := range a.layers {
			m.counts[a.kind][a.first+l] += len(a.now) / a.layers
		}
	}
	fresh := m.newState(steps, net.Depth())
	if m.state = fresh; state == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(state), &m.state); err != nil {
		return fmt.Errorf("what was measured: %w; the file is damaged, train anew", message.ExplainJSON(err))
	}
	if m.Initial.Window != fresh.Initial.Window || m.Final.Window != fresh.Final.Window {
		return fmt.Errorf("steps %d to %d and %d to %d were to be measured, and now %d to %d and %d to %d are: resume "+
			"with the same number of epochs and steps, or train anew",
			m.Initial.First, m.Initial.Last, m.Final.First, m.Final.Last,
			fresh.Initial.First, fresh.Initial.Last, fresh.Final.First, fresh.Final.Last)
	}
	if !m.Initial.shaped(net.Depth()) || !m.Final.shaped(net.Depth()) {
		return fmt.Errorf("what was measured is not of %d layers; the file is damaged, train anew", net.Depth())
	}
	return nil
}

// newState returns the state of a run that has not begun.
func (m *Meter) newState(steps, depth int) state {
	n := min(m.size, steps)
	return state{
		Steps:   steps,
		Initial: measure{Window: Window{1, n}, Sums: table[float64](depth)},
		Final:   measure{Window: Window{steps - n + 1, steps}, Sums: table[float64](depth)},
	}
}

func table[T any](depth int) [][]T {
	t := make([][]T, kinds)
	for k := range t {
		t[k] = make([]T, depth)
	}
	return t
}

func (m *measure) shaped(depth int) bool {
	ok := len(m.Sums) == int(kinds) && m.Done >= 0 && m.Done <= m.Last-m.First+1
	for _, layers := range m.Sums {
		ok = ok && len(layers) == depth
	}
	return ok
}

func (w Window) has(step int) bool { return w.First <= step && step <= w.Last }

// Step implements [trainer.Watcher].
func (m *Meter) Step(number int, do func()) {
	var open []*measure
	for _, w := range []*measure{&m.Initial, &m.Final} {
		if w.has(number) {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		m.release()
		do()
		return
	}
	m.keep()
	do()
	sums := m.changes()
	for _, w := range open {
		w.add(sums)
	}
}

func (m *measure) add(sums [][]float64) {
	m.Done++
	for k := range sums {
		for l, x := range sums[k] {
			m.Sums[k][l] += x
		}
	}
}

// State implements [trainer.Watcher].
func (m *Meter) State() string {
	text, err := json.Marshal(m.state)
	if err != nil {
		panic("diagnose: " + err.Error()) // sums of finite numbers are finite
	}
	return string(text)
}
