package head

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/counts"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
	"ialgn/sim"
)

// argmaxOf returns the argmax of words of the given width. The argument classes is the number of words.
func argmaxOf(classes, width int) *netlist.Netlist { return argmaxWith(classes, width, 0) }

// argmaxWith is like argmaxOf. If the margin is not 0, there is an output for uncertain results.
func argmaxWith(classes, width, margin int) *netlist.Netlist {
	b := netlist.NewBuilder("argmax")
	x := b.Input("x", classes*width, width, nil)
	digits := netlist.ClassBits(classes)
	first := b.Cell(netlist.Argmax, netlist.ArgmaxParam(width, margin), netlist.Origin{}, x...)
	b.Output(netlist.ClassPort, digits, nil, netlist.Word(first, digits))
	if margin > 0 {
		b.Output(netlist.UncertainPort, 1, nil, netlist.Word(first+netlist.Net(digits), 1))
	}
	return b.Netlist()
}

// popcountOf returns the popcount of n bits.
func popcountOf(n int) *netlist.Netlist {
	b := netlist.NewBuilder("popcount")
	x := b.Input("x", n, 1, nil)
	digits := bits.Len(uint(n))
	b.Output("count", digits, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, x...), digits))
	return b.Netlist()
}

// lower lowers n and checks the result. The result must be valid, and must have no operators and no cells with more
// than K inputs. Check must prove the counts, and the function must be the same on samples.
func lower(t *testing.T, n *netlist.Netlist, o Options) (*netlist.Netlist, *counts.Hint) {
	t.Helper()
	got, hint, err := Lower(n, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	for i := range netlist.Cell(got.Cells()) {
		switch k := got.Kind(i); {
		case k == netlist.Popcount || k == netlist.Counter || k == netlist.Argmax:
			t.Fatalf("cell %d is a %v", i, k)
		case k == netlist.Function && len(got.Inputs(i)) > max(o.K, widest(n)):
			t.Fatalf("cell %d has %d inputs, want at most %d", i, len(got.Inputs(i)), o.K)
		}
	}
	if err := prove(n, got, hint); err != nil {
		t.Fatal(err)
	}
	compare(t, n, got)
	return got, hint
}

// prove proves the counts of a lowered netlist from its hint. The hint must have one bit for each popcount input of
// the netlist before lowering.
func prove(before, got *netlist.Netlist, h *counts.Hint) error {
	if err := h.Check(got); err != nil {
		return err
	}
	for i := range h.Counts {
		c := &h.Counts[i]
		if in := len(before.Inputs(c.Popcount)); len(c.Bits) != in {
			return fmt.Errorf("cell %d has %d inputs, its hint %d bits", c.Popcount, in, len(c.Bits))
		}
		if err := counts.Prove(got, c); err != nil {
			return err
		}
	}
	return nil
}

// widest returns the number of inputs of the widest function.
func widest(n *netlist.Netlist) int {
	most := 0
	for i := range netlist.Cell(n.Cells()) {
		if n.Kind(i) == netlist.Function {
			most = max(most, len(n.Inputs(i)))
		}
	}
	return most
}

// compare compares all outputs and probes on random samples. In some samples nearly all bits are equal, which leads
// to the smallest and largest counts. Netlists with registers run for several clocks.
func compare(t *testing.T, want, got *netlist.Netlist) {
	t.Helper()
	const words = 16
	a, err := sim.NewBlock(want, words)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sim.NewBlock(got, words)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for clock := range 6 {
		var in [][]uint64
		for _, p := range want.InputPorts() {
			rows := make([]uint64, len(p.Nets)*words)
			for i := range rows {
				rows[i] = r.Uint64()
				switch i % words % 4 {
				case 1:
					rows[i] &= r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64()
				case 2:
					rows[i] |= r.Uint64() | r.Uint64() | r.Uint64() | r.Uint64() | r.Uint64()
				}
				rows[i] = rows[i]&^3 | 2 // makes one sample all zeros and one sample all ones
			}
			in = append(in, rows)
		}
		if err := a.Step(words, in...); err != nil {
			t.Fatal(err)
		}
		if err := b.Step(words, in...); err != nil {
			t.Fatal(err)
		}
		for i, p := range append(slices.Clone(want.OutputPorts()), want.Probes()...) {
			q := append(slices.Clone(got.OutputPorts()), got.Probes()...)[i]
			x, y := a.Port(p, nil), b.Port(q, nil)
			if at, differ := firstDifference(x, y, words); differ {
				t.Fatalf("clock %d, sample %d, inputs %s: %s is %s, want %s", clock, at, inputsOf(in, words, at), p.Name,
					bitsOf(y, words, at), bitsOf(x, words, at))
			}
		}
	}
}

// firstDifference returns the first sample for which two ports have different bits.
func firstDifference(x, y []uint64, words int) (sample int, differ bool) {
	for w := range words {
		var all uint64
		for i := w; i < len(x); i += words {
			all |= x[i] ^ y[i]
		}
		if all != 0 {
			return 64*w + bits.TrailingZeros64(all), true
		}
	}
	return 0, false
}

// bitsOf returns the bits of a port in one sample. The highest bit comes first.
func bitsOf(rows []uint64, words, sample int) string {
	var text []byte
	for i := len(rows) - words; i >= 0; i -= words {
		text = append(text, '0'+byte(rows[i+sample/64]>>(sample%64)&1))
	}
	return string(text)
}

func inputsOf(ports [][]uint64, words, sample int) string {
	var all []string
	for _, rows := range ports {
		all = append(all, bitsOf(rows, words, sample))
	}
	return strings.Join(all, " ")
}

// options returns a set of options of every kind.
func options() []Options {
	var all []Options
	for k := 2; k <= 6; k++ {
		for _, o := range []Objective{Balanced, Area, Depth} {
			all = append(all, Options{K: k, Objective: o})
		}
	}
	return append(all, Options{K: 6, Levels: 7}, Options{K: 4, Levels: 14, Objective: Area},
		Options{K: 4, Carry: true}, Options{K: 6, Carry: true, Objective: Area},
		Options{K: 6, Absorb: true}, Options{K: 5, Absorb: true}, Options{K: 4, Absorb: true},
		Options{K: 4, Absorb: true, Carry: true})
}

func (o Options) name() string {
	return fmt.Sprintf("k=%d/objective=%d/levels=%d/carry=%v/absorb=%v", o.K, o.Objective, o.Levels, o.Carry, o.Absorb)
}

// TestPopcount lowers popcounts of all small sizes and a large one, with each option.
func TestPopcount(t *testing.T) {
	for i, o := range options() {
		t.Run(o.name(), func(t *testing.T) {
			t.Parallel()
			for n := 1; n <= 16; n++ {
				lower(t, popcountOf(n), o)
			}
			lower(t, popcountOf([]int{40, 100, 400}[i%3]), o)
		})
	}
}

// TestArgmax lowers argmaxes of few and many classes. The short tests use a different width for each option. The
// long tests use all widths.
func TestArgmax(t *testing.T) {
	for i, o := range options() {
		t.Run(o.name(), func(t *testing.T) {
			t.Parallel()
			for j, classes := range []int{1, 2, 3, 4, 5, 7, 10, 17} {
				for k, width := range []int{1, 2, 5, 10} {
					if (i+j)%4 == k || testkit.Whole() {
						lower(t, argmaxOf(classes, width), o)
						lower(t, argmaxWith(classes, width, 1+(7*i+j)%(1<<width-1)), o)
					}
				}
			}
		})
	}
}

// TestArgmaxExhaustive tries every input of small argmaxes, with all their ties.
func TestArgmaxExhaustive(t *testing.T) {
	for _, o := range options() {
		for _, size := range [][2]int{{2, 5}, {3, 3}, {3, 4}, {4, 3}, {5, 2}, {6, 2}, {10, 1}} {
			n := argmaxOf(size[0], size[1])
			got, _ := lower(t, n, o)
			e, err := counts.NewCone(got, got.InputPorts()[0].Nets)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range got.OutputPorts()[0].Nets {
				value, err := e.Value(v)
				if err != nil {
					t.Fatal(err)
				}
				for x := range 1 << (size[0] * size[1]) {
					if got, want := int(value[x/64]>>(x%64)&1), largest(x, size[0], size[1]); got != want>>k&1 {
						t.Fatalf("%v %v: input %#x: digit %d is %d, want the digit of class %d", o.name(), size, x, k, got, want)
					}
				}
			}
		}
	}
}

// TestUncertainExhaustive tries every input of small argmaxes with every margin.
func TestUncertainExhaustive(t *testing.T) {
	for _, o := range options() {
		for _, size := range [][2]int{{1, 2}, {2, 4}, {3, 3}, {4, 3}, {7, 1}} {
			for margin := 1; margin < 1<<size[1]; margin++ {
				got, _ := lower(t, argmaxWith(size[0], size[1], margin), o)
				e, err := counts.NewCone(got, got.InputPorts()[0].Nets)
				if err != nil {
					t.Fatal(err)
				}
				value, err := e.Value(got.OutputPorts()[1].Nets[0])
				if err != nil {
					t.Fatal(err)
				}
				for x := range 1 << (size[0] * size[1]) {
					if got, want := value[x/64]>>(x%64)&1 == 1, lead(x, size[0], size[1]) < margin; got != want {
						t.Fatalf("%v %v margin %d: input %#x: uncertain is %v", o.name(), size, margin, x, got)
					}
				}
			}
		}
	}
}

// lead returns the difference of the two largest words. If there is only one word, it returns a large number.
func lead(x, classes, width int) int {
	best, least := largest(x, classes, width), 1<<30
	word := func(c int) int { return x >> (c * width) & (1<<width - 1) }
	for c := range classes {
		if c != best {
			least = min(least, word(best)-word(c))
		}
	}
	return least
}

// largest computes the argmax of a sample by comparing one word after another.
func largest(x, classes, width int) int {
	best := 0
	for c := range classes {
		if x>>(c*width)&(1<<width-1) > x>>(best*width)&(1<<width-1) {
			best = c
		}
	}
	return best
}

// TestRandom lowers random netlists with each option. The netlists have all kinds of cells, including registers.
func TestRandom(t *testing.T) {
	for seed := range uint64(len(options())) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { t.Parallel(); lowerRandom(t, seed, 1+3*int(seed)) })
	}
}

// FuzzLower is like TestRandom, for more seeds. The fuzzer reports an input as hung after ten seconds, so the
// netlists are small enough to take much less time.
func FuzzLower(f *testing.F) {
	f.Add(uint64(1), uint8(30))
	f.Fuzz(func(t *testing.T, seed uint64, cells uint8) { lowerRandom(t, seed, 1+int(cells)%80) })
}

func lowerRandom(t *testing.T, seed uint64, cells int) {
	o := options()[seed%uint64(len(options()))]
	lower(t, netgen.Netlist(seed, netgen.NetlistOptions{Cells: cells, Inputs: 2 + cells/8, Registers: seed%2 == 1, Margins: true, Ties: seed%3 == 0}), o)
	kinds := []netlist.Kind{netlist.Function, netlist.Function, netlist.Popcount, netlist.Counter, netlist.Argmax}
	lower(t, netgen.Netlist(seed, netgen.NetlistOptions{Cells: cells, Inputs: 2 + cells/8, Kinds: kinds, Ties: seed%2 == 0}), o)
}

// TestFrozen lowers whole classifiers. Their bits arrive at different levels.
func TestFrozen(t *testing.T) {
	for i, depth := range []int{1, 10} {
		n, err := freeze.Network(netgen.Frozen(4, netgen.Paper(300, depth)), netlist.Full)
		if err != nil {
			t.Fatal(err)
		}
		for j, o := range []Options{
			{K: 6, Absorb: true}, {K: 4, Absorb: true}, {K: 6}, {K: 5, Absorb: true}, {K: 4, Objective: Depth},
		} {
			if i == j%2 || testkit.Whole() {
				lower(t, n, o)
			}
		}
	}
}

// TestRepeatable lowers twice and expects the same result.
func TestRepeatable(t *testing.T) {
	n := popcountOf(200)
	a, hintA, _ := Lower(n, Options{K: 6})
	b, hintB, _ := Lower(n, Options{K: 6})
	if !a.Equal(b) || !cmp.Equal(hintA, hintB) {
		t.Error("two results")
	}
}

// TestOptions checks that options out of range are refused.
func TestOptions(t *testing.T) {
	for _, o := range []Options{{K: 1}, {K: 7}, {K: 6, Objective: 3}, {K: 6, Levels: -1}} {
		if _, _, err := Lower(popcountOf(3), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestLate limits the sizes of trees with some late bits to the best sizes so far. Such a tree adds up the early
// bits first.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		name         string
		in           profile
		luts, levels int
	}{
		{"800 at once", profile{{800}}, 800, 9},
		{"224 wires, 576 gates", profile{{224}, {576}}, 800, 10},
		{"levels 0 to 3", profile{{300}, {300}, {150}, {50}}, 800, 11},
		{"10 at level 6", profile{0: {790}, 6: {10}}, 800, 12},
		{"1 at level 8", profile{0: {799}, 8: {1}}, 800, 12},
	} {
		p := search(6, 10, c.in, worth{level: Balanced.levelCost(800)})
		t.Logf("%s: %d LUT6, %d levels", c.name, p.luts, p.levels)
		if p.luts > c.luts || p.levels > c.levels {
			t.Errorf("%s: %d LUTs, %d levels, want at most %d, %d", c.name, p.luts, p.levels, c.luts, c.levels)
		}
	}
}

// TestFigures limits the sizes of trees and tournaments to the best sizes so far. It fails after a change that makes
// a tree or tournament larger.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		n            *netlist.Netlist
		o            Options
		luts, levels int
	}{
		{popcountOf(30), Options{K: 6}, 27, 4},
		{popcountOf(100), Options{K: 6}, 98, 7},
		{popcountOf(800), Options{K: 6}, 798, 9},
		{popcountOf(1200), Options{K: 6}, 1200, 10},
		{popcountOf(12800), Options{K: 6}, 12800, 14},
		{popcountOf(30), Options{K: 4, Objective: Area}, 47, 8},
		{popcountOf(100), Options{K: 4, Objective: Area}, 170, 13},
		{popcountOf(800), Options{K: 4, Objective: Area}, 1400, 24},
		{popcountOf(1200), Options{K: 4, Objective: Area}, 2100, 26},
		{popcountOf(12800), Options{K: 4, Objective: Area}, 22500, 36},
		{popcountOf(800), Options{K: 4, Objective: Area, Levels: 17}, 1480, 17},
		{popcountOf(30), Options{K: 4, Objective: Depth}, 52, 7},
		{popcountOf(100), Options{K: 4, Objective: Depth}, 190, 9},
		{popcountOf(800), Options{K: 4, Objective: Depth}, 1590, 14},
		{popcountOf(1200), Options{K: 4, Objective: Depth}, 2400, 15},
		{popcountOf(12800), Options{K: 4, Objective: Depth}, 25600, 21},
		{argmaxOf(10, 10), Options{K: 6}, 147, 9},
		{argmaxOf(10, 10), Options{K: 6, Objective: Area}, 120, 13},
		{argmaxOf(10, 10), Options{K: 4, Objective: Area}, 195, 25},
	} {
		got, _ := lower(t, c.n, c.o)
		luts, levels := got.Cells(), netlist.Measure(got).Levels.Total
		t.Logf("%s of %d bits, %s: %d LUTs, %d levels", c.n.Name, len(c.n.InputPorts()[0].Nets), c.o.name(), luts, levels)
		if luts > c.luts || levels > c.levels {
			t.Errorf("want at most %d LUTs, %d levels", c.luts, c.levels)
		}
	}
}

// TestUnjoined checks that the option Unjoined avoids carries that add a net to itself. Without the option, such a
// carry joins a chain to the next chain.
func TestUnjoined(t *testing.T) {
	n := classes()
	for _, unjoined := range []bool{false, true} {
		joins := 0
		got, _ := lower(t, n, Options{K: 4, Carry: true, Unjoined: unjoined})
		for c := range netlist.Cell(got.Cells()) {
			if in := got.Inputs(c); got.Kind(c) == netlist.Carry && in[0] == in[1] {
				joins++
			}
		}
		if (joins == 0) != unjoined {
			t.Errorf("unjoined %v: %d cells join chains", unjoined, joins)
		}
	}
}
