module @MODULE@ #(
    parameter BEAT = @DEFAULT@  // words of a clock
) (
    input  wire clk,
    input  wire rst,
    input  wire in_valid,
    output wire in_ready,
    input  wire [BEAT*@IN@-1:0] in_data,
    input  wire in_last,
@TAGPORT@@DROP@    output reg out_valid,
    input  wire out_ready,
@PORTS@    output wire error
);
  wire [@BITS@:0] sample;
  wire sample_valid;
@WIRES@  wire step = ~(core_valid & out_valid);

@ENCODER@  @MODULE@_loader #(
      .WORD(@WORD@),
      .WORDS(@WORDS@),
      .BEAT(BEAT),
      .READ(@READ@)
  ) loader (
      .clk(clk),
      .rst(rst),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in_data(@DATA@),
      .in_last(in_last),
      .drop(@DROPPIN@),
      .sample(sample),
      .sample_valid(sample_valid),
      .sample_taken(sample_valid & step),
      .error(error)
  );

@TAG@@FEATURES@  @CORE@ core (
      @PINS@@TAGPIN@.@INPUT@(@SAMPLE@)@OUTPUTS@
  );

  always @(posedge clk)
    if (rst) out_valid <= 1'b0;
    else if (core_valid & ~out_valid) out_valid <= 1'b1;
    else if (out_ready) out_valid <= 1'b0;

  always @(posedge clk)
    if (core_valid & ~out_valid) begin
@RESULTS@    end
endmodule
