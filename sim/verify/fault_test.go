package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/trainer/model"
)

// outputsOf simulates a netlist over all samples and returns the values of its ports
// and probes, so that tests know what a fault shows without this package's comparisons.
func outputsOf(t *testing.T, n *netlist.Netlist, x []uint64, samples int) string {
	t.Helper()
	c, err := sim.NewClassifier(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Classify(t.Context(), x, samples)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Class, r.Counts)
}

// breakGate returns n with another table, or with another net for one input, in one
// function cell drawn at random.
func breakGate(r *rand.Rand, n *netlist.Netlist, anchor bool) (*netlist.Netlist, netlist.Cell) {
	cells := cellsOf(n, netlist.Function)
	c := cells[r.IntN(len(cells))]
	in, table := slices.Clone(n.Inputs(c)), n.Param(c)
	if anchor {
		in[r.IntN(len(in))] = netlist.Net(2 + r.IntN(int(n.Output(c))-2))
	} else {
		table ^= 1 + r.Uint64N(1<<(1<<len(in))-1)
	}
	return rewire(n, c, table, in...), c
}

// TestGateFaults breaks tables and anchors at random places. Where the samples show it
// the software level finds it and names the gate; where they do not, the proof finds
// it, or the circuits are equal.
func TestGateFaults(t *testing.T) {
	needs(t, "abc")
	f := small(21)
	s := randomSamples(f, 300)
	for _, anchor := range []bool{false, true} {
		for _, scope := range scopes {
			for level := 0; level < 3; level += 2 {
				d := newDesign(t, f, scope, level)
				t.Run(fmt.Sprintf("anchor=%v/%v/O%d", anchor, scope, level), func(t *testing.T) {
					t.Parallel()
					gateFaults(t, d, s, anchor)
				})
			}
		}
	}
}

func gateFaults(t *testing.T, d Design, s Samples, anchor bool) {
	x, err := s.Rows(&d.Model.Encoder, d.Product.InputPorts()[0])
	if err != nil {
		t.Fatal(err)
	}
	sound, want := d.Product, outputsOf(t, d.Product, x, s.Levels.Len())
	r := rand.New(rand.NewPCG(4, 4))
	found, hidden := 0, 0
	for range 40 {
		broken, c := breakGate(r, sound, anchor)
		if broken.Validate() != nil || equivalentInput(sound, broken, c) {
			continue
		}
		d.Product = broken
		visible := outputsOf(t, broken, x, s.Levels.Len()) != want
		got, err := d.Software(t.Context(), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case (got.Mismatches > 0) != visible:
			t.Fatalf("cell %d broken: %d mismatches, visible %v", c, got.Mismatches, visible)
		case visible:
			found++
			named(t, sound, c, got.findings)
		case hidden < 4:
			hidden++
			proveFault(t, d, c)
		}
	}
	if found < 10 {
		t.Errorf("only %d of 40 faults show in the samples", found)
	}
}

// equivalentInput says whether the broken cell is the sound one after all.
func equivalentInput(sound, broken *netlist.Netlist, c netlist.Cell) bool {
	return sound.Param(c) == broken.Param(c) && slices.Equal(sound.Inputs(c), broken.Inputs(c))
}

// named checks that the mismatches name samples and the gate of cell c.
func named(t *testing.T, n *netlist.Netlist, c netlist.Cell, f findings) {
	t.Helper()
	o := n.Origin(c)
	if len(f.First) == 0 || len(f.First) != min(f.Mismatches, shown) {
		t.Fatalf("%d mismatches, %d listed", f.Mismatches, len(f.First))
	}
	for _, m := range f.First {
		if m.Layer != int(o.Layer) || m.Gate != int(o.Chain) || m.Sample < 0 {
			t.Errorf("cell %d, %+v, is broken, named is %+v", c, o, m)
		}
	}
}

// proveFault checks what the proof says of a fault that no sample shows.
func proveFault(t *testing.T, d Design, c netlist.Cell) {
	t.Helper()
	r, err := d.Formal(t.Context())
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
		diff, err := random(len(d.Raw.InputPorts()[0].Nets)).compare(t.Context(), d.Raw, d.Product)
		if err != nil || diff != nil {
			t.Errorf("cell %d broken: called equivalent, but %v (%v)", c, diff, err)
		}
	case r.Verdict != unproved || r.Reason == "":
		t.Errorf("cell %d broken: %+v", c, r)
	}
}

// replays checks that the reported counterexample tells the model's own forward pass
// from the optimised netlist. A full design is fed where the bits are a thermometer
// code: a proof about gates is for other inputs too.
func replays(t *testing.T, d Design, r *FormalResult) {
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

// TestUnseenFault breaks a bit of a table that no sample reaches: the software level
// passes and the proof does not.
func TestUnseenFault(t *testing.T) {
	needs(t, "abc")
	f := small(22)
	s := randomSamples(f, 60)
	for _, scope := range scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			d := newDesign(t, f, scope, 2)
			sound, r := d.Product, rand.New(rand.NewPCG(6, 6))
			x, err := s.Rows(&f.Encoder, sound.InputPorts()[0])
			if err != nil {
				t.Fatal(err)
			}
			want := outputsOf(t, sound, x, 60)
			found := 0
			for try := 0; found < 3; try++ {
				if try == 3000 {
					t.Fatal("no fault that no sample shows but the proof does")
				}
				cells := cellsOf(sound, netlist.Function)
				c := cells[r.IntN(len(cells))]
				in := sound.Inputs(c)
				d.Product = rewire(sound, c, sound.Param(c)^1<<r.IntN(1<<len(in)), in...)
				if outputsOf(t, d.Product, x, 60) != want {
					continue
				}
				if soft, err := d.Software(t.Context(), s, 1); err != nil || soft.Mismatches > 0 {
					t.Fatalf("software: %+v, %v", soft, err)
				}
				got, err := d.Formal(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got.Verdict == equivalent {
					continue // the bit is out of reach for every input
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

// TestRawFaults breaks the raw netlist: what a wrong freezing would give.
func TestRawFaults(t *testing.T) {
	f := small(23)
	s := randomSamples(f, 300)
	r := rand.New(rand.NewPCG(7, 7))
	for _, scope := range scopes {
		sound := newDesign(t, f, scope, 2)
		for range 20 {
			d := sound
			var c netlist.Cell
			for c = 0; d.Raw == sound.Raw || equivalentInput(sound.Raw, d.Raw, c) || d.Raw.Validate() != nil; {
				d.Raw, c = breakGate(r, sound.Raw, r.IntN(2) == 0)
			}
			got, err := d.Software(t.Context(), s, 1)
			if err != nil {
				t.Fatal(err)
			}
			firstWrong(t, d, s, c, got)
		}
	}
}

// firstWrong checks the mismatches of a raw netlist whose cell c is broken: the first
// of them is in that gate, unless no sample shows it.
func firstWrong(t *testing.T, d Design, s Samples, c netlist.Cell, got *SoftwareResult) {
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
			if (got^want[w])&valid(300-64*w) != 0 {
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
func wantBit(d Design, s Samples, o netlist.Origin) (bits []uint64) {
	words := (s.Levels.Len() + 63) / 64
	x := s.thermometer(&d.Model.Encoder, words, consecutive(0, s.Levels.Len()))
	model.NewEvaluator(d.Model).Run(x, words, func(layer int, h []uint64) {
		if layer+1 == int(o.Layer) {
			bits = slices.Clone(h[int(o.Chain)*words:][:words])
		}
	})
	return bits
}
