package flow_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/flow"
	"ialgn/internal/message"
	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// standIn puts a fake vivado at the front of PATH. The fake checks its arguments up to the script and runs the
// script in a Tcl shell in which testdata/vivado.tcl defines Vivado's commands.
func standIn(t *testing.T) {
	t.Helper()
	for _, name := range []string{"sh", "tclsh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	commands, err := filepath.Abs(filepath.Join("testdata", "vivado.tcl"))
	if err != nil {
		t.Fatal(err)
	}
	fakeVivado(t, `test "$*" = -version && echo 'vivado v2023.1 (64-bit)' && exit
test "$1 $2 $3 $4 $5 $6 $7" = "-mode batch -nojournal -nolog -source place.tcl -tclargs" || { echo "ERROR: $*"; exit 1; }
shift 7
exec tclsh "`+commands+`" place.tcl "$@"`)
}

// fakeVivado puts a shell script called vivado at the front of PATH.
func fakeVivado(t *testing.T, script string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "vivado"), []byte("#!"+shell+"\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// options returns the options of a design with pins. All files are below a folder whose name must not appear in a
// command.
func options(t *testing.T) flow.PlaceOptions {
	t.Helper()
	d, err := target.FindDevice("xilinx7-a35t")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a; b [c] \"d\"")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	o := flow.PlaceOptions{
		Device: d, Module: "m", Netlist: filepath.Join(dir, "vendor.v"), Dir: dir, Seed: 1, MHz: 100,
		Pins: filepath.Join(dir, "a [b].xdc"),
	}
	for _, path := range []string{o.Netlist, o.Pins} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// commands returns the commands that Vivado received. It reads them from the log.
func commands(t *testing.T, r *flow.Result) []string {
	t.Helper()
	text, err := os.ReadFile(r.Log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[1 : len(lines)-1] // without the lines of package tool
}

// TestVivadoPlace runs the script with a clock and pins.
func TestVivadoPlace(t *testing.T) {
	standIn(t)
	r, err := flow.Vivado(t.Context(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"read_verilog vendor.v",
		"read_xdc pins.xdc",
		"synth_design -top m -part xc7a35tcpg236-1",
		"create_clock -name clk -period 10.000 clk",
		"set_property SEVERITY Warning NSTD-1",
		"set_property SEVERITY Warning UCIO-1",
		"opt_design ",
		"place_design ",
		"route_design ",
		"report_utilization -file seed1.utilization.rpt",
		"report_timing_summary -file seed1.timing.rpt",
		"write_bitstream -force seed1.bit",
		"get_timing_paths -setup -max_paths 1 -group clk",
		"get_timing_paths -setup -max_paths 1 -from inputs -to registers-data_pins",
		"get_timing_paths -setup -max_paths 1 -from registers-clock_pins -to outputs",
	}
	if diff := cmp.Diff(want, commands(t, r)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(r.Bits); err != nil || r.Fmax != 125 || r.Tool != "vivado v2023.1 (64-bit)" || r.Seed != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if got, want := fmt.Sprint(r.Cells),
		"[{CARRY4 1 5200} {FF 7 41600} {IOB 4 106} {LUT 5 20800} {RAMB36 4 50}]"; got != want {
		t.Errorf("cells %s, want %s", got, want)
	}
	path := flow.Path{
		Kind: flow.RegisterToRegister, From: "posedge clk", To: "posedge clk", NS: 8,
		Nets: []flow.Net{{Name: "a[0]"}, {Name: `\b"c`}},
	}
	if diff := cmp.Diff(path, r.Critical); diff != "" {
		t.Errorf("path (-want +got):\n%s", diff)
	}
}

// TestOneStage has no path from register to register. The paths from and to pins must be reported.
func TestOneStage(t *testing.T) {
	standIn(t)
	t.Setenv("ONE_STAGE", "1")
	r, err := flow.Vivado(t.Context(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	want := flow.Slowest{Kind: flow.InputToRegister, NS: 6.5, MHz: 1000 / 6.5}
	if diff := cmp.Diff(want, r.Slowest()); diff != "" || len(r.Paths) != 2 || r.Fmax != 0 {
		t.Errorf("%+v (-want +got):\n%s", r, diff)
	}
}

// TestNoClock runs the script without a clock and without pins, for a placement with short wires.
func TestNoClock(t *testing.T) {
	standIn(t)
	t.Setenv("NO_CLOCK", "1")
	o := options(t)
	o.Pins, o.Wires = "", true
	r, err := flow.Vivado(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(commands(t, r), "\n")
	if strings.Contains(all, "create_clock") || strings.Contains(all, "read_xdc") ||
		!strings.Contains(all, "\nplace_design -no_timing_driven\n") {
		t.Errorf("commands:\n%s", all)
	}
	if r.Fmax != 0 || r.Critical.From != "<async>" || r.Critical.NS != 6.5 || r.Slowest().MHz != 0 {
		t.Errorf("%+v", r)
	}
}

// TestFails checks that a design that does not fit is an error, and that meaningless options are refused.
func TestFails(t *testing.T) {
	standIn(t)
	t.Setenv("FULL", "1")
	o := options(t)
	_, err := flow.Vivado(t.Context(), o)
	var failed *tool.FailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "requires more LUT cells") ||
		failed.Log != filepath.Join(o.Dir, "seed1.vivado.log") {
		t.Errorf("error %v, want Vivado's line and its log", err)
	}
	fakeVivado(t, "test $1 = -version || echo {} >seed1.report.json")
	for _, c := range []struct {
		name string
		edit func(o *flow.PlaceOptions)
		want string
	}{
		{"an empty report", func(*flow.PlaceOptions) {}, "vivado: no report: it says nothing of utilization"},
		{"no device", func(o *flow.PlaceOptions) { o.Device.Package = "" }, "there is no device of Xilinx 7"},
		{"no clock", func(o *flow.PlaceOptions) { o.MHz = 0 }, "a clock of 0 MHz"},
		{"no file of pins", func(o *flow.PlaceOptions) { o.Pins += "x" }, "no such file"},
		{"no program", func(*flow.PlaceOptions) { t.Setenv("PATH", t.TempDir()) }, "vivado: not installed"},
	} {
		o := options(t)
		c.edit(&o)
		if _, err := flow.Vivado(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := flow.Vivado(t.Context(), options(t)); message.Hint(err) != "install vivado of AMD, and put it on the PATH" {
		t.Errorf("hint %q", message.Hint(err))
	}
}

// TestPrepare writes the script and the pins without Vivado, and names the command that [Vivado] runs.
func TestPrepare(t *testing.T) {
	o := options(t)
	t.Setenv("PATH", "")
	command, err := flow.PrepareVivado(o)
	if want := "vivado -mode batch -nojournal -nolog -source place.tcl -tclargs seed1 vendor.v m xc7a35tcpg236-1 " +
		"10.000 clock pins.xdc"; err != nil || command != want {
		t.Errorf("%s (%v), want %s", command, err, want)
	}
	for _, name := range []string{"place.tcl", "pins.xdc"} {
		if _, err := os.Stat(filepath.Join(o.Dir, name)); err != nil {
			t.Error(err)
		}
	}
	o.Device.Family = target.ECP5.Name
	if _, err := flow.PrepareVivado(o); err == nil || !strings.Contains(err.Error(), "no device of Xilinx 7") {
		t.Errorf("another family: %v", err)
	}
}
