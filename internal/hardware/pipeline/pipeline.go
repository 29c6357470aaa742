// Package pipeline inserts registers into a netlist, so that it takes new inputs in every clock and
// only a few levels of logic lie between two registers.
//
// [Insert] is a pass from netlist to netlist. It assigns each cell to one of N+1 stages: input
// ports are in stage 0, output ports in stage N. A net is delayed by as many registers as its last
// reader is later than its driver. So every path from an input to an output crosses exactly N
// registers. All registers share the clock enable ce, an input port. The result is a
// [netlist.Pipeline].
//
// The number of registers depends on the stages: an input that is used late needs a long delay
// line, and one register for a chain's value can replace several of these. The stages are chosen to
// need the fewest registers possible (solve.go, schedule.go). This is an integer programme over
// differences of stages, whose dual is a minimum-cost flow. Only where that is too large (huge
// netlists with many levels in a stage), stages are optimised for fixed levels within stages, and
// then the reverse, in turn (phase.go).
//
// A probe need not wait for the outputs. All its bits are in one stage, the earliest stage that all
// of them reach; [netlist.Netlist.Stages] returns it. Registers of probes are counted like all
// others, although only a simulation reads some of them.
package pipeline

import (
	"fmt"

	"ialgn/netlist"
)

// DefaultLevels is the maximum number of levels in a stage if [Options] do not set it.
const DefaultLevels = 3

// Options say how many stages a pipeline has.
type Options struct {
	// Stages is the number of register stages, unless Auto is set; each stage then has as few
	// levels as this number allows. 0 leaves the netlist unchanged.
	Stages int
	// Auto takes the fewest stages with at most MaxLevels levels each; MaxLevels 0 means
	// [DefaultLevels].
	Auto      bool
	MaxLevels int
}

// Report describes the pipeline that was built.
type Report struct {
	Stages         int       `json:"stages"`           // registers on each path from input to output
	LevelsPerStage int       `json:"levels_per_stage"` // levels of the deepest stage
	FlipFlops      FlipFlops `json:"flip_flops"`

	to []netlist.Net
}

// FlipFlops counts registers of one bit.
type FlipFlops struct {
	Data  int `json:"data"`  // registers that hold what a cell computes
	Delay int `json:"delay"` // registers that only delay an input or another register
	Valid int `json:"valid"` // one for each stage, added by the back end: does the stage hold a sample?
	Total int `json:"total"`
}

// To returns the pipeline's net for net v of the original netlist, at its driver, before any
// register delays it. A hint about v holds for this net.
func (r *Report) To(v netlist.Net) netlist.Net { return r.to[v] }

// maxStages bounds Options.Stages, far above useful values.
const maxStages = 10_000

// Insert returns n as a pipeline.
//
// A level is one cell of any kind, as [netlist.Measure] counts. Two kinds of cells take no level:
// carries, whose delay on their chain is negligible, and cells that depend only on constants, which
// belong to no stage.
//
// Requires: a valid netlist without registers. Dead cells get registers as live cells do.
// Ensures: the same cells in the same order, with registers between them ([netlist.Transparent]
// gives back an equal netlist); exactly the stages asked for; the fewest registers possible for
// these stages. If no output depends on an input, or for 0 stages, Insert returns n itself.
// Cost:    milliseconds for a thousand cells.
//
// It returns an error if the options are out of range, if n has registers, or if a port or probe is
// named ce.
func Insert(n *netlist.Netlist, o Options) (*netlist.Netlist, *Report, error) {
	if err := check(n, o); err != nil {
		return nil, nil, err
	}
	t := newTiming(n)
	stages, levels := o.Stages, max(1, o.MaxLevels)
	switch {
	case o.Auto && o.MaxLevels == 0:
		levels = DefaultLevels
		fallthrough
	case o.Auto:
		stages = max(0, (t.depth+levels-1)/levels-1)
	default:
		levels = max(1, (t.depth+stages)/(stages+1))
	}
	if stages == 0 || !t.anyOutput() {
		return n, &Report{LevelsPerStage: t.depth, to: netlist.Word(0, n.Nets())}, nil
	}
	s := newSchedule(t, stages, levels)
	s.solve(mostNodes)
	p, r := s.insert()
	return p, r, nil
}

func check(n *netlist.Netlist, o Options) error {
	switch {
	case !o.Auto && (o.Stages < 0 || o.Stages > maxStages):
		return fmt.Errorf("pipeline: %d stages are out of range, use 0 to %d", o.Stages, maxStages)
	case o.Auto && o.MaxLevels < 0:
		return fmt.Errorf("pipeline: %d levels a stage are out of range, use 1 or more, or 0 for %d", o.MaxLevels,
			DefaultLevels)
	}
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == netlist.Register {
			return fmt.Errorf("pipeline: netlist %q has registers (cell %d), pipeline it before they are put in", n.Name, c)
		}
	}
	for _, ports := range [][]netlist.Port{n.InputPorts(), n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			if p.Name == netlist.EnablePort {
				return fmt.Errorf("pipeline: netlist %q has a port or probe %s, which is the enable of the registers: rename it",
					n.Name, p.Name)
			}
		}
	}
	return nil
}
