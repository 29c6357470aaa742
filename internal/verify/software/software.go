// Package software compares netlists with the trainer's own forward pass. It runs the netlists in our simulator and
// as machine code.
package software

import (
	"context"
	"fmt"
	"time"

	"ialgn/internal/model"
	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/netlist"
	"ialgn/sim"
)

// Result is the outcome of [Check].
type Result struct {
	Checked    int     `json:"checked"`     // samples
	HiddenBits int64   `json:"hidden_bits"` // bits of hidden layers compared
	Correct    int     `json:"correct"`     // samples that the optimised netlist classifies correctly
	Accuracy   float64 `json:"accuracy"`

	// Engines lists the programs that classified the samples, besides the trainer: the simulator, and the machine
	// code for each instruction set of this processor. For networks of convolutions, there is another entry for each
	// instruction set, for code that contains each kernel only once.
	Engines []string `json:"engines"`

	Seconds float64 `json:"seconds"`
	verify.Findings
}

// Check compares both netlists with the trainer's forward pass over all samples. It compares the raw netlist's hidden
// bits layer by layer. Then it compares counts and class of both netlists, computed by the simulator and by machine
// code (package internal/runner), and the simulated output uncertain. A pipeline is clocked. If the two netlists have
// different ports, Check reports a mismatch and runs nothing. Check returns an error only if the comparison is
// impossible.
func Check(ctx context.Context, d verify.Design, s verify.Samples, threads int) (*Result, error) {
	ctx, end := progress.Begin(ctx, "software")
	defer end()
	begin := time.Now()
	r := &Result{Checked: s.Levels.Len()}
	if !d.Comparable(&r.Findings) {
		return r, nil
	}
	if err := hidden(ctx, d, s, r); err != nil {
		return nil, err
	}
	want, err := d.Model.Evaluate(ctx, s.Levels, threads)
	if err != nil {
		return nil, err
	}
	raw, err := classes(ctx, d, s, "raw netlist", d.Raw, want, threads, r)
	if err != nil {
		return nil, err
	}
	got, err := classes(ctx, d, s, "optimised netlist", d.Product, want, threads, r)
	if err != nil {
		return nil, err
	}
	if err := engines(ctx, d, s, raw, got, threads, r); err != nil {
		return nil, err
	}
	if err := countsOutput(d, s, want, r); err != nil {
		return nil, err
	}
	if err := uncertainOutput(d, s, want, r); err != nil {
		return nil, err
	}
	for i, c := range got.Class {
		if c == uint16(s.Levels.Labels[i]) {
			r.Correct++
		}
	}
	r.Accuracy = float64(r.Correct) / float64(max(1, r.Checked))
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// hidden compares the hidden bits of the raw netlist with the trainer's hidden bits.
func hidden(ctx context.Context, d verify.Design, s verify.Samples, r *Result) error {
	nets, err := verify.GateNets(d.Model, d.Raw)
	if err != nil {
		return err
	}
	simulator, err := sim.New(d.Raw)
	if err != nil {
		return err
	}
	eval := model.NewEvaluator(d.Model)
	block := simulator.Block() * 64
	for from := 0; from < r.Checked; from += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress.Count(ctx, from, r.Checked, "samples")
		to := min(from+block, r.Checked)
		words := (to - from + 63) / 64
		if err := runBlock(d, simulator, s, words, from, to); err != nil {
			return err
		}
		x := s.Thermometer(&d.Model.Encoder, words, verify.Consecutive(from, to))
		eval.Run(x, words, func(layer int, h []uint64) {
			compareLayer(simulator, nets[layer], h, words, to-from, func(sample, gate int, got uint64) {
				r.Add(verify.Mismatch{Sample: from + sample, Layer: layer + 1, Gate: gate, What: rawGives[got]})
			})
		})
		r.HiddenBits += int64(d.Model.Gates()) * int64(to-from)
	}
	return nil
}

// rawGives has the messages for a wrong bit of the raw netlist. The index is the wrong value. There may be millions
// of these mismatches, so the texts are constants.
var rawGives = [2]string{"raw netlist gives 0, the trainer 1", "raw netlist gives 1, the trainer 0"}

// runBlock simulates the samples with numbers n, from <= n < to.
func runBlock(d verify.Design, simulator *sim.Simulator, s verify.Samples, words, from, to int) error {
	n := simulator.Netlist()
	if len(n.InputPorts()) != 1 {
		return fmt.Errorf("verify: netlist %s has %d input ports, need x alone", n.Name, len(n.InputPorts()))
	}
	x, err := s.Range(&d.Model.Encoder, d.Input(), words, from, to)
	if err != nil {
		return err
	}
	return simulator.Run(words, x)
}

// compareLayer calls the function differs for each sample and each gate if the net of the gate differs from the bit
// in h.
func compareLayer(simulator *sim.Simulator, nets []netlist.Net, h []uint64, words, samples int, differs func(sample,
	gate int, got uint64),
) {
	for gate, v := range nets {
		for w, got := range simulator.Net(v) {
			diff := (got ^ h[gate*words+w]) & verify.Mask(samples-64*w)
			for b := 0; diff != 0; b, diff = b+1, diff>>1 {
				if diff&1 == 1 {
					differs(64*w+b, gate, got>>b&1)
				}
			}
		}
	}
}

// classes compares counts and class of a netlist with the trainer's values, and returns the values of the netlist.
func classes(ctx context.Context, d verify.Design, s verify.Samples, what string, n *netlist.Netlist,
	want *model.Scores, threads int, r *Result,
) (*sim.Result, error) {
	c, err := sim.NewClassifier(n, threads)
	if err != nil {
		return nil, err
	}
	if c.Classes() != want.Classes {
		return nil, fmt.Errorf("verify: the %s has %d classes, the model %d", what, c.Classes(), want.Classes)
	}
	x, err := s.Rows(&d.Model.Encoder, d.Input())
	if err != nil {
		return nil, err
	}
	got, err := c.Classify(ctx, x, r.Checked)
	if err != nil {
		return nil, err
	}
	before, listed := r.Mismatches, len(r.First)
	for i := range r.Checked {
		if text := difference(got, want, i); text != "" {
			r.Add(verify.Mismatch{Sample: i, Gate: -1, What: what + ": " + text})
		}
	}
	if n != d.Product || r.Mismatches == before {
		return got, nil
	}
	o, err := verify.FindBlamed(ctx, d, verify.StimuliFromRows(x, r.Checked))
	for i := listed; i < len(r.First); i++ {
		r.First[i].Layer, r.First[i].Gate = int(o.Layer), verify.GateOf(o)
	}
	return got, err
}

// difference describes how sample i differs in class or counts, or returns "".
func difference(got *sim.Result, want *model.Scores, i int) string {
	if g, w := got.Class[i], want.Predicted[i]; g != uint16(w) {
		return fmt.Sprintf("class %d, the trainer says %d", g, w)
	}
	for c := range want.Classes {
		if g, w := got.Counts[i*want.Classes+c], want.Counts[i*want.Classes+c]; g != w {
			return fmt.Sprintf("count of class %d is %d, the trainer says %d", c, g, w)
		}
	}
	return ""
}
