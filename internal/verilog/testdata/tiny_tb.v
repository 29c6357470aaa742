// Module tiny_core_tb: checks the module tiny_core against vectors
//
// - ialgn, version 0
// - model tiny
//
// To run it:
//
//   $ iverilog -g2001 -o tiny_core.vvp tiny_core_tb.v tiny_core.v
//   $ vvp tiny_core.vvp +vectors=tiny_core_vectors.txt
//
// or
//
//   $ verilator --binary --timing --top-module tiny_core_tb tiny_core_tb.v tiny_core.v
//   $ obj_dir/Vtiny_core_tb +vectors=tiny_core_vectors.txt
//
// +vectors=FILE  where the vectors are (default: tiny_core_vectors.txt)
// +count=N       how many to check (default: all)
// -DNO_PROBES    when compiling: compare the output ports alone, not the internal buses
//
// A vector is a line of hexadecimal numbers, one for each port below in order, in pieces
// of 1024 bits where a port is wider. The last line that the testbench prints is
// "PASS: N vectors" or begins with "FAIL".

`default_nettype none

module tiny_core_tb;
  // input ports
  reg  [7:0] x;
  // output ports
  wire [0:0] class_index;
  reg  [0:0] tb_want_class_index;
  // probes
  reg  [1:0] tb_want_count_0;
  reg  [1:0] tb_want_count_1;

  reg [8*1000-1:0] tb_path;
  reg [7:0] tb_field;
  integer tb_file, tb_count, tb_sample, tb_read, tb_failed, tb_shown;
  reg tb_stop, tb_differs;

  tiny_core dut (.x(x), .class_index(class_index));

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
      tb_want_class_index[0:0] = tb_field[0:0];
      tb_next;
      tb_want_count_0[1:0] = tb_field[1:0];
      tb_next;
      tb_want_count_1[1:0] = tb_field[1:0];
    end
  endtask

  task tb_check;
    begin
      tb_differs = 1'b0;
      if (class_index !== tb_want_class_index) begin
        if (tb_shown < 20)
          $display("sample %0d: class_index: got %h, want %h", tb_sample, class_index, tb_want_class_index);
        tb_shown = tb_shown + 1;
        tb_differs = 1'b1;
      end
`ifndef NO_PROBES
      if (dut.count_0 !== tb_want_count_0) begin
        if (tb_shown < 20)
          $display("sample %0d: count_0: got %h, want %h", tb_sample, dut.count_0, tb_want_count_0);
        tb_shown = tb_shown + 1;
        tb_differs = 1'b1;
      end
      if (dut.count_1 !== tb_want_count_1) begin
        if (tb_shown < 20)
          $display("sample %0d: count_1: got %h, want %h", tb_sample, dut.count_1, tb_want_count_1);
        tb_shown = tb_shown + 1;
        tb_differs = 1'b1;
      end
`endif
      if (tb_differs) tb_failed = tb_failed + 1;
    end
  endtask

  initial begin
    if ($value$plusargs("vectors=%s", tb_path) == 0) tb_path = "tiny_core_vectors.txt";
    if ($value$plusargs("count=%d", tb_count) == 0) tb_count = 0;
    tb_sample = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_file = $fopen(tb_path, "r");
    tb_stop = tb_file == 0;
    if (tb_stop) $display("FAIL: cannot open %0s", tb_path);
    while (!tb_stop) begin
      tb_vector;
      if (tb_read == 4 && $fgetc(tb_file) == 10) begin
        #1;
        tb_check;
        tb_sample = tb_sample + 1;
      end else begin
        tb_stop = 1'b1;
        if (tb_read > 0 || $feof(tb_file) == 0)
          $display("FAIL: %0s: vector %0d is not a line of 4 numbers", tb_path, tb_sample);
        else if (tb_sample == 0 || tb_sample < tb_count)
          $display("FAIL: %0s ends after %0d vectors", tb_path, tb_sample);
        else tb_result;
      end
      if (!tb_stop && tb_sample == tb_count) begin
        tb_stop = 1'b1;
        tb_result;
      end
    end
    if (tb_file != 0) $fclose(tb_file);
    $finish;
  end

  task tb_result;
    if (tb_failed == 0) $display("PASS: %0d vectors", tb_sample);
    else $display("FAIL: %0d of %0d vectors", tb_failed, tb_sample);
  endtask
endmodule

`default_nettype wire
