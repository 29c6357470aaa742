package lut

import (
	"fmt"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/netlist"
)

// TestProof has abc prove that mapped gates compute the same functions as the raw gates. The networks are the network
// named b, networks of long chains, random-wired networks, and a whole classifier.
func TestProof(t *testing.T) {
	if _, err := tool.Find("abc"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name    string
		network netgen.FrozenOptions
		scope   netlist.Scope
		o       Options
	}{
		{"b, LUT6, least area", netgen.Chains("b"), netlist.Gates, Options{K: 6}},
		{"b, LUT4 at 4 levels", netgen.Chains("b"), netlist.Gates, Options{K: 4, MaxDepth: 4}},
		{
			"100 chains of 60 steps, LUT6, least depth", netgen.LongChains(100, 60), netlist.Gates,
			Options{K: 6, Objective: Depth},
		},
		{
			"random wiring, LUT6",
			netgen.FrozenOptions{Topology: netgen.Random, Width: 210, Depth: 8, Features: 60},
			netlist.Gates,
			Options{K: 6},
		},
		{"random wiring, LUT4, least depth", netgen.FrozenOptions{
			Topology: netgen.Random, Width: 210, Depth: 8,
			Features: 60,
		}, netlist.Gates, Options{K: 4, Objective: Depth}},
		{
			"a classifier",
			netgen.FrozenOptions{Width: 90, Depth: 20, Features: 50},
			netlist.Full,
			Options{K: 4, Objective: Balanced},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := netgen.Frozen(1, c.network)
			raw, err := freeze.Network(f, c.scope)
			if err != nil {
				t.Fatal(err)
			}
			n, _, err := exact.Optimise(t.Context(), raw)
			if err != nil {
				t.Fatal(err)
			}
			mapped, _ := must(t, n, c.o)
			r, err := proof.Check(t.Context(), verify.Design{Model: f, Raw: raw, Product: mapped})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Proved {
				t.Errorf("%s: %s (%v)", r.Verdict, r.Reason, r.First)
			}
		})
	}
}

// BenchmarkMap measures only the mapping. It reports the time for each step of a chain.
func BenchmarkMap(b *testing.B) {
	for _, network := range []struct {
		name    string
		options netgen.FrozenOptions
	}{
		{"c", netgen.Chains("c")},
		{"d", netgen.Chains("d")},
		{"500x60", netgen.LongChains(500, 60)},
		{"500x150", netgen.LongChains(500, 150)},
	} {
		var n *netlist.Netlist
		for _, k := range []int{4, 6} {
			for _, o := range objectives {
				b.Run(fmt.Sprintf("network=%s/k=%d/objective=%v", network.name, k, o), func(b *testing.B) {
					if n == nil {
						n = optimised(b, 1, network.options, exact)
					}
					var r *Report
					for b.Loop() {
						var err error
						if _, r, err = Map(b.Context(), n, Options{K: k, Objective: o}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(r.Steps)*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
					b.ReportMetric(float64(r.LUTs), "LUTs")
					b.ReportMetric(float64(r.Levels), "levels")
				})
			}
		}
	}
}
