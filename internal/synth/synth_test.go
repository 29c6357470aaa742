package synth_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ialgn/internal/flow"
	"ialgn/internal/message"
	"ialgn/internal/progress"
	"ialgn/internal/synth"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

// source writes a module m with the given ports and body.
func source(t *testing.T, ports, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.v")
	if err := os.WriteFile(path, []byte("module m ("+ports+");\n"+body+"\nendmodule\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	ports = "input wire clk, input wire [3:0] x, output reg [4:0] y"
	body  = "reg [3:0] a;\nalways @(posedge clk) begin a <= x; y <= a + (x ^ {x[0], a[3:1]}); end"
)

func options(t *testing.T, name, file string) synth.Options {
	t.Helper()
	d, err := target.FindDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	return synth.Options{
		Device: d, Module: "m", Sources: []string{file}, Dir: filepath.Join(t.TempDir(), "a -b"), MHz: 12,
		Seeds: []int{1}, Manifest: "abc",
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestTargets synthesises for each kind of target. The counted cells must be cells of the target. The result must
// have a bitstream if one can be made, and otherwise the reason why there is none.
func TestTargets(t *testing.T) {
	testkit.FindTool(t, "yosys")
	for _, c := range []struct {
		target  string
		carries bool
		reason  string
	}{
		{"generic-lut4", false, "no device"},
		{"xilinx7", true, "the vendor's tool"},
		{"xilinx7-a35t", true, "vivado: not installed"},
		{"ecp5-45k", true, "nextpnr-ecp5: not installed"},
		{"gowin-gw1n9", true, "nextpnr-himbaechel: not installed"},
		{"intel", true, "the vendor's tool"},
		{"polarfire", true, "the vendor's tool"},
		{"efinix", true, "the vendor's tool"},
		{"gatemate", true, "the vendor's tool"},
	} {
		t.Run(c.target, func(t *testing.T) {
			if c.target == "xilinx7-a35t" {
				testkit.Long(t, "yosys reads the cells of the family for ten seconds, as for xilinx7 and in TestVivado")
			}
			if c.reason == "the vendor's tool" && c.target != "xilinx7" && c.target != "efinix" {
				testkit.Long(t, "one family that only the vendor's tool places is enough")
			}
			o := options(t, c.target, source(t, ports, body))
			r, err := synth.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if r.FFs != 9 || r.Pins != 10 || r.LUTs < 4 || r.LUTs > 30 || c.carries && r.Carries == 0 {
				t.Errorf("%d LUTs, %d carries, %d flip-flops, %d pins of %v", r.LUTs, r.Carries, r.FFs, r.Pins, r.Synthesis.Cells)
			}
			if program, _, missing := strings.Cut(c.reason, ": not installed"); missing {
				if _, err := tool.Find(program); err == nil {
					return
				}
			}
			if !strings.Contains(r.NotPlaced, c.reason) || r.Fmax != 0 || r.Bitstream != "" || r.Best() != nil {
				t.Errorf("%+v, want no clock and no bitstream as %q", r, c.reason)
			}
			if !exists(filepath.Join(r.Dir, synth.ReportName)) || !exists(filepath.Join(r.Dir, "netlist.json")) {
				t.Errorf("nothing in %s", r.Dir)
			}
		})
	}
}

// TestBitstream makes bitstreams of a design with three seeds and keeps the fastest.
func TestBitstream(t *testing.T) {
	testkit.Long(t, "places and routes with three seeds")
	for _, name := range []string{"yosys", "nextpnr-ice40", "icepack", "icetime"} {
		testkit.FindTool(t, name)
	}
	o := options(t, "ice40-hx1k", source(t, ports, body))
	o.Seeds, o.Parallel, o.MHz = []int{4, 5, 6}, 2, 1000
	var notes []string
	o.Note = func(text string) { notes = append(notes, text) }
	r, err := synth.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	best := r.Best()
	if len(r.Runs) != 3 || r.Routed != 3 || best == nil || r.Met || len(notes) != 6 {
		t.Fatalf("%+v, notes %q", r, notes)
	}
	if e := r.Estimate; e == nil || e.Cells > best.Used("ICESTORM_LC") || e.Cells < best.Used("ICESTORM_LC")-3 ||
		!strings.HasPrefix(notes[1], "estimate: ") {
		t.Errorf("estimate %+v, nextpnr %+v, notes %q", e, best.Cells, notes)
	}
	for i, p := range r.Runs {
		if p.Seed != 4+i || p.Fmax > r.Most || p.Fmax < r.Least || p.Icetime < 50 || p.LUTs != r.LUTs || p.FFs != r.FFs {
			t.Errorf("run %d: %+v, the report has %+v", i, p, r)
		}
	}
	if best.Fmax != r.Most || r.Fmax < r.Least || r.Fmax > r.Most {
		t.Errorf("the bitstream is of %v MHz, median %v, most %v", best.Fmax, r.Fmax, r.Most)
	}
	for _, name := range []string{
		"m.bin", "m.pcf", "synth.json", "yosys.log",
		fmt.Sprintf("seed%d.nextpnr.log", best.Seed),
	} {
		if !exists(filepath.Join(r.Dir, name)) {
			t.Errorf("no %s in %s", name, r.Dir)
		}
	}
	if r.Bitstream != filepath.Join(o.Dir, "ice40-hx1k", "m.bin") {
		t.Errorf("the bitstream is %s", r.Bitstream)
	}
	if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 1 {
		t.Errorf("error %v, files besides the results: %v", err, entries)
	}
}

// TestWithoutClock makes bitstreams of designs without a path from register to register. The result must have the
// delays of paths from and to pins. Whether the clock is met depends on these delays.
func TestWithoutClock(t *testing.T) {
	testkit.Long(t, "places and routes")
	for _, name := range []string{"yosys", "nextpnr-ice40", "icepack", "icetime"} {
		testkit.FindTool(t, name)
	}
	for _, c := range []struct {
		name, ports, body string
		mhz               float64
		slowest           flow.PathKind
		met               bool
	}{
		{"a constant", "output wire y", "assign y = 1'b1;", 12, "", false},
		{"gates", "input wire [6:0] x, output wire y", "assign y = ^x;", 12, flow.InputToOutput, false},
		{
			"logic before a register", "input wire clk, input wire [9:0] x, output reg y", "always @(posedge clk) y <= ^x;",
			2000, flow.InputToRegister, false,
		},
		{
			"logic behind registers", "input wire clk, input wire [9:0] x, output wire y",
			"reg [9:0] a; always @(posedge clk) a <= x; assign y = ^a;", 12, flow.RegisterToOutput, true,
		},
	} {
		o := options(t, "ice40-hx1k", source(t, c.ports, c.body))
		o.MHz = c.mhz
		r, err := synth.Run(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		clocked := strings.Contains(c.ports, "clk")
		if r.Slowest.Kind != c.slowest || (r.Slowest.MHz > 0) != clocked || r.Met != c.met || r.Fmax != 0 {
			t.Errorf("%s: %+v, met %v, fmax %v", c.name, r.Slowest, r.Met, r.Fmax)
		}
		p, ns := r.Best(), r.Slowest.NS
		if !exists(r.Bitstream) || p.Icetime != 0 || p.Delay < ns/2 || p.Delay > 2*ns {
			t.Errorf("%s: bitstream %s, icetime %v MHz or %v ns, nextpnr %v ns", c.name, r.Bitstream, p.Icetime, p.Delay, ns)
		}
	}
}

// TestNoRoom checks that designs that are too large for the device are refused before nextpnr runs.
func TestNoRoom(t *testing.T) {
	testkit.FindTool(t, "yosys")
	wide := source(t, "input wire [95:0] x, output wire y", "assign y = ^x;")
	_, err := synth.Run(t.Context(), options(t, "ice40-hx1k", wide))
	if want := "m: its ports have 97 bits, but ice40-hx1k in the package tq144 has 95 pins"; err == nil ||
		err.Error() != want || !strings.Contains(message.Hint(err), "Wrap: stream") {
		t.Errorf("error %v with the hint %q, want %s", err, message.Hint(err), want)
	}
	o := options(t, "ice40-hx1k", source(t, ports, body))
	o.Device.FlipFlops = 8
	_, err = synth.Run(t.Context(), o)
	if want := "m: needs 9 flip-flops, but ice40-hx1k has 8"; err == nil || err.Error() != want || message.Hint(err) == "" {
		t.Errorf("error %v, want %s", err, want)
	}
	m := options(t, "ice40-hx1k", source(t, "input wire clk, input wire [7:0] x, output reg [15:0] y",
		`reg [15:0] words [0:255];
  initial $readmemh("words.hex", words);
  always @(posedge clk) y <= words[x];`))
	var words []byte
	for r := rand.New(rand.NewPCG(1, 2)); len(words) < 5*256; {
		words = fmt.Appendf(words, "%04x\n", uint16(r.Uint32()))
	}
	m.Memories = []synth.Memory{{Name: "words.hex", Text: words, Placeholder: words}}
	m.Device.BlockRAM = 2048
	_, err = synth.Run(t.Context(), m)
	if want := "m: needs 4096 bits of block RAM, but ice40-hx1k has 2048"; err == nil || err.Error() != want ||
		!strings.Contains(message.Hint(err), "Fold: 1") {
		t.Errorf("error %v with the hint %q, want %s", err, message.Hint(err), want)
	}
	if entries, _ := os.ReadDir(o.Dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
	if _, err := synth.Run(t.Context(), synth.Options{}); err == nil {
		t.Error("no seeds: no error")
	}
}

// TestGowin uses fakes of the tools for Gowin, which are not in Debian. The design must be placed and packed only if
// there are pins for it.
func TestGowin(t *testing.T) {
	fake(t, "gowin_pack", `test "$1 $2 $3" = "-d GW1N-9C -o" && cp "$5" "$4"`)
	fake(t, "nextpnr-himbaechel", `test "$1" = --version && exit
echo routed >seed1.json
echo '{"fmax": {"clk": {"achieved": 50}}, "utilization": {"LUT4": {"used": 9, "available": 8640}}}' >seed1.report.json`)
	o := options(t, "gowin-gw1n9", source(t, ports, body))
	r, err := synth.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := "nextpnr-himbaechel needs a pin for every port: give a file with all pins"; r.NotPlaced != want || r.Fmax != 0 {
		t.Errorf("%+v, want %s", r, want)
	}
	o.Pins = filepath.Join(t.TempDir(), "a.cst")
	if r, err = synth.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.Bitstream)
	if err != nil || string(text) != "routed\n" || filepath.Base(r.Bitstream) != "m.fs" || r.Fmax != 50 {
		t.Errorf("%+v, %q, %v", r, text, err)
	}
}

// TestVivado uses a fake of Vivado, which is not in Debian. The netlist for Vivado must have no unknown values.
func TestVivado(t *testing.T) {
	fake(t, "vivado", `test "$1" = -version && exit
if grep -q "'h[0-9a-f]*x" vendor.v; then echo "ERROR: an unknown value"; exit 1; fi
echo routed >seed1.bit
echo '{"fmax": {"clk": {"achieved": 200}}, "utilization": {"LUT": {"used": 9, "available": 20800}}}' >seed1.report.json`)
	o := options(t, "xilinx7-a35t", source(t, ports, body))
	r, err := synth.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.Bitstream)
	if err != nil || string(text) != "routed\n" || filepath.Base(r.Bitstream) != "m.bit" || r.Fmax != 200 || r.FFs != 9 {
		t.Errorf("%+v, %q, %v", r, text, err)
	}
	if known, err := os.ReadFile(filepath.Join(r.Dir, "netlist.v")); err != nil ||
		!strings.Contains(string(known), "1'hx") {
		t.Errorf("the netlist has no unknown value to begin with: %v", err)
	}
	o.Seeds = []int{1, 2}
	_, err = synth.Run(t.Context(), o)
	if want := "synth: vivado for xilinx7-a35t uses no random numbers, so seeds have no effect"; err == nil ||
		err.Error() != want || !strings.Contains(message.Hint(err), "Seeds") {
		t.Errorf("error %v with the hint %q, want %s", err, message.Hint(err), want)
	}
}

// fake puts a shell script with the given program's name at the front of PATH.
func fake(t *testing.T, program, script string) {
	t.Helper()
	for _, name := range []string{"yosys", "icepack", "icetime"} {
		testkit.FindTool(t, name)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, program), []byte("#!"+shell+"\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestFailure checks that the log is kept if nextpnr fails, and that the results of an earlier run are also kept.
func TestFailure(t *testing.T) {
	fake(t, "nextpnr-ice40", "echo working; echo 'ERROR: no route'; exit 1")
	o := options(t, "ice40-hx1k", source(t, ports, body))
	o.Seeds = []int{1, 2}
	before := filepath.Join(o.Dir, o.Device.Name, synth.ReportName)
	if err := errors.Join(os.MkdirAll(filepath.Dir(before), 0o777),
		os.WriteFile(before, []byte("{}"), 0o666)); err != nil {
		t.Fatal(err)
	}
	_, err := synth.Run(t.Context(), o)
	var failed *tool.FailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "none of 2 seeds was placed and routed") ||
		!strings.Contains(err.Error(), "ERROR: no route") {
		t.Fatalf("error %v, want a FailedError with nextpnr's line", err)
	}
	text, err := os.ReadFile(failed.Log)
	if err != nil || !strings.Contains(string(text), "working\nERROR: no route\n") {
		t.Errorf("the log %s: %v", failed.Log, err)
	}
	if !exists(before) {
		t.Error("what was there before is gone")
	}
}

// entangled returns a design with 96 flip-flops and the given number of LUTs. Each LUT reads four random flip-flops.
// The design consists of primitives, which halves the time that yosys takes.
func entangled(readers int) string {
	r := rand.New(rand.NewPCG(3, 4))
	text := "reg [95:0] q;\nalways @(posedge clk) q <= {q, x};\n" + fmt.Sprintf("wire [%d:0] m;\n", readers-1)
	for i := range readers {
		p := r.Perm(96)
		text += fmt.Sprintf("SB_LUT4 #(.LUT_INIT(16'hcaf0)) l%d "+
			"(.O(m[%d]), .I0(q[%d]), .I1(q[%d]), .I2(q[%d]), .I3(q[%d]));\n", i, i, p[0], p[1], p[2], p[3])
	}
	return text + "always @(posedge clk) y <= {y, ^m};"
}

// TestAim checks that nextpnr places for the requested aim, and that a note says why routing may fail.
func TestAim(t *testing.T) {
	fake(t, "nextpnr-ice40", `echo "ERROR: $*"; exit 1`)
	for aim, has := range map[synth.Aim]bool{"": false, synth.ForWires: true} {
		o := options(t, "ice40-hx1k", source(t, ports, body))
		o.Aim = aim
		_, err := synth.Run(t.Context(), o)
		if err == nil || strings.Contains(err.Error(), "--no-tmdriv") != has {
			t.Errorf("aim %q: %v", aim, err)
		}
	}
	o := options(t, "ice40-hx1k", source(t, ports, entangled(800)))
	var notes []string
	o.Note = func(text string) { notes = append(notes, text) }
	o.Warn = func(err error) { notes = append(notes, "warned: "+err.Error()) }
	if _, err := synth.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--no-tmdriv") {
		t.Errorf("a design of many wires: %v", err)
	}
	if all := strings.Join(notes, "\n"); !strings.Contains(all,
		"may not route\nwarned: m has many wires for ice40-hx1k: ") {
		t.Errorf("a design of many wires: notes %q", notes)
	}
	if _, err := synth.ParseAim("speed"); err == nil || !strings.Contains(err.Error(), "want auto, clock or wires") {
		t.Errorf("aim speed: %v", err)
	}
}

// TestTimingFails checks a design that was routed, but that icetime cannot read. The seed must not be reported as not
// routed.
func TestTimingFails(t *testing.T) {
	testkit.FindTool(t, "nextpnr-ice40")
	fake(t, "icetime", "echo 'wrong tile'; exit 1")
	o := options(t, "ice40-hx1k", source(t, "input wire x, output wire y", "assign y = ~x;"))
	_, err := synth.Run(t.Context(), o)
	var failed *tool.FailedError
	if !errors.As(err, &failed) || failed.Name != "icetime" || strings.Contains(err.Error(), "seed") ||
		!exists(failed.Log) {
		t.Errorf("error %v, want icetime's with its log", err)
	}
}

// TestProgress follows yosys and two placements. There must be a warning for each seed that fails.
func TestProgress(t *testing.T) {
	fake(t, "nextpnr-ice40", `echo "Info: Routing 633 arcs." >&2; sleep 0.5; echo "ERROR: no way"; exit 1`)
	o := options(t, "ice40-hx1k", source(t, ports, body))
	o.Seeds, o.Parallel = []int{1, 2}, 2
	var warned []string
	o.Warn = func(err error) { warned = append(warned, err.Error()) }
	said := map[string]bool{}
	ctx := progress.With(t.Context(), progress.NewBoard(time.Millisecond, func(all []progress.Status) {
		for _, s := range all {
			said[s.Name+": "+strings.Join(s.Doing, ", ")] = true
		}
	}))
	if _, err := synth.Run(ctx, o); err == nil {
		t.Fatal("no error of nextpnr")
	}
	for _, want := range []string{
		"yosys: synthesising m", "nextpnr, seed 1: routing, 633 arcs left",
		"nextpnr, seed 2: routing, 633 arcs left",
	} {
		if !said[want] {
			t.Errorf("%q was not said, but %v", want, said)
		}
	}
	slices.Sort(warned)
	if len(warned) != 2 || !strings.HasPrefix(warned[1], "seed 2: nextpnr-ice40: exit status 1") {
		t.Errorf("warned of %q", warned)
	}
}

// TestInterrupt checks that an interrupted run leaves only the files that existed before.
func TestInterrupt(t *testing.T) {
	fake(t, "nextpnr-ice40", "exec sleep 60")
	o := options(t, "ice40-hx1k", source(t, ports, body))
	ctx, cancel := context.WithCancel(t.Context())
	o.Note = func(text string) {
		if strings.HasPrefix(text, "nextpnr") {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}
	if _, err := synth.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if entries, _ := os.ReadDir(o.Dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}
