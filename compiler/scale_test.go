package compiler

import (
	"context"
	"fmt"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// shares lists the mixes of operations in the large test networks. One is the mix in the paper's trained networks. In
// the other, half of the gates are binary.
var shares = []struct {
	name      string
	a, binary float64
}{{"paper", 0.884, 0.114}, {"half", 0.498, 0.5}}

func frozen(t testing.TB, width, depth int, a, binary float64, scope netlist.Scope) *netlist.Netlist {
	t.Helper()
	o := netgen.Paper(width, depth)
	o.ShareA, o.ShareBinary = a, binary
	n, err := freeze.Network(netgen.Frozen(1, o), scope)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestScale optimises networks of a million and more gates. Each result must be valid, have the same function, and
// have no more gates than there are binary gates.
func TestScale(t *testing.T) {
	width, depth := 8000, 80
	if !testkit.Whole() {
		width = 1000
	}
	for _, s := range shares {
		for _, scope := range []netlist.Scope{netlist.Gates, netlist.Full} {
			t.Run(fmt.Sprintf("%s/%v", s.name, scope), func(t *testing.T) {
				raw := frozen(t, width, depth, s.a, s.binary, scope)
				n, reports, err := Options{Level: LevelRepeat, Check: sameOn}.Optimise(t.Context(), raw)
				if err != nil {
					t.Fatal(err)
				}
				check(t, raw, n)
				gates, bound := 0, int(float64(width)*float64(depth)*s.binary*1.02)+width
				for c := range netlist.Cell(n.Cells()) {
					if n.Kind(c) == netlist.Function {
						gates++
					}
				}
				if gates > bound {
					t.Errorf("%d gates of %d left, want at most the binary ones and a layer, %d", gates, width*depth, bound)
				}
				for _, r := range reports {
					t.Logf("sweep %d %-12s %8d -> %8d  %.3f s", r.Sweep, r.Name, r.Before, r.After, r.Seconds)
				}
			})
		}
	}
}

// BenchmarkOptimise measures repeated sweeps of all passes until the netlist stops shrinking. The reported rate
// refers to gates of the model.
func BenchmarkOptimise(b *testing.B) {
	for _, s := range shares {
		for _, size := range []struct{ width, depth int }{{8000, 6}, {8000, 80}} {
			b.Run(fmt.Sprintf("shares=%s/gates=%dx%d", s.name, size.width, size.depth), func(b *testing.B) {
				raw := frozen(b, size.width, size.depth, s.a, s.binary, netlist.Gates)
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := Optimise(context.Background(), raw, LevelRepeat); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(size.width*size.depth)*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
			})
		}
	}
}
