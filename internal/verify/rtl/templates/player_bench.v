`timescale 1ns / 1ps

module player_tb;
  localparam UNITS = @UNITS@;  // of all samples
  localparam SAMPLES = @SAMPLES@;  // that have a result
  localparam LAST = @UNIT@, RESET = @UNIT@ + 1, FAILS = @UNIT@ + 2, WHOLE = @UNIT@ + 3, BREAKS = @UNIT@ + 4, ALONE = @UNIT@ + 5, TAG = @UNIT@ + 6;
  reg clk = 0;
  always #50 clk = ~clk;

  reg [@UNIT@+@TAG@+5:0] units[0:UNITS-1];
  reg [@RESULT@-1:0] expected[0:SAMPLES-1];
  reg running = 0;  // the reset is over
  reg reset_done = 0;  // the one before the next unit
  reg fails = 0;  // error must be 1
  reg sure = 1;  // it is known whether
  integer sent = 0, whole = 0;  // units, and samples among them that have a result
  integer got = 0, differ = 0, late = 0, quiet = 0, seed = 1;
  wire error;

  initial begin
    $readmemb("units.txt", units);
    $readmemb("expected.txt", expected);
  end

  task verdict;
    begin
      if (differ == 0) $display("PASS: %0d vectors", got);
      else $display("FAIL: %0d of %0d vectors", differ, SAMPLES);
      $finish;
    end
  endtask

  // A result has come.
  task compare(input [@RESULT@-1:0] result);
    begin
      if (got >= SAMPLES) differ = differ + 1;
      else if (result !== expected[got]) begin
        differ = differ + 1;
        $display("sample %0d: %b, expected %b", got, result, expected[got]);
      end
      got = got + 1;
      $display("at %0d", got);
      $fflush;
      late = 0;
    end
  endtask

  // Nothing that comes later can be right.
  task broken(input [8*40-1:0] what);
    begin
      $display("sample %0d: %0s", got < SAMPLES ? got : SAMPLES - 1, what);
      differ = differ + 1;
      verdict;
    end
  endtask

  always @(posedge clk)
    if (running) begin
      late = late + 1;
      quiet = got >= SAMPLES ? quiet + 1 : 0;
      if (sure && error !== fails) broken(fails ? "no error" : "an error");
      else if (quiet == @QUIET@) verdict;
      else if (late == @LATE@ && got < SAMPLES) broken("no result");
    end
@PLAYER@endmodule
