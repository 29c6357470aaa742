package readback

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"ialgn/internal/lowering"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
	"ialgn/sim"
)

const (
	// maxDiffer is the maximum number of different wires that a result names.
	maxDiffer = 64
	// maxRounds bounds the number of questions to abc. After each question, wires that differ are left out.
	maxRounds = 16
	// randomWords is the number of words of random samples on which the wires are tried.
	randomWords = 16
	// exposeLimit is the time limit of the search for an input for which outputs or counts differ.
	exposeLimit = 2 * time.Minute
)

// prove compares the two sides, cut at all wires. If wires differ, it searches for a difference at the outputs among
// the samples, and then compares these wires again with fewer cuts.
func (p *pair) prove(ctx context.Context, engine *cec.Engine, o Options, r *Result) error {
	file, places := p.cutGraph()
	differ, decided, err := compareCuts(ctx, engine, p.cutNetlist(places), file)
	switch {
	case err != nil:
		return err
	case !decided:
		r.Reason = "abc gave no verdict on the wires"
		return nil
	case len(differ) == 0:
		r.Verdict = cec.Equivalent
		return nil
	}
	for _, i := range differ[:min(len(differ), maxDiffer)] {
		r.Differ = append(r.Differ, p.wires[i].name)
	}
	if found, err := p.search(ctx, o.Samples, r); found || err != nil {
		return err
	}
	if done, err := p.deeper(ctx, engine, differ, r); done || err != nil {
		return err
	}
	return p.expose(ctx, engine, o,
		fmt.Sprintf("%s is another function of its neighbours than in the netlist", p.wires[differ[0]].name), r)
}

// deeper compares wires again that differ as functions of the other wires. They may still be the same functions of the
// inputs, because cut wires may have values that never occur in the circuit, and synthesis uses this. So deeper leaves
// out the cuts that a differing wire reads, then the cuts before these, and so on up to the inputs. Neither side has a
// cycle, so it suffices for a proof that each wire is once the same function of wires before it. If the first wire is
// another function of the inputs, deeper tries an input for which it differs. The result done is false without a
// verdict.
func (p *pair) deeper(ctx context.Context, engine *cec.Engine, differ []int, r *Result) (done bool, err error) {
	q := *p
	var open, cuts []wire // wires without a proof, and wires at which the sides are cut
	for i, w := range p.wires {
		if _, ok := slices.BinarySearch(differ, i); ok {
			w.uncut = true
			open = append(open, w)
		} else {
			cuts = append(cuts, w)
		}
	}
	for {
		q.wires, q.tested = slices.Concat(open, cuts), len(open)
		file, places := q.cutGraph()
		want := q.cutNetlist(places)
		differ, decided, err := compareCuts(ctx, engine, want, file)
		switch {
		case err != nil || !decided:
			return false, err
		case len(differ) == 0:
			r.Verdict, r.Differ = cec.Equivalent, nil
			return true, nil
		}
		first := slices.MinFunc(differ, func(i, j int) int { return cmp.Compare(open[i].net, open[j].net) })
		if len(q.reads(want, file, []int{first})) == 0 {
			want, file := p.whole([]wire{open[first]})
			if v, _, err := engine.Compare(ctx, cec.Netlist(want), cec.Netlist(file)); err != nil || v != cec.Different {
				return false, err
			}
			return p.replay(ctx, engine, r)
		}
		read := q.reads(want, file, differ)
		cuts = slices.DeleteFunc(cuts, func(w wire) bool { return read[w.net] })
		for k, i := range differ {
			open[k] = open[i]
		}
		open = open[:len(differ)]
	}
}

// reads returns the nets of the cuts that outputs of the two netlists read.
func (p *pair) reads(want, file *netlist.Netlist, outputs []int) map[netlist.Net]bool {
	read := map[netlist.Net]bool{}
	variable := map[int]bool{}
	for _, n := range []*netlist.Netlist{want, file} {
		need := make([]bool, n.Nets())
		for _, i := range outputs {
			need[n.OutputPorts()[0].Nets[i]] = true
		}
		for c := netlist.Cell(n.Cells()); c > 0; c-- {
			if need[n.Output(c-1)] {
				for _, v := range n.Inputs(c - 1) {
					need[v] = true
				}
			}
		}
		for i, v := range n.InputPorts()[0].Nets[len(p.inputs):] {
			if need[v] {
				read[p.wires[i].net], variable[p.g.to(p.wires[i].at).variable()] = true, true
			}
		}
	}
	for _, w := range p.wires {
		if variable[p.g.to(w.at).variable()] {
			read[w.net] = true
		}
	}
	return read
}

// compareCuts returns the outputs in which two netlists with the same ports differ. If abc gave no verdict, the
// result told is false.
func compareCuts(ctx context.Context, engine *cec.Engine, want, got *netlist.Netlist) (differ []int, told bool,
	err error,
) {
	inputs := len(want.InputPorts()[0].Nets)
	samples := make([][]uint64, randomWords)
	r := rand.New(rand.NewPCG(1, 2))
	for w := range samples {
		samples[w] = make([]uint64, inputs)
		for i := range samples[w] {
			samples[w][i] = r.Uint64()
		}
	}
	for range maxRounds {
		more, err := differences(ctx, want, got, samples)
		if err != nil {
			return nil, false, err
		}
		differ = slices.Compact(slices.Sorted(slices.Values(append(differ, more...))))
		a, b := without(want, differ), without(got, differ)
		v, _, err := engine.Compare(ctx, cec.Netlist(a), cec.Netlist(b))
		switch {
		case err != nil || v == cec.Undecided:
			return nil, false, err
		case v == cec.Equivalent:
			return differ, true, nil
		}
		x, _, err := engine.Counterexample(ctx, inputs)
		if err != nil {
			return nil, false, err
		}
		samples = [][]uint64{x}
	}
	return nil, false, nil
}

// without returns a netlist with the given bits of the output set to 0.
func without(n *netlist.Netlist, bits []int) *netlist.Netlist {
	if len(bits) == 0 {
		return n
	}
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	var h []netlist.Net
	for i, v := range n.OutputPorts()[0].Nets {
		if _, ok := slices.BinarySearch(bits, i); ok {
			h = append(h, netlist.False)
			continue
		}
		h = append(h, k.To(v))
	}
	k.Output("h", 1, nil, h)
	return k.Netlist()
}

// differences compares two netlists with the same ports on samples. It returns the output bits that differ in some
// sample, in ascending order.
func differences(ctx context.Context, a, b *netlist.Netlist, samples [][]uint64) ([]int, error) {
	s, err := sim.NewBlock(a, 1)
	if err != nil {
		return nil, err
	}
	t, err := sim.NewBlock(b, 1)
	if err != nil {
		return nil, err
	}
	differ := make([]bool, len(a.OutputPorts()[0].Nets))
	for _, x := range samples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.Run(1, x); err != nil {
			return nil, err
		}
		if err := t.Run(1, x); err != nil {
			return nil, err
		}
		for i, v := range a.OutputPorts()[0].Nets {
			differ[i] = differ[i] || s.Net(v)[0] != t.Net(b.OutputPorts()[0].Nets[i])[0]
		}
	}
	var list []int
	for i, d := range differ {
		if d {
			list = append(list, i)
		}
	}
	return list, nil
}

// whole returns both sides as functions of the data inputs. The output has the given wires.
func (p *pair) whole(wires []wire) (want, got *netlist.Netlist) {
	b := newBuilder(p.g, "file")
	for i, v := range b.Input("x", len(p.inputs), 1, nil) {
		b.net[p.at[i].variable()] = v
	}
	n := netlist.NewBuilder("netlist")
	n.Ties(p.n.Ties())
	to := make([]netlist.Net, p.n.Nets())
	to[netlist.True] = netlist.True
	for i, v := range n.Input("x", len(p.inputs), 1, nil) {
		to[p.inputs[i]] = v
	}
	for c := range netlist.Cell(p.n.Cells()) {
		copy(to[p.n.Output(c):], addCell(n, p.n, c, to))
	}
	var h, k []netlist.Net
	for _, w := range wires {
		h, k = append(h, to[w.net]), append(k, b.build(w.at))
	}
	n.Output("h", 1, nil, h)
	b.Output("h", 1, nil, k)
	return lowering.Functions(n.Netlist()), b.Netlist()
}

// search simulates samples and looks for a sample in which an output or a probe differs. If there is such a sample,
// search puts it into the result and returns true.
func (p *pair) search(ctx context.Context, samples [][]uint64, r *Result) (found bool, err error) {
	want, got := p.whole(p.wires[:p.shown])
	for _, x := range samples {
		differ, err := differences(ctx, want, got, [][]uint64{x})
		if err != nil {
			return false, err
		}
		if len(differ) > 0 {
			return true, p.show(ctx, want, got, x, r)
		}
	}
	return false, nil
}

// show finds one sample of a word in which an output or a probe differs, and puts this sample into the result.
func (p *pair) show(ctx context.Context, want, got *netlist.Netlist, x []uint64, r *Result) error {
	one := make([]uint64, len(x))
	for lane := range 64 {
		for i := range x {
			one[i] = -(x[i] >> lane & 1)
		}
		differ, err := differences(ctx, want, got, [][]uint64{one})
		if err != nil {
			return err
		}
		if len(differ) == 0 {
			continue
		}
		r.Verdict, r.Counterexample = cec.Different, []int{}
		r.Reason = "the Verilog differs in " + p.wires[differ[0]].name
		for i, v := range one {
			if v != 0 {
				r.Counterexample = append(r.Counterexample, i)
			}
		}
		return nil
	}
	panic("readback: a word of samples that differs has no sample that does")
}

// replay tries abc's last counterexample on outputs and probes.
func (p *pair) replay(ctx context.Context, engine *cec.Engine, r *Result) (found bool, err error) {
	x, _, err := engine.Counterexample(ctx, len(p.inputs))
	if err != nil {
		return false, err
	}
	for i := range x {
		x[i] = -x[i] // copy the bit to all samples of the word
	}
	return p.search(ctx, [][]uint64{x}, r)
}

// expose asks abc about outputs and probes alone, as functions of the inputs. It is used if a wire differs but
// possibly no output depends on that wire. If no difference is found, the reason for the verdict begins with the
// argument why.
func (p *pair) expose(ctx context.Context, engine *cec.Engine, o Options, why string, r *Result) error {
	engine.Limit = min(o.Limit, exposeLimit)
	defer func() { engine.Limit = o.Limit }()
	want, got := p.whole(p.wires[:p.shown])
	v, _, err := engine.Compare(ctx, cec.Netlist(want), cec.Netlist(got))
	switch {
	case err != nil:
		return err
	case v == cec.Equivalent:
		r.Verdict, r.Differ = cec.Equivalent, nil
		return nil
	case v == cec.Different:
		if found, err := p.replay(ctx, engine, r); found || err != nil {
			return err
		}
	}
	r.Reason = why + "; no input was found for which an output or a count does"
	return nil
}
