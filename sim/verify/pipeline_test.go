package verify

import (
	"math/rand/v2"
	"testing"

	"ialgn/compiler/pipeline"
	"ialgn/netlist"
)

// pipelined returns a design whose product has registers.
func pipelined(t *testing.T, d Design, o pipeline.Options) Design {
	t.Helper()
	p, r, err := pipeline.Insert(d.Product, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stages == 0 {
		t.Fatal("no registers")
	}
	d.Product = p
	return d
}

// TestPipelineSoftware clocks sound pipelines, and some with a broken gate, which is named.
func TestPipelineSoftware(t *testing.T) {
	f := small(61)
	s := randomSamples(f, 3000)
	for _, scope := range scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			plain := newDesign(t, f, scope, 2)
			for _, o := range []pipeline.Options{{Stages: 1}, {Stages: 4}, {Auto: true, MaxLevels: 1}} {
				d := pipelined(t, plain, o)
				r, err := d.Software(t.Context(), s, 2)
				if err != nil || r.Mismatches > 0 || r.Checked != 3000 {
					t.Errorf("%+v: %+v, %v", o, r, err)
				}
			}
			r := rand.New(rand.NewPCG(9, uint64(scope)))
			for found := 0; found < 3; {
				d := plain
				var c netlist.Cell
				d.Product, c = breakGate(r, plain.Product, r.IntN(2) == 0)
				want, err := d.Software(t.Context(), s, 2)
				if err != nil {
					t.Fatal(err)
				}
				if want.Mismatches == 0 {
					continue
				}
				found++
				got, err := pipelined(t, d, pipeline.Options{Stages: 2}).Software(t.Context(), s, 2)
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
