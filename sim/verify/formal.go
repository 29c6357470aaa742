package verify

import (
	"context"
	"fmt"
	"io"
	"time"

	"ialgn/internal/progress"
	"ialgn/netlist"
	"ialgn/sim/verify/cec"
	"ialgn/sim/verify/spec"
)

// FormalResult is the outcome of [Design.Formal].
type FormalResult struct {
	Proved  bool    `json:"proved"`
	Verdict string  `json:"verdict"` // equivalent, different or unproved
	Outputs int     `json:"checked"` // last-layer bits compared
	Reason  string  `json:"reason,omitempty"`
	Tool    string  `json:"tool,omitempty"`
	Seconds float64 `json:"seconds"`

	// Counterexample are the bits of the input port that are 1 in an input for which the
	// gates differ; set with the verdict different.
	Counterexample []int `json:"counterexample,omitempty"`
	// WithoutAssumption is the verdict of the same proof about any bits at the inputs, set
	// where it was proved for thermometer codes: equivalent says that no assumption was
	// needed, different that one was.
	WithoutAssumption string `json:"without_assumption,omitempty"`
	// EndToEnd is the verdict about the whole at once, from the model to the class and the
	// counts, set after the proof in parts where classes have few enough bits: equivalent,
	// or unproved if abc did not end in time.
	EndToEnd string `json:"end_to_end,omitempty"`
	findings
}

// The verdicts.
const (
	equivalent = "equivalent"
	different  = "different"
	unproved   = "unproved"
)

// maxProofs bounds how often a proof is tried with another choice of roots.
const maxProofs = 64

// Formal proves that the optimised netlist computes for every input, or for every
// thermometer code where the product assumes that, what the model does: what its tensors
// say ([spec]), or the raw netlist where [Design.Spec] is nil. abc proves that the
// same is counted; the counts of a lowered head are proved by its hint ([counts.Prove])
// and its argmax by abc. Popcounts and an argmax that are still operators are matched by
// their form. Registers are taken for wires: that all paths cross as many of them is an
// invariant of the netlist.
//
// A difference is believed when our simulator replays it. It returns an error of package
// tool if abc is missing or fails.
func (d Design) Formal(ctx context.Context) (*FormalResult, error) {
	ctx, end := progress.Begin(ctx, "formal")
	defer end()
	begin := time.Now()
	r := &FormalResult{Verdict: unproved}
	defer func() { r.Seconds = time.Since(begin).Seconds() }()
	d, err := d.transparent()
	if err != nil {
		r.Reason = err.Error()
		return r, nil
	}
	if ports := (&SoftwareResult{}); !d.comparable(ports) {
		r.Reason = ports.First[0].What
		return r, nil
	}
	engine, err := cec.New()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	r.Tool = engine.Version(ctx)
	p := prover{ctx, engine}
	k, err := d.newCuts()
	if err != nil {
		r.Reason = err.Error()
		return r, d.search(p, wrongCounter(err), r)
	}
	r.Outputs = len(k.raw.h())
	if err := d.proveAll(p, k, r); err != nil || !r.Proved {
		return r, err
	}
	if r.WithoutAssumption, err = d.unassumed(p, time.Since(begin)); err != nil {
		return r, err
	}
	return r, d.proveWhole(p, k, r)
}

// proveWhole adds the proof from end to end. That it says otherwise than the proof in parts
// leaves nothing proved.
func (d Design) proveWhole(p prover, k *cuts, r *FormalResult) (err error) {
	progress.Say(p.ctx, "proving the whole from end to end")
	if r.EndToEnd, err = d.endToEnd(p, k); err != nil || r.EndToEnd != different {
		return err
	}
	r.Proved, r.Verdict = false, unproved
	r.Reason = "the parts were proved, but abc says that the whole differs from the model"
	return d.search(p, nil, r)
}

// prover asks an engine, within a context.
type prover struct {
	ctx    context.Context
	engine *cec.Engine
}

// proveAll proves the argmax, and then what is counted.
func (d Design) proveAll(p prover, k *cuts, r *FormalResult) error {
	progress.Say(p.ctx, "proving the argmax")
	reason, wrong, err := p.argmax(d.Product, k.product.roots.argmax)
	if err != nil {
		return err
	}
	if r.Reason = reason; reason != "" {
		return d.search(p, wrong, r)
	}
	done, err := d.proveCuts(p, k, r)
	switch {
	case err != nil:
		return err
	case !done:
		return d.search(p, nil, r)
	case r.Verdict == different:
		return d.blameCuts(p.ctx, k, r)
	}
	return nil
}

// proveCuts proves what is counted, with one choice of corresponding roots after another.
// It is not done if no choice was found that could be.
func (d Design) proveCuts(p prover, k *cuts, r *FormalResult) (done bool, err error) {
	progress.Say(p.ctx, "proving %d bits of the last layer", len(k.raw.h()))
	for range maxProofs {
		product, changed, err := k.align(p.ctx)
		if err != nil {
			r.Reason = err.Error()
			return false, nil
		}
		if !changed {
			break
		}
		if done, err := d.prove(p, k, product, r); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// search looks for a difference of the whole netlists where they cannot be compared
// part by part: in random samples, and where a part of the head is known to be wrong for an
// input that shows that.
func (d Design) search(p prover, wrong flaw, r *FormalResult) error {
	ports := d.Raw.InputPorts()
	if other := d.Product.InputPorts(); len(ports) != 1 || len(other) != 1 || len(ports[0].Nets) != len(other[0].Nets) {
		return nil
	}
	if err := d.show(p.ctx, d.random(), r); err != nil || r.Verdict == different || wrong == nil {
		return err
	}
	return d.expose(p, wrong, r)
}

// show says that the netlists differ, if samples show it.
func (d Design) show(ctx context.Context, samples stimulus, r *FormalResult) error {
	diff, err := samples.compare(ctx, d.Raw, d.Product)
	if err != nil || diff == nil {
		return ctx.Err() // what cannot be compared stays unproved
	}
	r.Verdict, r.Counterexample = different, ones(samples.sample(diff.sample))
	r.add(Mismatch{-1, 0, -1, fmt.Sprintf("optimised netlist: %v, for the counterexample", diff)})
	return nil
}

// reference returns the circuit that the product's cut is compared with: the last layer
// in the order of the chains.
func (d Design) reference(k *cuts) cec.Circuit {
	if d.Spec == nil {
		return cec.Netlist(k.raw.n)
	}
	return func(w io.Writer) error {
		return d.Spec.WriteAIGER(w, spec.Options{Words: d.words(), Thermometer: d.project() > 0})
	}
}

// prove asks abc whether the raw gates and the product's with aligned roots are
// equivalent. It is not done if the answer was a sample that shows only that other
// roots correspond, which is then known.
func (d Design) prove(p prover, k *cuts, product *netlist.Netlist, r *FormalResult) (done bool, err error) {
	v, said, err := p.engine.Compare(p.ctx, d.reference(k), cec.Netlist(product))
	if err != nil {
		return false, err
	}
	switch v {
	case cec.Equivalent:
		r.Verdict, r.Proved, r.Reason = equivalent, true, ""
		return true, nil
	case cec.Different:
		return d.replay(p, k, product, r)
	}
	r.Reason = fmt.Sprintf("abc gave no verdict: %.200s", said)
	return true, nil
}

// replay has abc tell the counterexample and looks for the difference in our own
// simulator; without it the result stays unproved. Roots that differ in classes whose
// counts do not are no difference: the sample becomes known, and it is not done.
func (d Design) replay(p prover, k *cuts, product *netlist.Netlist, r *FormalResult) (done bool, err error) {
	x, said, err := p.engine.Counterexample(p.ctx, k.raw.inputs())
	if err != nil {
		return false, err
	}
	one := stimulus{[][]uint64{x}, 1}
	a, err := one.signatures(p.ctx, k.raw.n, k.raw.h())
	if err != nil {
		return false, err
	}
	b, err := one.signatures(p.ctx, product, product.OutputPorts()[0].Nets)
	if err != nil {
		return false, err
	}
	shown := false
	for i := range a {
		shown = shown || a[i][0] != b[i][0]
	}
	if !shown {
		r.Reason = fmt.Sprintf("abc says the networks differ, but its counterexample does not show it here: %.200s", said)
		return true, nil
	}
	if bits := d.project(); bits > 0 {
		one.project(bits)
	}
	k.known.around(x)
	if bits := d.project(); bits > 0 {
		k.known.project(bits)
	}
	c, err := one.signatures(p.ctx, k.product.n, k.product.h())
	if err != nil {
		return false, err
	}
	found := k.differences(a, c)
	if len(found) == 0 {
		r.Reason = "the bits that the popcounts read could not be paired"
		return false, nil
	}
	r.Verdict, r.Reason, r.Counterexample = different, "", ones(x)
	k.found = found
	return true, nil
}

// differences tells what differs between the roots of both cuts in one sample: the output h,
// or the counts of classes, whichever roots were taken for each other.
func (k *cuts) differences(a, b []signature) []string {
	var found []string
	if k.raw.roots.ports {
		for i := range a {
			if a[i][0] != b[i][0] {
				found = append(found, fmt.Sprintf("h[%d] is %d, in the raw netlist %d", i, b[i][0], a[i][0]))
			}
		}
		return found
	}
	for c, bits := range k.raw.roots.bits {
		got, want := uint64(k.product.roots.pairs[c]), uint64(0)
		for range bits {
			want, a = want+a[0][0], a[1:]
		}
		for range k.product.roots.bits[c] {
			got, b = got+b[0][0], b[1:]
		}
		if got != want {
			found = append(found, fmt.Sprintf("count of class %d is %d, in the raw netlist %d", c, got, want))
		}
	}
	return found
}

// ones returns the bits that are 1 in an input.
func ones(x []uint64) []int {
	list := []int{}
	for i, v := range x {
		if v == 1 {
			list = append(list, i)
		}
	}
	return list
}

// blameCuts adds the differences that were found, with the gate that is to blame.
func (d Design) blameCuts(ctx context.Context, k *cuts, r *FormalResult) error {
	o, err := d.blame(ctx, k.known)
	if err != nil {
		return err
	}
	for _, what := range k.found {
		r.add(Mismatch{-1, int(o.Layer), gateOf(o), "optimised gates: " + what + ", for the counterexample"})
	}
	return nil
}
