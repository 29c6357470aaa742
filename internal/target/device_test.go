package target_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/target"
	"ialgn/internal/testkit"
)

// small is a design that fits into every device.
const small = `module small (input wire clk, input wire x, output reg y);
  always @(posedge clk) y <= x;
endmodule
`

// TestUtilisation compares the numbers of cells in the table of iCE40 devices with nextpnr's numbers.
func TestUtilisation(t *testing.T) {
	yosys, nextpnr := testkit.FindTool(t, "yosys"), testkit.FindTool(t, "nextpnr-ice40")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "small.v"), []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	testkit.RunTool(t, yosys, dir, "-q", "-p", "read_verilog small.v; synth_ice40 -top small -json small.json")
	for _, name := range target.DeviceNames() {
		d := find(t, name)
		if !d.Icestorm() {
			continue
		}
		out := testkit.RunTool(t, nextpnr, dir, "--"+d.Die, "--package", d.Package, "--json", "small.json", "--no-place",
			"--no-route")
		cells, rams := available(t, out, "ICESTORM_LC"), available(t, out, "ICESTORM_RAM")
		if d.LUTs != cells || d.FlipFlops != cells || d.Carries != cells || d.BlockRAM != 4096*rams {
			t.Errorf("%s: %+v, nextpnr has %d logic cells and %d RAMs of 4096 bits", name, d, cells, rams)
		}
		if pads := available(t, out, "SB_IO"); d.Pins > pads {
			t.Errorf("%s: %d pins, but the die has %d", name, d.Pins, pads)
		}
	}
}

// available returns the number of available cells of a kind, from nextpnr's utilisation report.
func available(t *testing.T, text, kind string) int {
	t.Helper()
	m := regexp.MustCompile(kind + `: *\d+/ *(\d+)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no utilisation of %s:\n%s", kind, text)
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// TestPins compares the pins of iCE40 with icestorm's database. The numbers of pins are also those in the data sheet,
// except for TQ144, for which the data sheet leaves out a usable pin.
func TestPins(t *testing.T) {
	program := testkit.FindTool(t, "icetime")
	for _, c := range []struct {
		name, base string
		more       int
	}{
		{"ice40-hx8k", "8k", 0}, {"ice40-hx1k", "1k", 1}, {"ice40-lp8k", "8k", 0}, {"ice40-up5k", "5k", 0},
	} {
		d := find(t, c.name)
		path := filepath.Join(filepath.Dir(program.Path), "..", "share", "fpga-icestorm", "chipdb", "chipdb-"+c.base+".txt")
		file, err := os.Open(path)
		if err != nil {
			t.Skip(err)
		}
		defer file.Close()
		n, within := 0, false
		for s := bufio.NewScanner(file); s.Scan(); {
			line := s.Text()
			if within && !strings.HasPrefix(line, ".") && line != "" {
				n++
			} else if strings.HasPrefix(line, ".") {
				if within {
					break
				}
				within = line == ".pins "+d.Package
			}
		}
		if n != d.Pins+c.more {
			t.Errorf("%s: %d pins, the data base has %d", c.name, d.Pins, n)
		}
	}
}

func find(t *testing.T, name string) target.Device {
	t.Helper()
	d, err := target.FindDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDevices checks that every row of the table is complete.
func TestDevices(t *testing.T) {
	for _, name := range target.DeviceNames() {
		d := find(t, name)
		if d.Name != name || d.LUTInputs != 4 && d.LUTInputs != 6 && d != target.ASIC.Devices[0] {
			t.Errorf("%+v", d)
		}
		figures := []int{d.LUTs, d.Carries, d.FlipFlops, d.Pins, d.BlockRAM}
		for _, n := range figures {
			if (n > 0) != d.Placeable() {
				t.Errorf("%s: figures %v of a target with the package %q", name, figures, d.Package)
			}
		}
		if d.Placeable() && (d.Die == "" && d.Placement().Placer != target.Vivado || d.Part == "" || d.Source == "") {
			t.Errorf("%s: no name of the die, the part or the data sheet: %+v", name, d)
		}
	}
	_, err := target.FindDevice("ice40")
	if want := `target "ice40": no such target, use one of ice40-hx8k, ice40-hx1k, `; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s...", err, want)
	}
}
