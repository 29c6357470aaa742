package wrapper

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// tinyNet returns a netlist with a sample of one byte.
func tinyNet() *netlist.Netlist {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 8, 8, nil)
	b.Output("class_index", 1, nil, []netlist.Net{b.Function(0b0110, netlist.Origin{}, x[6], x[3])})
	return b.Netlist()
}

// TestPins has nextpnr connect the ports of the wrappers, without their logic, to the pins of each board. nextpnr
// refuses a pin that the package does not have, a port without a pin, and a pin for a port that the wrapper does not
// have. The test also checks that nextpnr refuses a pin file in which one line is missing.
func TestPins(t *testing.T) {
	for _, kind := range []string{"uart", "spi"} {
		writer := WriteUART
		if kind == "spi" {
			writer = WriteSPI
		}
		dir, wrapper := emitWith(t, tinyNet(), 0, writer, Options{})
		write(t, dir, "dut.v", wrapper)
		testkit.RunSilent(t, dir, "yosys", "-q", "-p",
			"read_verilog dut.v core.v; hierarchy -top dut; proc; delete c:*; write_json dut.json")
		for i, b := range boards {
			var pins strings.Builder
			if err := b.WritePins(&pins, kind, "dut"); err != nil {
				t.Fatal(err)
			}
			place := func(text string) (string, error) {
				write(t, dir, "dut.pcf", text)
				return testkit.TryTool(t, dir, "nextpnr-ice40", "-q", "--"+b.Device, "--package", b.Package, "--json", "dut.json",
					"--pcf", "dut.pcf", "--pack-only", "--seed", "1")
			}
			if out, err := place(pins.String()); err != nil || strings.Contains(out, "Warning") {
				t.Errorf("%s on %s: %v\n%s", kind, b.Name, err, out)
			}
			if lines := strings.SplitAfter(strings.TrimSpace(pins.String()), "\n"); i == 0 {
				n := rand.N(len(b.pins[kind]))
				lines = slices.Delete(lines, len(lines)-1-n, len(lines)-n)
				if out, err := place(strings.Join(lines, "")); err == nil {
					t.Errorf("%s on %s: a pin file without a port passes\n%s", kind, b.Name, out)
				}
			}
		}
	}
}

// TestPinsOnce checks that each pin of a board is used for only one port. It also checks that boards without pins for
// a wrapper are refused.
func TestPinsOnce(t *testing.T) {
	set := regexp.MustCompile(`(?m)^set_io .*?(\w+) +(\w+)(?: +#.*)?$`)
	for _, b := range boards {
		for _, kind := range []string{"uart", "spi"} {
			var pins strings.Builder
			if err := b.WritePins(&pins, kind, "dut"); err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, m := range set.FindAllStringSubmatch(pins.String(), -1) {
				if seen[m[1]] || seen[m[2]] {
					t.Errorf("%s on %s: %s or %s occurs twice", kind, b.Name, m[1], m[2])
				}
				seen[m[1]], seen[m[2]] = true, true
			}
			if len(seen) != 2*len(b.pins[kind]) {
				t.Errorf("%s on %s: %d names, want %d", kind, b.Name, len(seen), 2*len(b.pins[kind]))
			}
		}
		if err := b.CheckPins("axis"); err == nil || !strings.Contains(err.Error(), "give uart or spi") {
			t.Errorf("axis on %s: %v", b.Name, err)
		}
	}
	if _, err := ParseBoard("arty"); err == nil || !strings.Contains(err.Error(), "hx8k-breakout, icebreaker") {
		t.Error(err)
	}
}
