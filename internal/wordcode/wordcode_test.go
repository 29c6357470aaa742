package wordcode

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// evaluate runs a program on one word for each row. It keeps the values in slots, for sections of the given length.
// Values that are local to a section are lost at the end of the section.
func evaluate(t *testing.T, p *Program, section int, in []uint64) []uint64 {
	t.Helper()
	place := p.Place(section)
	slots := make([]uint64, place.Slots)
	var local map[Value]uint64
	read := func(v Value) uint64 {
		switch op := int(v) - p.Inputs - 1; {
		case v == 0:
			return 0
		case op < 0:
			return in[v-1]
		case place.Slot[op] != Local:
			return slots[place.Slot[op]]
		}
		x, ok := local[v]
		if !ok {
			t.Fatalf("value %d is local to another section of %d operations", v, section)
		}
		return x
	}
	for i, op := range p.Ops {
		if i%section == 0 {
			local = map[Value]uint64{}
		}
		a, b, c := read(op.A), read(op.B), read(op.C)
		x := [...]uint64{
			And: a & b, AndNot: a &^ b, Or: a | b, Xor: a ^ b, Not: ^a, Sum: a ^ b ^ c, Carry: a&b | a&c | b&c,
			Lookup: lookUp(op.Table, a, b, c),
		}[op.Operator]
		if place.Slot[i] == Local {
			local[Value(p.Inputs+1+i)] = x
		} else {
			slots[place.Slot[i]] = x
		}
	}
	out := make([]uint64, len(p.Outputs))
	for i, o := range p.Outputs {
		if out[i] = read(o.Value()); o.Inverted() {
			out[i] = ^out[i]
		}
	}
	return out
}

// lookUp looks up the bits of three words in a table.
func lookUp(table uint8, a, b, c uint64) (x uint64) {
	for i := range 64 {
		x |= uint64(table) >> (a>>i&1 | b>>i&1<<1 | c>>i&1<<2) & 1 << i
	}
	return x
}

// runTable runs a program's table on one word for each row, as the documentation of [Table] describes.
func runTable(t *testing.T, p *Program, in []uint64) []uint64 {
	t.Helper()
	table, err := p.Table()
	if err != nil {
		t.Fatal(err)
	}
	v := make([]uint64, table.Rows)
	copy(v, in)
	v[table.Ones] = ^uint64(0)
	const mask = MaxRows - 1
	for i := 0; i < len(table.Code); i++ {
		n := table.Code[i]
		high, a, b := &v[n>>40&mask], v[n>>20&mask], v[n&mask]
		switch Operator(n >> 60) {
		case And:
			*high = a & b
		case AndNot:
			*high = a &^ b
		case Or:
			*high = a | b
		case Xor:
			*high = a ^ b
		case FullAdder:
			i++
			to, c := table.Code[i], *high
			v[to>>20], v[to&mask] = a&b|a&c|b&c, a^b^c
		default:
			t.Fatalf("number %d of the code is %#x", i, n)
		}
	}
	out := make([]uint64, len(table.Outputs))
	for i, row := range table.Outputs {
		if row > 1 {
			out[i] = v[row/2-1]
		}
		out[i] ^= -uint64(row & 1)
	}
	return out
}

// check compares the program of n with the simulator on 64 random samples, with sections of several lengths.
func check(t *testing.T, r *rand.Rand, n *netlist.Netlist) {
	t.Helper()
	p, err := Lower("test", n)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := make([]uint64, p.Inputs)
	for i := range in {
		in[i] = r.Uint64()
	}
	var rows [][]uint64
	for rest := in; len(rows) < len(n.InputPorts()); {
		width := len(n.InputPorts()[len(rows)].Nets)
		rows, rest = append(rows, rest[:width]), rest[width:]
	}
	if err := s.Run(1, rows...); err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, port := range ports {
			want = append(want, s.Port(port, nil)...)
		}
	}
	for _, section := range []int{1, 2, 7, 1000} {
		if diff := cmp.Diff(want, evaluate(t, p, section, in)); diff != "" {
			t.Fatalf("sections of %d (-simulator +program):\n%s", section, diff)
		}
	}
	if diff := cmp.Diff(want, runTable(t, p, in)); diff != "" {
		t.Fatalf("table (-simulator +program):\n%s", diff)
	}
	tables, err := LowerTables("test", n)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, evaluate(t, tables, 1, in)); diff != "" {
		t.Fatalf("lookups (-simulator +program):\n%s", diff)
	}
}

func TestLower(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			check(t, rand.New(rand.NewPCG(seed, 1)), netgen.Netlist(seed, netgen.NetlistOptions{
				Cells: 1 + int(seed), Margins: seed%4 < 2, Ties: seed%3 == 0,
			}))
		})
	}
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		for _, topology := range []netgen.Topology{netgen.Chain, netgen.Random} {
			f := netgen.Frozen(1, netgen.FrozenOptions{Width: 90, Depth: 20, Topology: topology})
			n, err := freeze.Network(f, scope)
			if err != nil {
				t.Fatal(err)
			}
			check(t, rand.New(rand.NewPCG(1, 2)), n)
		}
	}
}

func FuzzLower(f *testing.F) {
	f.Add(uint64(1), uint16(60))
	f.Fuzz(func(t *testing.T, seed uint64, cells uint16) {
		check(t, rand.New(rand.NewPCG(seed, 1)), netgen.Netlist(seed, netgen.NetlistOptions{
			Cells: 1 + int(cells%2000), Margins: true, Ties: seed%2 == 0,
		}))
	})
}

// TestOperations checks the documented cost of a netlist. A gate must cost one operation, even if it has complements.
// A counted bit must cost a full adder, which is two operations.
func TestOperations(t *testing.T) {
	for op := range uint8(16) {
		b := netlist.NewBuilder("net")
		x := b.Input("x", 2, 1, nil)
		b.Output("y", 1, nil, []netlist.Net{b.Function(netlist.Table(uint64(op), 2), netlist.Origin{}, x...)})
		p, err := Lower("test", b.Netlist())
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if op == 0 || op == 15 || op == 3 || op == 5 || op == 10 || op == 12 {
			want = 0
		}
		if len(p.Ops) != want {
			t.Errorf("operation %d of the paper: %d operations, want %d", op, len(p.Ops), want)
		}
	}
	b := netlist.NewBuilder("net")
	x := b.Input("x", 800, 1, nil)
	b.Output("y", 10, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, x...), 10))
	p, err := Lower("test", b.Netlist())
	if err != nil {
		t.Fatal(err)
	}
	if want := 2*800 + 10; len(p.Ops) > want {
		t.Errorf("popcount of 800 bits: %d operations, want at most %d", len(p.Ops), want)
	}
}

// TestFewSlots checks that the chains of a network are computed one after another. In this order, only a few values
// are live at a time. In a layer-by-layer order, a whole layer would be live.
func TestFewSlots(t *testing.T) {
	f := netgen.Frozen(1, netgen.FrozenOptions{Width: 3000, Depth: 10, Classes: 3, ShareA: 0.4, ShareBinary: 0.6})
	n, err := freeze.Network(f, netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Lower("test", n)
	if err != nil {
		t.Fatal(err)
	}
	if place := p.Place(1); place.Slots > 100 {
		t.Errorf("%d slots for 3,000 chains of 3 classes, want at most 100", place.Slots)
	}
}

// TestUncertain compares the vectors of random networks with random margins with the two largest counts of each
// sample, and the programs with the simulator. It also checks the cost: a carry and at most one complement for each
// digit of a count, and three operations for each class.
func TestUncertain(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		o := netgen.FrozenOptions{Classes: 2 + r.IntN(9), Features: 5, Depth: 2}
		o.Width = o.Classes * (1 + r.IntN(40))
		f, margin := netgen.Frozen(seed, o), 1+r.IntN(o.Width/o.Classes)
		plain, err := freeze.Network(f, netlist.Core)
		if err != nil {
			t.Fatal(err)
		}
		n, err := freeze.WithMargin(f, netlist.Core, margin)
		if err != nil {
			t.Fatal(err)
		}
		check(t, r, n)
		v, err := NewVectors(n, NewClassifier(n))
		if err != nil {
			t.Fatal(err)
		}
		for s, got := range v.Uncertain {
			counts := slices.Sorted(slices.Values(v.Counts[s*o.Classes:][:o.Classes]))
			lead := counts[o.Classes-1] - counts[o.Classes-2]
			if (got == 1) != (int(lead) < margin) || len(v.Uncertain) != Samples {
				t.Fatalf("%d classes, margin %d, sample %d of %d: uncertain %d with a lead of %d", o.Classes, margin, s,
					len(v.Uncertain), got, lead)
			}
		}
		with, _ := Lower("test", n)
		without, err := Lower("test", plain)
		if err != nil {
			t.Fatal(err)
		}
		digits := len(n.Probes()[0].Nets)
		if got, most := len(with.Ops)-len(without.Ops), (2*digits+3)*o.Classes+3*digits; got > most {
			t.Errorf("%d classes of %d bits: %d operations for uncertain, want at most %d", o.Classes, digits, got, most)
		}
	}
}

func TestNewRefusesRegisters(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 1, 1, nil)
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x...)})
	_, err := Lower("c", b.Netlist())
	var kind *netlist.KindError
	if !errors.As(err, &kind) || !strings.HasPrefix(err.Error(), "c: cannot express register") {
		t.Errorf("got error %v", err)
	}
}

func TestClassifier(t *testing.T) {
	f := netgen.Frozen(1, netgen.FrozenOptions{Width: 9, Features: 4, Bits: 3, BitsIn: 5, Classes: 3})
	want := map[netlist.Scope]*Classifier{
		netlist.Core: {8, 1, Rows{0, 2}, Rows{}, []Rows{{2, 2}, {4, 2}, {6, 2}}},
		netlist.Full: {4, 5, Rows{0, 2}, Rows{}, []Rows{{2, 2}, {4, 2}, {6, 2}}},
	}
	for scope := range netlist.Full + 1 {
		n, err := freeze.Network(f, scope)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[scope], NewClassifier(n)); diff != "" {
			t.Errorf("scope %v (-want +got):\n%s", scope, diff)
		}
	}
	n, err := freeze.WithMargin(f, netlist.Full, 2)
	if err != nil {
		t.Fatal(err)
	}
	with := &Classifier{4, 5, Rows{0, 2}, Rows{2, 1}, []Rows{{3, 2}, {5, 2}, {7, 2}}}
	if diff := cmp.Diff(with, NewClassifier(n)); diff != "" {
		t.Errorf("margin (-want +got):\n%s", diff)
	}
	if got := (&Classifier{Counts: []Rows{{0, 2}, {2, 3}, {5, 1}}}).LargestCount(); got != 7 {
		t.Errorf("counts of up to 3 bits: the largest count is %d, want 7", got)
	}
	for featureBits, width := range map[int]int{1: 8, 8: 8, 9: 16, 16: 16, 17: 32, 32: 32} {
		if got := (&Classifier{FeatureBits: featureBits}).FeatureType(); got != width {
			t.Errorf("%d bits: a type of %d, want %d", featureBits, got, width)
		}
	}
}
