package software

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
	"ialgn/sim"
)

// TestRawFaults breaks the raw netlist and checks that the fault is found. A fault in freezing would have the same
// effect.
func TestRawFaults(t *testing.T) {
	f := verifytest.Small(23)
	s := verifytest.RandomSamples(f, 300)
	r := rand.New(rand.NewPCG(7, 7))
	for _, scope := range verifytest.Scopes {
		sound := verifytest.NewDesign(t, f, scope, 2)
		for range 20 {
			d := sound
			var c netlist.Cell
			for c = 0; d.Raw == sound.Raw || verifytest.EquivalentInput(sound.Raw, d.Raw, c) || d.Raw.Validate() != nil; {
				d.Raw, c = verifytest.BreakGate(r, sound.Raw, r.IntN(2) == 0)
			}
			got, err := Check(t.Context(), d, s, 1)
			if err != nil {
				t.Fatal(err)
			}
			firstWrong(t, d, s, c, got)
		}
	}
}

// firstWrong checks the mismatches of a raw netlist in which cell c is broken. If a sample shows the fault, the first
// mismatch must be in the gate of c.
func firstWrong(t *testing.T, d verify.Design, s verify.Samples, c netlist.Cell, got *Result) {
	t.Helper()
	o := d.Raw.Origin(c)
	if got.Mismatches == 0 {
		x, err := s.Rows(&d.Model.Encoder, d.Raw.InputPorts()[0])
		if err != nil {
			t.Fatal(err)
		}
		one, err := sim.NewBlock(d.Raw, 16)
		if err != nil {
			t.Fatal(err)
		}
		if err := one.Run(5, x); err != nil {
			t.Fatal(err)
		}
		want := wantBit(d, s, o)
		for w, got := range one.Net(d.Raw.Output(c)) {
			if (got^want[w])&verify.Mask(300-64*w) != 0 {
				t.Errorf("%+v is broken in word %d, nothing found", o, w)
			}
		}
		return
	}
	m := got.First[0]
	if m.Layer != int(o.Layer) || m.Gate != int(o.Chain) || m.Sample < 0 || !strings.Contains(m.What, "raw netlist") {
		t.Errorf("%+v is broken, named is %v", o, m)
	}
}

// wantBit returns the trainer's bits of a gate.
func wantBit(d verify.Design, s verify.Samples, o netlist.Origin) (bits []uint64) {
	words := (s.Levels.Len() + 63) / 64
	x := s.Thermometer(&d.Model.Encoder, words, verify.Consecutive(0, s.Levels.Len()))
	model.NewEvaluator(d.Model).Run(x, words, func(layer int, h []uint64) {
		if layer+1 == int(o.Layer) {
			bits = slices.Clone(h[int(o.Chain)*words:][:words])
		}
	})
	return bits
}

// TestUncertain compares the output uncertain of random networks with the trainer's counts, for several margins and
// ways of lowering. It must find a netlist that has another margin.
func TestUncertain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	for i, classes := range []int{2, 3, 5, 10} {
		const chains = 9
		f := netgen.Model(netgen.ModelOptions{
			Seed: uint64(classes), Features: 9, Width: chains * classes, Depth: 4, Classes: classes,
		}).Freeze()
		s := verifytest.RandomSamples(f, 500)
		for j, family := range []string{"", "generic", "generic", "ice40"} {
			scope, margin, k := verifytest.Scopes[1+(i+j)%2], 1+r.IntN(chains), []int{0, 4, 6, 4}[j]
			if j == i { // with a small margin, random samples have leads of this size
				margin = 1 + r.IntN(3)
			}
			d := verifytest.UncertainDesign(t, f, scope, margin, family, k)
			if got, err := Check(t.Context(), d, s, 1); err != nil || got.Mismatches > 0 {
				t.Errorf("%d classes, %q, K = %d, margin %d: %+v, %v", classes, family, k, margin, got, err)
			}
			if d.Margin = margin + 1; j == i {
				if got, err := Check(t.Context(), d, s, 1); err != nil || got.Mismatches == 0 {
					t.Errorf("%d classes: margin %d passes for margin %d: %+v, %v", classes, margin, d.Margin, got, err)
				}
			}
			if d.Margin = 0; j == i {
				if got, err := Check(t.Context(), d, s, 1); err != nil || got.Mismatches == 0 {
					t.Errorf("%d classes: an output without a margin passes: %+v, %v", classes, got, err)
				}
			}
		}
	}
}

// TestPipelineSoftware simulates sound pipelines and pipelines with a broken gate. The check must name the broken
// gate.
func TestPipelineSoftware(t *testing.T) {
	f := verifytest.Small(61)
	s := verifytest.RandomSamples(f, 3000)
	for _, scope := range verifytest.Scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			plain := verifytest.NewDesign(t, f, scope, 2)
			for _, o := range []pipeline.Options{{Stages: 1}, {Stages: 4}, {Auto: true, MaxLevels: 1}} {
				d := verifytest.Pipelined(t, plain, o)
				r, err := Check(t.Context(), d, s, 2)
				if err != nil || r.Mismatches > 0 || r.Checked != 3000 {
					t.Errorf("%+v: %+v, %v", o, r, err)
				}
			}
			r := rand.New(rand.NewPCG(9, uint64(scope)))
			for found := 0; found < 3; {
				d := plain
				var c netlist.Cell
				d.Product, c = verifytest.BreakGate(r, plain.Product, r.IntN(2) == 0)
				want, err := Check(t.Context(), d, s, 2)
				if err != nil {
					t.Fatal(err)
				}
				if want.Mismatches == 0 {
					continue
				}
				found++
				got, err := Check(t.Context(), verifytest.Pipelined(t, d, pipeline.Options{Stages: 2}), s, 2)
				if err != nil || got.Mismatches != want.Mismatches {
					t.Fatalf("cell %d is broken: %+v, want %+v, %v", c, got, want, err)
				}
				if got.First[0] != want.First[0] {
					t.Errorf("cell %d is broken: %v, without registers %v", c, got.First[0], want.First[0])
				}
			}
		})
	}
}
