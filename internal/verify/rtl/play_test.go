package rtl

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// played plays samples to the emitted wrapper of the kind that b names, with parts of the wrapper's text replaced.
func played(t *testing.T, d verify.Design, b Bitstream, s verify.Samples, change ...string) *Run {
	t.Helper()
	dir := t.TempDir()
	var core, around strings.Builder
	if err := verilog.Write(&core, d.Product, verilog.Options{Module: "net"}); err != nil {
		t.Fatal(err)
	}
	o := b.Options
	o.Core = "net"
	if err := writers[b.Wrapper](&around, d.Product, o); err != nil {
		t.Fatal(err)
	}
	text := around.String()
	for ; len(change) > 0; change = change[2:] {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("the wrapper %s has no %q", b.Wrapper, change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	verifytest.Write(t, filepath.Join(dir, "chip.v"), core.String()+text)
	b.Top = "net_" + b.Wrapper
	r, err := play(t.Context(), d, s, wrapped{
		wrapper: b.Wrapper, options: b.Options, top: b.Top,
		sources: []string{"chip.v"},
	}, dir, s.Levels.Len())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPlay plays samples to every wrapper. Words have one bit, several bits or more than a byte. Results are shorter
// or longer than a sample.
func TestPlay(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	for _, c := range []struct {
		features, bitsIn int
		scope            netlist.Scope
		stages           int
		counts           bool
	}{{6, 8, netlist.Full, 0, false}, {3, 10, netlist.Full, 2, true}, {9, 4, netlist.Core, 1, true}} {
		f := netgen.Model(netgen.ModelOptions{
			Seed: 3, Features: c.features, BitsIn: c.bitsIn, Width: 40, Depth: 3,
			Classes: 10,
		}).Freeze()
		s := verifytest.RandomSamples(f, 25)
		d := verifytest.NewDesign(t, f, c.scope, 2)
		if c.counts {
			d = verifytest.WithCounts(t, d)
		}
		if c.stages > 0 {
			d = verifytest.Pipelined(t, d, pipeline.Options{Stages: c.stages})
		}
		for kind := range writers {
			t.Run(fmt.Sprintf("%s/%v of %d bits", kind, c.scope, c.bitsIn), func(t *testing.T) {
				t.Parallel()
				b := Bitstream{Wrapper: kind, Options: wrapper.Options{ClockHz: 16_130_000, Baud: 2_000_000}}
				if r := played(t, d, b, s); r.Mismatches != 0 || r.Checked != 25 || r.Ties == 0 {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

// TestPlayRandom plays samples to the wrapper byte around 50 random networks of every wiring. Scope, size, number of
// classes, counts and pipeline are drawn, too.
func TestPlayRandom(t *testing.T) {
	testkit.Long(t, "plays 50 networks")
	verifytest.Needs(t, "iverilog", "vvp")
	for seed := range uint64(50) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 31))
			classes := 2 + r.IntN(19)
			f := netgen.Frozen(seed, netgen.FrozenOptions{
				Width: classes * (1 + r.IntN(6)), Depth: 1 + r.IntN(6), Features: 1 + r.IntN(20), Bits: 2 + r.IntN(6),
				BitsIn: 3 + r.IntN(10), Classes: classes, Topology: netgen.Topology(r.IntN(int(netgen.Random) + 1)),
				Offsets: r.IntN(3) == 0, Ties: r.IntN(3) == 0,
			})
			scope := []netlist.Scope{netlist.Core, netlist.Full}[r.IntN(2)]
			d := verifytest.NewDesign(t, f, scope, r.IntN(3))
			if r.IntN(2) == 0 {
				d = verifytest.WithCounts(t, d)
			}
			if stages := r.IntN(4); stages > 0 {
				d = verifytest.Pipelined(t, d, pipeline.Options{Stages: stages})
			}
			s := verifytest.RandomSamples(f, 40)
			if r := played(t, d, Bitstream{Wrapper: "byte"}, s); r.Mismatches != 0 || r.Checked != 40 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestPlayFaults plays samples to broken wrappers. Each fault must be found.
func TestPlayFaults(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	d := verifytest.WithCounts(t, verifytest.NewDesign(t,
		netgen.Model(netgen.ModelOptions{Seed: 3, Features: 6, Width: 39, Depth: 3}).Freeze(),
		netlist.Full, 2))
	s := verifytest.RandomSamples(d.Model, 12)
	for _, c := range []struct{ kind, good, bad, want string }{
		{"stream", "if (in_last & whole & ~skip) full", "if (in_last & whole & skip) full", "no result"},
		{"stream", "class_index <= core_class_index", "class_index <= ~core_class_index", "expected"},
		{"stream", "else if (out_ready) out_valid", "else if (1'b0) out_valid", "expected"},
		{"axis", "m_axis_tlast = 1'b1", "m_axis_tlast = 1'b0", "without tlast"},
		{"axis", ".in_data(s_axis_tdata)", ".in_data({s_axis_tdata[7:0], s_axis_tdata[8*BYTES-1:8]})", "expected"},
		{"axis", ".in_last(s_axis_tlast)", ".in_last(1'b1)", "an error"},
		{"uart", "result[{to, 3'd0}+:8]", "~result[{to, 3'd0}+:8]", "expected"},
		{"uart", "localparam [31:0] BIT = (CLOCK_HZ", "localparam [31:0] BIT = (CLOCK_HZ + CLOCK_HZ / 4", ""},
		{"uart", "tx_bits  <= 4'd10", "tx_bits  <= 4'd9", ""},
		{"spi", "shift      <= {6'd0, error, out_valid}", "shift      <= {6'd1, error, out_valid}", "an unknown status"},
		{"spi", "left ? result", "left ? ~result", "expected"},
		{"spi", "wire out_ready = whole & final_byte", "wire out_ready = 1'b0", ""},
		{"byte", "result[{to, 3'd0}+:8]", "~result[{to, 3'd0}+:8]", "expected"},
		{"byte", ": to + ", ": to - ", ""},
		{"byte", "out_last = to == ANSWER", "out_last = to != ANSWER", ""},
		{"byte", "out_last, 1'b0, out_valid", "1'b1, 1'b0, out_valid", "another byte than the last is the last"},
		{"byte", "uio_oe = 8'b01101010", "uio_oe = 8'b11101010", "wrong directions"},
		{"byte", ".in_last(uio_in[2])", ".in_last(1'b1)", "an error"},
	} {
		t.Run(c.kind+" "+c.bad, func(t *testing.T) {
			t.Parallel()
			r := played(t, d, Bitstream{Wrapper: c.kind, Options: wrapper.Options{Baud: 1_000_000}}, s, c.good, c.bad)
			if r.Mismatches == 0 || !strings.Contains(fmt.Sprint(r.First), c.want) {
				t.Errorf("%+v, want %q", r, c.want)
			}
		})
	}
}

// TestPlayNone checks that an unknown kind of wrapper is refused.
func TestPlayNone(t *testing.T) {
	d := verifytest.NewDesign(t, verifytest.Small(1), netlist.Full, 2)
	if _, err := newPlayback(d, wrapped{wrapper: "i2c"}); err == nil || !strings.Contains(err.Error(), `"i2c"`) {
		t.Errorf("%v", err)
	}
}

// TestWrapperUnplayed checks a wrapper around a design that is too large to simulate. The result must say that no
// sample was played.
func TestWrapperUnplayed(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	large := netgen.FrozenOptions{Width: 2001, Depth: 101, Features: 9, ShareA: 0.884, ShareBinary: 0.114}
	d := verifytest.NewDesign(t, netgen.Frozen(1, large), netlist.Core, 0)
	if d.Product.Cells() <= LargestWhole {
		t.Fatalf("%d cells are simulated whole", d.Product.Cells())
	}
	f := WrapperFiles{
		Kind: "stream", Module: "net",
		Sources: []string{filepath.Join(t.TempDir(), "wrapper.v")},
	}
	var text strings.Builder
	if err := wrapper.WriteStream(&text, d.Product, wrapper.Options{Core: "net", Module: "net_stream"}); err != nil {
		t.Fatal(err)
	}
	verifytest.Write(t, f.Sources[0], text.String())
	r, err := CheckWrapper(t.Context(), d, verify.Samples{}, f, 10)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d cells are more than 200000", d.Product.Cells()); r.Unplayed != want || r.Checked != 0 {
		t.Errorf("%d samples played, unplayed: %q, want %q", r.Checked, r.Unplayed, want)
	}
}
