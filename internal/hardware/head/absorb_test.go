package head

import (
	"math/rand/v2"
	"testing"

	"ialgn/netlist"
)

// gatesOf returns a popcount of gates that f makes.
func gatesOf(inputs, gates int, f func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net) *netlist.Netlist {
	b := netlist.NewBuilder("gates")
	x := b.Input("x", inputs, 1, nil)
	bits := make([]netlist.Net, gates)
	for i := range bits {
		bits[i] = f(b, x, i)
	}
	digits := netlist.ClassBits(gates + 1)
	b.Output("count", digits, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, bits...), digits))
	return b.Netlist()
}

// TestAbsorb counts gates that fit into the counters. After lowering, only the counters may be left.
func TestAbsorb(t *testing.T) {
	and := func(b *netlist.Builder, in ...netlist.Net) netlist.Net {
		return b.Function(1<<(1<<len(in)-1), netlist.Origin{}, in...)
	}
	for _, c := range []struct {
		name string
		n    *netlist.Netlist
		k    int
		luts int
	}{
		{"three gates in a full adder", gatesOf(6, 3, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			return and(b, x[2*i], x[2*i+1])
		}), 6, 2},
		{"five gates in a row", gatesOf(6, 5, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			return and(b, x[i], x[i+1])
		}), 6, 3},
		{"two that exclude each other", gatesOf(3, 2, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			return b.Function([]uint64{0b1000, 0b0100}[i], netlist.Origin{}, x[0], x[1+i])
		}), 6, 1},
		{"two of which one is 1", gatesOf(2, 2, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			return b.Function([]uint64{0b1110, 0b0111}[i], netlist.Origin{}, x[0], x[1])
		}), 6, 2},
		{"three gates and four of their inputs", gatesOf(6, 7, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			if i > 2 {
				return x[i-3]
			}
			return and(b, x[2*i], x[2*i+1])
		}), 6, 3},
		{"two gates and one of their inputs", gatesOf(6, 3, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			if i > 1 {
				return x[0]
			}
			return and(b, x[3*i:3*i+3]...)
		}), 6, 2},
		{"a gate and two wires in LUT4", gatesOf(4, 3, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			if i > 0 {
				return x[1+i]
			}
			return and(b, x[0], x[1])
		}), 4, 2},
	} {
		got, _ := lower(t, c.n, Options{K: c.k, Absorb: true})
		if got.Cells() > c.luts {
			t.Errorf("%s: %d LUTs, want %d", c.name, got.Cells(), c.luts)
		}
		apart, _ := lower(t, c.n, Options{K: c.k})
		if apart.Cells() <= c.luts {
			t.Errorf("%s: %d LUTs without absorption, so that the case shows nothing", c.name, apart.Cells())
		}
	}
}

// TestAbsorbShared checks that a gate is not absorbed if another cell also reads it.
func TestAbsorbShared(t *testing.T) {
	b := netlist.NewBuilder("shared")
	x := b.Input("x", 6, 1, nil)
	var bits []netlist.Net
	for i := range 3 {
		bits = append(bits, b.Function(0b1000, netlist.Origin{}, x[2*i], x[2*i+1]))
	}
	b.Output("count", 2, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, bits...), 2))
	b.Output("gates", 1, nil, bits)
	if got, _ := lower(t, b.Netlist(), Options{K: 6, Absorb: true}); got.Cells() != 5 {
		t.Errorf("%d LUTs, want 3 gates and a full adder", got.Cells())
	}
}

// TestAbsorbRandom lowers counts of random gates of two to six inputs. Some gates share inputs. Absorption must save
// LUTs.
func TestAbsorbRandom(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 4))
		n := gatesOf(60, 150, func(b *netlist.Builder, x []netlist.Net, i int) netlist.Net {
			in := make([]netlist.Net, 2+r.IntN(5)*i%5)
			for j := range in {
				in[j] = x[r.IntN(len(x))]
			}
			return b.Function(r.Uint64()>>(64-1<<len(in)), netlist.Origin{}, in...)
		})
		k := 4 + int(seed)%3
		got, _ := lower(t, n, Options{K: k, Absorb: true})
		apart, _ := lower(t, n, Options{K: k})
		if got.Cells() >= apart.Cells() {
			t.Errorf("seed %d, K=%d: %d LUTs with absorption, %d without", seed, k, got.Cells(), apart.Cells())
		}
	}
}
