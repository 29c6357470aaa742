//
// To run it:
//
//   $ iverilog -g2001 -o @MODULE@.vvp @FILES@
//   $ vvp @MODULE@.vvp +vectors=@MODULE@_vectors.txt
//
// or
//
//   $ verilator --binary --timing --top-module @MODULE@_tb @FILES@
//   $ obj_dir/V@MODULE@_tb +vectors=@MODULE@_vectors.txt
//
// +vectors=FILE  where the vectors are (default: @MODULE@_vectors.txt)
// +count=N       how many to check (default: all)
// -DNO_PROBES    when compiling: compare the output ports alone, not the internal buses
//
// A vector is a line of hexadecimal numbers, one for each port below in order, in pieces
// of 1024 bits where a port is wider. The last line that the testbench prints is
// "PASS: N vectors" or begins with "FAIL".

`default_nettype none

module @MODULE@_tb;
@PORTS@@CLOCK@
  reg [8*1000-1:0] tb_path;
  reg [@FIELD@:0] tb_field;
  integer tb_file, tb_count, tb_sample, tb_read, tb_failed, tb_shown;
  reg tb_stop, tb_differs;

@DUT@
  // reads the next number of a vector
  task tb_next;
    if ($fscanf(tb_file, "%h", tb_field) == 1) tb_read = tb_read + 1;
  endtask

  task tb_vector;
    begin
      tb_read = 0;
@READ@    end
  endtask
