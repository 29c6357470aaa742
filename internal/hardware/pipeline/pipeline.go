// Package pipeline inserts registers into a netlist. The netlist then takes new inputs in every clock, and has only
// a few levels of logic between two registers.
//
// [Insert] is a pass from netlist to netlist. It assigns each cell to one of N+1 stages. Input ports are in stage 0,
// and output ports are in stage N. If the last reader of a net is k stages later than the net's driver, k registers
// delay the net. So every path from an input to an output crosses exactly N registers. All registers share the clock
// enable, which is the input port ce. The result is a [netlist.Pipeline].
//
// The number of registers depends on the stages of the cells. An input that is used late needs a long delay line. If
// a register holds the value of a chain, several such delay lines are not needed. The stages are chosen to need the
// fewest registers possible (solve.go, schedule.go). This is an integer programme over differences of stages, whose
// dual is a minimum-cost flow. The programme is too large for huge netlists with many levels in a stage. For such
// netlists, two steps alternate: optimising the stages for fixed levels of cells within their stages, and optimising
// these levels for fixed stages (phase.go).
//
// A probe need not wait for the outputs. All bits of a probe are in one stage, which is the earliest stage in which
// all of them are available. [netlist.Netlist.Stages] returns this stage. Reports also count the registers that only
// probes read.
package pipeline

import (
	"fmt"

	"ialgn/netlist"
)

// DefaultLevels is the maximum number of levels in a stage if [Options] do not set it.
const DefaultLevels = 3

// Options say how many stages a pipeline has.
type Options struct {
	// Stages is the number of register stages, unless Auto is set. The deepest stage has as few levels as this number
	// of stages allows. If Stages is 0, the netlist is unchanged.
	Stages int
	// Auto chooses the fewest stages for which each stage has at most MaxLevels levels. If MaxLevels is 0, the limit
	// is [DefaultLevels].
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
	Data  int `json:"data"`  // registers that hold the output of a cell
	Delay int `json:"delay"` // registers that only delay an input or another register
	Valid int `json:"valid"` // one for each stage: whether it holds a sample; added by the back end
	Total int `json:"total"`
}

// To returns the pipeline's net for net v of the original netlist. It is the net directly behind the driver, before
// any register. A hint about v also holds for this net.
func (r *Report) To(v netlist.Net) netlist.Net { return r.to[v] }

// maxStages bounds Options.Stages. Useful values are far below this bound.
const maxStages = 10_000

// Insert returns n as a pipeline.
//
// A level is one cell of any kind, as [netlist.Measure] counts. Carries add no level, because their delay on the
// chain is negligible. Cells that depend only on constants add no level and belong to no stage.
//
// Requires: a valid netlist without registers. Dead cells get registers, too.
// Ensures: the same cells in the same order, with registers between them ([netlist.Transparent] gives back an equal
// netlist); exactly the given number of stages; the fewest registers possible for this number. If no output depends
// on an input, or if there are 0 stages, Insert returns n itself.
// Cost:    milliseconds for a thousand cells.
//
// Insert returns an error if the options are out of range, if n has registers, or if a port or probe is named ce.
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
