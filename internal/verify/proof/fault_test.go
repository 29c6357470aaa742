package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
	"ialgn/sim"
)

// TestGateFaults breaks tables and anchors (inputs) of gates at random places. If the samples show a fault, the
// software level must find it and name the gate. Otherwise the proof must find the fault, unless the circuits are
// equal. The short tests break the tables of some netlists and the anchors of the others, in turn. The long tests
// break both in every scope, with and without optimisation.
func TestGateFaults(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := verifytest.Small(21)
	s := verifytest.RandomSamples(f, 300)
	for i, anchor := range []bool{false, true} {
		for j, scope := range verifytest.Scopes {
			for level := 0; level < 3; level += 2 {
				if !testkit.Whole() && (i+j+level/2)%2 > 0 {
					continue
				}
				d := verifytest.NewDesign(t, f, scope, level)
				t.Run(fmt.Sprintf("anchor=%v/%v/O%d", anchor, scope, level), func(t *testing.T) {
					t.Parallel()
					gateFaults(t, d, s, anchor)
				})
			}
		}
	}
}

func gateFaults(t *testing.T, d verify.Design, s verify.Samples, anchor bool) {
	x, err := s.Rows(&d.Model.Encoder, d.Product.InputPorts()[0])
	if err != nil {
		t.Fatal(err)
	}
	sound, want := d.Product, verifytest.OutputsOf(t, d.Product, x, s.Levels.Len())
	r := rand.New(rand.NewPCG(4, 4))
	found, hidden := 0, 0
	for range 40 {
		broken, c := verifytest.BreakGate(r, sound, anchor)
		if broken.Validate() != nil || verifytest.EquivalentInput(sound, broken, c) {
			continue
		}
		d.Product = broken
		visible := verifytest.OutputsOf(t, broken, x, s.Levels.Len()) != want
		got, err := software.Check(t.Context(), d, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case (got.Mismatches > 0) != visible:
			t.Fatalf("cell %d broken: %d mismatches, visible %v", c, got.Mismatches, visible)
		case visible:
			found++
			named(t, sound, c, got.Findings)
		case hidden < 4:
			hidden++
			proveFault(t, d, c)
		}
	}
	if found < 10 {
		t.Errorf("only %d of 40 faults show in the samples", found)
	}
}

// named checks that the mismatches name a sample and the gate of cell c.
func named(t *testing.T, n *netlist.Netlist, c netlist.Cell, f verify.Findings) {
	t.Helper()
	o := n.Origin(c)
	if len(f.First) == 0 || len(f.First) != min(f.Mismatches, verify.Shown) {
		t.Fatalf("%d mismatches, %d listed", f.Mismatches, len(f.First))
	}
	for _, m := range f.First {
		if m.Layer != int(o.Layer) || m.Gate != int(o.Chain) || m.Sample < 0 {
			t.Errorf("cell %d, %+v, is broken, named is %+v", c, o, m)
		}
	}
}

// proveFault checks the result of the proof for a fault that no sample shows.
func proveFault(t *testing.T, d verify.Design, c netlist.Cell) {
	t.Helper()
	r, err := Check(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case r.Verdict == different && r.Counterexample != nil:
		replays(t, d, r)
		if m := r.First[0]; m.Layer != int(d.Product.Origin(c).Layer) || m.Gate != int(d.Product.Origin(c).Chain) {
			t.Errorf("cell %d, %+v, is broken, named is %+v", c, d.Product.Origin(c), m)
		}
	case r.Verdict == equivalent:
		diff, err := verify.RandomStimuli(len(d.Raw.InputPorts()[0].Nets)).Compare(t.Context(), d.Raw, d.Product)
		if err != nil || diff != nil {
			t.Errorf("cell %d broken: called equivalent, but %v (%v)", c, diff, err)
		}
	case r.Verdict != unproved || r.Reason == "":
		t.Errorf("cell %d broken: %+v", c, r)
	}
}

// replays checks that the model's own forward pass and the optimised netlist differ on the reported counterexample.
// For a full design, the counterexample is used only if its bits form thermometer codes, because a proof about gates
// also covers other inputs.
func replays(t *testing.T, d verify.Design, r *Result) {
	t.Helper()
	if len(d.Product.InputPorts()[0].Nets) != d.Model.Inputs() || d.Product.InputPorts()[0].Word != 1 {
		return
	}
	x := make([]uint64, d.Model.Inputs())
	for _, bit := range r.Counterexample {
		x[bit] = 1
	}
	e := model.NewEvaluator(d.Model)
	e.Run(x, 1, nil)
	want := make([]int32, len(d.Model.Classes))
	e.Counts(want, 1)
	c, err := sim.NewClassifier(d.Product, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Classify(t.Context(), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(got.Counts, want) && len(d.Product.Probes()) > 0 {
		t.Errorf("counterexample %v: both count %v", r.Counterexample, want)
	}
}

// TestUnseenFault breaks a bit of a table that no sample reaches. The software level must pass and the proof must
// fail.
func TestUnseenFault(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := verifytest.Small(22)
	s := verifytest.RandomSamples(f, 60)
	for _, scope := range verifytest.Scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			d := verifytest.NewDesign(t, f, scope, 2)
			sound, r := d.Product, rand.New(rand.NewPCG(6, 6))
			x, err := s.Rows(&f.Encoder, sound.InputPorts()[0])
			if err != nil {
				t.Fatal(err)
			}
			want := verifytest.OutputsOf(t, sound, x, 60)
			found := 0
			for try := 0; found < 3; try++ {
				if try == 3000 {
					t.Fatal("no fault that no sample shows but the proof does")
				}
				cells := verifytest.CellsOf(sound, netlist.Function)
				c := cells[r.IntN(len(cells))]
				in := sound.Inputs(c)
				d.Product = verifytest.Rewire(sound, c, sound.Param(c)^1<<r.IntN(1<<len(in)), in...)
				if verifytest.OutputsOf(t, d.Product, x, 60) != want {
					continue
				}
				if soft, err := software.Check(t.Context(), d, s, 1); err != nil || soft.Mismatches > 0 {
					t.Fatalf("software: %+v, %v", soft, err)
				}
				got, err := Check(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				if got.Verdict == equivalent {
					continue // no input selects this bit of the table
				}
				found++
				if got.Verdict != different || got.Proved || got.Mismatches == 0 {
					t.Fatalf("formal: %+v", got)
				}
				replays(t, d, got)
				if m, o := got.First[0], sound.Origin(c); m.Layer != int(o.Layer) || m.Gate != int(o.Chain) {
					t.Errorf("%+v is broken, named is %v", o, m)
				}
			}
		})
	}
}
