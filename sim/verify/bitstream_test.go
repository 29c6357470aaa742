package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/backend/verilog"
	"ialgn/backend/wrapper"
	"ialgn/compiler/pipeline"
	"ialgn/flow/device"
	"ialgn/flow/icestorm"
	"ialgn/flow/synth"
	"ialgn/internal/modelgen"
	"ialgn/netlist"
)

// routed takes a design, in the wrapper where that is asked for, to a bitstream for the smallest
// device, and returns it with its configuration as text.
func routed(t *testing.T, d Design, stream bool) (Bitstream, string) {
	t.Helper()
	needs(t, "yosys", "nextpnr-ice40", "icepack", "iceunpack", "icetime", "icebox_vlog", "iverilog", "vvp")
	dir := t.TempDir()
	hx1k, err := device.Find("ice40-hx1k")
	if err != nil {
		t.Fatal(err)
	}
	b := Bitstream{Module: "net", Top: "net", Stream: stream, Device: hx1k}
	o := synth.Options{Device: hx1k, Dir: dir, MHz: 12, Seeds: []int{1}, Sources: []string{filepath.Join(dir, "net.v")}}
	var core, wrap strings.Builder
	if err := verilog.Write(&core, d.Product, verilog.Options{Module: "net", Style: verilog.LUTs, Target: verilog.ICE40}); err != nil {
		t.Fatal(err)
	}
	write(t, o.Sources[0], core.String())
	if stream {
		b.Top = "net_stream"
		if err := wrapper.WriteStream(&wrap, d.Product, wrapper.Options{Core: "net"}); err != nil {
			t.Fatal(err)
		}
		o.Sources = append(o.Sources, filepath.Join(dir, "wrap.v"))
		write(t, o.Sources[1], wrap.String())
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

// tiny returns a random IALGN whose ports fit a small package.
func tiny(seed uint64) Design {
	f := modelgen.New(modelgen.Options{Seed: seed, Features: 6, Width: 12, Depth: 3}).Freeze()
	return Design{Model: f}
}

// TestBitstream simulates what is in bitstreams: a pipeline in the wrapper, and the same with
// one bit of one LUT flipped, which is found.
func TestBitstream(t *testing.T) {
	if testing.Short() {
		t.Skip("places and routes")
	}
	d := loweredDesign(t, tiny(5).Model, netlist.Full, "ice40", 4, false, pipeline.Options{Stages: 2})
	b, asc := routed(t, d, true)
	s := randomSamples(d.Model, 200)
	r, err := d.Bitstream(t.Context(), s, b, 150)
	if err != nil {
		t.Fatal(err)
	}
	if r.Mismatches != 0 || r.Checked != 150 || r.Simulator == "" {
		t.Fatalf("the sound bitstream: %+v", r)
	}
	for try := range 4 {
		broken := flipLUT(t, asc, try)
		path := filepath.Join(t.TempDir(), "broken.asc")
		write(t, path, broken)
		b := b
		b.Bin = filepath.Join(filepath.Dir(path), "broken.bin")
		if err := icestorm.Pack(t.Context(), path, b.Bin); err != nil {
			t.Fatal(err)
		}
		r, err := d.Bitstream(t.Context(), s, b, 150)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("LUT %d: %d mismatches", try, r.Mismatches)
		if r.Mismatches > 0 {
			return // the samples exercise it
		}
	}
	t.Error("one bit of a LUT is flipped, of four LUTs in turn, and no difference is found")
}

// lutBits are the places of a LUT's entries among the 20 bits of a logic cell, as icestorm's
// documentation of logic tiles has them.
var lutBits = [16]int{4, 14, 15, 5, 6, 16, 17, 7, 3, 13, 12, 2, 1, 11, 10, 0}

// flipLUT flips the entry of a LUT that is read when all its inputs are 0: of that which comes
// skip-th among those that are no constant.
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
	if testing.Short() {
		t.Skip("places and routes")
	}
	d := loweredDesign(t, tiny(6).Model, netlist.Full, "ice40", 4, false, pipeline.Options{Stages: 1})
	b, _ := routed(t, d, false)
	s := randomSamples(d.Model, 100)
	r, err := d.Bitstream(t.Context(), s, b, 100)
	if err != nil || r.Mismatches != 0 || r.Checked != 100 {
		t.Fatalf("the sound bitstream: %+v, %v", r, err)
	}
	other := loweredDesign(t, tiny(7).Model, netlist.Full, "ice40", 4, false, pipeline.Options{Stages: 1})
	if r, err := other.Bitstream(t.Context(), s, b, 100); err != nil || r.Mismatches == 0 || !strings.Contains(r.First[0].What, "the bitstream differs") {
		t.Errorf("another model's: %+v, %v", r, err)
	}
}
