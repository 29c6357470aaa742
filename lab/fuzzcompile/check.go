package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"ialgn/internal/encoding"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/internal/verify/software"
	"ialgn/netlist"
	"ialgn/sim"
)

// mismatch is the error for a wrong product.
type mismatch struct{ what string }

func (m *mismatch) Error() string { return m.what }

// undecided is the error for a proof that abc did not finish in time. The product may still be right.
type undecided struct{ what string }

func (u *undecided) Error() string { return u.what }

// depth says which checks a case gets in addition to the check with ialgn's simulator.
type depth struct{ formal, reference, rtl, synth, around, program bool }

// check compares a compiled product with its network.
func (c fuzzCase) check(ctx context.Context, d verify.Design, o options, r *rand.Rand) error {
	s := drawSamples(r, &d.Model.Encoder, 256)
	soft, err := software.Check(ctx, d, s, 1)
	if err != nil {
		return fmt.Errorf("software: %w", err)
	}
	if soft.Mismatches > 0 {
		return &mismatch{"software: " + soft.First[0].String()}
	}
	if err := compareNetlists(d, r); err != nil {
		return err
	}
	for _, check := range []struct {
		wanted bool
		run    func() error
	}{
		{c.deep.reference, func() error { return c.refer(ctx, d, o) }},
		{c.deep.formal, func() error { return proved(proof.Check(ctx, d)) }},
		{c.deep.rtl, func() error { return o.simulate(ctx, d, s) }},
		{c.deep.around, func() error { return c.checkAround(ctx, d, o, s) }},
		{c.deep.program && c.program != "" && c.verifiable(), func() error { return c.runProgram(ctx, o) }},
		{c.deep.synth, func() error { return o.synthesise(ctx, d, s, o.flow(c.seed)) }},
	} {
		if !check.wanted {
			continue
		}
		if err := check.run(); err != nil {
			return err
		}
	}
	return nil
}

// proved returns an error unless everything was proved.
func proved(p *proof.Result, err error) error {
	if err != nil {
		return fmt.Errorf("formal: %w", err)
	}
	if strings.HasPrefix(p.Reason, "abc gave no verdict") {
		return &undecided{"formal: " + p.Reason}
	}
	if !p.Proved {
		return &mismatch{fmt.Sprintf("formal: %s %s %v", p.Verdict, p.Reason, p.First)}
	}
	return nil
}

// drawSamples draws samples. Their words are often at the ends of the range or next to thresholds. All words of the
// first sample are 0. All words of the second sample have the largest value.
func drawSamples(r *rand.Rand, e *encoding.Encoder, n int) verify.Samples {
	s := verify.Samples{
		Levels: encoding.NewPacked(e.Features(), e.LevelBits()),
		Words:  encoding.NewPacked(e.Features(), e.BitsIn),
	}
	word, level := make([]uint16, e.Features()), make([]uint16, e.Features())
	for k := range n {
		kind := r.IntN(3)
		for i := range word {
			switch word[i] = uint16(r.IntN(int(e.Max) + 1)); {
			case k == 0:
				word[i] = 0
			case k == 1:
				word[i] = uint16(e.Max)
			case kind == 0:
				t := e.Thresholds[i]
				word[i] = uint16(min(int(t[r.IntN(len(t))])+r.IntN(2), int(e.Max)))
			case kind == 1:
				word[i] = uint16(r.IntN(2) * int(e.Max))
			}
		}
		e.Levels(level, word)
		s.Words.Append(word, 0)
		s.Levels.Append(level, 0)
	}
	return s
}

// freeWords is the number of words of 64 samples that compareNetlists tries.
const freeWords = 8

// compareNetlists compares the raw netlist with the product on random bits. It compares all bits of outputs and
// probes. Registers count as wires.
func compareNetlists(d verify.Design, r *rand.Rand) error {
	product, _, err := netlist.Transparent(d.Product)
	if err != nil {
		return &mismatch{"pipeline: " + err.Error()}
	}
	x := freeRows(d, r)
	want, err := run(d.Raw, x)
	if err != nil {
		return err
	}
	got, err := run(product, x)
	if err != nil {
		return &mismatch{"product: " + err.Error()}
	}
	for _, p := range append(d.Raw.OutputPorts(), d.Raw.Probes()...) {
		a, err := want.Output(p.Name)
		if err != nil {
			return err
		}
		b, err := got.Output(p.Name)
		if err != nil || len(a) != len(b) {
			return &mismatch{fmt.Sprintf("%s: %d words, the raw netlist has %d (%v)", p.Name, len(b), len(a), err)}
		}
		for i := range a {
			if a[i] != b[i] {
				return &mismatch{fmt.Sprintf("%s[%d]: differs on free inputs", p.Name, i/freeWords)}
			}
		}
	}
	return nil
}

func run(n *netlist.Netlist, x []uint64) (*sim.Simulator, error) {
	s, err := sim.NewBlock(n, freeWords)
	if err != nil {
		return nil, err
	}
	return s, s.Run(freeWords, x)
}

// freeRows draws the bits of the input port. The share of ones changes from word to word. It is 1/2, 1/4, 3/4, 1/16
// or 15/16. The bits are valid thermometer codes only if the product assumes this.
func freeRows(d verify.Design, r *rand.Rand) []uint64 {
	x := d.Raw.DataInputs()[0]
	rows := make([]uint64, len(x.Nets)*freeWords)
	for i := range rows {
		sparse := r.Uint64() & r.Uint64()
		switch w := i % freeWords % 5; {
		case w == 0:
			sparse = r.Uint64()
		case w >= 3:
			sparse &= r.Uint64() & r.Uint64()
		}
		if w := i % freeWords % 5; w == 2 || w == 4 {
			sparse = ^sparse
		}
		rows[i] = sparse
	}
	if d.Assumed {
		order(rows, d.Model.Encoder.Bits-1)
	}
	return rows
}

// order turns rows into thermometer codes of features with the given number of bits.
func order(rows []uint64, bits int) {
	for i := freeWords; i < len(rows); i++ {
		if i/freeWords%bits > 0 {
			rows[i] &= rows[i-freeWords]
		}
	}
}
