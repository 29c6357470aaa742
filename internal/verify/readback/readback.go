// Package readback proves that a Verilog file is the netlist that it was written from.
//
// The file must be of statements that package verilog writes, and no others, for what yosys makes
// of others is not what a simulator does. yosys reads it and says what it means in gates, sums and
// instances of modules, which become one and-inverter graph here. The registers of a pipeline are
// checked on it: one clock, one enable, no value to begin with, and as many of them on every path
// as the pipeline has stages. They are wires from then on. Then file and netlist are cut at every
// wire that the two call alike, and abc proves that each of these wires is the same function of the
// others on both sides. Neither side has a cycle, so they are then the same functions of the
// inputs, however large the whole: a proof that needs no arithmetic of counts.
//
// The names decide only where is cut. A wrong name can make the proof fail, not succeed.
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

// Options say what is read.
type Options struct {
	Module string
	// Files are the Verilog files: the design, and models of the primitives that it uses. They must
	// be of the forms that package verilog writes ([syntax.Check]), so that yosys does not read them
	// in another way than a simulator.
	Files []string
	// Synthesised says that the design is a netlist that yosys made, in its own forms.
	Synthesised bool
	// Library is a command of yosys that reads models of more primitives, which it may warn of.
	Library string
	// Samples are inputs to try where wires differ, a word of 64 samples at a time: bit i of
	// Samples[w][r] is input bit r of sample 64 w + i.
	Samples [][]uint64
	// Limit bounds each run of a tool; 0 is [cec.DefaultLimit].
	Limit time.Duration
}

// Result is the outcome of [Prove].
type Result struct {
	Verdict cec.Verdict `json:"verdict"`
	Wires   int         `json:"checked"` // wires and outputs that were compared
	Stages  int         `json:"stages,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Tool    string      `json:"tool,omitempty"`
	Seconds float64     `json:"seconds"`

	// Differ are names of wires that differ, of those that depend on no other such wire.
	Differ []string `json:"differ,omitempty"`
	// Counterexample are the bits of the input port that are 1 in an input for which an
	// output or a count differs; set with the verdict different.
	Counterexample []int `json:"counterexample,omitempty"`
}

// Prove proves that the files' module computes the netlist n, which is combinational or a
// pipeline, for every input. A difference is one of an output or a probe of n, shown by an
// input in simulators of both sides; what is neither proved nor different is undecided. It
// returns an error of package tool if yosys or abc is missing or does not do its work.
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

// mismatchError says why the file cannot be the netlist, or cannot be compared with it.
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
