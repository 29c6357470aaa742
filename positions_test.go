package ialgn

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/rtl"
)

// convolved returns a network of convolutions with random logits. The configuration has two convolutions on two
// planes of 6 x 7. The function change may alter the configuration.
func convolved(t *testing.T, change func(c *config.Config)) *Model {
	t.Helper()
	c := config.Default()
	c.Data.Set, c.Name = "memory", "net"
	c.Model.Topology, c.Model.Image, c.Model.Kernels, c.Model.Levels = "conv", "2,6,7", "6,8", "2"
	c.Model.Widths, c.Model.Tau = "60,30", 1.5
	c.Model.InitNoise, c.Model.SkipLogit = 4, 1
	change(&c)
	size, fault := c.Model.ImageSize()
	if fault != nil {
		t.Fatalf("%+v", fault)
	}
	return randomModel(t, c, size[0]*size[1]*size[2], strings.HasPrefix(c.Name, "uneven"))
}

// engineOf compiles a network to an engine that computes one position per clock. It returns the design and the files
// for a comparison of its Verilog.
func engineOf(t *testing.T, m *Model, o CompileOptions) (verify.Design, *verify.EngineFiles, *backend.Output) {
	t.Helper()
	return foldedBy(t, m, o, "positions")
}

// TestPositions sends samples to engines of networks of all forms, with pauses, broken packets and resets, and
// compares their classes with the trainer's forward pass. Verilator simulates every fourth form in the short tests,
// and all forms in the long tests.
func TestPositions(t *testing.T) {
	for i, c := range []struct {
		name    string
		change  func(c *config.Config)
		options CompileOptions
	}{
		{"one convolution", func(c *config.Config) { c.Model.Kernels, c.Model.Pool = "8", "1" }, CompileOptions{}},
		{"two, pooled", func(*config.Config) {}, CompileOptions{}},
		{"in LUTs", func(*config.Config) {}, CompileOptions{Target: "xilinx7"}},
		{"pipelines", func(*config.Config) {}, CompileOptions{Target: "ecp5", Pipeline: "auto", MaxLevels: 1}},
		{"two stages", func(c *config.Config) { c.Model.Pool = "1" }, CompileOptions{LUT: 4, Pipeline: "2"}},
		{"three levels", func(c *config.Config) { c.Model.Levels = "3,1" }, CompileOptions{}},
		{"first pooled alone", func(c *config.Config) { c.Model.Pool = "2,1" }, CompileOptions{}},
		{"no padding", func(c *config.Config) { c.Model.Padding, c.Model.Pool = "0", "1" }, CompileOptions{}},
		{"large patches", func(c *config.Config) { c.Model.Patch, c.Model.Padding = "5,3", "2,1" }, CompileOptions{}},
		{"much padding", func(c *config.Config) { c.Model.Padding = "2" }, CompileOptions{}},
		{"strides", func(c *config.Config) { c.Model.Stride, c.Model.Pool = "2,1", "1,2" }, CompileOptions{}},
		{"strides of three", func(c *config.Config) {
			c.Model.Stride, c.Model.Pool, c.Model.Padding = "3,2", "1", "2,0"
		}, CompileOptions{}},
		{"three of one plane", func(c *config.Config) {
			c.Model.Image, c.Model.Kernels, c.Model.Pool = "1,9,10", "5,6,7", "2,1,2"
		}, CompileOptions{}},
		{"candidates", func(c *config.Config) { c.Model.Hidden = 3 }, CompileOptions{}},
		{"four pins", func(c *config.Config) { c.Model.Inputs, c.Model.Levels = 4, "1,2" }, CompileOptions{}},
		{"convolved only", func(c *config.Config) { c.Model.Widths, c.Model.Kernels = "", "6,6" }, CompileOptions{}},
		{"one by one", func(c *config.Config) {
			c.Model.Patch, c.Model.Padding, c.Model.Channels, c.Model.Pool = "3,1", "1,0", 0, "1,2"
		}, CompileOptions{}},
		{"one by one first", func(c *config.Config) { c.Model.Patch, c.Model.Padding = "1,2", "0,1" }, CompileOptions{}},
		{"kernels that are chains", func(c *config.Config) { c.Model.Leaves, c.Model.Levels = 1, "3" }, CompileOptions{}},
		{"chains behind", func(c *config.Config) {
			c.Model.Widths, c.Model.Chains, c.Model.Anchors = "30", 3, 2
		}, CompileOptions{}},
		{"anchored", func(c *config.Config) {
			c.Model.Image, c.Model.Anchored, c.Model.Anchors = "2,8,4", 1, 3
		}, CompileOptions{}},
		{"three anchored", func(c *config.Config) {
			c.Model.Image, c.Model.Kernels, c.Model.Pool, c.Model.Inputs = "1,16,8", "3,4,3", "2,1,2", 4
			c.Model.Anchored, c.Model.Anchors, c.Model.Levels = 2, 40, "1"
		}, CompileOptions{Target: "xilinx7", Pipeline: "2"}},
		{"anchored, with strides", func(c *config.Config) {
			c.Model.Image, c.Model.Stride, c.Model.Pool, c.Model.Patch, c.Model.Padding = "2,8,16", "2,1", "1,2", "5,3", "2,1"
			c.Model.Anchored, c.Model.Anchors = 1, 9
		}, CompileOptions{}},
		{"uneven thresholds", func(c *config.Config) { c.Name = "uneven" }, CompileOptions{}},
		{"dropping", func(*config.Config) {}, CompileOptions{Wrap: "uart"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := convolved(t, c.change)
			d, files, _ := engineOf(t, m, c.options)
			if i%4 == 1 || testkit.Whole() {
				testkit.RunSilent(t, filepath.Dir(files.Verilog), append([]string{
					"verilator", "--lint-only", "-Wall", "--top-module", files.Module, files.Verilog,
				}, files.Parts...)...)
			}
			r, err := rtl.CheckEngine(t.Context(), d, verify.RandomSamples(&d.Model.Encoder, playedSamples), *files, "iverilog",
				playedSamples)
			if err != nil {
				t.Fatal(err)
			}
			if r.Mismatches > 0 || r.Checked != playedSamples {
				t.Errorf("%d samples: %+v", r.Checked, r.Findings)
			}
		})
	}
}

// TestPositionsMutants changes one thing in an engine's Verilog, and checks that the class of a sample changes.
func TestPositionsMutants(t *testing.T) {
	m := convolved(t, func(c *config.Config) { c.Model.Stride, c.Model.Pool = "1,2", "2,1" })
	d, files, _ := engineOf(t, m, CompileOptions{})
	checkMutants(t, d, files, []mutant{
		{"a tap of the patch", ".x(patch_1)", ".x({patch_1[0], patch_1[53:1]})"},
		{"the padding of the columns", "column_1 >= 3'd7", "column_1 >= 4'd8"},
		{"the pixel of zeros", "{6{~padding_1}} & planes_0", "planes_0"},
		{"the first row of positions", "row_1 >= 3'd1", "row_1 >= 3'd2"},
		{"the stride", "column_phase_2 == 1'd0 &", "column_phase_2 == 1'd1 &"},
		{"the pooling", "left_1 | h_1 | above_1", "left_1 | h_1"},
		{"the rows above", "lines_1[column_1] <= slice_1[17:6]", "lines_1[column_1] <= slice_1[11:0]"},
		{"a level", "level_1 > 2'd1", "level_1 > 2'd2"},
		{"the buffer that is scanned", "current <= next", "current <= ~next"},
	})
	anchored := convolved(t, func(c *config.Config) { c.Model.Image, c.Model.Anchored, c.Model.Anchors = "2,8,4", 1, 3 })
	a, with, _ := engineOf(t, anchored, CompileOptions{})
	checkMutants(t, a, with, []mutant{
		{"an input bit that passes by", "{h_1[", "{~h_1["},
		{"where it comes from", ".h(h_1)", ".h({h_1[0], h_1[16:1]})"},
	})
	t.Run("a table of a kernel", func(t *testing.T) {
		found := 0
		text, err := os.ReadFile(files.Parts[0])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if !strings.Contains(line, " & ") || !strings.Contains(line, "assign") {
				continue
			}
			changed := *files
			changed.Parts = slices.Clone(files.Parts)
			changed.Parts[0] = filepath.Join(t.TempDir(), filepath.Base(files.Parts[0]))
			mutant := slices.Clone(lines)
			mutant[i] = strings.Replace(line, " & ", " | ", 1)
			if err := os.WriteFile(changed.Parts[0], []byte(strings.Join(mutant, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := rtl.CheckEngine(t.Context(), d, verify.RandomSamples(&d.Model.Encoder, playedSamples), changed, "iverilog",
				playedSamples)
			if err != nil {
				t.Fatal(err)
			}
			if found += min(1, r.Mismatches); found > 0 {
				return
			}
		}
		t.Error("nothing is found")
	})
}

// TestPositionsRefused checks that options and networks that an engine of positions does not support are refused.
func TestPositionsRefused(t *testing.T) {
	chains := filepath.Join(t.TempDir(), "chains.st")
	if _, err := netgen.Model(netgen.ModelOptions{}).Save(chains); err != nil {
		t.Fatal(err)
	}
	other, err := Open(chains)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	m := convolved(t, func(*config.Config) {})
	for _, c := range []struct {
		m    *Model
		o    CompileOptions
		want string
	}{
		{other, CompileOptions{}, "has no convolutions"},
		{m, CompileOptions{Scope: "core"}, "it is for scope full"},
		{m, CompileOptions{FoldSteps: 300}, "has no steps"},
		{m, CompileOptions{Counts: true}, "gives the class alone"},
		{
			convolved(t, func(c *config.Config) { c.Model.Anchored, c.Model.Anchors = 1, 2 }),
			CompileOptions{},
			"of other proportions",
		},
	} {
		c.o.Fold = "positions"
		if _, err := Compile(t.Context(), c.m, c.o); err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
}

// timingBench sends samples to an engine and prints the clock of each result. It sends one word in every clock in
// which the engine accepts a word.
const timingBench = "`timescale 1ns / 1ps\n" + `
module timing_tb;
  reg clk = 0;
  always #5 clk = ~clk;
  reg rst = 1;
  integer clocks = 0, sent = 0, got = 0, begun = -1;
  wire in_ready, out_valid;
  wire in_valid = ~rst & sent < @SAMPLES@ * @WORDS@;
  wire in_last = sent % @WORDS@ == @WORDS@ - 1;
  net_fold dut (.clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(8'h5a), .in_last(in_last),
      .out_valid(out_valid), .out_ready(1'b1), .class_index(), .error());

  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
  end

  always @(posedge clk) begin
    clocks <= clocks + 1;
    if (in_valid & in_ready) begin
      if (begun < 0) begun <= clocks;
      sent <= sent + 1;
    end
    if (out_valid === 1'b1) begin
      $display("%0d", clocks - begun);
      got <= got + 1;
      if (got == @SAMPLES@ - 1) $finish;
    end
    if (clocks == 100000) $finish;
  end
endmodule
`

// TestPositionsTiming compares the reported clocks with the clocks that the Verilog needs.
func TestPositionsTiming(t *testing.T) {
	for _, c := range []struct {
		name            string
		change          func(c *config.Config)
		options         CompileOptions
		cycles, latency int // 0: not known in advance
	}{
		// A sample has 84 words. This is more than the 8 x 7 steps of a scan, which include the padding.
		{"loading is slowest", func(*config.Config) {}, CompileOptions{}, 84, 0},
		// The image has one plane. A scan has (9 + 1) (10 + 1) steps, which include the padding. This is more than
		// the 90 words of a sample.
		{"scanning is slowest", func(c *config.Config) { c.Model.Image = "1,9,10" }, CompileOptions{}, 110, 0},
		{"pipelines", func(*config.Config) {}, CompileOptions{LUT: 4, Pipeline: "3"}, 84, 0},
		{"much padding", func(c *config.Config) {
			c.Model.Image, c.Model.Patch, c.Model.Padding, c.Model.Pool = "1,4,4", "3,5", "2,4", "1"
		}, CompileOptions{}, 0, 0},
		{"strides", func(c *config.Config) { c.Model.Stride, c.Model.Pool = "2,1", "1,2" }, CompileOptions{}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, files, out := engineOf(t, convolved(t, c.change), c.options)
			cost := out.Report.Fold.Positions.PositionsCost
			const samples, settled = 20, 10
			bench := strings.NewReplacer("@WORDS@", fmt.Sprint(d.Model.Encoder.Features()), "@SAMPLES@", fmt.Sprint(samples)).
				Replace(timingBench)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "tb.v"), []byte(bench), 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"iverilog", "-g2001", "-s", "timing_tb", "-o", "a.vvp", "tb.v", files.Verilog}, files.Parts...)
			if text, err := testkit.TryTool(t, dir, args...); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			text, err := testkit.TryTool(t, dir, "vvp", "-n", "a.vvp")
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			var at []int
			for _, line := range strings.Fields(text) {
				n, err := strconv.Atoi(line)
				if err != nil {
					t.Fatal(err)
				}
				at = append(at, n)
			}
			if len(at) != samples {
				t.Fatalf("%d results of %d", len(at), samples)
			}
			if at[0] != cost.Latency || c.latency != 0 && cost.Latency != c.latency {
				t.Errorf("latency %d, the report says %d", at[0], cost.Latency)
			}
			between := float64(at[samples-1]-at[settled-1]) / (samples - settled)
			if got := int(math.Ceil(between)); got != cost.Cycles || c.cycles != 0 && got != c.cycles {
				t.Errorf("a sample in %v clocks, the report says %d, want %d", between, cost.Cycles, c.cycles)
			}
		})
	}
}
