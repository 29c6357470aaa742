package verify_test

import (
	"bytes"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// TestVectors compares the vectors of the trainer's forward pass with the vectors of the simulator. It compares them
// in every scope, with counts and with registers. The samples fill more than one word.
func TestVectors(t *testing.T) {
	f := netgen.Model(netgen.ModelOptions{Seed: 3, Features: 6, BitsIn: 8, Width: 40, Depth: 3, Classes: 10}).Freeze()
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		for _, samples := range []int{1, 64, 130} {
			d := verifytest.NewDesign(t, f, scope, 2)
			if scope != netlist.Gates {
				d = verifytest.WithCounts(t, d)
			}
			want, err := verify.ExpectedVectors(f, d.Raw, 0, verify.RandomSamples(&f.Encoder, 200), samples)
			if err != nil {
				t.Fatal(err)
			}
			for _, product := range []*netlist.Netlist{
				d.Product,
				verifytest.Pipelined(t, d, pipeline.Options{Stages: 2}).Product,
			} {
				got, err := verify.SimulatedVectors(product, *want)
				if err != nil {
					t.Fatal(err)
				}
				var a, b bytes.Buffer
				if err := verilog.WriteVectors(&a, product, *want); err != nil {
					t.Fatal(err)
				}
				if err := verilog.WriteVectors(&b, product, *got); err != nil {
					t.Fatal(err)
				}
				if a.String() != b.String() || bytes.Count(a.Bytes(), []byte("\n")) != samples {
					t.Errorf("scope %v, %d samples: the simulator gives\n%.300s\nthe trainer\n%.300s", scope, samples, b.String(),
						a.String())
				}
			}
		}
	}
}

// TestRandomSamples checks that random samples contain words above the largest word of the data, and that every call
// returns the same samples.
func TestRandomSamples(t *testing.T) {
	f := netgen.Model(netgen.ModelOptions{Seed: 3, Features: 6, BitsIn: 8, Width: 40, Depth: 3, Classes: 10}).Freeze()
	a, b := verify.RandomSamples(&f.Encoder, 50), verify.RandomSamples(&f.Encoder, 50)
	seen, row, again := map[uint16]bool{}, make([]uint16, 6), make([]uint16, 6)
	for i := range 50 {
		a.Words.Values(row, i)
		b.Words.Values(again, i)
		for f, v := range row {
			if v != again[f] {
				t.Fatal("the words of another run differ")
			}
			seen[v>>6] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("the quarters of a word's range that come are %v", seen)
	}
}
