package compiler

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestPasses checks the rules for all passes on random netlists. The ports and the function must stay the same, the
// numbers of cells and pins must not grow, and the result must be valid.
func TestPasses(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkPasses(t, seed, 1+2*int(seed)) })
	}
}

// FuzzPasses is TestPasses for more seeds and sizes.
func FuzzPasses(f *testing.F) {
	f.Add(uint64(1), uint8(30))
	f.Add(uint64(2), uint8(60))
	f.Fuzz(func(t *testing.T, seed uint64, cells uint8) { checkPasses(t, seed, 1+int(cells)) })
}

func checkPasses(t *testing.T, seed uint64, cells int) {
	t.Helper()
	o := netgen.NetlistOptions{Cells: cells, Inputs: 2 + cells/8, Registers: seed%2 == 1, Margins: seed%4 < 2, Ties: seed%3 == 0}
	n := twins(rand.New(rand.NewPCG(seed, 1)), netgen.Netlist(seed, o))
	for _, p := range Passes() { // each pass alone, without the passes that should run before it
		got, err := p.Run(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		check(t, n, got)
	}
	for _, o := range []Options{
		{Level: LevelSweep}, {Level: LevelRepeat}, {Level: LevelRepeat, Restructure: true, Thermometer: ThermometerDerived},
	} {
		whole := o.must(t, n)
		check(t, n, whole)
		if o.Level != LevelRepeat {
			continue
		}
		if diff := cmp.Diff(text(t, whole), text(t, o.must(t, whole))); diff != "" {
			t.Errorf("seed %d: optimising again changes something (-once +twice):\n%s", seed, diff)
		}
	}
}

// twins returns a netlist in which many functions of two or more inputs have a twin. In some twins, two inputs are
// exchanged and the table is adapted, so the function is the same. In other twins, only the inputs or only the table
// is changed, so the function is different. Sometimes a function or its twin is complemented. Each reader reads
// either the function or its twin. Random netlists alone have too few nearly equal cells to test hashing.
func twins(r *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
	c := netlist.NewCopier(n)
	twin := map[netlist.Net][2]netlist.Net{}
	for i := range netlist.Cell(n.Cells()) {
		for _, v := range n.Inputs(i) {
			if pair, ok := twin[v]; ok {
				c.Set(v, pair[r.IntN(2)])
			}
		}
		c.Copy(i)
		in, table := c.Inputs(i), n.Param(i)
		if n.Kind(i) != netlist.Function || len(in) < 2 || r.IntN(2) == 0 {
			continue
		}
		p := r.IntN(len(in) - 1)
		if r.IntN(4) > 0 {
			in[p], in[p+1] = in[p+1], in[p]
		}
		if r.IntN(4) > 0 {
			table = netlist.SwapPins(table, p, p+1)
		}
		if r.IntN(4) == 0 {
			table = ^table
		}
		second := c.Function(table&netlist.TableMask(len(in)), n.Origin(i), in...)
		twin[n.Output(i)] = [2]netlist.Net{c.To(n.Output(i)), second}
	}
	return c.Finish()
}

func optimise(t testing.TB, n *netlist.Netlist) *netlist.Netlist {
	t.Helper()
	return Options{Level: LevelRepeat}.must(t, n)
}

// must optimises a netlist and checks each pass's contract.
func (o Options) must(t testing.TB, n *netlist.Netlist) *netlist.Netlist {
	t.Helper()
	o.Check = sameOn
	got, _, err := o.Optimise(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
