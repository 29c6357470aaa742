// Package hardware lowers the netlist of a classifier to what a target technology has:
// LUTs, carries and registers.
//
// It is the order of the steps, each of which has a package of its own: the gates become
// LUTs ([lut.Map]), and the comparators ([encoder.Lower]); then the head becomes counters
// and a tournament ([head.Lower]), which take the arrival of what they count into account.
// Nothing folds constants after the head, for that would take joined carry chains apart.
// Registers come last ([pipeline.Insert]).
package hardware

import (
	"context"
	"fmt"
	"time"

	"ialgn/compiler"
	"ialgn/compiler/encoder"
	"ialgn/compiler/head"
	"ialgn/compiler/lut"
	"ialgn/compiler/pipeline"
	"ialgn/netlist"
	"ialgn/netlist/counts"
	"ialgn/target"
)

// CheckK returns an error unless a netlist can be mapped to a target's LUTs of k inputs.
func CheckK(t *target.Family, k int) error {
	if most := t.OrGeneric().LUT.Most; k < lut.MinInputs || k > most {
		return fmt.Errorf("LUTs of %d inputs: the target %s has such of %d to %d", k, t, lut.MinInputs, most)
	}
	return nil
}

// Options say how a netlist becomes hardware.
type Options struct {
	Target    *target.Family // nil: [target.Generic]
	K         int            // inputs of a LUT, 2 to the target's
	Objective lut.Objective
	MaxDepth  int // the most levels of the gates; 0: no bound
	Threads   int // 0: as many as there are processors
	Pipeline  pipeline.Options
}

// Design is a netlist as hardware.
type Design struct {
	Netlist *netlist.Netlist
	Hint    *counts.Hint     // why the counts are right, in the nets of Netlist
	Mapping *lut.Report      // of the gates
	Stages  *pipeline.Report // nil: there are no registers
	Steps   []compiler.PassReport
}

// Lower lowers a netlist. It keeps no reference to n, so that a caller who drops its own
// frees it after the first step. It returns an error for options that make no sense or
// cannot be met, or ctx's.
func (o Options) Lower(ctx context.Context, n *netlist.Netlist) (*Design, error) {
	if err := CheckK(o.Target, o.K); err != nil {
		return nil, err
	}
	d := &Design{Netlist: n}
	for _, step := range []struct {
		name string
		run  func(context.Context, *Design) error
	}{
		{"map", o.gates},
		{"encoder", o.encoder},
		{"head", o.head},
		{"pipeline", o.registers},
	} {
		if step.name == "pipeline" && o.Pipeline == (pipeline.Options{}) {
			break
		}
		start, before := time.Now(), d.Netlist.Cells()
		if err := step.run(ctx, d); err != nil {
			return nil, err
		}
		report := compiler.PassReport{Name: step.name, Before: before, After: d.Netlist.Cells(), Seconds: time.Since(start).Seconds()}
		m := netlist.Measure(d.Netlist)
		report.Measures = &m
		d.Steps = append(d.Steps, report)
	}
	return d, ctx.Err()
}

func (o Options) gates(ctx context.Context, d *Design) (err error) {
	d.Netlist, d.Mapping, err = lut.Map(ctx, d.Netlist, lut.Options{
		K: o.K, Objective: o.Objective, MaxDepth: o.MaxDepth, Threads: o.Threads,
	})
	return err
}

// encoderObjective is what the encoder aims for where the gates aim for something.
var encoderObjective = [...]encoder.Objective{lut.Area: encoder.Area, lut.Depth: encoder.Depth, lut.Balanced: encoder.Balanced}

func (o Options) encoder(_ context.Context, d *Design) (err error) {
	d.Netlist, err = encoder.Lower(d.Netlist, encoder.Options{K: o.K, Objective: encoderObjective[o.Objective]})
	return err
}

// headObjective is what the head aims for where the gates aim for something.
var headObjective = [...]head.Objective{lut.Area: head.Area, lut.Depth: head.Depth, lut.Balanced: head.Balanced}

func (o Options) head(_ context.Context, d *Design) (err error) {
	d.Netlist, d.Hint, err = head.Lower(d.Netlist, head.Options{
		K: o.K, Objective: headObjective[o.Objective], Carry: o.Target.OrGeneric().Carry, Absorb: true, Threads: o.Threads,
	})
	return err
}

func (o Options) registers(_ context.Context, d *Design) (err error) {
	if d.Netlist, d.Stages, err = pipeline.Insert(d.Netlist, o.Pipeline); err == nil {
		d.Hint = d.Hint.Map(d.Stages.To)
	}
	return err
}
