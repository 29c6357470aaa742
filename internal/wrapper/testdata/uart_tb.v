// Plays a program to the serial wrapper DUT and compares its answers and errors. A line of the
// program is {operation, argument}, see play. What it says when it fails names the rule.
`default_nettype none
`timescale 1ns / 1ps

module uart_tb;
  localparam real NOMINAL = 10.0 * `CLOCKS;  // ns of a bit, of a clock of 100 MHz

  reg clk = 0;
  always #5 clk = ~clk;

  reg rst_n = 1, rx = 1;
  wire tx, frame_error, error;

  `DUT #(.CLOCK_HZ(100000000), .BAUD(100000000 / `CLOCKS), .IDLE_BITS(`IDLE)) dut (
      .clk(clk), .rst_n(rst_n), .rx(rx), .tx(tx), .frame_error(frame_error), .error(error));

  reg [15:0] lines[0:`LINES-1];
  reg [7:0] expected[0:`ANSWERS-1];
  integer at, got = 0, k;
  real bit_time = NOMINAL, began;
  reg started = 0;

  task fail(input [8*40-1:0] what);
    begin
      $display("FAIL: %0s, line %0d, answer %0d", what, at, got);
      $finish;
    end
  endtask

  task send(input [7:0] value, input stop);
    begin
      rx = 0;
      #bit_time;
      for (k = 0; k < 8; k = k + 1) begin
        rx = value[k];
        #bit_time;
      end
      rx = stop;
      #bit_time;
      rx = 1;
    end
  endtask

  task play(input [3:0] operation, input [11:0] argument);
    case (operation)
      0: send(argument[7:0], 1);
      1: send(argument[7:0], 0);  // a wrong stop bit
      2: begin  // a break
        rx = 0;
        #(argument * bit_time) rx = 1;
      end
      3: #(argument * bit_time);
      4: bit_time = NOMINAL * argument / 1000;
      5: begin  // a reset, of any phase
        rst_n = 0;
        #(33.3) rst_n = 1;
        #40;
        if (error !== 0 || frame_error !== 0) fail("a reset leaves an error");
        if (tx !== 1) fail("a reset leaves an answer");
      end
      6: if ({frame_error, error} !== argument[1:0]) fail("errors are wrong");
      7: begin  // a glitch, shorter than half a bit
        rx = 0;
        #(argument * bit_time / 1000) rx = 1;
      end
      default: fail("no such operation");
    endcase
  endtask

  initial begin
    $readmemh("program.hex", lines);
    $readmemh("expected.hex", expected);
    at = 0;
    #1003;  // no reset but that after power-on
    started = 1;
    if (^{tx, frame_error, error} === 1'bx) fail("an unknown level");
    for (at = 0; at < `LINES; at = at + 1) play(lines[at][15:12], lines[at][11:0]);
    #(12 * NOMINAL * (2 * `REPLY + 2));
    if (got != `ANSWERS) fail("an answer is missing");
    $display("PASS: %0d answers in %0d clocks", got, $rtoi($realtime / 10));
    $finish;
  end

  // A receiver that looks at both ends of each bit.
  reg [7:0] value;
  integer b;
  always @(negedge tx)
    if (started) begin
      #(0.05 * NOMINAL);
      for (b = 0; b < 10; b = b + 1) begin
        if (b > 0 && b < 9) value[b-1] = tx;
        if (b == 0 && tx !== 0 || b == 9 && tx !== 1) fail("an answer without start or stop bit");
        #(0.9 * NOMINAL);
        if (b > 0 && b < 9 && value[b-1] !== tx) fail("a bit of another length");
        if (b == 0 && tx !== 0 || b == 9 && tx !== 1) fail("an answer without start or stop bit");
        if (b < 9) #(0.1 * NOMINAL);
      end
      if (got >= `ANSWERS) fail("an answer too many");
      if (value !== expected[got]) fail("a wrong answer");
      got = got + 1;
    end
endmodule

`default_nettype wire
