package encoder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/encoding"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// comparators returns a netlist that compares one word with thresholds.
func comparators(width int, thresholds []uint64) *netlist.Netlist {
	b := netlist.NewBuilder("encoder")
	x := b.Input("x", width, width, nil)
	y := make([]netlist.Net, len(thresholds))
	for i, t := range thresholds {
		y[i] = b.Cell(netlist.Compare, t, netlist.Origin{}, x...)
	}
	b.Output("y", 1, nil, y)
	return b.Netlist()
}

func lower(t testing.TB, n *netlist.Netlist, o Options) *netlist.Netlist {
	t.Helper()
	m, err := Lower(n, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	for c := range netlist.Cell(m.Cells()) {
		if m.Kind(c) == netlist.Compare {
			t.Fatalf("cell %d is still a comparison", c)
		}
	}
	return m
}

// same compares two netlists with one input port of up to 16 bits, on all values of the port.
func same(t testing.TB, n, m *netlist.Netlist) {
	t.Helper()
	width := len(n.InputPorts()[0].Nets)
	words := max(1, 1<<width/64)
	rows := make([]uint64, width*words)
	for b := range width {
		for v := range max(64, 1<<width) {
			rows[b*words+v/64] |= uint64(v) >> b & 1 << (v % 64)
		}
	}
	var got [2][]uint64
	for i, n := range []*netlist.Netlist{n, m} {
		s, err := sim.New(n)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Each(t.Context(), words, func(_, _ int) error {
			y, err := s.Output("y")
			got[i] = append(got[i], y...)
			return err
		}, rows)
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got[0], got[1]) {
		t.Errorf("%d bits: another function", width)
	}
}

var objectives = []Objective{Balanced, Area, Depth}

// TestSingle lowers comparisons of words of up to 8 bits, with each threshold alone and with all thresholds
// together.
func TestSingle(t *testing.T) {
	for k := 2; k <= 6; k++ {
		for width := 1; width <= 8; width++ {
			t.Run(fmt.Sprintf("k=%d/width=%d", k, width), func(t *testing.T) {
				all := make([]uint64, 1<<width)
				for i := range all {
					all[i] = uint64(i)
					n := comparators(width, all[i:i+1])
					m := lower(t, n, Options{K: k, Objective: Area})
					same(t, n, m)
					if want := alone(width, k, uint64(i)); m.Cells() != want {
						t.Errorf("v > %d takes %d LUTs, want %d", i, m.Cells(), want)
					}
					if foretold := encoding.ComparisonLUTs(width, uint16(i), k); m.Cells() != foretold {
						t.Errorf("v > %d takes %d LUTs, and training counts %d", i, m.Cells(), foretold)
					}
				}
				for _, o := range objectives {
					n := comparators(width, all)
					m := lower(t, n, Options{K: k, Objective: o})
					same(t, n, m)
				}
			})
		}
	}
}

// alone returns the smallest number of LUTs for one comparison. All bits above the trailing ones of the threshold
// matter, and each LUT combines K signals.
func alone(width, k int, threshold uint64) int {
	if threshold == ones(width) {
		return 0
	}
	for threshold&1 == 1 {
		threshold, width = threshold>>1, width-1
	}
	return (width - 1 + k - 2) / (k - 1)
}

// TestRandom lowers random sets of thresholds.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		width, k := 1+r.IntN(12), 2+r.IntN(5)
		if i%30 == 0 {
			width = 16
		}
		thresholds := make([]uint64, 1+r.IntN(16))
		for j := range thresholds { // some thresholds have low bits that do not matter
			thresholds[j] = r.Uint64N(1<<width) | ones(r.IntN(3)*r.IntN(2))&ones(width)
		}
		slices.Sort(thresholds)
		thresholds = slices.Compact(thresholds)
		n := comparators(width, thresholds)
		m := lower(t, n, Options{K: k, Objective: objectives[i%3]})
		same(t, n, m)
		plain := 0
		for _, u := range thresholds {
			plain += alone(width, k, u)
		}
		if m.Cells() > plain {
			t.Errorf("K %d, %d bits, %v: %d LUTs, apart they take %d", k, width, thresholds, m.Cells(), plain)
		}
	}
}

// uniform returns the thresholds of the uniform code from the paper.
func uniform(levels, largest int) (thresholds []uint64) {
	for j := 1; j < levels; j++ {
		thresholds = append(thresholds, uint64(j*largest/levels))
	}
	return thresholds
}

// pair is a number of LUTs and a number of levels.
type pair struct{ luts, levels int }

// encoders lists sets of thresholds. Some belong to features of the data sets, others are quantiles of other
// features. For each set, there are the expected sizes in LUT4 and in LUT6, each for the objectives Balanced, Area
// and Depth in this order.
var encoders = []struct {
	name       string
	width      int
	thresholds []uint64
	lut4, lut6 [3]pair
}{
	{
		"MNIST, 4 levels", 8, uniform(4, 255),
		[3]pair{{2, 1}, {2, 1}, {2, 1}},
		[3]pair{{2, 1}, {2, 1}, {2, 1}},
	},
	{
		"optdigits, 8 levels", 5, uniform(8, 16),
		[3]pair{{9, 2}, {8, 3}, {9, 2}},
		[3]pair{{7, 1}, {7, 1}, {7, 1}},
	},
	{
		"CIFAR-10, 16 levels", 8, uniform(16, 255),
		[3]pair{{14, 1}, {14, 1}, {14, 1}},
		[3]pair{{14, 1}, {14, 1}, {14, 1}},
	},
	{
		"one of 8 bits", 8,
		[]uint64{86},
		[3]pair{{3, 3}, {3, 3}, {3, 3}},
		[3]pair{{2, 2}, {2, 2}, {2, 2}},
	},
	{
		"3 quantiles of 8 bits", 8,
		[]uint64{17, 86, 202},
		[3]pair{{7, 3}, {6, 4}, {7, 3}},
		[3]pair{{4, 2}, {4, 2}, {4, 2}},
	},
	{
		"7 quantiles of 8 bits", 8,
		[]uint64{2, 12, 33, 78, 132, 186, 240},
		[3]pair{{15, 3}, {15, 3}, {15, 3}},
		[3]pair{{9, 2}, {8, 3}, {9, 2}},
	},
	{
		"15 quantiles of 8 bits", 8,
		[]uint64{28, 44, 58, 72, 84, 96, 106, 117, 128, 140, 154, 170, 189, 214, 241},
		[3]pair{{26, 4}, {26, 4}, {28, 3}},
		[3]pair{{17, 2}, {17, 2}, {17, 2}},
	},
	{
		"15 quantiles of 16 bits", 16,
		[]uint64{1201, 3950, 7774, 9902, 12800, 15002, 19556, 25009, 30001, 33210, 38888, 42424, 50960, 57400, 63130},
		[3]pair{{61, 5}, {61, 5}, {61, 5}},
		[3]pair{{34, 4}, {34, 4}, {40, 3}},
	},
}

// TestEncoders checks that the numbers of LUTs and levels have not changed.
func TestEncoders(t *testing.T) {
	for _, e := range encoders {
		n := comparators(e.width, e.thresholds)
		for k, want := range map[int][3]pair{4: e.lut4, 6: e.lut6} {
			for i, o := range objectives {
				m := lower(t, n, Options{K: k, Objective: o})
				same(t, n, m)
				if got := (pair{m.Cells(), netlist.Measure(m).Levels.Total}); got != want[i] {
					t.Errorf("%s, LUT%d, objective %d: %v LUTs and levels, want %v", e.name, k, o, got, want[i])
				}
			}
		}
	}
}

// TestStructure lowers comparisons that are equal, constant or not read. It also lowers comparisons of words that
// contain constants, are the upper ends of other words, or are driven by cells.
func TestStructure(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(b *netlist.Builder, x []netlist.Net, above func(uint64, ...netlist.Net) netlist.Net) []netlist.Net
		luts int
	}{
		{"a bit", func(_ *netlist.Builder, x []netlist.Net, above func(uint64, ...netlist.Net) netlist.Net) []netlist.Net {
			return []netlist.Net{above(127, x...), above(3, x[:3]...), above(0, x[4])}
		}, 0},
		{"constants", func(_ *netlist.Builder, x []netlist.Net, above func(uint64,
			...netlist.Net) netlist.Net,
		) []netlist.Net {
			return []netlist.Net{
				above(255, x...), above(1, netlist.True, netlist.True), above(1, netlist.False, netlist.True),
				above(2, x[0], netlist.True, netlist.True), above(5, netlist.True, x[1], netlist.True),
			}
		}, 0},
		{"equal", func(_ *netlist.Builder, x []netlist.Net, above func(uint64, ...netlist.Net) netlist.Net) []netlist.Net {
			return []netlist.Net{
				above(9, x...), above(9, x...), above(4, x[1:]...),
				above(8, append([]netlist.Net{netlist.False}, x[1:]...)...),
			}
		}, 2},
		{"not read", func(_ *netlist.Builder, x []netlist.Net, above func(uint64, ...netlist.Net) netlist.Net) []netlist.Net {
			above(9, x...)
			return []netlist.Net{above(63, x...)}
		}, 1},
		{"a longer word of later bits", func(b *netlist.Builder, x []netlist.Net,
			above func(uint64, ...netlist.Net) netlist.Net,
		) []netlist.Net {
			short := above(2, x[5], x[6], x[7])
			v := b.Function(0b0110, netlist.Origin{}, x[0], short)
			return []netlist.Net{above(2, v, x[6], x[7]), above(9, x[4], v, x[6], x[7])}
		}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := netlist.NewBuilder("words")
			x := b.Input("x", 8, 8, nil)
			y := c.make(b, x, func(threshold uint64, in ...netlist.Net) netlist.Net {
				return b.Cell(netlist.Compare, threshold, netlist.Origin{}, in...)
			})
			b.Output("y", 1, nil, y)
			n := b.Netlist()
			m := lower(t, n, Options{K: 6})
			same(t, n, m)
			if m.Cells() != c.luts {
				t.Errorf("%d LUTs, want %d", m.Cells(), c.luts)
			}
		})
	}
}

// TestNetlists lowers the comparisons of random netlists of all kinds, and of words of up
// to 64 bits.
func TestNetlists(t *testing.T) {
	for seed := range uint64(60) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Cells: 60, Inputs: 10, Kinds: []netlist.Kind{
			netlist.Compare, netlist.Compare, netlist.Compare, netlist.Function, netlist.Popcount, netlist.Argmax,
		}})
		m := lower(t, n, Options{K: 2 + int(seed%5)})
		sampled(t, n, m)
	}
	r := rand.New(rand.NewPCG(1, 3))
	for _, width := range []int{17, 24, 32, 48, 63, 64} {
		thresholds := []uint64{0, 1, ones(width), ones(width) - 1, ones(width - 1), ones(width-1) - 1}
		for range 5 {
			thresholds = append(thresholds, r.Uint64()&ones(width))
		}
		for k := 2; k <= 6; k++ {
			n := comparators(width, thresholds)
			sampled(t, n, lower(t, n, Options{K: k}))
		}
	}
}

// sampled compares two netlists on random inputs. Half of the inputs are long runs of ones or zeros.
func sampled(t *testing.T, n, m *netlist.Netlist) {
	t.Helper()
	const words = 64
	r := rand.New(rand.NewPCG(5, 5))
	var in [][]uint64
	for _, p := range n.InputPorts() {
		row := make([]uint64, len(p.Nets)*words)
		for i := range row {
			row[i] = r.Uint64()
			if i >= words && i%2 == 0 {
				row[i] = row[i-words] ^ r.Uint64()&r.Uint64()&r.Uint64()&r.Uint64()
			}
		}
		in = append(in, row)
	}
	var got [2][]uint64
	for i, n := range []*netlist.Netlist{n, m} {
		s, err := sim.New(n)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Each(t.Context(), words, func(_, _ int) error {
			for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
				for _, p := range ports {
					got[i] = append(got[i], s.Port(p, nil)...)
				}
			}
			return nil
		}, in...)
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got[0], got[1]) {
		t.Errorf("%s: another function", n.Name)
	}
}

// TestOptions checks that options out of range are refused.
func TestOptions(t *testing.T) {
	for _, o := range []Options{{K: 1}, {K: 7}, {K: 6, Objective: Depth + 1}} {
		if _, err := Lower(comparators(3, []uint64{1}), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
