`timescale 1ns / 1ps

// An SPI master between the design and programs outside: see Host of package wrapper. A frame comes
// with its length before it, two bytes, the low one first; as many bytes are answered.
module live_tb;
  reg clk = 0, rst_n = 0, sck = 0, mosi = 0, cs_n = 1;
  wire miso, ready, error;
  always #50 clk = ~clk;
  @TOP@ dut (
    .clk(clk), .rst_n(rst_n), .sck(sck), .mosi(mosi), .miso(miso), .cs_n(cs_n), .ready(ready), .error(error));

  integer from_host, to_host, low, value, left, k;
  reg [7:0] back;

  task half;
    repeat (4) @(negedge clk);
  endtask

  initial begin
    from_host = $fopen("from_host", "rb");
    to_host = $fopen("to_host", "w");
    repeat (8) @(negedge clk);
    rst_n = 1;
    repeat (8) @(negedge clk);
    low = $fgetc(from_host);
    while (low >= 0) begin
      value = $fgetc(from_host);
      cs_n = 0;
      half;
      for (left = 256 * value + low; left > 0; left = left - 1) begin
        value = $fgetc(from_host);
        for (k = 7; k >= 0; k = k - 1) begin
          mosi = value[k];
          half;
          back[k] = miso;
          sck = 1;
          half;
          sck = 0;
        end
        $fdisplay(to_host, "%h", back);
      end
      half;
      cs_n = 1;
      half;
      $fflush(to_host);
      low = $fgetc(from_host);
    end
    $finish;
  end
endmodule
