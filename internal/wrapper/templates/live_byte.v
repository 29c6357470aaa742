`timescale 1ns / 1ps

// The pins of the design between programs outside: see Host of package wrapper. A clock is three
// bytes, rst_n, ui_in and uio_in, and is answered by uo_out and uio_out before its rising edge.
module live_tb;
  reg clk = 0, rst_n = 0;
  reg [7:0] ui_in = 0, uio_in = 0;
  wire [7:0] uo_out, uio_out, uio_oe;
  @TOP@ dut (
    .clk(clk), .rst_n(rst_n), .ena(1'b1), .ui_in(ui_in), .uo_out(uo_out), .uio_in(uio_in), .uio_out(uio_out),
    .uio_oe(uio_oe));

  integer from_host, to_host, value;

  initial begin
    from_host = $fopen("from_host", "rb");
    to_host = $fopen("to_host", "w");
    value = $fgetc(from_host);
    while (value >= 0) begin
      rst_n = value != 0;
      ui_in = $fgetc(from_host);
      uio_in = $fgetc(from_host);
      #50;
      $fdisplay(to_host, "%h", ^uo_out === 1'bx ? 8'd0 : uo_out);  // before the first result
      $fdisplay(to_host, "%h", ^uio_out === 1'bx ? 8'd0 : uio_out);  // before the reset
      $fflush(to_host);
      clk = 1;
      #50;
      clk = 0;
      value = $fgetc(from_host);
    end
    $finish;
  end
endmodule
