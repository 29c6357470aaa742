// Plays frames to the SPI wrapper DUT and compares its answers and errors. A line of the
// program is {operation, argument}, see play. What it says when it fails names the rule.
`default_nettype none
`timescale 1ns / 1ps

module spi_tb;
  reg clk = 0;
  always #5 clk = ~clk;

  reg rst_n = 1, sck = 0, mosi = 0, cs_n = 1;
  wire miso, ready, error;

  `DUT dut (.clk(clk), .rst_n(rst_n), .sck(sck), .mosi(mosi), .miso(miso), .cs_n(cs_n), .ready(ready), .error(error));

  reg [15:0] lines[0:`LINES-1];
  reg [7:0] expected[0:`RESULTS*`REPLY-1];
  integer at, got = 0, seed = 1, k, n, place;
  reg [7:0] value;
  reg answers = 0, failed = 0;

  task fail(input [8*40-1:0] what);
    begin
      $display("FAIL: %0s, line %0d, answer %0d", what, at, got);
      $finish;
    end
  endtask

  // Half a period, of any phase to clk: 40 ns where it is exactly 4 of clk.
  task half;
    #(40.001 + `JITTER * ($urandom(seed) % 1000) / 1000.0);
  endtask

  task exchange(input [7:0] sent, input integer count);
    for (k = 7; k >= 8 - count; k = k - 1) begin
      mosi = sent[k];
      half;
      value[k] = miso;
      if (miso === 1'bx) fail("an unknown level");
      sck = 1;
      half;
      if (value[k] !== miso) fail("miso changes between the edges");
      sck = 0;
    end
  endtask

  // What came back: a status, then a result.
  task compare;
    begin
      if (place == 0) begin
        answers = value[0];
        if (value[7:2] !== 0) fail("an unknown status");
        if (value[1] !== failed) fail("another error in the status");
        if (answers && got >= `RESULTS) fail("an answer too many");
      end else if (answers && place <= `REPLY) begin
        if (value !== expected[got*`REPLY+place-1]) fail("a wrong answer");
        if (place == `REPLY) got = got + 1;
      end else if (value !== 0) fail("something after the answer");
      place = place + 1;
    end
  endtask

  task play(input [3:0] operation, input [11:0] argument);
    case (operation)
      0: begin
        cs_n = 0;
        place = 0;
        failed = error;
      end
      1: begin
        exchange(argument[7:0], 8);
        compare;
      end
      2: exchange(8'h5a, argument);  // a part of a byte
      3: begin  // of a frame that may be empty
        half;
        cs_n = 1;
        half;
      end
      4: begin  // a reset, of any phase
        rst_n = 0;
        #(33.3) rst_n = 1;
        #60;
        if (error !== 0) fail("a reset leaves an error");
        if (ready !== 0) fail("a reset leaves an answer");
        answers = 0;
      end
      5: if (error !== argument[0]) fail("the error is wrong");
      6: begin  // until there is an answer, or none is left
        for (n = 0; n < 100 && ready !== argument[0]; n = n + 1) #10;
        if (ready !== argument[0]) fail("an answer is missing");
      end
      default: fail("no such operation");
    endcase
  endtask

  initial begin
    $readmemh("program.hex", lines);
    $readmemh("expected.hex", expected);
    at = 0;
    #1003;  // no reset but that after power-on
    for (at = 0; at < `LINES; at = at + 1) play(lines[at][15:12], lines[at][11:0]);
    if (got != `RESULTS) fail("an answer is missing");
    $display("PASS: %0d answers in %0d clocks", got, $rtoi($realtime / 10));
    $finish;
  end
endmodule

`default_nettype wire
