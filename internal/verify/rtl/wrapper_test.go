package rtl

import (
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/folded"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// wrapping is a design with a wrapper.
type wrapping struct {
	kind   string
	bitsIn int
	scope  netlist.Scope
	counts bool
	apart  bool // the encoder is in the wrapper
	stages int
	tag    int // bits of the tag
	fold   bool
	none   bool // the network is constant
}

// wrap writes core and wrapper. The argument change lists replacements in the wrapper's text.
func (c wrapping) wrap(t *testing.T, change ...string) (verify.Design, stubFiles) {
	t.Helper()
	o := netgen.FrozenOptions{
		Width: 30, Depth: 4, Features: 9, Bits: 5, BitsIn: c.bitsIn, Classes: 3, ShareA: 0.3,
		ShareBinary: 0.6,
	}
	d := verifytest.NewDesign(t, netgen.Frozen(2, o), c.scope, compiler.LevelRepeat)
	if c.counts {
		d = verifytest.WithCounts(t, d)
	}
	if c.none {
		d.Product = constants(d.Product)
	}
	if c.stages > 0 {
		d = verifytest.Pipelined(t, d, pipeline.Options{Stages: c.stages})
	}
	d.Tag = c.tag
	dir := t.TempDir()
	f := stubFiles{WrapperFiles{Kind: c.kind, Module: "net"}, "net", d.Product}
	w := wrapper.Options{Core: "net", Module: "net_" + c.kind, Tag: c.tag, ClockHz: 1_000_000, Baud: 100_000}
	if c.apart {
		s := encoder.Apart(d.Product)
		f.Around, f.Core, w.Core = s.Core, "net_core", "net_core"
		f.Levels = &wrapper.Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}
		w.Levels = f.Levels
	}
	var core, around strings.Builder
	n, _, err := netlist.WithTag(f.Around, c.tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := verilog.Write(&core, n, verilog.Options{Module: f.Core}); err != nil {
		t.Fatal(err)
	}
	corePath := filepath.Join(dir, "core.v")
	if c.fold {
		f.Fold = c.engine(t, d, dir)
		corePath, w.Engine = f.Fold.Verilog, &wrapper.Engine{Module: f.Fold.Module}
	} else {
		verifytest.Write(t, corePath, core.String())
	}
	if err := writers[c.kind](&around, f.Around, w); err != nil {
		t.Fatal(err)
	}
	text := around.String()
	for ; len(change) > 0; change = change[2:] {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("the wrapper %s has no %q", c.kind, change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	f.Sources = []string{filepath.Join(dir, "wrapper.v"), corePath}
	verifytest.Write(t, f.Sources[0], text)
	return d, f
}

// engine writes a folded engine of the design.
func (c wrapping) engine(t *testing.T, d verify.Design, dir string) *verify.EngineFiles {
	t.Helper()
	e, err := folded.NewChains(d.Product, folded.Options{
		Core: "net", Lanes: 2, Thresholds: d.Model.Encoder.Thresholds,
		Drop: wrapper.Is(c.kind, wrapper.DropsPackets),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &verify.EngineFiles{Module: e.Module, Lanes: 2, Drop: wrapper.Is(c.kind, wrapper.DropsPackets), Verilog: filepath.Join(dir, e.Module+".v")}
	verifytest.Create(t, f.Verilog, func(w io.Writer) error { return e.WriteVerilog(w, nil) })
	for _, m := range e.Memories() {
		f.Programs = append(f.Programs, filepath.Join(dir, m.File))
		verifytest.Create(t, filepath.Join(dir, m.File), m.Write)
	}
	return f
}

// constants returns a netlist with the ports of n and all outputs 0.
func constants(n *netlist.Netlist) *netlist.Netlist {
	b := netlist.NewBuilder(n.Name)
	for _, p := range n.InputPorts() {
		b.Input(p.Name, len(p.Nets), p.Word, p.Labels)
	}
	for _, p := range n.OutputPorts() {
		b.Output(p.Name, p.Word, p.Labels, make([]netlist.Net, len(p.Nets)))
	}
	return b.Netlist()
}

// wrappings returns designs in every kind of wrapper.
func wrappings() map[string]wrapping {
	all := map[string]wrapping{}
	for kind := range writers {
		all[kind+" around bits"] = wrapping{kind: kind, bitsIn: 8, scope: netlist.Core}
		all[kind+" around words"] = wrapping{kind: kind, bitsIn: 10, scope: netlist.Full, counts: true}
		all[kind+" with encoder"] = wrapping{kind: kind, bitsIn: 8, scope: netlist.Full, apart: true}
		all[kind+" around a pipeline"] = wrapping{kind: kind, bitsIn: 8, scope: netlist.Full, stages: 2, counts: true}
		all[kind+" around constants"] = wrapping{kind: kind, bitsIn: 8, scope: netlist.Full, none: true}
		if kind != "stream" {
			all[kind+" around an engine"] = wrapping{kind: kind, bitsIn: 6, scope: netlist.Full, fold: true}
		}
	}
	all["stream with a tag"] = wrapping{kind: "stream", bitsIn: 8, scope: netlist.Full, apart: true, tag: 64}
	all["stream around a pipeline with a tag"] = wrapping{
		kind: "stream", bitsIn: 8, scope: netlist.Full, stages: 2, counts: true, tag: 1,
	}
	all["axis with a tag"] = wrapping{kind: "axis", bitsIn: 8, scope: netlist.Core, counts: true, tag: 6}
	all["axis around a pipeline with a tag"] = wrapping{kind: "axis", bitsIn: 8, scope: netlist.Full, stages: 3, tag: 8}
	return all
}

// TestWrapper plays samples to wrappers as they are written, and random words to wrappers around a stub. One wrapper
// is around a netlist without cells, which must not cause a division by zero.
func TestWrapper(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	for name, c := range wrappings() {
		if !testkit.Whole() && !c.apart && (c.kind == "uart" || c.kind == "spi") {
			continue // these wrappings take most of the time
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, f := c.wrap(t)
			least := leastWords
			if slow := c.kind == "uart" || c.kind == "spi"; slow { // thousands of clocks for each sample
				least = 600
			}
			if r := stub(t, d, f, least); r.Mismatches != 0 || r.words < least || r.packets < 3 {
				t.Errorf("around a stub: %+v", r)
			}
			r, err := CheckWrapper(t.Context(), d, verifytest.RandomSamples(d.Model, 12), f.WrapperFiles, 6)
			if err != nil {
				t.Fatal(err)
			}
			// A constant network does not agree with the model.
			if r.Checked < 2 || r.Unplayed != "" || r.Mismatches != 0 && !c.none {
				t.Errorf("%+v", r)
			}
		})
	}
}

// readLiteral matches the constant READ: its size and its digits.
var readLiteral = regexp.MustCompile(`\.READ\(\{\s+(\d+)'h([0-9a-f]+)`)

// TestReadBits flips every bit of a wrapper's constant READ, which selects the stored bits of a sample. Random words
// for a wrapper around a stub must show each flip.
func TestReadBits(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	for kind := range writers {
		for _, name := range []string{" with encoder", " around bits"} {
			t.Run(kind+name, func(t *testing.T) {
				t.Parallel()
				d, f := wrappings()[kind+name].wrap(t)
				text, err := os.ReadFile(f.Sources[0])
				if err != nil {
					t.Fatal(err)
				}
				m := readLiteral.FindStringSubmatch(string(text))
				size, _ := strconv.Atoi(m[1])
				step := map[string]int{"stream": 1, "axis": 3, "uart": 13, "spi": 13, "byte": 13}[kind] // slow kinds have the same loader
				if !testkit.Whole() {
					step *= 5
				}
				digits, _ := new(big.Int).SetString(m[2], 16)
				if kind != "stream" && name == " around bits" {
					size = len(f.Around.DataInputs()[0].Nets) // the unused high bits of the last byte do not matter
				}
				for bit := 0; bit < size; bit += step {
					broken := new(big.Int).SetBit(new(big.Int).Set(digits), bit, 1-digits.Bit(bit)).Text(16)
					verifytest.Write(t, f.Sources[0], strings.Replace(string(text), "'h"+m[2], "'h"+broken, 1))
					if r := stubbed(t, d, f); r.Mismatches == 0 {
						t.Errorf("bit %d of %d is not found", bit, size)
					}
				}
			})
		}
	}
}

// stubbed plays a few random words to a wrapper around a stub.
func stubbed(t *testing.T, d verify.Design, f stubFiles) stubResult {
	t.Helper()
	return stub(t, d, f, 600)
}

// TestStubFaults breaks the logic on both sides of the loader. Random words, results, packets and resets for a
// wrapper around a stub must show each fault.
func TestStubFaults(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	for _, c := range []struct{ name, good, bad, want string }{
		{"stream around words", "class_index <= core_class_index", "class_index <= ~core_class_index", "expected"},
		{"stream around words", "if ((in_last ^ whole) & ~skip) failed", "if (in_last & ~whole & ~skip) failed", "no error"},
		{"stream around words", "if (in_last & whole & ~skip) full", "if (in_last & whole) full", ""},
		{"stream around a pipeline", ".ce(step)", ".ce(1'b1)", ""},
		{"stream around a pipeline", "wire step = ~(core_valid & out_valid)", "wire step = ~out_valid | in_valid", ""},
		{"stream with a tag", "out_tag <= core_out_tag;", "begin out_tag <= late; late <= core_out_tag; end", "expected"},
		{"stream around a pipeline with a tag", ".in_tag(sample_tag)", ".in_tag(in_tag)", "expected"},
		{"stream around a pipeline with a tag", "out_tag <= core_out_tag;", "out_tag <= sample_tag;", "expected"},
		{"axis with a tag", "if (in_valid & in_ready) sample", "if (in_valid & in_ready & ~in_last) sample", "expected"},
		{"axis around a pipeline with a tag", "if (in_valid & in_ready) sample", "if (in_valid) sample", "expected"},
		{"axis with encoder", "lane*8+:8", "lane*8+:7", ""},
		{"axis with encoder", "beat <= in_last ?", "beat <= in_last & ~skip ?", ""},
		{"axis around an engine", ".in_last(s_axis_tlast)", ".in_last(1'b0)", ""},
		{"axis around an engine", "in_data[5:0]", "{in_data[0], in_data[5:1]}", "expected"},
		{"uart around an engine", ".drop(drop),\n      .out_valid", ".drop(1'b0),\n      .out_valid", ""},
		{"uart with encoder", "broken    <= ~line", "broken    <= 1'b0", ""},
		{"uart with encoder", "quiet & at != 4'd0", "1'b0", ""},
		{"spi around words", ".in_last(finish)", ".in_last(push)", ""},
		{"spi around an engine", "result[{to, 3'd0}+:8]", "~result[{to, 3'd0}+:8]", "expected"},
		{"byte around an engine", "out_last ? 1'd0 : to + 1'd1", "~to", ""},
		{"byte with encoder", "rst = ~(rst_n & ena)", "rst = ~(rst_n | ena)", ""},
	} {
		t.Run(c.name+" "+c.bad, func(t *testing.T) {
			t.Parallel()
			change := []string{c.good, c.bad}
			if strings.Contains(c.bad, "late") {
				change = append(change, "] sample_tag;", "] sample_tag, late;")
			}
			d, f := wrappings()[c.name].wrap(t, change...)
			r := stubbed(t, d, f)
			if r.Mismatches == 0 || !strings.Contains(fmt.Sprint(r.First), c.want) {
				t.Errorf("%+v, want %q", r, c.want)
			}
		})
	}
}

// TestStubBounded plays samples to a wrapper for a serial line. A sample has one feature, and its result has a
// hundred counts. The time must be bounded, but the samples must still cover every bit.
func TestStubBounded(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{Seed: 9, Features: 1, Width: 200, Depth: 1, Classes: 100})
	d := verifytest.WithCounts(t, verifytest.NewDesign(t, m.Freeze(), netlist.Full, 2))
	for kind, most := range map[string]int{"stream": leastWords, "uart": 500} {
		f := stubFiles{WrapperFiles{Kind: kind, Module: "net"}, "net", d.Product}
		p, err := newPlayback(d, f.wrapped())
		if err != nil {
			t.Fatal(err)
		}
		re := newRehearsal(f, p, leastWords)
		if n := len(re.want); n > most || n < extremes+2*re.rounds() || kind == "stream" && n < most*9/10 {
			t.Errorf("%s: %d samples of %d clocks", kind, n, p.clocks)
		}
	}
}
