package flow_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/flow"
	"ialgn/internal/message"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

// adder has LUTs with and without a flip-flop, flip-flops without a LUT, a chain of carries, and an input that
// nothing reads.
const adder = `module adder (input wire clk, input wire unread, input wire [5:0] a, input wire [5:0] b, output reg [6:0] sum, output wire any);
  reg [5:0] x, y;
  always @(posedge clk) begin
    x <= a;
    y <= b;
    sum <= x + y;
  end
  assign any = |a;
endmodule
`

func find(t *testing.T, name string) target.Device {
	t.Helper()
	d, err := target.FindDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// synthesise returns a design synthesised for a device.
func synthesise(t *testing.T, module, text string) *flow.YosysResult {
	t.Helper()
	testkit.FindTool(t, "yosys")
	dir := t.TempDir()
	source := filepath.Join(dir, "source.v")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := flow.Yosys(t.Context(), flow.YosysOptions{
		Module: module, Sources: []string{source}, Target: target.ICE40,
		Dir: dir, Place: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var clock = regexp.MustCompile(`Max frequency for clock '[^']*': ([0-9.]+) MHz`)

// TestNextpnrPlace places a design. It compares the figures from nextpnr's report with the log and with yosys's count
// of cells.
func TestNextpnrPlace(t *testing.T) {
	testkit.FindTool(t, "nextpnr-ice40")
	s := synthesise(t, "adder", adder)
	r, err := flow.Nextpnr(t.Context(), flow.PlaceOptions{
		Device: find(t, "ice40-hx1k"), Module: "adder", Netlist: s.JSON, Dir: t.TempDir(), Seed: 7, MHz: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}
	ffs := 0
	for cell, n := range s.Cells {
		if strings.HasPrefix(cell, "SB_DFF") {
			ffs += n
		}
	}
	if r.LUTs != s.Cells["SB_LUT4"] || r.FFs != ffs || ffs != 19 || r.Carries < s.Cells["SB_CARRY"] || r.Carries == 0 {
		t.Errorf("%d LUTs, %d flip-flops, %d carries; yosys has %v", r.LUTs, r.FFs, r.Carries, s.Cells)
	}
	if r.Seed != 7 || r.Used("ICESTORM_LC") < r.LUTs || r.Used("NONE") != 0 ||
		!strings.Contains(r.Tool, "Place and Route") {
		t.Errorf("%+v", r)
	}
	log, err := os.ReadFile(r.Log)
	if err != nil {
		t.Fatal(err)
	}
	all := clock.FindAllStringSubmatch(string(log), -1)
	if len(all) == 0 {
		t.Fatalf("the log has no clock:\n%s", log)
	}
	if want, _ := strconv.ParseFloat(all[len(all)-1][1], 64); r.Fmax < want-0.01 || r.Fmax > want+0.01 {
		t.Errorf("fmax %v, the log ends with %v MHz", r.Fmax, want)
	}
	if text, err := os.ReadFile(r.Bits); err != nil || !strings.Contains(string(text), ".logic_tile") {
		t.Errorf("the configuration: %v", err)
	}
	if got, want := len(r.Pads), 1+1+6+6+7+1; got != want {
		t.Errorf("%d pads, want %d: %v", got, want, r.Pads)
	}
	checkPath(t, r, string(log))
}

// checkPath compares the critical path with the clock and with the netlist's names.
func checkPath(t *testing.T, r *flow.Result, log string) {
	t.Helper()
	p := r.Critical
	if p.From != "posedge clk" || p.To != p.From || p.NS < 1000/r.Fmax-0.01 || p.NS > 1000/r.Fmax+0.01 {
		t.Errorf("the critical path %+v does not decide %v MHz", p, r.Fmax)
	}
	if len(p.Nets) == 0 || p.Nets[len(p.Nets)-1].NS > p.NS {
		t.Fatalf("nets %v", p.Nets)
	}
	before := 0.0
	for _, n := range p.Nets {
		if n.NS < before || strings.Contains(n.Name, "$SB_IO") || strings.Contains(n.Name, "][") ||
			!strings.Contains(log, n.Name) {
			t.Errorf("net %+v after %v ns", n, before)
		}
		before = n.NS
	}
}

// TestPins checks that ports are placed where a pin file says.
func TestPins(t *testing.T) {
	testkit.FindTool(t, "nextpnr-ice40")
	s := synthesise(t, "w", "module w (input wire x, output wire y); assign y = ~x; endmodule\n")
	dir := t.TempDir()
	pins := filepath.Join(dir, "a b.pcf")
	if err := os.WriteFile(pins, []byte("set_io x 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := flow.Nextpnr(t.Context(), flow.PlaceOptions{
		Device: find(t, "ice40-hx1k"), Module: "w", Netlist: s.JSON, Dir: dir, Seed: 1, MHz: 10, Pins: pins,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Pads) != 2 || r.Fmax != 0 {
		t.Fatalf("%+v, want two pads and no clock", r)
	}
	if diff := cmp.Diff(flow.Pad{Port: "x", X: 0, Y: 14, Z: 1}, r.Pads[0]); diff != "" {
		t.Errorf("pin 1 (-want +got):\n%s", diff)
	}
	if r.Critical.From != "<async>" || len(r.Critical.Nets) != 2 || r.Critical.Nets[0].Name != "x" {
		t.Errorf("the path through: %+v", r.Critical)
	}
}

// used matches the line of a log that says how many pads are used and how many there are.
var used = regexp.MustCompile(`SB_IO: +151/ +112 `)

// TestTooLarge checks that the error says what does not fit, and where the log is.
func TestTooLarge(t *testing.T) {
	testkit.FindTool(t, "nextpnr-ice40")
	s := synthesise(t, "big", "module big (input wire [149:0] x, output wire y); assign y = ^x; endmodule\n")
	dir := t.TempDir()
	_, err := flow.Nextpnr(t.Context(), flow.PlaceOptions{
		Device: find(t, "ice40-hx1k"), Module: "big", Netlist: s.JSON,
		Dir: dir, Seed: 1, MHz: 10,
	})
	var failed *tool.FailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "ERROR: ") ||
		!strings.Contains(message.Hint(err), failed.Log) {
		t.Fatalf("error %v with the hint %q, want a FailedError with nextpnr's line and its log", err, message.Hint(err))
	}
	if text, err := os.ReadFile(failed.Log); err != nil || !used.Match(text) {
		t.Errorf("the log: %v", err)
	}
}

// fake puts a shell script with the given name into PATH. The script replaces a nextpnr program.
func fake(t *testing.T, name, script string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!"+shell+"\nPATH="+os.Getenv("PATH")+"\n"+script),
		0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// TestInterrupt checks that nextpnr ends when the context ends.
func TestInterrupt(t *testing.T) {
	fake(t, "nextpnr-ice40", "exec sleep 60\n")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	begin := time.Now()
	_, err := flow.Nextpnr(ctx, flow.PlaceOptions{
		Device: find(t, "ice40-hx1k"), Module: "m", Netlist: "m.json",
		Dir: t.TempDir(), MHz: 10,
	})
	if !errors.Is(err, context.Canceled) || time.Since(begin) > 30*time.Second {
		t.Errorf("error %v after %v", err, time.Since(begin))
	}
}

// TestECP5 checks the arguments for ECP5 and the figures read from its report, with a fake program instead of
// nextpnr-ecp5, which is not available in Debian.
func TestECP5(t *testing.T) {
	const script = `test "$1" = --version && exit
test "$*" = "--25k --package CABGA381 --top m --json /m.json --report seed3.report.json --seed 3 --freq 12.5 --timing-allow-fail --textcfg seed3.config --lpf-allow-unconstrained --lpf /m.lpf" || { echo "ERROR: $*"; exit 1; }
cat >seed3.report.json <<E
{"fmax": {"$glbnet\$clk\$TRELLIS_IO_IN": {"achieved": 91.5, "constraint": 12.5}, "other": {"achieved": 99}},
 "utilization": {"TRELLIS_FF": {"used": 5, "available": 24288}, "TRELLIS_COMB": {"used": 7, "available": 24288}}}
E
`
	fake(t, "nextpnr-ecp5", script)
	dir := t.TempDir()
	r, err := flow.Nextpnr(t.Context(), flow.PlaceOptions{
		Device: find(t, "ecp5-25k"), Module: "m", Netlist: "/m.json", Dir: dir, Seed: 3, MHz: 12.5, Pins: "/m.lpf",
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Fmax != 91.5 || r.Used("TRELLIS_COMB") != 7 || r.Used("TRELLIS_FF") != 5 ||
		r.Bits != filepath.Join(dir, "seed3.config") {
		t.Errorf("%+v", r)
	}
}

// TestGowin is like TestECP5, but for Gowin.
func TestGowin(t *testing.T) {
	const script = `test "$1" = --version && exit
test "$*" = "--device GW1NR-LV9QN88PC6/I5 --vopt family=GW1N-9C --top m --json /m.json --report seed2.report.json --seed 2 --freq 27 --timing-allow-fail --no-tmdriv --write seed2.json --vopt cst=/m.cst" || { echo "ERROR: $*"; exit 1; }
cat >seed2.report.json <<E
{"fmax": {"clk_IBUF_O": {"achieved": 61.25, "constraint": 27}},
 "utilization": {"LUT4": {"used": 5, "available": 8640}, "DFF": {"used": 7, "available": 6480}}}
E
`
	fake(t, "nextpnr-himbaechel", script)
	dir := t.TempDir()
	r, err := flow.Nextpnr(t.Context(), flow.PlaceOptions{
		Device: find(t, "gowin-gw1n9"), Module: "m", Netlist: "/m.json", Dir: dir, Seed: 2, MHz: 27, Pins: "/m.cst",
		Wires: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Fmax != 61.25 || r.Used("LUT4") != 5 || r.Used("DFF") != 7 || r.Bits != filepath.Join(dir, "seed2.json") {
		t.Errorf("%+v", r)
	}
}

// TestPlacementRefusesMeaninglessOptions checks that meaningless options, a report without content, and a missing
// program are errors.
func TestPlacementRefusesMeaninglessOptions(t *testing.T) {
	fake(t, "nextpnr-ice40", "case \"$*\" in *--seed*) echo {} >seed1.report.json;; esac\n")
	good := flow.PlaceOptions{
		Device: find(t, "ice40-hx1k"), Module: "m", Netlist: "m.json", Dir: t.TempDir(), Seed: 1,
		MHz: 10,
	}
	for _, c := range []struct {
		name string
		edit func(o *flow.PlaceOptions)
		want string
	}{
		{"an empty report", func(*flow.PlaceOptions) {}, "nextpnr-ice40: no report: it says nothing of utilization"},
		{"no device", func(o *flow.PlaceOptions) { o.Device = find(t, "xilinx7") }, `target "xilinx7": there is no device`},
		{"no clock", func(o *flow.PlaceOptions) { o.MHz = 0 }, "a clock of 0 MHz"},
		{"no program", func(o *flow.PlaceOptions) { o.Device = find(t, "ecp5-85k") }, "nextpnr-ecp5: not installed"},
	} {
		o := good
		c.edit(&o)
		if _, err := flow.Nextpnr(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}
