package lowering

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// check compares the lowered netlist with n in the simulator, over several clocks.
func check(t *testing.T, r *rand.Rand, n *netlist.Netlist) {
	t.Helper()
	lowered := Functions(n)
	if err := lowered.Validate(); err != nil {
		t.Fatal(err)
	}
	for c := range netlist.Cell(lowered.Cells()) {
		if k := lowered.Kind(c); k != netlist.Function && k != netlist.Register {
			t.Fatalf("cell %d is still a %v", c, k)
		}
	}
	if again := Functions(lowered); again != lowered {
		t.Error("a netlist of functions is not left as it is")
	}
	a, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sim.NewBlock(lowered, 1)
	if err != nil {
		t.Fatal(err)
	}
	for clock := range 6 {
		var in [][]uint64
		for _, p := range n.InputPorts() {
			rows := make([]uint64, len(p.Nets))
			for i := range rows {
				rows[i] = r.Uint64()
			}
			in = append(in, rows)
		}
		if err := a.Step(1, in...); err != nil {
			t.Fatal(err)
		}
		if err := b.Step(1, in...); err != nil {
			t.Fatal(err)
		}
		for i, p := range slices.Concat(n.OutputPorts(), n.Probes()) {
			q := slices.Concat(lowered.OutputPorts(), lowered.Probes())[i]
			if diff := cmp.Diff(a.Port(p, nil), b.Port(q, nil)); p.Name != q.Name || diff != "" {
				t.Fatalf("clock %d, %s and %s (-netlist +lowered):\n%s", clock, p.Name, q.Name, diff)
			}
		}
	}
}

func TestFunctions(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			check(t, rand.New(rand.NewPCG(seed, 1)), netgen.Netlist(seed,
				netgen.NetlistOptions{Cells: 1 + int(seed), Registers: seed%2 == 1, Margins: seed%4 < 2, Ties: seed%3 == 0}))
		})
	}
	for _, scope := range []netlist.Scope{netlist.Core, netlist.Full} {
		n, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{Width: 300, Classes: 10, BitsIn: 12}), scope)
		if err != nil {
			t.Fatal(err)
		}
		check(t, rand.New(rand.NewPCG(2, 2)), n)
	}
}

// TestCompare checks comparisons of a 9-bit word with every threshold, for all values of the word.
func TestCompare(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 9, 9, nil)
	var y []netlist.Net
	for threshold := range uint64(512) {
		y = append(y, b.Cell(netlist.Compare, threshold, netlist.Origin{}, x...))
	}
	b.Output("y", 1, nil, y)
	n := Functions(b.Netlist())
	s, err := sim.NewBlock(n, 8)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]uint64, 9*8)
	for value := range 512 {
		for i := range 9 {
			rows[i*8+value/64] |= uint64(value>>i&1) << (value % 64)
		}
	}
	if err := s.Run(8, rows); err != nil {
		t.Fatal(err)
	}
	got := s.Port(n.OutputPorts()[0], nil)
	for threshold := range 512 {
		for value := range 512 {
			if greater := got[threshold*8+value/64]>>(value%64)&1 == 1; greater != (value > threshold) {
				t.Fatalf("%d > %d is %v", value, threshold, greater)
			}
		}
	}
}

func FuzzFunctions(f *testing.F) {
	f.Add(uint64(1), uint16(60), true)
	f.Fuzz(func(t *testing.T, seed uint64, cells uint16, registers bool) {
		check(t, rand.New(rand.NewPCG(seed, 1)), netgen.Netlist(seed,
			netgen.NetlistOptions{Cells: 1 + int(cells%1000), Registers: registers}))
	})
}
