`timescale 1ns / 1ps

module encoder_tb;
  reg [@BITS@-1:0] data;
  @MODULE@ #(.BEAT(1)) dut (.in_data(data));
  integer value;
  initial
    for (value = 0; value < 1 << @BITS@; value = value + 1) begin
      data = value;
      #1 $display("value %0d: %b", value, dut.levels);
    end
endmodule
