// Package readback proves that a Verilog file computes the netlist that it was written from.
//
// The file may contain only statements of the forms that package verilog writes, because yosys and simulators may
// read other forms differently. The proof has these steps:
//
//  1. yosys reads the file and writes gates, sums and instances of modules. This package converts them to one
//     and-inverter graph.
//  2. The registers of a pipeline are checked. They must have one clock, one enable and no start value, and every
//     path must cross one register for each stage. From then on, registers are treated as wires.
//  3. File and netlist are cut at every wire that has the same name in both. For each of these wires, abc proves that
//     it is the same function of the other wires in the file and in the netlist. Neither side has a cycle, so the
//     outputs are the same functions of the inputs. This method works for designs of any size, and needs no
//     arithmetic about counts. Wires that differ are compared again with fewer cuts.
//
// The names decide only where the two sides are cut. A wrong name can make the proof fail, but not succeed.
package readback

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ialgn/internal/progress"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// Options say what is read, and how.
type Options struct {
	Module string
	// Files are the Verilog files: the design, and models of the primitives that it uses. They must have the
	// forms that package verilog writes ([syntax.Check]), so that yosys and simulators read them in the same
	// way.
	Files []string
	// Synthesised says that yosys wrote the design, so its text may have forms that only yosys writes.
	Synthesised bool
	// Library is a yosys command that reads models of more primitives. Warnings about these models are allowed.
	Library string
	// Samples are inputs to try if wires differ. Bit i of Samples[w][r] is input bit r of sample 64 w + i.
	Samples [][]uint64
	// Limit is the time limit of each run of a tool; 0 means [cec.DefaultLimit].
	Limit time.Duration
}

// Result is the outcome of [Prove].
type Result struct {
	Verdict cec.Verdict `json:"verdict"`
	Wires   int         `json:"checked"` // compared wires and outputs
	Stages  int         `json:"stages,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Tool    string      `json:"tool,omitempty"`
	Seconds float64     `json:"seconds"`

	// Differ has the names of up to 64 wires that differ as functions of the other wires.
	Differ []string `json:"differ,omitempty"`
	// Counterexample is an input for which an output or a count differs. It lists the bits of the input port that are
	// 1. It is set if the verdict is different.
	Counterexample []int `json:"counterexample,omitempty"`
}

// Prove proves that the files' module computes the netlist n, which is combinational or a pipeline, for every input.
// The verdict is [cec.Different] only if an output or a probe of n differs in a simulation of both sides. Without a
// proof or a difference, the verdict is undecided. Prove returns an error of package tool if yosys or abc is missing
// or fails.
func Prove(ctx context.Context, n *netlist.Netlist, o Options) (*Result, error) {
	ctx, end := progress.Begin(ctx, "verilog")
	defer end()
	begin := time.Now()
	if o.Limit == 0 {
		o.Limit = cec.DefaultLimit
	}
	r := &Result{Verdict: cec.Undecided}
	err := prove(ctx, n, o, r)
	r.Seconds = time.Since(begin).Seconds()
	var is *mismatchError
	if errors.As(err, &is) {
		r.Reason, err = is.Error(), nil
	}
	return r, err
}

// mismatchError says why the file cannot compute the netlist, or why the two cannot be compared.
type mismatchError struct{ what string }

func (e *mismatchError) Error() string { return e.what }

func mismatch(format string, args ...any) error {
	return &mismatchError{fmt.Sprintf(format, args...)}
}

func prove(ctx context.Context, n *netlist.Netlist, o Options, r *Result) error {
	progress.Say(ctx, "yosys, reading the Verilog")
	g, version, err := read(ctx, o)
	r.Tool = version
	if err != nil {
		return err
	}
	g, r.Stages, err = g.withoutRegisters(n)
	if err != nil {
		return err
	}
	p, err := newPair(g, n)
	if err != nil {
		return err
	}
	r.Wires = len(p.wires)
	progress.Say(ctx, "proving %d wires", r.Wires)
	engine, err := cec.New()
	if err != nil {
		return err
	}
	defer engine.Close()
	engine.Limit = o.Limit
	r.Tool += ", " + engine.Version(ctx)
	return p.prove(ctx, engine, o, r)
}
