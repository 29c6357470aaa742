package folded

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
	"ialgn/sim"
)

// optimised returns the optimised netlist of a model, from which the engine is made.
func optimised(t *testing.T, f *model.Frozen) *netlist.Netlist {
	t.Helper()
	n, err := freeze.Network(f, netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err = compiler.Options{
		Level: compiler.LevelRepeat, Restructure: true,
		Thermometer: compiler.ThermometerDerived,
	}.Optimise(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// folded returns the engine of a model.
func folded(t *testing.T, f *model.Frozen, lanes int) (*Chains, *netlist.Netlist) {
	t.Helper()
	n := optimised(t, f)
	e, err := NewChains(n, Options{Core: "net", Lanes: lanes, Thresholds: f.Encoder.Thresholds})
	if err != nil {
		t.Fatal(err)
	}
	return e, n
}

// odd gives each feature different thresholds.
func odd(f *model.Frozen) *model.Frozen {
	r := rand.New(rand.NewPCG(4, 4))
	for i, row := range f.Encoder.Thresholds {
		top := int(f.Encoder.Max) + 1
		for j := range row {
			f.Encoder.Thresholds[i][j] = uint16((j*top + r.IntN(top)) / len(row))
		}
	}
	return f
}

// write writes the files of an engine.
func write(t *testing.T, dir string, e *Chains) {
	t.Helper()
	files := map[string]func(io.Writer) error{
		e.Module + ".v": func(w io.Writer) error { return e.WriteVerilog(w, []string{"a test"}) },
	}
	for _, m := range e.Memories() {
		files[m.File] = m.Write
	}
	for name, writer := range files {
		f, err := os.Create(filepath.Join(dir, name))
		if err := errors.Join(err, writer(f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// packets holds the stream of samples that the testbench of package wrapper plays.
type packets struct {
	lines, expected strings.Builder
	beats, results  int
	word, words     int
	data            int        // bits of a beat, which is a word or a byte
	all             [][]uint64 // the samples
	classes         []uint16
	failed, reset   bool
	r               *rand.Rand
}

// send adds a packet with the first words of a sample, or with more words than a sample has.
func (p *packets) send(sample []uint64, words int, last bool) {
	for i := range words {
		word := p.r.Uint64N(1 << p.data)
		if i < len(sample) {
			word = word>>p.word<<p.word | sample[i]
		}
		end := last && i == words-1
		if end != (i == p.words-1) && i < p.words {
			p.failed = true
		}
		line := word
		for b, set := range []bool{end, p.failed, end && words == p.words, p.reset} {
			if set {
				line |= 1 << (p.data + b)
			}
		}
		fmt.Fprintf(&p.lines, "%x\n", line)
		p.reset = false
		p.beats++
	}
}

// newPackets returns random samples with the results of the netlist simulator. If events is true, packets of wrong
// lengths and resets come between the samples.
func newPackets(t *testing.T, n *netlist.Netlist, samples int, events bool) *packets {
	t.Helper()
	return packetsOf(t, n, n.InputPorts()[0].Word, samples, events)
}

// packetsOf is like newPackets, but the argument data is the number of bits in a beat. Bits of a beat above the word
// are random.
func packetsOf(t *testing.T, n *netlist.Netlist, data, samples int, events bool) *packets {
	t.Helper()
	x := n.InputPorts()[0]
	p := &packets{data: data, word: x.Word, words: len(x.Nets) / x.Word, r: rand.New(rand.NewPCG(5, 5))}
	stride := (samples + 63) / 64
	rows, all := make([]uint64, len(x.Nets)*stride), make([][]uint64, samples)
	for i := range all {
		all[i] = make([]uint64, p.words)
		for b := range x.Nets {
			bit := p.r.Uint64N(2)
			all[i][b/x.Word] |= bit << (b % x.Word)
			rows[b*stride+i/64] |= bit << (i % 64)
		}
	}
	c, err := sim.NewClassifier(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Classify(t.Context(), rows, samples)
	if err != nil {
		t.Fatal(err)
	}
	p.all, p.classes = all, result.Class
	for i, sample := range all {
		if events && p.words > 1 {
			switch p.r.IntN(6) {
			case 0:
				p.send(sample, p.words+1<<bits.Len(uint(p.words-1)), true)
				p.send(sample, p.words+1+p.r.IntN(2*p.words), true)
			case 1:
				p.send(sample, 1+p.r.IntN(p.words-1), true)
			case 2:
				p.send(sample, 1+p.r.IntN(p.words-1), false)
				p.failed, p.reset = false, true
			}
		}
		p.send(sample, p.words, true)
		fmt.Fprintf(&p.expected, "%x\n", result.Class[i])
		p.results++
	}
	return p
}

// build compiles the testbench for the engine in dir.
func (p *packets) build(t *testing.T, dir string, resultBits int) {
	t.Helper()
	bench, err := os.ReadFile("../wrapper/testdata/stream_tb.v")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"stream_tb.v": strings.NewReplacer("#(.BEAT(`BEAT)) ", "", "20 * `LINES + 5000", "most", "integer stall_in",
			"integer most = 1000000; initial if ($value$plusargs(\"clocks=%d\", most)) most = most; integer stall_in").Replace(string(bench)),
		"program.hex": p.lines.String(), "expected.hex": p.expected.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testkit.RunSilent(t, dir, "iverilog", "-g2005", "-o", "a.vvp", "-DDUT=net_fold", fmt.Sprintf("-DRESULT=%d", resultBits),
		fmt.Sprintf("-DDATA=%d", p.word),
		"-DSTAGES=2", fmt.Sprintf("-DLINES=%d", p.beats), fmt.Sprintf("-DRESULTS=%d", p.results), "stream_tb.v", "net_fold.v")
}

// models returns networks of several shapes.
func models() map[string]*model.Frozen {
	chains := netgen.FrozenOptions{
		Width: 60, Depth: 12, Features: 20, Bits: 4, BitsIn: 8, Classes: 5, ShareA: 0.4,
		ShareBinary: 0.5,
	}
	one := chains
	one.Features, one.Bits, one.BitsIn, one.Classes, one.Width = 1, 2, 1, 2, 6
	wide := chains
	wide.Features, wide.Bits, wide.BitsIn = 70, 16, 12
	banks := netgen.FrozenOptions{
		Width: 240, Depth: 6, Features: 150, Bits: 4, BitsIn: 5, Classes: 4, ShareA: 0.2,
		ShareBinary: 0.8,
	}
	offsets := chains
	offsets.Offsets = true
	few := netgen.FrozenOptions{Width: 30, Depth: 4, Features: 6, Bits: 4, BitsIn: 6, Classes: 3}
	tied := few
	tied.Ties, tied.Classes = true, 5
	return map[string]*model.Frozen{
		"constant chains": odd(netgen.Frozen(1, few)),
		"chains":          netgen.Frozen(1, chains), "one feature": netgen.Frozen(2, one),
		"offsets": netgen.Frozen(3, offsets),
		"ties":    netgen.Frozen(7, tied),
		"wide":    netgen.Frozen(4, wide), "several banks": netgen.Frozen(5, banks),
		"wide, own thresholds": odd(netgen.Frozen(6, wide)),
	}
}

// TestEngine plays samples to engines, back to back and with stalls on either side, with packets of a wrong length
// and with resets. It compares the classes with the results of the netlist simulator.
func TestEngine(t *testing.T) {
	for _, c := range []struct {
		model          string
		lanes, samples int
	}{
		{"chains", 1, 12},
		{"chains", 2, 10},
		{"chains", 4, 10},
		{"one feature", 1, 20},
		{"one feature", 4, 20},
		{"constant chains", 2, 20},
		{"offsets", 2, 10},
		{"ties", 2, 60},
		{"wide", 4, 8},
		{"wide, own thresholds", 1, 8},
		{"several banks", 1, 4},
		{"several banks", 2, 4},
	} {
		t.Run(fmt.Sprintf("%s/lanes=%d", c.model, c.lanes), func(t *testing.T) {
			e, n := folded(t, models()[c.model], c.lanes)
			if c.model == "several banks" && len(e.banks()) == 1 {
				t.Fatalf("the program has one bank, of %d steps", e.Depth)
			}
			dir := t.TempDir()
			write(t, dir, e)
			plain := newPackets(t, n, c.samples, false)
			plain.build(t, dir, netlist.ClassBits(e.Classes))
			clocks, first := plain.play(t, dir)
			if first != e.Cost().Latency {
				t.Errorf("the first class comes after %d clocks, want %d", first, e.Cost().Latency)
			}
			if least := (c.samples-1)*e.Cost().Cycles + e.Used; clocks < least || clocks > least+e.Features()+20 {
				t.Errorf("%d samples in %d clocks, want %d each", c.samples, clocks, e.Cost().Cycles)
			}
			if !testkit.Whole() && c.lanes > 1 {
				return
			}
			events := newPackets(t, n, c.samples, true)
			events.build(t, dir, netlist.ClassBits(e.Classes))
			events.play(t, dir, "+stall_in=30", "+stall_out=95")
		})
	}
}

// play runs the testbench. It returns the number of clocks in the whole run and the number of clocks until the first
// result.
func (p *packets) play(t *testing.T, dir string, stalls ...string) (clocks, first int) {
	t.Helper()
	out, err := testkit.TryTool(t, dir, append([]string{"vvp", "-n", "a.vvp"}, stalls...)...)
	results := 0
	if _, scan := fmt.Sscanf(out, "PASS: %d results in %d clocks, the first after %d", &results, &clocks,
		&first); err != nil || scan != nil || results != p.results {
		t.Errorf("%v: %v, want %d results: %s", stalls, err, p.results, out)
	}
	return clocks, first
}

// TestLint checks that linters print no warnings for engines, with all warnings enabled, and that yosys prints no
// warnings.
func TestLint(t *testing.T) {
	for name, f := range models() {
		t.Run(name, func(t *testing.T) {
			e, _ := folded(t, f, 2)
			dir := t.TempDir()
			write(t, dir, e)
			testkit.RunSilent(t, dir, "verilator", "--lint-only", "-Wall", "net_fold.v")
			testkit.RunSilent(t, dir, "iverilog", "-g2001", "-Wall", "-o", "a.vvp", "net_fold.v")
			testkit.RunSilent(t, dir, "yosys", "-q", "-p",
				"read_verilog net_fold.v; hierarchy -check -top net_fold; proc; check -assert")
		})
	}
}
