package software

import (
	"context"
	"fmt"

	backend "ialgn/internal/native"
	"ialgn/internal/runner"
	"ialgn/internal/verify"
	"ialgn/netlist"
	"ialgn/sim"
)

// simulator is the name of our simulator in [Result.Engines].
const simulator = "simulator"

// engines makes machine code from both netlists for each instruction set of this processor, and runs the code on all
// samples. It compares the results with the simulator's results for the same netlist, so that a fault of the netlist
// itself is not counted again for each instruction set.
func engines(ctx context.Context, d verify.Design, s verify.Samples, raw, optimised *sim.Result, threads int,
	r *Result,
) error {
	x, err := s.Rows(&d.Model.Encoder, d.Input())
	if err != nil {
		return err
	}
	r.Engines = []string{simulator}
	sets, err := runner.ISAs()
	if err != nil {
		return nil // without executable memory, this check cannot be done
	}
	for _, isa := range sets {
		for _, run := range []struct {
			what string
			n    *netlist.Netlist
			want *sim.Result
		}{{"raw netlist", d.Raw, raw}, {"optimised netlist", d.Product, optimised}} {
			e, err := runner.New(run.n, isa, threads)
			if err != nil {
				return err
			}
			got, err := e.Classify(ctx, x, r.Checked)
			if err != nil {
				return err
			}
			compareEngine(fmt.Sprintf("%s as %s code", run.what, isa.Name), got, run.want, r)
		}
		r.Engines = append(r.Engines, isa.Name)
		if d.Looped == nil {
			continue
		}
		if err := looped(ctx, d, isa, s, raw, threads, r); err != nil {
			return err
		}
		r.Engines = append(r.Engines, isa.Name+kernelsOnce)
	}
	return nil
}

// kernelsOnce is added to the name of an instruction set in [Result.Engines] if the code loops over positions.
const kernelsOnce = " with kernels once"

// looped runs machine code that contains each kernel of a convolution only once.
func looped(ctx context.Context, d verify.Design, isa *backend.ISA, s verify.Samples, raw *sim.Result, threads int,
	r *Result,
) error {
	e, err := runner.NewLooped(d.Looped, isa, threads, nil)
	if err != nil {
		return err
	}
	x := s.Thermometer(&d.Model.Encoder, (r.Checked+63)/64, verify.Consecutive(0, r.Checked))
	got, err := e.Classify(ctx, x, r.Checked)
	if err != nil {
		return err
	}
	compareEngine(fmt.Sprintf("network as %s code%s", isa.Name, kernelsOnce), got, raw, r)
	return nil
}

// compareEngine reports the samples for which the code and the simulator differ.
func compareEngine(what string, got, want *sim.Result, r *Result) {
	for i := range got.Class {
		if g, w := got.Class[i], want.Class[i]; g != w {
			r.Add(verify.Mismatch{
				Sample: i, Gate: -1, What: fmt.Sprintf("%s: class %d, the simulator says %d", what, g, w),
			})
			continue
		}
		for c := range got.Classes {
			if g, w := got.Counts[i*got.Classes+c], want.Counts[i*got.Classes+c]; g != w {
				r.Add(verify.Mismatch{
					Sample: i, Gate: -1, What: fmt.Sprintf("%s: count of class %d is %d, the simulator says %d", what, c, g, w),
				})
				break
			}
		}
	}
}
