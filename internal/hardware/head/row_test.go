package head

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// chainsOf returns the popcount of gates with the given numbers of inputs. Each gate reads separate nets, and
// applies exclusive or to its last input. If shared is set, all gates have the same net as their last input.
func chainsOf(shared bool, sizes ...int) *netlist.Netlist {
	b := netlist.NewBuilder("chains")
	total := 0
	for _, size := range sizes {
		total += size
	}
	x := b.Input("x", total, 1, nil)
	last := x[0]
	var bits []netlist.Net
	for _, size := range sizes {
		in := x[:size:size]
		if x = x[size:]; shared {
			in[size-1] = last
		}
		table := tabulate(size, func(v uint) bool { // (the AND of all inputs except the last) ^ the last input
			return (v&(1<<(size-1)-1) == 1<<(size-1)-1) != (v>>(size-1)&1 == 1)
		})
		bits = append(bits, b.Function(table, netlist.Origin{}, in...))
	}
	digits := netlist.ClassBits(len(sizes) + 1)
	b.Output("count", digits, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, bits...), digits))
	return b.Netlist()
}

// TestRows counts gates whose full adders need no additional LUTs. Each pair must save one LUT.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		k      int
		shared bool
		sizes  []int
		luts   int
	}{
		{"a pair and a gate", 6, false, []int{5, 3, 3}, 3},
		{"a pair of unlike gates", 6, false, []int{5, 2, 4}, 3},
		{"a pair that shares what it adds", 6, true, []int{5, 4, 4}, 3},
		{"two pairs", 6, false, []int{4, 3, 3, 4, 2}, 5 + 2},
		{"LUTs of five inputs", 5, false, []int{4, 2, 3}, 3},
		{"LUTs of four inputs", 4, false, []int{3, 2, 2}, 3},
		{"no room for the first gate", 6, false, []int{6, 3, 3}, 5},
		{"no room for a pair", 6, false, []int{5, 4, 4}, 5},
	} {
		n := chainsOf(c.shared, c.sizes...)
		if got, _ := lower(t, n, Options{K: c.k, Absorb: true, Objective: Area}); got.Cells() != c.luts {
			t.Errorf("%s: %d LUTs, want %d", c.name, got.Cells(), c.luts)
		}
	}
}

// TestRowsDepth checks that rows are not used if the number of levels matters.
func TestRowsDepth(t *testing.T) {
	n := chainsOf(false, 5, 3, 3)
	for _, o := range []Options{{K: 6, Absorb: true, Objective: Depth}, {K: 6, Absorb: true, Levels: 2}} {
		if got, _ := lower(t, n, o); netlist.Measure(got).Levels.Total != 2 {
			t.Errorf("%s: %d levels, want 2", o.name(), netlist.Measure(got).Levels.Total)
		}
	}
}

// TestRowsRandom builds rows of random gates on a few nets. Because there are few nets, some intermediate digits are
// constants, inputs, or equal to each other. The test proves and simulates all results.
func TestRowsRandom(t *testing.T) {
	most := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		inputs, k := 4+r.IntN(12), 4+r.IntN(3)
		n := gatesOf(inputs, 3+r.IntN(12), func(b *netlist.Builder, x []netlist.Net, _ int) netlist.Net {
			in := make([]netlist.Net, 2+r.IntN(min(inputs, k)-1))
			for j, at := range r.Perm(inputs)[:len(in)] {
				in[j] = x[at]
			}
			return b.Function(randomChain(r, len(in)), netlist.Origin{}, in...)
		})
		o := Options{K: k, plans: map[string]*plan{}}
		o.splits = newSplits(&o)
		f := newFolding(n, &o)
		count := netlist.Cell(n.Cells() - 1)
		folded, once := f.foldCount(n.Inputs(count))
		f.countReaders()
		a := newAbsorber(k, len(folded.inputs), f.items(k, folded, once))
		a.placeRows()
		folded.rows = a.rows
		folded.takeOut(once)
		f.counts[count] = folded
		for _, row := range a.rows {
			most = max(most, len(row.pairs))
		}
		l := &lowering{Copier: netlist.NewCopier(n), o: &o, fold: f, hint: &counts.Hint{}}
		l.run()
		got := l.Finish()
		if err := prove(n, got, l.hint); err != nil {
			t.Fatal(fmt.Errorf("seed %d: %w", seed, err))
		}
		compare(t, n, got)
	}
	if most < 3 {
		t.Errorf("rows of up to %d pairs, want 3", most)
	}
}

// randomChain returns the table of a random chain of gates on the given number of inputs.
func randomChain(r *rand.Rand, inputs int) uint64 {
	h := netlist.PinTable(0)
	for j := 1; j < inputs; j++ {
		switch x := netlist.PinTable(j); r.IntN(3) {
		case 0:
			h &= x
		case 1:
			h |= x
		default:
			h ^= x
		}
	}
	return h & netlist.TableMask(inputs)
}
