package ialgn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/wrapper"
)

// cyclesBench sends samples to a design without a pause, or one sample every @PERIOD@ clocks. The first samples fill
// the design. The bench then counts the clocks for the same number of further samples.
const cyclesBench = `
module bench_@MODULE@;
  reg clk = 0, rst = 1;
  integer clocks = 0, got = 0, from = 0, tick;
  wire error, result;  // a result is taken at this edge
  initial while (got < 2 * @FILL@ && error !== 1'b1 && clocks < @LIMIT@) #5 clk = ~clk;
  initial begin
    repeat (5) @(negedge clk);
    rst = 0;
  end
  always @(posedge clk) if (!rst) begin
    clocks = clocks + 1;
    if (result) begin
      got = got + 1;
      if (got == @FILL@) from = clocks;
      if (got == 2 * @FILL@) $display("@NUMBER@ %0d", clocks - from);
    end
  end
@FEED@endmodule
`

// cyclesFeeds holds the part of the bench that sends samples, for each protocol. Each part sends at full speed.
var cyclesFeeds = map[string]string{
	"none": `  wire valid;
  assign result = valid;
  assign error = 1'b0;
  @TOP@ dut (.clk(clk), .rst(rst), .ce(1'b1), .in_valid(1'b1), .out_valid(valid));
`,
	"stream": `  integer word = 0;
  wire ready, valid;
  assign result = valid;
  @TOP@ dut (.clk(clk), .rst(rst), .in_valid(1'b1), .in_ready(ready), .in_last(word == @UNITS@ - 1),
      .in_data({64{1'b0}}), .out_valid(valid), .out_ready(1'b1), .error(error));
  always @(posedge clk) if (!rst && ready) word <= (word + 1) % @UNITS@;
`,
	"axis": `  integer word = 0;
  wire ready, valid;
  assign result = valid;
  @TOP@ dut (.aclk(clk), .aresetn(~rst), .s_axis_tvalid(1'b1), .s_axis_tready(ready),
      .s_axis_tlast(word == @UNITS@ - 1), .s_axis_tdata({64{1'b0}}), .m_axis_tvalid(valid), .m_axis_tready(1'b1), .error(error));
  always @(posedge clk) if (!rst && ready) word <= (word + 1) % @UNITS@;
`,
	"byte": `  integer word = 0;
  wire [7:0] uio;
  assign result = uio[3] & uio[5];
  assign error = uio[6];
  @TOP@ dut (.clk(clk), .rst_n(~rst), .ena(1'b1), .ui_in(8'd0), .uio_in({5'b00010, word == @UNITS@ - 1, 2'b01}), .uio_out(uio));
  always @(posedge clk) if (!rst && uio[1]) word <= (word + 1) % @UNITS@;
`,
	// A bit takes 8 clocks. The class is the last byte of a result.
	"uart": `  reg rx = 1;
  reg [9:0] frame;
  wire tx, frame_error;
  integer next, place, bits = 0, bytes = 0;
  @TOP@ #(.CLOCK_HZ(8), .BAUD(1), .IDLE_BITS(12)) dut (.clk(clk), .rst_n(~rst), .rx(rx), .tx(tx),
      .frame_error(frame_error), .error(error));
  initial begin
    repeat (150) @(negedge clk);
    forever begin
      next = clocks + @PERIOD@;
      for (place = 0; place < @UNITS@; place = place + 1) begin
        frame = 10'b1000000000;
        repeat (10) begin
          rx = frame[0];
          frame = frame >> 1;
          repeat (8) @(negedge clk);
        end
      end
      while (clocks < next) @(negedge clk);
    end
  end
  assign result = bits == 1 && bytes == @RESULT@ - 1;
  always @(posedge clk) begin
    if (bits > 0) bits <= bits - 1;
    else if (tx === 1'b0 && !rst) bits <= 77;
    if (bits == 1) bytes <= (bytes + 1) % @RESULT@;
  end
`,
	// Half a period of sck takes 4 clocks. A long frame also reads the result of an earlier frame. After a frame that
	// is too short to read a result, a second frame reads the result.
	"spi": `  reg sck = 0, cs_n = 1, status, done = 0, more;
  wire miso, ready;
  integer next, place, k;
  @TOP@ dut (.clk(clk), .rst_n(~rst), .sck(sck), .mosi(place == 0 && k == 7 && more), .miso(miso), .cs_n(cs_n),
      .ready(ready), .error(error));
  assign result = done;
  always @(posedge clk) done <= 0;
  task exchange(input integer bytes, input reads);
    begin
      cs_n = 0;
      for (place = 0; place <= bytes; place = place + 1)
        for (k = 0; k < 8; k = k + 1) begin
          repeat (4) @(negedge clk);
          if (place == 0 && k == 7) status = miso;
          sck = 1;
          repeat (4) @(negedge clk);
          sck = 0;
        end
      repeat (4) @(negedge clk);
      cs_n = 1;
      if (reads && status) done <= 1;
      repeat (4) @(negedge clk);
    end
  endtask
  initial begin
    repeat (20) @(negedge clk);
    forever begin
      next = clocks + @PERIOD@;
      more = 1;
      exchange(@UNITS@, @UNITS@ >= @RESULT@);
      more = 0;
      if (@UNITS@ < @RESULT@) exchange(@RESULT@, 1'b1);
      while (clocks < next) @(negedge clk);
    end
  end
`,
}

// cyclesCase is a design whose clocks per sample are measured.
type cyclesCase struct {
	name  string
	model func(t *testing.T, length int) *Model
	o     CompileOptions
	// lengths lists the numbers of features per sample to try. The field long lists larger numbers, for interfaces
	// that take one word per clock.
	lengths, long []int
}

// cyclesCases returns each kind of design in each wrapper.
func cyclesCases() (cases []cyclesCase) {
	chains := func(t *testing.T, length int) *Model {
		c := config.Default()
		c.Data.Set, c.Name = "memory", "net"
		c.Model.Width, c.Model.Depth, c.Model.Anchors, c.Model.Tau, c.Model.InitNoise = 6, 2, 2, 1, 4
		return randomModel(t, c, length, false)
	}
	images := func(t *testing.T, length int) *Model {
		return convolved(t, func(c *config.Config) {
			c.Model.Image, c.Model.Kernels, c.Model.Pool, c.Model.Widths = fmt.Sprintf("1,%d,4", length/4), "3", "1", "6"
		})
	}
	sequences := func(t *testing.T, length int) *Model {
		return recurring(t, length, func(c *config.Config) { c.Model.Steps, c.Model.Widths = 1+(length+1)%2, "6" })
	}
	for _, wrap := range append([]string{"none"}, wrapper.Kinds()...) {
		o := CompileOptions{Wrap: wrap, MHz: 12, Baud: 1_500_000}
		if !wrapper.Is(wrap, wrapper.HasBaud) {
			o.Baud = 0
		}
		add := func(name string, fold string, model func(t *testing.T, length int) *Model, lengths, long []int) {
			o := o
			o.Fold = fold
			cases = append(cases, cyclesCase{name + " " + wrap, model, o, lengths, long})
		}
		add("steps", "steps", sequences, []int{1, 2, 3, 4, 7, 8}, []int{5, 6, 9, 20})
		add("positions", "positions", images, []int{12}, []int{16, 20})
		add("fold 1", "1", chains, []int{1}, []int{5, 300})
		add("fold 2", "2", chains, []int{1}, []int{5})
		add("fold 4", "4", chains, []int{1}, []int{5})
		if wrap == "none" {
			o.Target, o.Pipeline = "ice40", "2"
		}
		add("unfolded", "", chains, []int{1, 2, 5, 9}, []int{3, 4})
		if wrap != "none" {
			o.Counts = true
			add("unfolded with counts", "", chains, []int{1, 2, 5, 9}, nil)
		}
	}
	return cases
}

// cyclesFill is the number of samples for which clocks are counted. It is also the number of earlier samples, which
// fill the design. It must be even.
const cyclesFill = 2

// TestCycles compares the clocks per sample in reports with simulations. It simulates every kind of design in every
// wrapper, for samples of several lengths, including the shortest length. If the other end of an interface determines
// the pace, the bench sends one sample in each period of the reported number of clocks. The design must then answer
// all samples without an error.
func TestCycles(t *testing.T) {
	type measured struct {
		name    string
		claimed float64
	}
	var designs []measured
	var text strings.Builder
	dir := t.TempDir()
	args := []string{"iverilog", "-g2005", "-o", "a.vvp", "bench.v"}
	for _, c := range cyclesCases() {
		for _, length := range c.each() {
			c.o.Module = fmt.Sprintf("m%d", len(designs))
			d, err := Compile(t.Context(), c.model(t, length), c.o)
			if err != nil {
				t.Fatalf("%s, %d words: %v", c.name, length, err)
			}
			if err := d.Write(t.Context(), filepath.Join(dir, c.o.Module), WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			out, err := d.Output(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			claimed := clocksOf(out)
			designs = append(designs, measured{fmt.Sprintf("%s, %d words", c.name, length), claimed})
			text.WriteString(cyclesText(t, c, length, len(designs)-1, out, claimed))
			_, sources, err := sources(out, d.plan, c.device(t))
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, sources...)
			copyMemories(t, out, dir)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bench.v"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.RunTool(t, testkit.FindTool(t, "iverilog"), dir, args[1:]...)
	took := map[int]int{}
	for line := range strings.Lines(testkit.RunTool(t, testkit.FindTool(t, "vvp"), dir, "-n", "a.vvp")) {
		var i, clocks int
		if _, err := fmt.Sscan(line, &i, &clocks); err == nil {
			took[i] = clocks
		}
	}
	for i, d := range designs {
		if got := float64(took[i]) / cyclesFill; got != d.claimed {
			t.Errorf("%s: %v clocks a sample in a simulation (0: an error, or no end), the report says %v", d.name, got,
				d.claimed)
		}
	}
}

// each returns the sample lengths to try. If the other end of an interface determines the pace, a word takes many
// clocks. In this case, only the long tests try all of c.lengths. Short tests try the two shortest lengths and the
// longest. For other interfaces, the result is c.lengths and c.long.
func (c cyclesCase) each() []int {
	switch n := len(c.lengths); {
	case !wrapper.Is(c.o.Wrap, wrapper.IsPaced):
		return append(c.lengths, c.long...)
	case testkit.Whole() || n <= 3:
		return c.lengths
	default:
		return append(c.lengths[:2:2], c.lengths[n-1])
	}
}

// device returns a device for which the case is compiled.
func (c cyclesCase) device(t *testing.T) target.Device {
	t.Helper()
	d, err := target.FindDevice(usualDevice)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// clocksOf returns the report's number of clocks between two samples.
func clocksOf(out *backend.Output) float64 {
	if w := out.Report.Wrapper; w != nil {
		return w.Cycles
	}
	cycles, _ := out.Report.Rate()
	return cycles
}

// cyclesText returns the bench of a design.
func cyclesText(t *testing.T, c cyclesCase, length, number int, out *backend.Output, claimed float64) string {
	t.Helper()
	feed, top, units, result := c.o.Wrap, out.Manifest.Module, length, 1
	switch w := out.Report.Wrapper; {
	case w == nil && c.o.Fold != "":
		feed, top = wrapper.EngineKind, top+"_fold"
	case w != nil:
		top += "_" + w.Kind
	}
	if w := out.Report.Wrapper; w != nil && w.SampleBytes > 0 {
		units, result = w.SampleBytes, w.ResultBytes
		if w.Kind == "axis" && c.o.Fold == "" {
			units = (units + wrapper.AXISBytes - 1) / wrapper.AXISBytes
		}
	}
	text := strings.Replace(cyclesBench, "@FEED@", cyclesFeeds[feed], 1)
	return strings.NewReplacer("@MODULE@", out.Manifest.Module, "@TOP@", top, "@UNITS@", fmt.Sprint(units), "@RESULT@",
		fmt.Sprint(result), "@PERIOD@", fmt.Sprint(claimed), "@FILL@", fmt.Sprint(cyclesFill), "@NUMBER@",
		fmt.Sprint(number), "@LIMIT@", fmt.Sprint(20*(int(claimed)+300))).Replace(text)
}

// copyMemories copies the files with the contents of a design's memories into the folder of a simulation.
func copyMemories(t *testing.T, out *backend.Output, dir string) {
	t.Helper()
	for _, f := range out.Manifest.Files {
		if filepath.Ext(f.Name) != ".hex" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(out.Dir, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
