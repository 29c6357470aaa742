`timescale 1ns / 1ps

// Two AXI4-Streams between the design and programs outside: see Host of package wrapper.
module live_tb;
  localparam SAMPLE = @SAMPLE@, RESULT = @RESULT@, BEAT = @BEAT@;  // bytes
  reg clk = 0, rst_n = 0, in_valid = 0, in_last = 0;
  reg [8*BEAT-1:0] in_data = 0, beat = 0;
  wire in_ready, out_valid, out_last, error;
  wire [8*RESULT-1:0] result;
  always #50 clk = ~clk;
  @TOP@ dut (
    .aclk(clk), .aresetn(rst_n), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data),
    .s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(1'b1), .m_axis_tdata(result),
    .m_axis_tlast(out_last), .error(error));

  integer from_host, to_host, value, i, k;
  integer sent = 0;  // bytes of this sample
  integer got = 0;  // results

  initial begin
    from_host = $fopen("from_host", "rb");
    to_host = $fopen("to_host", "w");
    repeat (4) @(negedge clk);
    rst_n = 1;
    value = $fgetc(from_host);
    while (value >= 0) begin
      for (i = 0; i < BEAT; i = i + 1) begin
        beat[8*i+:8] = value[7:0];
        if (i < BEAT - 1) value = $fgetc(from_host);
      end
      sent = sent + BEAT;
      in_data <= beat;  // not with =, of which verilator makes stale levels
      in_valid <= 1;
      in_last <= sent >= SAMPLE;
      while (in_ready !== 1'b1) @(negedge clk);
      @(negedge clk);
      in_valid <= 0;
      if (sent >= SAMPLE) begin  // no time passes while a byte is waited for
        wait (got > 0);
        sent = 0;
        got = 0;
      end
      value = $fgetc(from_host);
    end
    $finish;
  end

  // What is there at a falling edge moves at the next rising one.
  always @(negedge clk)
    if (rst_n && out_valid === 1'b1) begin
      for (k = 0; k < RESULT; k = k + 1) $fdisplay(to_host, "%h", result[8*k+:8]);
      $fflush(to_host);
      got = got + 1;
    end
endmodule
