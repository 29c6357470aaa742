package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/counts"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
	"ialgn/sim"
)

// TestContests compares every contest with an argmax cell of the same margin, on random words with many ties.
func TestContests(t *testing.T) {
	const width = 3
	for _, classes := range []int{2, 3, 5, 10} {
		for margin := range 1 << width {
			a := &counts.Index{Margin: margin}
			var order []uint16
			if margin%2 == 1 {
				for _, class := range netgen.Ties(uint64(margin), classes) {
					order = append(order, uint16(class))
				}
			}
			for c := range classes {
				a.Words = append(a.Words, netlist.Word(netlist.Net(2+c*width), width))
			}
			want := cell(a, order)
			for _, s := range contestsOf(margin) {
				if got := s.netlist(a, want.Contender); !agree(t, got, want, classes*width) {
					t.Errorf("%d classes, contest %+v: another result than the argmax", classes, s)
				}
			}
		}
	}
}

// cell returns a netlist with an argmax cell, with the ports of [contest.netlist].
func cell(a *counts.Index, order []uint16) *netlist.Netlist {
	b := netlist.NewBuilder("argmax")
	b.Ties(order)
	width := len(a.Words[0])
	x := b.Input("x", width*len(a.Words), 1, nil)
	first := b.Cell(netlist.Argmax, netlist.ArgmaxParam(width, a.Margin), netlist.Origin{}, x...)
	b.Output("h", 1, nil, netlist.Word(first, netlist.ClassBits(len(a.Words))+min(a.Margin, 1)))
	return b.Netlist()
}

// agree reports whether the first outputs of two netlists are equal on random samples.
func agree(t *testing.T, a, b *netlist.Netlist, inputs int) bool {
	t.Helper()
	const words = 8
	r := rand.New(rand.NewPCG(1, uint64(inputs)))
	x := make([]uint64, inputs*words)
	for i := range x {
		x[i] = r.Uint64()
	}
	var rows [2][]uint64
	for side, n := range []*netlist.Netlist{a, b} {
		s, err := sim.NewBlock(n, words)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(words, x); err != nil {
			t.Fatal(err)
		}
		rows[side] = s.Port(n.OutputPorts()[0], nil)
	}
	return fmt.Sprint(rows[0]) == fmt.Sprint(rows[1])
}

// uncertainDesigns returns designs with an output uncertain: not lowered, lowered to LUTs of 4 and 6 inputs, with
// carries, and with registers.
func uncertainDesigns(t *testing.T, margin int) map[string]verify.Design {
	t.Helper()
	f := verifytest.Small(1)
	return map[string]verify.Design{
		"raw":   verifytest.UncertainDesign(t, f, netlist.Core, margin, "", 0),
		"lut 4": verifytest.UncertainDesign(t, f, netlist.Full, margin, "generic", 4),
		"lut 6": verifytest.UncertainDesign(t, f, netlist.Core, margin, "generic", 6),
		"ice40": verifytest.UncertainDesign(t, f, netlist.Core, margin, "ice40", 4, pipeline.Options{Stages: 3}),
	}
}

// TestUncertain proves designs with an output uncertain, in parts and from end to end.
func TestUncertain(t *testing.T) {
	verifytest.Needs(t, "abc")
	reference := specified(t, netgen.Model(netgen.ModelOptions{Seed: 1, Features: 9, Width: 36, Depth: 6}), netlist.Core)
	for _, margin := range []int{1, 3, 12} {
		for name, d := range uncertainDesigns(t, margin) {
			t.Run(fmt.Sprintf("%s/margin %d", name, margin), func(t *testing.T) {
				t.Parallel()
				d.Spec = reference.Spec
				r, err := Check(t.Context(), d)
				if err != nil || !r.Proved || r.EndToEnd != equivalent {
					t.Errorf("%+v, %v", r, err)
				}
			})
		}
	}
}

// TestUncertainFaults makes products whose output uncertain is wrong. Every check must find it, and the proof must show
// an input.
func TestUncertainFaults(t *testing.T) {
	verifytest.Needs(t, "abc")
	const margin = 3
	f := verifytest.Small(1)
	s := verifytest.RandomSamples(f, 300)
	for _, fault := range []struct {
		name  string
		broke func(d *verify.Design, of func(margin int) verify.Design)
	}{
		{"a margin that is too small", func(d *verify.Design, of func(int) verify.Design) { other(d, of(margin-1)) }},
		{"a margin that is too large", func(d *verify.Design, of func(int) verify.Design) { other(d, of(margin+1)) }},
		{"ties that are certain", func(d *verify.Design, _ func(int) verify.Design) { certainTies(d) }},
		{"never uncertain", func(d *verify.Design, _ func(int) verify.Design) {
			d.Product = redirect(d.Product, netlist.UncertainPort, func(v []netlist.Net) { v[0] = netlist.False })
		}},
		{"always uncertain", func(d *verify.Design, _ func(int) verify.Design) {
			d.Product = redirect(d.Product, netlist.UncertainPort, func(v []netlist.Net) { v[0] = netlist.True })
		}},
		{"a digit of a count", func(d *verify.Design, _ func(int) verify.Design) {
			count := d.Product.Probes()[0].Nets
			d.Product = redirect(d.Product, netlist.UncertainPort, func(v []netlist.Net) { v[0] = count[0] })
		}},
	} {
		for _, k := range []int{4, 6} {
			t.Run(fmt.Sprintf("%s/lut %d", fault.name, k), func(t *testing.T) {
				t.Parallel()
				of := func(margin int) verify.Design {
					return verifytest.UncertainDesign(t, f, netlist.Core, margin, "generic", k)
				}
				d := of(margin)
				fault.broke(&d, of)
				found, err := software.Check(t.Context(), d, s, 1)
				if err != nil || !slices.ContainsFunc(found.First, func(m verify.Mismatch) bool {
					return m.Sample >= 0 && strings.Contains(m.What, "optimised netlist: uncertain[0] is")
				}) {
					t.Errorf("software: %+v, %v", found, err)
				}
				r, err := Check(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				if r.Proved || r.Verdict != different || r.Counterexample == nil ||
					!strings.Contains(r.First[0].What, netlist.UncertainPort) {
					t.Errorf("formal: %+v", r)
				}
			})
		}
	}
}

// other replaces the product by one with another margin, and claims that it has the design's margin.
func other(d *verify.Design, wrong verify.Design) {
	d.Product, d.Hint = wrong.Product, wrong.Hint
	d.Hint.Argmaxs[0].Margin = d.Margin
}

// certainTies makes the output uncertain 0 if two counts are equal.
func certainTies(d *verify.Design) {
	k := netlist.NewCopier(d.Product)
	for c := range netlist.Cell(d.Product.Cells()) {
		k.Copy(c)
	}
	a := d.Hint.Argmaxs[0]
	uncertain := k.To(a.Uncertain)
	for j := range a.Words {
		for i := range j {
			equal := netlist.True
			for digit, v := range a.Words[i] {
				equal = k.Function(0b1001_0000, netlist.Origin{}, k.To(v), k.To(a.Words[j][digit]), equal)
			}
			uncertain = k.Function(0b0010, netlist.Origin{}, uncertain, equal)
		}
	}
	d.Hint = d.Hint.Map(k.To)
	d.Hint.Argmaxs[0].Uncertain = uncertain
	d.Product = k.FinishWith(func(p netlist.Port, v netlist.Net) netlist.Net {
		if p.Name == netlist.UncertainPort {
			return uncertain
		}
		return k.To(v)
	}, func(_ netlist.Port, v netlist.Net) netlist.Net { return k.To(v) })
}
