`timescale 1ns / 1ps

// A serial line between the design and programs outside: see Host of package wrapper. Bits are as
// short as may be, for they are what takes the time.
module live_tb;
  localparam real BIT = 800.0;  // ns: 8 clocks
  localparam IDLE = 40;
  localparam SAMPLE = @SAMPLE@, RESULT = @RESULT@;  // bytes
  reg clk = 0, rst_n = 0, rx = 1, running = 0;
  wire tx, frame_error, error;
  always #50 clk = ~clk;
  @TOP@ #(.CLOCK_HZ(8000000), .BAUD(1000000), .IDLE_BITS(IDLE)) dut (
    .clk(clk), .rst_n(rst_n), .rx(rx), .tx(tx), .frame_error(frame_error), .error(error));

  integer from_host, to_host, value, b, k;
  integer sent = 0;  // bytes of this sample
  integer got = 0;  // bytes of its result
  reg [7:0] answer;

  initial begin
    from_host = $fopen("from_host", "rb");
    to_host = $fopen("to_host", "w");
    repeat (8) @(negedge clk);
    rst_n = 1;
    repeat (8) @(negedge clk);
    running = 1;
    repeat (IDLE + 4) #BIT;
    value = $fgetc(from_host);
    while (value >= 0) begin
      rx = 0;
      #BIT;
      for (b = 0; b < 8; b = b + 1) begin
        rx = value[b];
        #BIT;
      end
      rx = 1;
      #BIT;
      sent = sent + 1;
      if (sent == SAMPLE) begin  // no time passes while a byte is waited for
        wait (got == RESULT);
        sent = 0;
        got = 0;
      end
      value = $fgetc(from_host);
    end
    $finish;
  end

  always @(negedge tx)
    if (running) begin
      #(1.5 * BIT);
      for (k = 0; k < 8; k = k + 1) begin
        answer[k] = tx;
        #BIT;
      end
      $fdisplay(to_host, "%h", answer);
      $fflush(to_host);
      got = got + 1;
    end
endmodule
