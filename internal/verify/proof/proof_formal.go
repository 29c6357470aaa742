// Package proof proves that the optimised netlist, or the program of a folded engine, computes the same as the
// trained network for all inputs. abc does the proofs about gates, and counts.Prove does the proofs about lowered
// counts.
package proof

import (
	"context"
	"fmt"
	"io"
	"time"

	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/spec"
	"ialgn/netlist"
)

// Result is the outcome of [Check].
type Result struct {
	Proved  bool        `json:"proved"`
	Verdict cec.Verdict `json:"verdict"` // equivalent, different or unproved
	Outputs int         `json:"checked"` // compared bits of the last layer
	Reason  string      `json:"reason,omitempty"`
	Tool    string      `json:"tool,omitempty"`
	Seconds float64     `json:"seconds"`

	// Counterexample is an input for which the gates differ. It lists the bits of the input port that are 1. It is
	// set if the verdict is different.
	Counterexample []int `json:"counterexample,omitempty"`
	// WithoutAssumption is set if the design was proved for thermometer codes. It is the verdict of the same proof
	// for any bits at the inputs. The verdict equivalent means that the design does not depend on the assumption of
	// thermometer codes. The verdict different means that the design depends on this assumption.
	WithoutAssumption cec.Verdict `json:"without_assumption,omitempty"`
	// EndToEnd is the verdict of a single proof from the model to the class and the counts. This proof is done after
	// the proof in parts, if classes have few enough bits. The verdict is equivalent, or unproved if abc did not
	// finish in time.
	EndToEnd cec.Verdict `json:"end_to_end,omitempty"`
	verify.Findings
}

// These are the verdicts. In results of this package, an undecided check is called unproved.
const (
	equivalent = cec.Equivalent
	different  = cec.Different

	unproved cec.Verdict = "unproved"
)

// maxProofs bounds the number of choices of corresponding roots that are tried.
const maxProofs = 64

// Check proves that the optimised netlist computes what the model computes, for every input. If the product assumes
// thermometer codes, the proof is only about inputs that are such codes. The reference is the meaning of the model's
// tensors ([spec]), or the raw netlist if d.Spec is nil. The proof has three parts. First, abc proves that the same
// bits are counted. Second, [counts.Prove] proves the counts of a lowered head from its hint. Third, abc proves the
// argmax. If popcounts and argmax are not lowered, their structure is compared instead. Registers are replaced by
// wires. This is valid because the netlist's invariants ensure that all paths cross the same number of registers.
//
// A difference is reported only if our simulator shows the same difference. Check returns an error of package tool if
// abc is missing or fails.
func Check(ctx context.Context, d verify.Design) (*Result, error) {
	ctx, end := progress.Begin(ctx, "formal")
	defer end()
	begin := time.Now()
	r := &Result{Verdict: unproved}
	defer func() { r.Seconds = time.Since(begin).Seconds() }()
	d, err := d.Transparent()
	if err != nil {
		r.Reason = err.Error()
		return r, nil
	}
	if ports := (&verify.Findings{}); !d.Comparable(ports) {
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
	k, err := newCuts(d)
	if err != nil {
		r.Reason = err.Error()
		return r, search(d, p, wrongCounter(err), r)
	}
	r.Outputs = k.lastLayer()
	if err := proveAll(d, p, k, r); err != nil || !r.Proved {
		return r, err
	}
	if r.WithoutAssumption, err = unassumed(d, p, time.Since(begin)); err != nil {
		return r, err
	}
	return r, proveWhole(d, p, k, r)
}

// proveWhole adds the proof from end to end. If the two proofs contradict each other, the result becomes unproved.
func proveWhole(d verify.Design, p prover, k *cuts, r *Result) (err error) {
	progress.Say(p.ctx, "proving the whole from end to end")
	if r.EndToEnd, err = endToEnd(d, p, k); err != nil || r.EndToEnd != different {
		return err
	}
	r.Proved, r.Verdict = false, unproved
	r.Reason = "the parts were proved, but abc says that the whole differs from the model"
	return search(d, p, nil, r)
}

// prover is abc's engine together with a context.
type prover struct {
	ctx    context.Context
	engine *cec.Engine
}

// proveAll proves the argmax, and then the counted bits.
func proveAll(d verify.Design, p prover, k *cuts, r *Result) error {
	progress.Say(p.ctx, "proving the argmax")
	reason, wrong, err := p.argmax(d.Product, k.product.Roots.Argmax)
	if err != nil {
		return err
	}
	if r.Reason = reason; reason != "" {
		return search(d, p, wrong, r)
	}
	done, err := proveCuts(d, p, k, r)
	switch {
	case err != nil:
		return err
	case !done:
		return search(d, p, nil, r)
	case r.Verdict == different:
		return blameCuts(p.ctx, d, k, r)
	}
	return nil
}

// proveCuts proves the counted bits. It tries one choice of corresponding roots after another. If no choice leads to
// a result, proveCuts returns false.
func proveCuts(d verify.Design, p prover, k *cuts, r *Result) (done bool, err error) {
	progress.Say(p.ctx, "proving %d bits of the last layer", k.lastLayer())
	for range maxProofs {
		product, changed, err := k.align(p.ctx)
		if err != nil {
			r.Reason = err.Error()
			return false, nil
		}
		if !changed {
			break
		}
		if done, err := prove(d, p, k, product, r); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// search looks for a difference between whole netlists that cannot be compared part by part. It tries random samples
// first. Then, if a part of the head is known to be wrong, abc searches for an input that shows the flaw.
func search(d verify.Design, p prover, wrong flaw, r *Result) error {
	ports := d.Raw.InputPorts()
	if other := d.Product.InputPorts(); len(ports) != 1 || len(other) != 1 || len(ports[0].Nets) != len(other[0].Nets) {
		return nil
	}
	if err := show(p.ctx, d, verify.StimuliFor(d), r); err != nil || r.Verdict == different || wrong == nil {
		return err
	}
	return expose(d, p, wrong, r)
}

// show sets the verdict to [cec.Different] if the samples show a difference between the netlists.
func show(ctx context.Context, d verify.Design, samples verify.Stimuli, r *Result) error {
	diff, err := samples.Compare(ctx, d.Raw, d.Product)
	if err != nil || diff == nil {
		return ctx.Err() // circuits that cannot be compared stay unproved
	}
	r.Verdict, r.Counterexample = different, ones(samples.Sample(diff.Sample))
	r.Add(verify.Mismatch{Sample: -1, Gate: -1, What: fmt.Sprintf("optimised netlist: %v, for the counterexample", diff)})
	return nil
}

// reference returns the circuit that the product's cut is compared with. Its outputs are the roots of the raw netlist.
func reference(d verify.Design, k *cuts) cec.Circuit {
	if d.Spec == nil {
		return cec.Netlist(k.raw.Netlist)
	}
	return func(w io.Writer) error {
		return d.Spec.WriteAIGER(w, spec.Options{
			Words: d.Words(), Thermometer: d.Project() > 0, Counted: !k.raw.Roots.Ports,
		})
	}
}

// prove asks abc whether the reference and the product's gates with aligned roots are equivalent. If abc's
// counterexample only shows that the choice of roots was wrong, prove adds the counterexample to the known samples
// and returns false.
func prove(d verify.Design, p prover, k *cuts, product *netlist.Netlist, r *Result) (done bool, err error) {
	v, said, err := p.engine.Compare(p.ctx, reference(d, k), cec.Netlist(product))
	if err != nil {
		return false, err
	}
	switch v {
	case cec.Equivalent:
		r.Verdict, r.Proved, r.Reason = equivalent, true, ""
		return true, nil
	case cec.Different:
		return replay(d, p, k, product, r)
	}
	r.Reason = fmt.Sprintf("abc gave no verdict: %.200s", said)
	return true, nil
}

// replay gets a counterexample from abc and simulates it. If our simulator shows no difference, the result stays
// unproved. If roots differ but the class counts agree, the two circuits do not differ. In this case, replay adds the
// sample to the known samples and returns false.
func replay(d verify.Design, p prover, k *cuts, product *netlist.Netlist, r *Result) (done bool, err error) {
	x, said, err := p.engine.Counterexample(p.ctx, k.raw.Inputs())
	if err != nil {
		return false, err
	}
	one := verify.Stimuli{Words: [][]uint64{x}, Samples: 1}
	a, err := one.Signatures(p.ctx, k.raw.Netlist, k.raw.Outputs())
	if err != nil {
		return false, err
	}
	b, err := one.Signatures(p.ctx, product, product.OutputPorts()[0].Nets)
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
	if bits := d.Project(); bits > 0 {
		one.Project(bits)
	}
	k.known.Around(x)
	if bits := d.Project(); bits > 0 {
		k.known.Project(bits)
	}
	c, err := one.Signatures(p.ctx, k.product.Netlist, k.product.Outputs())
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

// differences describes how the two cuts differ in one sample. It compares bits of the output h or, if there are
// classes, their counts. The counts do not depend on the pairing of the roots.
func (k *cuts) differences(a, b []verify.Signature) []string {
	var found []string
	if k.raw.Roots.Ports {
		for i := range a {
			if a[i][0] != b[i][0] {
				found = append(found, fmt.Sprintf("h[%d] is %d, in the raw netlist %d", i, b[i][0], a[i][0]))
			}
		}
		return found
	}
	for c, bits := range k.raw.Roots.Bits {
		got, want := uint64(k.product.Roots.Pairs[c]), uint64(0)
		for range bits {
			want, a = want+a[0][0], a[1:]
		}
		for range k.product.Roots.Bits[c] {
			got, b = got+b[0][0], b[1:]
		}
		if got != want {
			found = append(found, fmt.Sprintf("count of class %d is %d, in the raw netlist %d", c, got, want))
		}
	}
	return found
}

// ones returns the indices of the bits that are 1.
func ones(x []uint64) []int {
	list := []int{}
	for i, v := range x {
		if v == 1 {
			list = append(list, i)
		}
	}
	return list
}

// blameCuts adds the differences recorded in k to the result, and the gate to blame.
func blameCuts(ctx context.Context, d verify.Design, k *cuts, r *Result) error {
	o, err := verify.FindBlamed(ctx, d, k.known)
	if err != nil {
		return err
	}
	for _, what := range k.found {
		r.Add(verify.Mismatch{
			Sample: -1, Layer: int(o.Layer), Gate: verify.GateOf(o),
			What: "optimised gates: " + what + ", for the counterexample",
		})
	}
	return nil
}
