// Module @TOP@_tb: checks the module @TOP@ against vectors
@HEADER@//
// To run it, in this folder:
//
//   $ iverilog -g2001 -o @TOP@.vvp @TOP@_tb.v @SOURCES@
//   $ vvp @TOP@.vvp
//
// or
//
//   $ verilator --binary --timing --top-module @TOP@_tb @TOP@_tb.v @SOURCES@
//   $ obj_dir/V@TOP@_tb
//
// +vectors=FILE  where the vectors are (default: @VECTORS@)
// +count=N       how many to check (default: all)
@MORE@//
// A vector is a line of hexadecimal numbers; the sample's words and what is wanted of its result
// are taken from it. The last line that the testbench prints is "PASS: N vectors" or begins with
// "FAIL".

`default_nettype none

module @TOP@_tb@PARAMETERS@;
  localparam UNITS = @UNITS@;  // of @UNIT@ bits, that a sample comes in
  localparam LATE = @LATE@;  // clocks in which nothing happens

  // the vectors: samples are given from one file, what is wanted is read from the same once more
  reg [8*1000-1:0] tb_path;
  reg [@WIDEST@-1:0] tb_field;
  reg [@INPUTS@-1:0] tb_x;
  reg [@UNIT@*UNITS-1:0] tb_sample;
@WANT@@GOT@@TAG@  integer tb_source, tb_expected, tb_count, tb_read, tb_i;
  integer tb_given, tb_got, tb_failed, tb_shown, tb_unit, tb_late, tb_quiet;
  reg tb_stop, tb_ended, tb_running, tb_differs;
  reg [31:0] tb_dice;

  reg clk;
  wire error;
@PLAYER@
  // reads the next number of a vector
  task tb_next(input integer file);
    if ($fscanf(file, "%h", tb_field) == 1) tb_read = tb_read + 1;
  endtask

  // takes the next vector's sample, or notes that there is none
  task tb_take;
    begin
      tb_read = 0;
@READSAMPLE@      tb_sample = {@UNIT@*UNITS{1'b0}};
      for (tb_i = 0; tb_i < @WORDS@; tb_i = tb_i + 1)
        tb_sample[tb_i*@LANE@+:@WORD@] = tb_x[tb_i*@WORD@+:@WORD@];
      if (tb_read == @FIELDS@ && $fgetc(tb_source) == 10) begin
        tb_given = tb_given + 1;
      end else begin
        tb_ended = 1'b1;
        if (tb_read > 0 || $feof(tb_source) == 0) begin
          tb_stop = 1'b1;
          $display("FAIL: %0s: vector %0d is not a line of @FIELDS@ numbers", tb_path, tb_given);
        end else if (tb_given == 0 || tb_given < tb_count) begin
          tb_stop = 1'b1;
          $display("FAIL: %0s ends after %0d vectors", tb_path, tb_given);
        end
      end
    end
  endtask

  // begins the next sample, if there is to be one
  task tb_begin;
    if (tb_count > 0 && tb_given == tb_count) tb_ended = 1'b1;
    else tb_take;
  endtask

  // draws a number
  task tb_draw;
    tb_dice = tb_dice * 32'd1664525 + 32'd1013904223;
  endtask

  // compares a result that has come with what is wanted
  task tb_check;
    if (tb_got >= tb_given) tb_broken("a result without a sample");
    else begin
      tb_read = 0;
@READWANT@      if ($fgetc(tb_expected) != 10) tb_broken("the vectors changed");
      tb_differs = 1'b0;
@COMPARE@      if (tb_differs) tb_failed = tb_failed + 1;
      tb_got = tb_got + 1;
      tb_late = 0;
    end
  endtask

  // ends it: nothing that comes later can be right
  task tb_broken(input [8*32-1:0] what);
    begin
      if (!tb_stop) $display("FAIL: sample %0d: %0s", tb_got, what);
      tb_stop = 1'b1;
    end
  endtask

  // a clock: what stands at the pins before its edge is judged, then the edge
  task tb_clock;
    begin
      #1;
      if (tb_running) begin
        if (error !== 1'b0) tb_broken("error is not 0");
        if (tb_late > LATE && !(tb_ended && tb_got == tb_given)) tb_broken("no result");
        tb_late = tb_late + 1;
        tb_quiet = tb_ended && tb_got == tb_given ? tb_quiet + 1 : 0;
        tb_before;
      end
      clk = 1'b1;
      #1;
      clk = 1'b0;
    end
  endtask

  initial begin
    if ($value$plusargs("vectors=%s", tb_path) == 0) tb_path = "@VECTORS@";
    if ($value$plusargs("count=%d", tb_count) == 0) tb_count = 0;
    clk = 1'b0;
    {tb_ended, tb_running, tb_differs} = 3'd0;
    tb_given = 0;
    tb_got = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_unit = 0;
    tb_late = 0;
    tb_quiet = 0;
    tb_dice = 32'd1;
    tb_source = $fopen(tb_path, "r");
    tb_expected = $fopen(tb_path, "r");
    tb_stop = tb_source == 0 || tb_expected == 0;
    if (tb_stop) $display("FAIL: cannot open %0s", tb_path);
    else tb_reset;
    tb_running = 1'b1;
    while (!tb_stop) begin
      tb_play;
      if (!tb_stop && tb_quiet > QUIET) begin
        tb_stop = 1'b1;
        if (tb_failed == 0) $display("PASS: %0d vectors", tb_got);
        else $display("FAIL: %0d of %0d vectors", tb_failed, tb_got);
      end
    end
    if (tb_source != 0) $fclose(tb_source);
    if (tb_expected != 0) $fclose(tb_expected);
    $finish;
  end
endmodule

`default_nettype wire
