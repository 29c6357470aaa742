package folded

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/ties"
	"ialgn/netlist"
	"ialgn/sim"
)

// counts runs the program in an engine's files on the levels of a sample, as defined in the comment at the top of
// fold.go.
func counts(t *testing.T, e *Chains, level []int) []int {
	t.Helper()
	lanes := make([][]int, e.Lanes)
	for _, m := range e.Memories() {
		var text bytes.Buffer
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		var lane, bank int
		if _, err := fmt.Sscanf(m.File, e.Module+"_%d_%d.hex", &lane, &bank); err != nil {
			continue // the file of thresholds
		}
		for line := range strings.Lines(text.String()) {
			var word int
			if _, err := fmt.Sscanf(line, "%x", &word); err != nil {
				t.Fatal(err)
			}
			lanes[lane] = append(lanes[lane], word)
		}
	}
	l, f := e.LevelBits(), e.FeatureBits()
	var closed []int
	count, v := 0, make([]bool, e.Lanes)
	for pc := range e.Depth {
		for lane := range lanes {
			word := lanes[lane][pc]
			do, inverted, end := word>>(l+f)&3, word>>(l+f+2)&1 == 1, word>>(l+f+3) == 1
			if do == 3 && inverted {
				if lane != 0 {
					t.Fatalf("lane %d closes a class", lane)
				}
				closed, count = append(closed, count+word&(1<<(l+f)-1)), 0
				continue
			}
			x := false
			if feature := word >> l & (1<<f - 1); feature < len(level) {
				x = level[feature] > word&(1<<l-1)
			}
			x = x != inverted
			switch do {
			case 0:
				v[lane] = x
			case 1:
				v[lane] = v[lane] && x
			case 2:
				v[lane] = v[lane] || x
			case 3:
				v[lane] = v[lane] != x
			}
			if end && v[lane] {
				count++
			}
		}
	}
	byClass := make([]int, len(closed))
	for place, n := range closed {
		byClass[ties.At(e.Ties, place)] = n
	}
	return byClass
}

// TestProgram runs programs of networks with constant, equal and shared chains, and compares all class counts with
// the results of the netlist simulator.
func TestProgram(t *testing.T) {
	all := models()
	for seed := range uint64(20) {
		o := netgen.FrozenOptions{
			Width: 24, Depth: int(1 + seed%7), Features: 3, Bits: int(2 + seed%5), BitsIn: 3,
			Classes: 3,
		}
		all[fmt.Sprint("small ", seed)] = netgen.Frozen(seed, o)
	}
	for name, f := range all {
		t.Run(name, func(t *testing.T) {
			n := optimised(t, f)
			p, err := NewProgram(n, f.Encoder.Thresholds)
			if err != nil {
				t.Fatal(err)
			}
			samples, want, levels := classified(t, n, f, 24)
			for _, lanes := range Lanes() {
				e, err := p.Engine(Options{Lanes: lanes})
				if err != nil {
					t.Fatal(err)
				}
				for i := range samples {
					if diff := cmp.Diff(want[i], counts(t, e, levels[i])); diff != "" {
						t.Fatalf("%d lanes, sample %d (-simulator +program):\n%s", lanes, i, diff)
					}
				}
			}
		})
	}
}

// classified returns random samples with their class counts and levels.
func classified(t *testing.T, n *netlist.Netlist, f *model.Frozen, samples int) (words [][]uint16, want [][]int,
	levels [][]int,
) {
	t.Helper()
	r, x := rand.New(rand.NewPCG(6, 6)), n.InputPorts()[0]
	rows := make([]uint64, len(x.Nets))
	for i := range samples {
		word, level := make([]uint16, f.Encoder.Features()), make([]int, f.Encoder.Features())
		for j := range word {
			word[j] = uint16(r.UintN(1 << x.Word))
			for _, bound := range f.Encoder.Thresholds[j] {
				if word[j] > bound {
					level[j]++
				}
			}
			for b := range x.Word {
				rows[j*x.Word+b] |= uint64(word[j]>>b&1) << i
			}
		}
		words, levels = append(words, word), append(levels, level)
	}
	c, err := sim.NewClassifier(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Classify(t.Context(), rows, samples)
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		var of []int
		for _, count := range result.Counts[i*result.Classes:][:result.Classes] {
			of = append(of, int(count))
		}
		want = append(want, of)
	}
	return words, want, levels
}

// TestSteps checks the steps of small chains. For each rule, it has the smallest chain that needs the rule.
func TestSteps(t *testing.T) {
	const and, nand, nor, xor, xnor = 0b1000, 0b0111, 0b0001, 0b0110, 0b1001
	gate := func(b *netlist.Builder, table uint64, in ...netlist.Net) netlist.Net {
		return b.Function(table, netlist.Origin{Layer: 1}, in...)
	}
	for _, c := range []struct {
		name string
		make func(b *netlist.Builder, x []netlist.Net) []netlist.Net
		want string
	}{
		{"a bit", func(_ *netlist.Builder, x []netlist.Net) []netlist.Net { return x[:1] }, "load 0.;"},
		{
			"its complement", func(b *netlist.Builder, x []netlist.Net) []netlist.Net { return []netlist.Net{gate(b, 1, x[1])} },
			"load ~1.;",
		},
		{"constants", func(_ *netlist.Builder, x []netlist.Net) []netlist.Net {
			return []netlist.Net{netlist.True, netlist.False, netlist.True}
		}, ";2"},
		{"inversion at the end", func(b *netlist.Builder, x []netlist.Net) []netlist.Net {
			return []netlist.Net{gate(b, nand, gate(b, and, x[0], x[1]), x[2])}
		}, "load ~0 or ~1 or ~2.;"},
		{"inversion through an xor", func(b *netlist.Builder, x []netlist.Net) []netlist.Net {
			return []netlist.Net{gate(b, xnor, gate(b, nor, x[0], x[1]), x[2])}
		}, "load 0 or 1 xor 2.;"},
		{"inverter of a chain", func(b *netlist.Builder, x []netlist.Net) []netlist.Net {
			return []netlist.Net{gate(b, 1, gate(b, xor, x[0], x[1]))}
		}, "load ~0 xor 1.;"},
		{"equal chains", func(b *netlist.Builder, x []netlist.Net) []netlist.Net {
			a := gate(b, and, x[0], x[1])
			return []netlist.Net{a, a, a}
		}, "load 0 and 1. and 1. and 1.;"},
		{"equal chains that end with an xor", func(b *netlist.Builder, x []netlist.Net) []netlist.Net {
			a := gate(b, xor, x[0], x[1])
			return []netlist.Net{a, a}
		}, "load 0 xor 1. load 0 xor 1.;"},
		{"shared gates", func(b *netlist.Builder, x []netlist.Net) []netlist.Net {
			a := gate(b, and, x[0], x[1])
			return []netlist.Net{gate(b, xor, a, x[2]), gate(b, and, gate(b, nor, a, x[3]), x[2])}
		}, "load ~0 or ~1 and ~3 and 2. load 0 and 1 xor 2.;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := NewProgram(network(c.make), [][]uint16{{0}, {0}, {0}, {0}})
			if err != nil {
				t.Fatal(err)
			}
			if got := text(p.divide(1)[0]); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// network returns a netlist of four input bits that counts the given nets.
func network(counted func(b *netlist.Builder, x []netlist.Net) []netlist.Net) *netlist.Netlist {
	b := netlist.NewBuilder("steps")
	in := counted(b, b.Input("x", 4, 1, nil))
	b.Probe("count_0", netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, in...), bits.Len(uint(len(in)))))
	b.Output("class_index", 1, nil, []netlist.Net{netlist.False})
	return b.Netlist()
}

// text writes steps as words. A dot ends a chain, and a semicolon ends a class.
func text(steps []step) string {
	var words []string
	for _, s := range steps {
		word := fmt.Sprintf("%s %s%d%s", [...]string{"load", "and", "or", "xor"}[s.op],
			map[bool]string{true: "~"}[s.negated], s.feature, map[bool]string{true: "."}[s.end])
		if s.closes() {
			word = ";" + strings.TrimLeft(fmt.Sprint(s.ones), "0")
		}
		words = append(words, word)
	}
	return strings.ReplaceAll(strings.Join(words, " "), " ;", ";")
}

// TestLanes checks that the chains of each class are divided evenly among the lanes, and that all lanes close the
// class at once.
func TestLanes(t *testing.T) {
	chain := func(steps int) []step {
		c := make([]step, steps)
		c[steps-1].end = true
		return c
	}
	p := &Program{classes: []class{
		{chains: [][]step{chain(1), chain(5), chain(4), chain(3), chain(2)}, ones: 7},
		{ones: 1},
		{chains: [][]step{chain(2)}},
	}}
	lanes := p.divide(2)
	var got []string
	for _, steps := range lanes {
		got = append(got, text(steps))
	}
	one := "load 0 load 0 load 0 load 0 load 0. load 0 load 0. load 0.;7;1 load 0 load 0.;"
	two := "load 0 load 0 load 0 load 0. load 0 load 0 load 0. load 0 load 0 load 0 load 0 load 0 load 0"
	if diff := cmp.Diff([]string{one, two}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSameVerilog checks that two models of the same shape get the same Verilog and different memories.
func TestSameVerilog(t *testing.T) {
	o := netgen.FrozenOptions{
		Width: 60, Depth: 12, Features: 20, Bits: 4, BitsIn: 8, Classes: 5, ShareA: 0.4,
		ShareBinary: 0.5,
	}
	var modules, programs, placeholders [2]bytes.Buffer
	for i := range 2 {
		e, _ := folded(t, netgen.Frozen(uint64(10+i), o), 1)
		m := e.Memories()[0]
		if err := errors.Join(e.WriteVerilog(&modules[i], []string{"a test"}), m.Write(&programs[i]),
			m.WritePlaceholder(&placeholders[i])); err != nil {
			t.Fatal(err)
		}
	}
	if modules[0].String() != modules[1].String() || placeholders[0].String() != placeholders[1].String() {
		t.Error("two models of a shape have different Verilog, or different placeholders")
	}
	if programs[0].String() == programs[1].String() {
		t.Error("two models have the same program")
	}
	lines := strings.Fields(placeholders[0].String())
	if len(lines) != len(strings.Fields(programs[0].String())) ||
		len(lines[0]) != len(strings.Fields(programs[0].String())[0]) {
		t.Error("a placeholder has another form than the program")
	}
}

// TestRoom gives a program room for more steps than it has, and refuses too little room.
func TestRoom(t *testing.T) {
	f := models()["constant chains"]
	n := optimised(t, f)
	e, err := NewChains(n, Options{Core: "net", Lanes: 1, Thresholds: f.Encoder.Thresholds, Steps: 300})
	if err != nil || e.Depth != 512 || e.Cost().Cycles != 512 {
		t.Fatalf("room for 300 steps: %+v, %v", e, err)
	}
	_, want, levels := classified(t, n, f, 1)
	if diff := cmp.Diff(want[0], counts(t, e, levels[0])); diff != "" {
		t.Errorf("(-simulator +program):\n%s", diff)
	}
	_, err = NewChains(n, Options{Core: "net", Lanes: 1, Thresholds: f.Encoder.Thresholds, Steps: e.Used - 1})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the longest lane has %d", e.Used)) {
		t.Errorf("room for too few steps: %v", err)
	}
}

// TestBanks divides programs of several depths into memories. There must be no gap between memories. Each memory
// starts at a multiple of its depth.
func TestBanks(t *testing.T) {
	for blocks := 1; blocks < 70; blocks++ {
		s := Shape{Depth: blocks * block}
		base := 0
		for _, b := range s.banks() {
			if b.base != base || b.base%b.depth != 0 {
				t.Fatalf("depth %d: the bank %+v is not at %d", s.Depth, b, base)
			}
			base += b.depth
		}
		if base != s.Depth {
			t.Fatalf("depth %d: banks of %d", s.Depth, base)
		}
	}
	for _, c := range []struct{ depth, width, want int }{
		{256, 16, 1},
		{2048, 16, 8},
		{2048, 2, 1},
		{2048, 1, 1},
		{512, 17, 3},
		{256, 24, 2},
		{2049, 2, 2},
	} {
		if got := blocks(c.depth, c.width); got != c.want {
			t.Errorf("%d words of %d bits: %d block RAMs, want %d", c.depth, c.width, got, c.want)
		}
	}
}

// TestFoldRefusesOtherNetworks checks that networks that cannot be folded are refused with a reason.
func TestFoldRefusesOtherNetworks(t *testing.T) {
	frozen := netgen.Frozen(1, netgen.FrozenOptions{})
	full := optimised(t, frozen)
	core, err := freeze.Network(frozen, netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	random := optimised(t, netgen.Frozen(1, netgen.FrozenOptions{Topology: netgen.Random, Depth: 6, ShareBinary: 1}))
	tables := optimised(t, netgen.Model(netgen.ModelOptions{Inputs: 6, Depth: 2}).Freeze())
	other := netgen.Frozen(1, netgen.FrozenOptions{Bits: 6})
	uneven := append([][]uint16{{1}}, frozen.Encoder.Thresholds[1:]...)
	for _, c := range []struct {
		name       string
		n          *netlist.Netlist
		lanes      int
		thresholds [][]uint16
		want       string
	}{
		{"no lanes", full, 0, frozen.Encoder.Thresholds, "0 steps in a clock, give 1, 2 or 4"},
		{"three lanes", full, 3, frozen.Encoder.Thresholds, "3 steps in a clock, give 1, 2 or 4"},
		{"scope core", core, 1, frozen.Encoder.Thresholds, "one input port, of a word for each of 6 features"},
		{
			"a network of tables", tables, 1, netgen.Encoder(6, 4, 8).Thresholds,
			"a node has 6 inputs: only networks of chains of gates with two can be folded",
		},
		{"a network of any wires", random, 1, frozen.Encoder.Thresholds, "only networks of chains can be folded"},
		{"other thresholds", full, 1, other.Encoder.Thresholds, "which is none of its thresholds"},
		{"thresholds of other numbers", full, 1, uneven, "feature 1 has 3 thresholds, feature 0 has 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewChains(c.n, Options{Lanes: c.lanes, Thresholds: c.thresholds})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestFaults breaks an engine. The testbench must pass for the sound engine and fail for each broken engine.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	e, n := folded(t, models()["constant chains"], 2)
	dir := t.TempDir()
	write(t, dir, e)
	good, err := os.ReadFile(filepath.Join(dir, "net_fold.v"))
	if err != nil {
		t.Fatal(err)
	}
	p := newPackets(t, n, 40, true)
	p.build(t, dir, netlist.ClassBits(e.Classes))
	run := func(stalls ...string) string {
		out, _ := testkit.TryTool(t, dir, append([]string{"vvp", "-n", "a.vvp", "+clocks=12000"}, stalls...)...)
		return out
	}
	for _, stalls := range [][]string{{"+stall_in=30", "+stall_out=50"}, {"+stall_out=99"}} {
		if out := run(stalls...); !strings.Contains(out, "PASS") {
			t.Fatalf("the engine itself: %s", out)
		}
	}
	for _, f := range [][2]string{
		{"assign in_ready = ~full[loading]", "assign in_ready = 1'b1"},
		{"loading <= ~loading;", "loading <= loading;"},
		{"skip <= ~in_last & (skip | whole)", "skip <= 1'b0"},
		{"if ((in_last ^ whole) & ~skip) failed", "if (in_last & ~whole & ~skip) failed"},
		{"if (release_it) full[released]", "if (release_it) full[~released]"},
		{"full[next] & ~results[1]", "full[next]"},
		{"(~running | last)", "1'b1"},
		{"released <= buffer_read", "released <= 1'b0"},
		{"[{buffer_step, step_1", "[{1'b0, step_1"},
		{"add_0 = added_0 & v_0", "add_0 = added_0"},
		{"^ do_1[2]", "^ do_1[3]"},
		{"first | total > best", "first | total >= best"},
		{"first | total > best", "total > best"},
		{"count <= close ?", "count <= 1'b0 ?"},
		{"total <= count + ones", "total <= count"},
		{"wire show = waiting & ~out_valid", "wire show = waiting"},
		{"waiting <= decided | (waiting & ~show)", "waiting <= decided"},
		{"above[1] <= word > bounds[11:6]", "above[1] <= word >= bounds[11:6]"},
		{"place_above <= place;", "place_above <= place + 4'd1;"},
	} {
		bad := strings.Replace(string(good), f[0], f[1], 1)
		if bad == string(good) {
			t.Errorf("no %q in the engine", f[0])
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "net_fold.v"), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		p.build(t, dir, netlist.ClassBits(e.Classes))
		out := run("+stall_in=30", "+stall_out=50")
		if strings.Contains(out, "PASS") { // some faults show only while results wait
			out = run("+stall_out=99")
		}
		if strings.Contains(out, "PASS") {
			t.Errorf("%q instead of %q passes: %s", f[1], f[0], out)
		}
	}
}
