package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/internal/testkit"
	"ialgn/internal/wrapper"
)

// latencyBench is a testbench that sends a design its first sample, one beat per clock. It counts the clocks between
// the edge that takes the first beat and the first edge that can take the result (or its last byte), and prints their
// number.
const latencyBench = "`timescale 1ns / 1ps\n" + `
module latency_tb;
  reg clk = 0;
  always #5 clk = ~clk;
  reg rst = 1, in_valid = 0, in_last = 0;
  reg [511:0] data = {16{32'h5a3c96f1}};
  wire in_ready, out_valid;
  integer clocks = 0, first = -1, sent = 0;

@PINS@

  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
  end

  always @(negedge clk)
    if (!rst) begin
      in_valid = sent < @BEATS@;
      in_last = sent == @BEATS@ - 1;
    end

  always @(posedge clk) begin
    clocks = clocks + 1;
    if (out_valid === 1'b1) begin
      $display("%0d", clocks - first);
      $finish;
    end
    if (in_valid && in_ready === 1'b1) begin
      if (sent == 0) first = clocks;
      sent = sent + 1;
    end
    if (clocks == 10000) begin
      $display("no result");
      $finish;
    end
  end
endmodule
`

// latencyPins connects the testbench to each kind of design that has a latency.
var latencyPins = map[string]string{
	"pipeline": "assign in_ready = 1'b1; @DUT@ dut (.clk(clk), .rst(rst), .ce(1'b1), .in_valid(in_valid), " +
		".x(data[@SIZE@-1:0]), .out_valid(out_valid));",
	"stream": "@DUT@ dut (.clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(data[@SIZE@-1:0]), " +
		".in_last(in_last), " +
		".out_valid(out_valid), .out_ready(1'b1));",
	"axis": "@DUT@ dut (.aclk(clk), .aresetn(~rst), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), " +
		".s_axis_tdata(data[@SIZE@-1:0]), " +
		".s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(1'b1));",
	"byte": "wire [7:0] uio; assign in_ready = uio[1]; assign out_valid = uio[3] & uio[5]; @DUT@ dut (.clk(clk), " +
		".rst_n(~rst), .ena(1'b1), .ui_in(data[@SIZE@-1:0]), .uio_in({5'b00010, in_last, 1'b0, in_valid}), .uio_out(uio));",
}

// TestLatency compares the latency that compile reports with the clocks that the emitted Verilog takes, for
// pipelines, wrappers and folded engines. The model has 64 features of 5 bits, and 3 thresholds per feature.
func TestLatency(t *testing.T) {
	testkit.FindTool(t, "iverilog")
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1")
	for i, c := range []struct {
		options, pins string
		beats, size   int // beats per sample, and bits per beat
	}{
		{"--lut 4 --pipeline 1", "pipeline", 1, 320},
		{"--lut 6 --pipeline 5 --counts", "pipeline", 1, 320},
		{"--target ice40 --pipeline auto --style lut", "pipeline", 1, 320},
		{"--lut 4 --pipeline 2 --scope gates", "pipeline", 1, 192},
		{"--wrap stream", "stream", 64, 5},
		{"--wrap stream --counts", "stream", 64, 5},
		{"--wrap stream --target ice40 --pipeline 4 --counts", "stream", 64, 5},
		{"--wrap stream --lut 4 --pipeline auto", "stream", 64, 5},
		{"--wrap stream --lut 4 --pipeline 1 --scope core", "stream", 192, 1},
		{"--wrap axis", "axis", 16, 32},
		{"--wrap axis --lut 6 --pipeline 3 --counts", "axis", 16, 32},
		{"--wrap axis --lut 4 --pipeline 7 --scope core", "axis", 6, 32},
		{"--fold 1", "stream", 64, 5},
		{"--fold 2 --fold-steps 700", "stream", 64, 5},
		{"--fold 4 --target ice40 --pipeline auto", "stream", 64, 5},
		{"--fold 1 --wrap axis --lut 4 --pipeline 2", "axis", 64, 8},
		{"--wrap byte", "byte", 64, 8},
		{"--wrap byte --lut 4 --pipeline 3 --counts", "byte", 64, 8},
		{"--wrap byte --scope core", "byte", 24, 8},
		{"--fold 2 --wrap byte", "byte", 64, 8},
	} {
		if !testkit.Whole() && i%5 != 0 {
			continue
		}
		t.Run(c.options, func(t *testing.T) {
			dir := fmt.Sprint("out", i)
			stdout := must(t, append([]string{"compile", "m.st", "-o", dir, "--json"}, strings.Fields(c.options)...)...)
			var report backend.Report
			if err := json.Unmarshal([]byte(stdout), &report); err != nil {
				t.Fatal(err)
			}
			if got := measuredLatency(t, dir, c.pins, c.beats, c.size); got != fmt.Sprintln(report.Latency) {
				t.Errorf("the report says %d clocks, the Verilog takes %s", report.Latency, got)
			}
		})
	}
}

// measuredLatency returns the latency that the testbench prints for a compiled folder.
func measuredLatency(t *testing.T, dir, pins string, beats, size int) string {
	t.Helper()
	out, err := backend.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	top, files := topOf(t, out)
	if cells, err := out.Path("cells"); err == nil {
		files = append(files, cells)
	}
	bench := strings.Replace(latencyBench, "@PINS@", latencyPins[pins], 1)
	bench = strings.NewReplacer("@DUT@", top, "@SIZE@", fmt.Sprint(size), "@BEATS@", fmt.Sprint(beats)).Replace(bench)
	writeFile(t, dir+"/latency_tb.v", bench)
	args := []string{"iverilog", "-g2001", "-s", "latency_tb", "-o", dir + "/latency.vvp", dir + "/latency_tb.v"}
	if text, err := testkit.TryTool(t, ".", append(args, files...)...); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := testkit.TryTool(t, dir, "vvp", "-n", "latency.vvp") // the folder has the memory files
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text
}

// topOf returns the module of a folder that takes samples, and the Verilog files of this module. Both come from the
// manifest.
func topOf(t *testing.T, out *backend.Output) (top string, files []string) {
	t.Helper()
	top = out.Manifest.Module
	inner, wrapped := "verilog", ""
	for _, f := range out.Manifest.Files {
		switch {
		case f.Format == "core":
			inner = "core"
		case f.Format == backend.FoldVerilog:
			inner = backend.FoldVerilog
			wrapped = cmp.Or(wrapped, "_fold")
		case slices.Contains(wrapper.Kinds(), f.Format):
			wrapped = "_" + f.Format
			files = append(files, filepath.Join(out.Dir, f.Name))
		}
	}
	return top + wrapped, append(files, out.Paths(inner)...)
}
