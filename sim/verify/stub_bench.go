package verify

// stubHead is what the stubs of cores have in common: what they must be given, and what they give.
// The outputs are random ones that belong to the sample that was given; anything else gets wrong
// ones.
const stubHead = `module @NAME@ (
@PINS@@PORTS@
);
  reg [@HIGH@:0] want[0:@SAMPLES@-1];
  reg [@OUT@:0] results[0:@SAMPLES@-1];
  reg [@OUT@:0] outputs;
  initial begin
    $readmemb("want.txt", want);
    $readmemb("results.txt", results);
  end
@ASSIGNS@`

// stubCore has no clock. It does not know when a sample is whole, but which it is: one of those that
// follow the results which the testbench has. What it gives for anything else is none of their
// results, or, where these are all that there is, any.
const (
	corePins = `    input wire [@HIGH@:0] @X@`

	stubCore = `
  integer k;
  reg known;
  reg [@OUT@+1:0] near;
  reg [1:0] other;
  always @(@X@ or player_tb.got) begin
    known = 0;
    other = 0;
    for (k = 0; k < 9; k = k + 1) begin  // thrice, for other may have become one that was seen before
      near = player_tb.got + k % 3 < @SAMPLES@ ? {1'b0, results[player_tb.got+k%3]} : 0;
      if (near[1:0] == other) other = other + 1;
      if (!known && player_tb.got + k % 3 < @SAMPLES@ && @X@ === want[player_tb.got+k%3]) begin
        known = 1;
        outputs = near[@OUT@:0];
      end
    end
    if (!known) outputs = other;
  end
endmodule
`
)

// stubPipeline compares a sample when it comes, and gives its result as many enabled clocks later as
// the core has stages.
const (
	pipelinePins = `    input wire clk, input wire rst, input wire ce, input wire in_valid, output wire out_valid,
    input wire [@HIGH@:0] @X@`

	stubPipeline = `
  reg [@STAGES@-1:0] valid;
  reg [@OUT@:0] held[0:@STAGES@-1];
  integer entered = 0, k;
  assign out_valid = valid[@STAGES@-1];
  always @* outputs = held[@STAGES@-1];
  always @(posedge clk)
    if (rst) valid <= 0;
    else if (ce) begin
      valid <= {valid, in_valid};
      for (k = 1; k < @STAGES@; k = k + 1) held[k] <= held[k-1];
      held[0] <= in_valid && @X@ === want[entered] ? results[entered] : ~results[entered];
      if (in_valid) entered <= entered + 1;
    end
endmodule
`
)

// stubEngine takes words as a folded engine does, two samples on their way at most, and compares a
// sample when it is whole. Between two streams it pauses at times; a serial line would lose a byte.
const (
	enginePins = `    input wire clk, input wire rst, input wire in_valid, output wire in_ready, input wire [@WORD@-1:0] in_data,
    input wire in_last, @DROP@output wire out_valid, input wire out_ready, output wire error`

	stubEngine = `
  reg [@HIGH@:0] x;
  reg skip, failed, pauses;
  reg [3:0] right;
  integer at, entered = 0, gone = 0, seed = 5;
  assign in_ready = entered - gone < 2 && !pauses;
  assign out_valid = entered > gone;
  assign error = failed;
  always @* outputs = right[gone%4] ? results[gone] : ~results[gone];
  wire whole = at == @WORDS@ - 1;
  always @(posedge clk) begin
    pauses <= @PAUSES@ && $random(seed) % 4 == 0;
    if (out_valid && out_ready) gone <= gone + 1;
    if (in_valid && in_ready) begin
      x[at%@WORDS@*@WORD@+:@WORD@] = in_data;
      at <= in_last ? 0 : at + 1;
      skip <= !in_last && (skip || whole);
      if (in_last != whole && !skip) failed <= 1;
      if (in_last && whole && !skip) begin
        right[entered%4] <= x === want[entered];
        entered <= entered + 1;
      end
    end
    if (rst || @DROPPED@) begin
      at <= 0;
      skip <= 0;
      failed <= !rst;
    end
  end
endmodule
`
)
