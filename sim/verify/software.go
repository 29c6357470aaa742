package verify

import (
	"context"
	"fmt"
	"time"

	"ialgn/internal/progress"
	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/trainer/model"
)

// SoftwareResult is the outcome of [Design.Software].
type SoftwareResult struct {
	Checked    int     `json:"checked"`     // samples
	HiddenBits int64   `json:"hidden_bits"` // bits of hidden layers compared
	Correct    int     `json:"correct"`     // of the samples, by the optimised netlist
	Accuracy   float64 `json:"accuracy"`
	Seconds    float64 `json:"seconds"`
	findings
}

// Software compares both netlists with the trainer's forward pass over all samples:
// the raw netlist's hidden bits layer by layer, then counts and class of both. An
// optimised netlist that is a pipeline is clocked. One of other ports differs, and is not run. It
// returns an error only where the comparison itself is impossible.
func (d Design) Software(ctx context.Context, s Samples, threads int) (*SoftwareResult, error) {
	ctx, end := progress.Begin(ctx, "software")
	defer end()
	begin := time.Now()
	r := &SoftwareResult{Checked: s.Levels.Len()}
	if !d.comparable(r) {
		return r, nil
	}
	if err := d.hidden(ctx, s, r); err != nil {
		return nil, err
	}
	want, err := d.Model.Evaluate(ctx, s.Levels, threads)
	if err != nil {
		return nil, err
	}
	if _, err := d.classes(ctx, s, "raw netlist", d.Raw, want, threads, r); err != nil {
		return nil, err
	}
	got, err := d.classes(ctx, s, "optimised netlist", d.Product, want, threads, r)
	if err != nil {
		return nil, err
	}
	if err := d.countsOutput(s, want, r); err != nil {
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

// gateNets returns the net of each gate, [layer][gate], of a raw netlist, which has
// one cell for each.
func gateNets(f *model.Frozen, n *netlist.Netlist) ([][]netlist.Net, error) {
	nets := make([][]netlist.Net, f.Depth())
	for l := range nets {
		nets[l] = make([]netlist.Net, f.Width)
	}
	found := 0
	for c := range netlist.Cell(n.Cells()) {
		o := n.Origin(c)
		if o.Layer == 0 {
			continue
		}
		if int(o.Layer) > f.Depth() || int(o.Chain) >= f.Width || nets[o.Layer-1][o.Chain] != 0 {
			return nil, fmt.Errorf("verify: raw netlist %s: cell %d comes from layer %d, gate %d, which the model has not or "+
				"the netlist has twice", n.Name, c, o.Layer, o.Chain)
		}
		nets[o.Layer-1][o.Chain] = n.Output(c)
		found++
	}
	if found != f.Gates() {
		return nil, fmt.Errorf("verify: raw netlist %s has %d of the model's %d gates", n.Name, found, f.Gates())
	}
	return nets, nil
}

// hidden compares the hidden bits of the raw netlist.
func (d Design) hidden(ctx context.Context, s Samples, r *SoftwareResult) error {
	nets, err := gateNets(d.Model, d.Raw)
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
		if err := d.runBlock(simulator, s, words, from, to); err != nil {
			return err
		}
		x := s.thermometer(&d.Model.Encoder, words, consecutive(from, to))
		eval.Run(x, words, func(layer int, h []uint64) {
			compareLayer(simulator, nets[layer], h, words, to-from, func(sample, gate int, got uint64) {
				r.add(Mismatch{from + sample, layer + 1, gate, rawGives[got]})
			})
		})
		r.HiddenBits += int64(d.Model.Gates()) * int64(to-from)
	}
	return nil
}

// rawGives tells a wrong bit of the raw netlist, by what it is: there may be millions.
var rawGives = [2]string{"raw netlist gives 0, the trainer 1", "raw netlist gives 1, the trainer 0"}

// runBlock simulates samples from to to-1.
func (d Design) runBlock(simulator *sim.Simulator, s Samples, words, from, to int) error {
	n := simulator.Netlist()
	if len(n.InputPorts()) != 1 {
		return fmt.Errorf("verify: netlist %s has %d input ports, need x alone", n.Name, len(n.InputPorts()))
	}
	x, err := s.rows(&d.Model.Encoder, d.input(), words, from, to)
	if err != nil {
		return err
	}
	return simulator.Run(words, x)
}

// compareLayer calls differs for each sample and gate whose net is not h.
func compareLayer(simulator *sim.Simulator, nets []netlist.Net, h []uint64, words, samples int,
	differs func(sample, gate int, got uint64),
) {
	for gate, v := range nets {
		for w, got := range simulator.Net(v) {
			diff := (got ^ h[gate*words+w]) & valid(samples-64*w)
			for b := 0; diff != 0; b, diff = b+1, diff>>1 {
				if diff&1 == 1 {
					differs(64*w+b, gate, got>>b&1)
				}
			}
		}
	}
}

// valid returns the mask of the first n bits of a word.
func valid(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<max(0, n) - 1
}

// classes compares counts and class of a netlist with the trainer's.
func (d Design) classes(ctx context.Context, s Samples, what string, n *netlist.Netlist, want *model.Scores,
	threads int, r *SoftwareResult,
) (*sim.Result, error) {
	c, err := sim.NewClassifier(n, threads)
	if err != nil {
		return nil, err
	}
	if c.Classes() != want.Classes {
		return nil, fmt.Errorf("verify: the %s has %d classes, the model %d", what, c.Classes(), want.Classes)
	}
	x, err := s.Rows(&d.Model.Encoder, d.input())
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
			r.add(Mismatch{i, 0, -1, what + ": " + text})
		}
	}
	if n != d.Product || r.Mismatches == before {
		return got, nil
	}
	o, err := d.blame(ctx, fromRows(x, r.Checked))
	for i := listed; i < len(r.First); i++ {
		r.First[i].Layer, r.First[i].Gate = int(o.Layer), gateOf(o)
	}
	return got, err
}

// difference tells how sample i differs in class or counts, or "".
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
