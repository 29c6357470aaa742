// Plays a program of beats to the AXI4-Stream wrapper DUT, compares its results and errors,
// and holds both interfaces to their protocol. What it says when it fails names the rule.
// A line of the program is {reset before it, a sample ends with it, error after it, last, data}.
// A result is REPLY beats.
`default_nettype none
`timescale 1ns / 1ps

module axis_tb;
  reg clk = 0;
  always #5 clk = ~clk;

  reg rst = 1, in_valid = 0, in_last = 0, out_ready = 0;
  reg [`DATA-1:0] in_data = 0;
  wire in_ready, out_valid, out_last, error;
  wire [`RESULT-1:0] result;

  `DUT #(.BYTES(`BEAT)) dut (
      .aclk(clk), .aresetn(!rst), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data),
      .s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready), .m_axis_tdata(result),
      .m_axis_tlast(out_last), .error(error));

  reg [`DATA+3:0] lines[0:`LINES-1];
  reg [`RESULT-1:0] expected[0:`RESULTS-1];
  integer stall_in, stall_out, pause, hold;
  integer first = -1, latency = 0;  // the clock of the first beat, and those until the first result
  integer at = 0, sent = 0, got = 0, clocks = 0, quiet = 0, late = 0, seed = 1;
  reg started = 0, drain = 1, was_reset = 0, expect_error = 0, waited = 0, sticky = 0;
  reg [`RESULT+3:0] before;
  reg [`RESULT-1:0] waiting;
  wire [`DATA+3:0] now = lines[at];

  task fail(input [8*40-1:0] what);
    begin
      $display("FAIL: %0s, line %0d, result %0d, clock %0d", what, at, got, clocks);
      $finish;
    end
  endtask

  initial begin
    if (!$value$plusargs("stall_in=%d", stall_in)) stall_in = 0;
    if (!$value$plusargs("stall_out=%d", stall_out)) stall_out = 0;
    if (!$value$plusargs("hold=%d", hold)) hold = 0;
    pause = 0;
    $readmemh("program.hex", lines);
    $readmemh("expected.hex", expected);
    repeat (3) @(posedge clk);
    #1 rst = 0;
    started = 1;
  end

  // Inputs change while the clock is low, which must change no output.
  always @(negedge clk)
    if (started) begin
      if (^{in_ready, out_valid, error} === 1'bx) fail("an unknown level");
      if (sticky && !error) fail("error is not sticky");
      if (error !== expect_error) fail("error is wrong");
      sticky = error;
      before = {in_ready, out_valid, out_last, error, result};
      if (rst && (out_valid !== 0 || in_ready !== 1)) fail("a reset leaves something");
      rst = 0;
      if (at < `LINES && now[`DATA+3] && !was_reset && !in_valid && (drain ? got == sent : $urandom(seed) % 3 == 0)) begin
        if (sent - got > (`STAGES + 2) * `REPLY) fail("results are missing");
        drain = $urandom(seed); // the next reset comes when all results are there
        rst = 1;
        was_reset = 1;
        got = sent;
        expect_error = 0;
        sticky = 0;
        waited = 0;
        late = 0;
      end else if (!in_valid && at < `LINES && (!now[`DATA+3] || was_reset) && $urandom(seed) % 100 >= stall_in) begin
        in_valid = 1;
        in_last = now[`DATA];
        in_data = now[`DATA-1:0];
      end else if (!in_valid) begin
        in_last = $urandom(seed);
        in_data = {(`DATA + 31) / 32{$urandom(seed)}};
      end
      if (stall_out > 0 && $urandom(seed) % 2000 == 0) pause = 300;
      if (pause > 0) pause = pause - 1;
      out_ready = clocks >= hold && pause == 0 && $urandom(seed) % 100 >= stall_out;
      #1 if (!rst && before !== {in_ready, out_valid, out_last, error, result}) fail("an output follows an input");
    end

  always @(posedge clk) begin
    clocks = clocks + 1;
    if (started && !rst) begin
      if (waited && !out_valid) fail("tvalid falls before tready");
      if (waited && result !== waiting) fail("tdata changes before tready");
      // Whatever tready is, which may not be waited for.
      late = got < sent && !out_valid ? late + 1 : 0;
      if (late > `STAGES + 3) fail("a result is late");
      if (out_valid && out_last !== 1) fail("a result without tlast");
      waited = out_valid && !out_ready;
      waiting = result;
      if (out_valid && out_ready) begin
        if (got >= sent) fail("a result too many");
        if (result !== expected[got]) fail("a wrong result");
        got = got + 1;
        if (got == `REPLY) latency = clocks - first;
      end
      if (in_valid && in_ready) begin
        if (first < 0) first = clocks;
        expect_error = now[`DATA+1];
        if (now[`DATA+2]) sent = sent + `REPLY;
        at = at + 1;
        was_reset = 0;
        in_valid <= #1 0;
      end
      quiet = at == `LINES && got == sent ? quiet + 1 : 0;
      if (quiet == 30) begin
        if (sent != `RESULTS) fail("the number of samples");
        $display("PASS: %0d results in %0d clocks, the first after %0d", sent, clocks - 30, latency);
        $finish;
      end
      if (clocks == hold + 20 * `LINES + 5000) fail("no end");
    end
  end
endmodule

`default_nettype wire
