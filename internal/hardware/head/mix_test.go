package head

import (
	"math/rand/v2"
	"testing"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// TestMix counts gates that form no pairs. The counters of mixed bits must save one LUT for each group of free
// inputs.
func TestMix(t *testing.T) {
	for _, c := range []struct {
		name  string
		k     int
		sizes []int
		luts  int
	}{
		{"six gates, five of which leave an input", 6, []int{6, 5, 5, 5, 5, 5}, 6 + 2},
		{"two leave three and two", 6, []int{6, 6, 6, 6, 3, 4}, 6 + 2},
		{"one leaves too few", 6, []int{6, 6, 6, 6, 6, 4}, 6 + 3},
		{"LUTs of five inputs", 5, []int{5, 4, 4, 4, 4}, 5 + 2},
		{"LUTs of four inputs", 4, []int{4, 3, 3}, 3 + 1},
	} {
		n := chainsOf(false, c.sizes...)
		if got, _ := lower(t, n, Options{K: c.k, Absorb: true, Objective: Area}); got.Cells() != c.luts {
			t.Errorf("%s: %d LUTs, want %d", c.name, got.Cells(), c.luts)
		}
	}
}

// TestMixRandom mixes bits of random sums, for each number of levels. It mixes even if this costs LUTs.
func TestMixRandom(t *testing.T) {
	saved := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 6))
		k := 4 + int(seed)%3
		n := gatesOf(90, 40+int(seed)*5, func(b *netlist.Builder, x []netlist.Net, _ int) netlist.Net {
			in := make([]netlist.Net, 2+r.IntN(k-1))
			for j := range in {
				in[j] = x[r.IntN(len(x))]
			}
			return b.Function(randomChain(r, len(in)), netlist.Origin{}, in...)
		})
		unmixed, _ := lowerMixed(t, n, k, noMixing)
		for _, limit := range []int32{1, 2, 3, 5, 1000} {
			got, h := lowerMixed(t, n, k, limit)
			if err := prove(n, got, h); err != nil {
				t.Fatalf("seed %d, limit %d: %v", seed, limit, err)
			}
			compare(t, n, got)
			saved += unmixed.Cells() - got.Cells()
		}
	}
	if saved < 50 {
		t.Errorf("mixing saves %d LUTs, want 50", saved)
	}
}

// lowerMixed lowers a netlist with the given limit for mixed bits.
func lowerMixed(t *testing.T, n *netlist.Netlist, k int, limit int32) (*netlist.Netlist, *counts.Hint) {
	t.Helper()
	o := Options{K: k, Objective: Area, Absorb: true, plans: map[string]*plan{}}
	o.splits = newSplits(&o)
	l := &lowering{Copier: netlist.NewCopier(n), o: &o, fold: newFolding(n, &o), hint: &counts.Hint{}}
	for _, f := range l.fold.counts {
		f.limit = limit
	}
	l.run()
	got := l.Finish()
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	return got, l.hint
}

// TestMixFaults checks that the proof fails if the bit mixed into a LUT differs from the bit in the hint.
func TestMixFaults(t *testing.T) {
	n := chainsOf(false, 6, 5, 5, 5, 5, 5)
	got, h := lower(t, n, Options{K: 6, Absorb: true, Objective: Area})
	for i := range h.Counts[0].Counters {
		for j, out := range h.Counts[0].Counters[i].Out {
			if len(out.Nets) != 2 {
				continue
			}
			out.Nets[1] = got.InputPorts()[0].Nets[0]
			if err := prove(n, got, h); err == nil {
				t.Errorf("counter %d, output %d: no error", i, j)
			}
			return
		}
	}
	t.Error("no bit is mixed")
}
