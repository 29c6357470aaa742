package encoder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/netlist"
)

// BenchmarkLower measures encoders of 3,072 features of 8 bits, with 15 thresholds for each feature. The thresholds
// are the same for all features, uniform, or different for each feature.
func BenchmarkLower(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, e := range []struct {
		name       string
		thresholds func() []uint64
	}{
		{"uniform", func() []uint64 { return uniform(16, 255) }},
		{"quantiles", func() (t []uint64) {
			for range 15 {
				t = append(t, r.Uint64N(255))
			}
			return slices.Compact(slices.Sorted(slices.Values(t)))
		}},
	} {
		build := netlist.NewBuilder("cifar")
		x, y := build.Input("x", 3072*8, 8, nil), []netlist.Net(nil)
		for i := range 3072 {
			for _, t := range e.thresholds() {
				y = append(y, build.Cell(netlist.Compare, t, netlist.Origin{}, x[8*i:8*i+8]...))
			}
		}
		build.Output("y", 1, nil, y)
		n := build.Netlist()
		b.Run("thresholds="+e.name, func(b *testing.B) {
			luts := 0
			for b.Loop() {
				luts = lower(b, n, Options{K: 6}).Cells()
			}
			b.ReportMetric(float64(luts)/3072, "LUTs/feature")
		})
	}
}
