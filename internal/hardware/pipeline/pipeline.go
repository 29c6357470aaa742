// Package pipeline puts registers into a netlist, so that it takes new inputs in every
// clock and only a few levels of logic lie between two registers.
//
// [Insert] is a pass from netlist to netlist. It decides for each cell in which of N+1
// stages it stands, stage 0 being that of the input ports and stage N that of the output
// ports, and delays a net by as many registers as its last reader stands later than it. So
// every path from an input to an output crosses exactly N registers, and all of them share
// the enable ce, an input port: the result is a [netlist.Pipeline].
//
// How many registers that takes depends on the stages: an input that is used late needs a
// long delay line, a chain value that replaces several of them needs one register. The
// stages are chosen so that the registers are as few as they can be (solve.go, schedule.go):
// an integer programme over differences of stages, whose dual is a flow of least cost. Only
// where that is too large, for many levels a stage in huge netlists, each cell keeps its
// level within its stage while its stage is decided, and the two are improved in turn
// (phase.go).
//
// A probe need not wait for the outputs. All its bits stand in one stage, the earliest that
// all of them reach; [netlist.Netlist.Stages] tells which. Its registers are counted as all
// others, although nothing but a simulation reads some of them.
package pipeline

import (
	"fmt"

	"ialgn/netlist"
)

// DefaultLevels is the number of levels in a stage where [Options] say none.
const DefaultLevels = 3

// Options say how many stages a pipeline has.
type Options struct {
	// Stages is the number of register stages, unless Auto; each then has as few levels as
	// that number allows. 0 leaves the netlist as it is.
	Stages int
	// Auto takes the fewest stages that have at most MaxLevels levels each, 0 for
	// [DefaultLevels].
	Auto      bool
	MaxLevels int
}

// Report says what a pipeline came to.
type Report struct {
	Stages         int       `json:"stages"`           // registers on each path from input to output
	LevelsPerStage int       `json:"levels_per_stage"` // the most between registers, and before and behind them
	FlipFlops      FlipFlops `json:"flip_flops"`

	to []netlist.Net
}

// FlipFlops counts registers of one bit.
type FlipFlops struct {
	Data  int `json:"data"`  // registers that hold what a cell computes
	Delay int `json:"delay"` // registers that only delay an input or another register
	Valid int `json:"valid"` // one a stage, which the back end adds: is there a sample?
	Total int `json:"total"`
}

// To returns the net of the pipeline that is net v of the netlist before, where its driver
// gives it and no register has delayed it: what a hint of that net is about.
func (r *Report) To(v netlist.Net) netlist.Net { return r.to[v] }

// maxStages bounds the stages that can be asked for, far above what is of use.
const maxStages = 10_000

// Insert returns n as a pipeline.
//
// A level is a cell, whatever its kind, as [netlist.Measure] counts it, but for carries,
// which are next to nothing on their chain, and for cells that only constants decide, which
// stand in no stage.
//
// Requires: a valid netlist without registers. Dead cells get registers as live ones do.
// Ensures: the same cells in the same order, registers between them ([netlist.Transparent]
// gives back an equal netlist); exactly the stages asked for; as few registers as that allows.
// Where no output depends on an input, or for 0 stages, it is n itself.
// Cost:    milliseconds a thousand cells.
//
// It returns an error if the options are out of range, if n has registers, or if a port or
// probe has the name ce.
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
