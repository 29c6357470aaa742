// Module tiny_pipeline_tb: checks the module tiny_pipeline against vectors
//
// - model tiny
//
// To run it:
//
//   $ iverilog -g2001 -o tiny_pipeline.vvp tiny_pipeline_tb.v tiny_pipeline.v
//   $ vvp tiny_pipeline.vvp +vectors=tiny_pipeline_vectors.txt
//
// or
//
//   $ verilator --binary --timing --top-module tiny_pipeline_tb tiny_pipeline_tb.v tiny_pipeline.v
//   $ obj_dir/Vtiny_pipeline_tb +vectors=tiny_pipeline_vectors.txt
//
// +vectors=FILE  where the vectors are (default: tiny_pipeline_vectors.txt)
// +count=N       how many to check (default: all)
// -DNO_PROBES    when compiling: compare the output ports alone, not the internal buses
//
// A vector is a line of hexadecimal numbers, one for each port below in order, in pieces
// of 1024 bits where a port is wider. The last line that the testbench prints is
// "PASS: N vectors" or begins with "FAIL".

`default_nettype none

module tiny_pipeline_tb;
  // input ports
  reg  [7:0] x;
  // output ports
  wire [0:0] class_index;
  reg  [0:0] tb_want_class_index [0:4];
  // probes
  reg  [1:0] tb_want_count_0 [0:4];
  reg  [1:0] tb_want_count_1 [0:4];
  reg  clk, rst, ce, in_valid;
  wire out_valid;

  // of the samples that are on their way, by stage; the one in stage 0 is offered
  reg  [4:0] tb_valid, tb_bad;
  integer tb_index [0:4];
  integer tb_position [0:4];
  integer tb_fed, tb_stage, tb_seek, tb_idle;
  reg  [31:0] tb_dice;
  reg  tb_known, tb_stalled, tb_full, tb_ended;

  reg [8*1000-1:0] tb_path;
  reg [7:0] tb_field;
  integer tb_file, tb_count, tb_sample, tb_read, tb_failed, tb_shown;
  reg tb_stop, tb_differs;

  tiny_pipeline dut (.clk(clk), .rst(rst), .ce(ce), .in_valid(in_valid), .out_valid(out_valid),
      .x(x), .class_index(class_index));

  // reads the next number of a vector
  task tb_next;
    if ($fscanf(tb_file, "%h", tb_field) == 1) tb_read = tb_read + 1;
  endtask

  task tb_vector;
    begin
      tb_read = 0;
      tb_next;
      x[7:0] = tb_field[7:0];
      tb_next;
      tb_want_class_index[0][0:0] = tb_field[0:0];
      tb_next;
      tb_want_count_0[0][1:0] = tb_field[1:0];
      tb_next;
      tb_want_count_1[0][1:0] = tb_field[1:0];
    end
  endtask

  // draws a number
  task tb_draw;
    tb_dice = tb_dice * 32'd1664525 + 32'd1013904223;
  endtask

  // offers the next vector, or none
  task tb_offer;
    begin
      tb_draw;
      if (tb_dice[31:30] == 2'd0) begin
        x = 8'bx;
      end else begin
        tb_position[0] = $ftell(tb_file);
        tb_vector;
        if (tb_read == 4 && $fgetc(tb_file) == 10) begin
          tb_valid[0] = 1'b1;
          tb_index[0] = tb_fed;
          tb_fed = tb_fed + 1;
          tb_ended = tb_fed == tb_count;
        end else begin
          tb_ended = 1'b1;
          if (tb_read > 0 || $feof(tb_file) == 0) begin
            tb_stop = 1'b1;
            $display("FAIL: %0s: vector %0d is not a line of 4 numbers", tb_path, tb_fed);
          end else if (tb_fed == 0 || tb_fed < tb_count) begin
            tb_stop = 1'b1;
            $display("FAIL: %0s ends after %0d vectors", tb_path, tb_fed);
          end
        end
      end
    end
  endtask

  // draws ce and rst
  task tb_control;
    begin
      tb_draw;
      ce = tb_dice[31:30] != 2'd0 && tb_known;
      tb_draw;
      rst = tb_dice[31:8] < 24'd52428 || !tb_known || (tb_valid[4] && !tb_full);
      if (tb_valid[4]) tb_full = 1'b1;
    end
  endtask

  // compares wherever there is a sample
  task tb_check;
    begin
      if (tb_known && out_valid !== tb_valid[4]) begin
        if (!(tb_stalled && tb_differs) && tb_shown < 20)
          $display("sample %0d: out_valid: got %b, want %b", tb_sample, out_valid, tb_valid[4]);
        tb_shown = tb_shown + 1;
        tb_differs = 1'b1;
      end
      if (tb_valid[4] && class_index !== tb_want_class_index[4]) begin
        if (!(tb_stalled && tb_bad[4]) && tb_shown < 20)
          $display("sample %0d: class_index: got %h, want %h", tb_index[4], class_index, tb_want_class_index[4]);
        tb_shown = tb_shown + 1;
        tb_bad[4] = 1'b1;
      end
`ifndef NO_PROBES
      if (tb_valid[3] && dut.count_0 !== tb_want_count_0[3]) begin
        if (!(tb_stalled && tb_bad[3]) && tb_shown < 20)
          $display("sample %0d: count_0: got %h, want %h", tb_index[3], dut.count_0, tb_want_count_0[3]);
        tb_shown = tb_shown + 1;
        tb_bad[3] = 1'b1;
      end
      if (tb_valid[3] && dut.count_1 !== tb_want_count_1[3]) begin
        if (!(tb_stalled && tb_bad[3]) && tb_shown < 20)
          $display("sample %0d: count_1: got %h, want %h", tb_index[3], dut.count_1, tb_want_count_1[3]);
        tb_shown = tb_shown + 1;
        tb_bad[3] = 1'b1;
      end
`endif
    end
  endtask

  // lets what is wanted move on after a clock edge
  task tb_move;
    begin
      if (tb_valid[4]) begin
        if (tb_differs || tb_bad[4]) tb_failed = tb_failed + 1;
        tb_differs = 1'b0;
        tb_sample = tb_sample + 1;
      end
      for (tb_stage = 4; tb_stage > 0; tb_stage = tb_stage - 1) begin
        tb_index[tb_stage] = tb_index[tb_stage-1];
        tb_position[tb_stage] = tb_position[tb_stage-1];
        tb_want_class_index[tb_stage] = tb_want_class_index[tb_stage-1];
        tb_want_count_0[tb_stage] = tb_want_count_0[tb_stage-1];
        tb_want_count_1[tb_stage] = tb_want_count_1[tb_stage-1];
      end
      tb_valid = {tb_valid[3:0], 1'b0};
      tb_bad = {tb_bad[3:0], 1'b0};
    end
  endtask

  // goes back to the vectors that a reset has lost
  task tb_lose;
    begin
      tb_known = 1'b1;
      tb_seek = -1;
      for (tb_stage = 0; tb_stage <= 4; tb_stage = tb_stage + 1)
        if (tb_valid[tb_stage]) begin
          tb_seek = tb_position[tb_stage];
          tb_fed = tb_index[tb_stage];
          tb_ended = 1'b0;
        end
      if (tb_seek >= 0) // apart from the next, for verilator calls a function on either side of &&
        if ($fseek(tb_file, tb_seek, 0) != 0) begin
          tb_stop = 1'b1;
          $display("FAIL: cannot read %0s again", tb_path);
        end
      if (tb_bad != {5{1'b0}}) tb_differs = 1'b1;
      tb_valid = {5{1'b0}};
      tb_bad = {5{1'b0}};
    end
  endtask

  initial begin
    if ($value$plusargs("vectors=%s", tb_path) == 0) tb_path = "tiny_pipeline_vectors.txt";
    if ($value$plusargs("count=%d", tb_count) == 0) tb_count = 0;
    {clk, rst, ce, in_valid} = 4'd0;
    {tb_known, tb_stalled, tb_full, tb_ended, tb_differs} = 5'd0;
    tb_valid = {5{1'b0}};
    tb_bad = {5{1'b0}};
    tb_sample = 0;
    tb_fed = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_idle = 0;
    tb_dice = 32'd1;
    tb_file = $fopen(tb_path, "r");
    tb_stop = tb_file == 0;
    if (tb_stop) $display("FAIL: cannot open %0s", tb_path);
    while (!tb_stop) begin
      if (!tb_valid[0] && !tb_ended) tb_offer;
      in_valid = tb_valid[0];
      tb_control;
      #1;
      tb_check;
      #1 clk = 1'b1;
      #1;
      if (rst) tb_lose;
      else if (ce) tb_move;
      tb_stalled = !ce && !rst;
      clk = 1'b0;
      tb_idle = tb_ended && tb_valid == {5{1'b0}} ? tb_idle + 1 : 0;
      if (!tb_stop && tb_idle > 10) begin
        tb_stop = 1'b1;
        tb_result;
      end
    end
    if (tb_file != 0) $fclose(tb_file);
    $finish;
  end

  task tb_result;
    begin
      if (tb_differs && tb_failed < tb_sample) tb_failed = tb_failed + 1;
      if (tb_failed == 0) $display("PASS: %0d vectors", tb_sample);
      else $display("FAIL: %0d of %0d vectors", tb_failed, tb_sample);
    end
  endtask
endmodule

`default_nettype wire
