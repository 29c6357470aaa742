package rtl

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/flow"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/synth"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// writers holds the writer of each kind of wrapper.
var writers = map[string]func(io.Writer, *netlist.Netlist, wrapper.Options) error{
	"stream": wrapper.WriteStream, "axis": wrapper.WriteAXIS, "uart": wrapper.WriteUART, "spi": wrapper.WriteSPI,
	"byte": wrapper.WriteByte,
}

// routed implements a design as a bitstream for a device, in the wrapper that b names. If board is not empty, it
// places the ports on the pins of that board. It returns the bitstream, and its configuration as text.
func routed(t *testing.T, d verify.Design, name string, b Bitstream, board string) (Bitstream, string) {
	t.Helper()
	verifytest.Needs(t, "yosys", "nextpnr-ice40", "icepack", "iceunpack", "icetime", "icebox_vlog", "iverilog", "vvp")
	dir := t.TempDir()
	var err error
	if b.Device, err = target.FindDevice(name); err != nil {
		t.Fatal(err)
	}
	b.Module, b.Top = "net", "net"
	o := synth.Options{
		Device: b.Device, Dir: dir, MHz: 12, Seeds: []int{1},
		Sources: []string{filepath.Join(dir, "net.v")},
	}
	emitted := func(path string, writeTo func(io.Writer) error) {
		var text strings.Builder
		if err := writeTo(&text); err != nil {
			t.Fatal(err)
		}
		verifytest.Write(t, path, text.String())
	}
	emitted(o.Sources[0], func(w io.Writer) error {
		return verilog.Write(w, d.Product, verilog.Options{Module: "net", Style: verilog.LUTs, Target: target.ICE40})
	})
	if b.Wrapper != "" {
		b.Top = "net_" + b.Wrapper
		o.Sources = append(o.Sources, filepath.Join(dir, "wrap.v"))
		options := b.Options
		options.Core = "net"
		emitted(o.Sources[1], func(w io.Writer) error { return writers[b.Wrapper](w, d.Product, options) })
	}
	if board != "" {
		pins, err := wrapper.ParseBoard(board)
		if err != nil {
			t.Fatal(err)
		}
		o.Pins = filepath.Join(dir, "board.pcf")
		emitted(o.Pins, func(w io.Writer) error { return pins.WritePins(w, b.Wrapper, b.Top) })
	}
	o.Module = b.Top
	r, err := synth.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Bin, b.Pins = r.Bitstream, filepath.Join(r.Dir, b.Top+".pcf")
	asc, err := os.ReadFile(filepath.Join(r.Dir, "seed1.asc"))
	if err != nil {
		t.Fatal(err)
	}
	return b, string(asc)
}

// tiny returns a design of a random IALGN network. Its ports are few enough for the pins of a small package.
func tiny(seed uint64) verify.Design {
	f := netgen.Model(netgen.ModelOptions{Seed: seed, Features: 6, Width: 12, Depth: 3}).Freeze()
	return verify.Design{Model: f}
}

// TestBitstream simulates a bitstream of a design in each wrapper. If results are sent as bytes, they include the
// counts. The test also flips one bit of one LUT in the bitstream. The simulation must find this fault. Two wrappers
// are placed on the pins of a board. One board has the UP5K, and the other board has the HX8K.
func TestBitstream(t *testing.T) {
	testkit.Long(t, "places and routes a board of each kind")
	for _, c := range []struct {
		wrapper, target, board string
		stages, samples        int
		flip                   int // the first LUT to try to flip; negative: flip none
	}{
		{"stream", "ice40-hx1k", "", 2, 150, 0},
		{"axis", "ice40-hx1k", "", 1, 150, 0},
		{"uart", "ice40-up5k", "icebreaker", 0, 20, 3},
		{"spi", "ice40-hx8k", "hx8k-breakout", 2, 40, -1},
		{"byte", "ice40-hx1k", "", 1, 100, 0},
	} {
		t.Run(c.wrapper+" on "+c.target, func(t *testing.T) {
			t.Parallel()
			d := verifytest.NewDesign(t, tiny(5).Model, netlist.Full, 2)
			if c.wrapper != "stream" {
				d = verifytest.WithCounts(t, d)
			}
			d = lower(d, t, c.stages)
			b, asc := routed(t, d, c.target, Bitstream{Wrapper: c.wrapper, Options: wrapper.Options{Baud: 1_000_000}}, c.board)
			s := verifytest.RandomSamples(d.Model, 200)
			r, err := CheckBitstream(t.Context(), d, s, b, c.samples)
			if err != nil {
				t.Fatal(err)
			}
			if r.Mismatches != 0 || r.Checked != c.samples || r.Simulator == "" {
				t.Fatalf("the sound bitstream: %+v", r)
			}
			t.Logf("%.1f s of processor time", r.RunCPU)
			if c.flip >= 0 {
				flipped(t, d, s, b, asc, c.samples, c.flip)
			}
		})
	}
}

// lower lowers the product of a design to iCE40.
func lower(d verify.Design, t *testing.T, stages int) verify.Design {
	t.Helper()
	o := hardware.Options{
		Target: target.ICE40, K: 4, Objective: lut.Balanced, Threads: 1,
		Pipeline: pipeline.Options{Stages: stages},
	}
	h, err := o.Lower(t.Context(), d.Product)
	if err != nil {
		t.Fatal(err)
	}
	d.Product, d.Hint = h.Netlist, h.Hint
	return d
}

// flipped flips one bit of one LUT of a bitstream. The argument first is the number of the first LUT to try. flipped
// tries one LUT after another, until the samples show the flip.
func flipped(t *testing.T, d verify.Design, s verify.Samples, b Bitstream, asc string, samples, first int) {
	t.Helper()
	const most = 8
	for try := first; try < first+most; try++ {
		path := filepath.Join(t.TempDir(), "broken.asc")
		verifytest.Write(t, path, flipLUT(t, asc, try))
		b.Bin = filepath.Join(filepath.Dir(path), "broken.bin")
		if err := flow.Pack(t.Context(), path, b.Bin); err != nil {
			t.Fatal(err)
		}
		r, err := CheckBitstream(t.Context(), d, s, b, samples)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("LUT %d: %d mismatches", try, r.Mismatches)
		if r.Mismatches > 0 {
			return // the samples show the flipped bit
		}
	}
	t.Errorf("one bit of a LUT is flipped, of %d LUTs in turn, and no difference is found", most)
}

// lutBits are the positions of a LUT's table entries among the 20 bits of a logic cell. They are from icestorm's
// documentation of logic tiles.
var lutBits = [16]int{4, 14, 15, 5, 6, 16, 17, 7, 3, 13, 12, 2, 1, 11, 10, 0}

// flipLUT flips the table entry of one LUT for the case that all inputs are 0. It ignores constant LUTs. The argument
// skip is the number of other LUTs to skip.
func flipLUT(t *testing.T, asc string, skip int) string {
	t.Helper()
	lines := strings.Split(asc, "\n")
	for i := range lines {
		if !strings.HasPrefix(lines[i], ".logic_tile ") {
			continue
		}
		for cell := range 8 {
			at := func(bit int) (line, column int) { return i + 1 + 2*cell + bit/10, 36 + bit%10 }
			ones := 0
			for _, bit := range lutBits {
				line, column := at(bit)
				ones += int(lines[line][column] - '0')
			}
			if ones == 0 || ones == 16 {
				continue
			}
			if skip--; skip >= 0 {
				continue
			}
			line, column := at(lutBits[0])
			row := []byte(lines[line])
			row[column] ^= '0' ^ '1'
			lines[line] = string(row)
			return strings.Join(lines, "\n")
		}
	}
	t.Fatal("no LUT to break")
	return ""
}

// TestBitstreamPorts simulates a bitstream without a wrapper.
func TestBitstreamPorts(t *testing.T) {
	testkit.Long(t, "places and routes")
	d := verifytest.LoweredDesign(t, tiny(6).Model, netlist.Full, "ice40", 4, false, pipeline.Options{Stages: 1})
	b, _ := routed(t, d, "ice40-hx1k", Bitstream{}, "")
	s := verifytest.RandomSamples(d.Model, 100)
	r, err := CheckBitstream(t.Context(), d, s, b, 100)
	if err != nil || r.Mismatches != 0 || r.Checked != 100 {
		t.Fatalf("the sound bitstream: %+v, %v", r, err)
	}
	other := verifytest.LoweredDesign(t, tiny(7).Model, netlist.Full, "ice40", 4, false, pipeline.Options{Stages: 1})
	if r, err := CheckBitstream(t.Context(), other, s, b, 100); err != nil || r.Mismatches == 0 ||
		!strings.Contains(r.First[0].What, "the bitstream differs") {
		t.Errorf("another model's: %+v, %v", r, err)
	}
}
