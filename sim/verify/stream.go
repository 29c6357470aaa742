package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/trainer/model"
)

// simulateStream plays samples to the wrapper in a folder that has its Verilog, chip.v.
func (d Design) simulateStream(ctx context.Context, s Samples, b Bitstream, dir string, samples int) (*RTLResult, error) {
	want, err := d.Model.Evaluate(ctx, s.Levels, 0)
	if err != nil {
		return nil, err
	}
	r := &RTLResult{}
	index, ties := choose(want.Counts, want.Classes, samples)
	r.Checked, r.Ties = len(index), ties
	if err := d.writeStream(s, index, want, dir); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, testbenchName), []byte(d.streamBench(b, len(index))), 0o666); err != nil {
		return nil, err
	}
	out, err := simulation{dir: dir, sources: []string{"chip.v", testbenchName}, tops: []string{"stream_tb"}}.run(ctx, "iverilog")
	if err != nil {
		return nil, err
	}
	r.Simulator, r.BuildCPU, r.RunCPU = out.version, out.build, out.run
	return r, r.read(out.text, index)
}

// writeStream writes the words of samples, one a line, and the output ports that each is to
// have, the last port in the highest bits.
func (d Design) writeStream(s Samples, index []int32, want *model.Scores, dir string) error {
	simulator, err := sim.New(d.Product)
	if err != nil {
		return err
	}
	var words, expected strings.Builder
	x := d.Product.DataInputs()[0]
	block := simulator.Block() * 64
	for from := 0; from < len(index); from += block {
		part := index[from:min(from+block, len(index))]
		stride := (len(part) + 63) / 64
		rows, err := s.gather(&d.Model.Encoder, x, stride, part)
		if err != nil {
			return err
		}
		if err := simulator.Settle(stride, rows); err != nil {
			return err
		}
		outputs := busRows(simulator, d.Product.OutputPorts(), want, part)
		for i := range part {
			for w := 0; w < len(x.Nets); w += x.Word {
				writeBits(&words, rows, w, x.Word, stride, i)
			}
			writeBits(&expected, outputs, 0, outputBits(d.Product), stride, i)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "words.txt"), []byte(words.String()), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "expected.txt"), []byte(expected.String()), 0o666)
}

// writeBits writes one sample's bits of some rows as a binary number on a line of its own.
func writeBits(w *strings.Builder, rows []uint64, first, bits, stride, sample int) {
	for b := first + bits - 1; b >= first; b-- {
		w.WriteByte('0' + byte(rows[b*stride+sample/64]>>(sample%64)&1))
	}
	w.WriteByte('\n')
}

// streamBench returns the testbench.
func (d Design) streamBench(b Bitstream, samples int) string {
	x := d.Product.DataInputs()[0]
	var outputs strings.Builder
	low := 0
	for _, p := range d.Product.OutputPorts() {
		fmt.Fprintf(&outputs, ",\n    .%s(result[%d:%d])", p.Name, low+len(p.Nets)-1, low)
		low += len(p.Nets)
	}
	return strings.NewReplacer(
		"@TOP@", b.Top, "@WORD@", fmt.Sprint(x.Word), "@WORDS@", fmt.Sprint(words(x)), "@OUT@", fmt.Sprint(low),
		"@SAMPLES@", fmt.Sprint(samples), "@OUTPUTS@", outputs.String(),
	).Replace(streamBench)
}

// words returns how many words a sample has.
func words(x netlist.Port) int { return len(x.Nets) / x.Word }

// streamBench plays samples one after the other, each side pausing at times. Inputs change while
// the clock is low, so that what moves at its edge is the same for all that look.
const streamBench = "`timescale 1ns / 1ps\n" + `
module stream_tb;
  localparam BEATS = @WORDS@ * @SAMPLES@;
  reg clk = 0, rst = 1, in_valid = 0, in_last = 0, out_ready = 0;
  reg [@WORD@-1:0] in_data = 0;
  wire in_ready, out_valid, error;
  wire [@OUT@-1:0] result;
  always #50 clk = ~clk;

  @TOP@ dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), .in_last(in_last),
    .out_valid(out_valid), .out_ready(out_ready), .error(error)@OUTPUTS@);

  reg [@WORD@-1:0] words[0:BEATS-1];
  reg [@OUT@-1:0] expected[0:@SAMPLES@-1];
  integer sent = 0, got = 0, differ = 0, quiet = 0, clocks = 0, seed = 1;

  task verdict;
    begin
      if (differ == 0) $display("PASS: %0d vectors", got);
      else $display("FAIL: %0d of %0d vectors", differ, @SAMPLES@);
      $finish;
    end
  endtask

  initial begin
    $readmemb("words.txt", words);
    $readmemb("expected.txt", expected);
    repeat (4) @(negedge clk);
    rst = 0;
  end

  always @(negedge clk) if (!rst) begin
    if (!in_valid && sent < BEATS) begin
      in_valid = $random(seed) % 4 != 0;
      in_data = words[sent];
      in_last = sent % @WORDS@ == @WORDS@ - 1;
    end
    out_ready = $random(seed) % 4 != 0;
  end

  always @(posedge clk) if (!rst) begin
    clocks = clocks + 1;
    if (in_valid && in_ready === 1'b1) begin
      sent = sent + 1;
      in_valid <= #1 0;
    end
    if (out_valid === 1'b1 && out_ready) begin
      if (got >= @SAMPLES@) differ = differ + 1;
      else if (result !== expected[got]) begin
        differ = differ + 1;
        $display("sample %0d: %b, expected %b", got, result, expected[got]);
      end
      got = got + 1;
    end
    if (error !== 1'b0 || clocks == 20 * BEATS + 5000) begin
      $display("sample %0d: no result, or an error: %b", got < @SAMPLES@ ? got : @SAMPLES@ - 1, error);
      differ = differ + 1;
      verdict;
    end
    quiet = got >= @SAMPLES@ ? quiet + 1 : 0;
    if (quiet == 50) verdict;
  end
endmodule
`
