module @MODULE@ #(
    parameter CLOCK_HZ = @HZ@,  // of clk
    parameter BAUD = @BAUD@,  // bits a second
    parameter IDLE_BITS = @IDLE@  // after so many idle bits a sample begins
) (
    input  wire clk,
    input  wire rst_n,
    input  wire rx,
    output wire tx,
    output wire frame_error,
    output wire error
);
@BITSBELOW@
  localparam [31:0] BIT = (CLOCK_HZ + BAUD / 2) / BAUD - 1;  // clocks of a bit, less one
  localparam [31:0] HALF = BIT / 2;
  localparam [31:0] IDLE = IDLE_BITS * (BIT + 1);
  localparam TIMER = bits_below(BIT + 1);
  localparam QUIET = bits_below(IDLE + 1);
  localparam [31:0] ONE = 1;
  localparam [@AT@-1:0] SAMPLE = @AT@'d@LASTIN@;  // its last byte
  localparam [@TO@-1:0] ANSWER = @TO@'d@LASTOUT@;

  reg [1:0] rst_s;
  initial rst_s = 2'b00;
  always @(posedge clk) rst_s <= {rst_s[0], rst_n};
  wire rst = ~rst_s[1];

  reg [1:0] rx_s;
  wire line = rx_s[1];
  always @(posedge clk)
    if (rst) rx_s <= 2'b11;
    else rx_s <= {rx_s[0], rx};

  // How long the line has been idle, and whether bytes are ignored until it is.
  reg [QUIET-1:0] idle;
  wire quiet = idle == IDLE[QUIET-1:0];
  reg waiting;

  // The receiver looks at the middle of each bit; the start bit must still be 0 there.
  reg receiving, received, broken;
  reg [TIMER-1:0] rx_timer;
  reg [3:0] rx_bits;
  reg [7:0] rx_byte;
  always @(posedge clk)
    if (rst) begin
      receiving <= 1'b0;
      received  <= 1'b0;
      broken    <= 1'b0;
      rx_timer  <= {TIMER{1'b0}};
      rx_bits   <= 4'd0;
    end else begin
      received <= 1'b0;
      broken   <= 1'b0;
      if (~receiving) begin
        receiving <= ~line & ~waiting & ~broken;
        rx_timer  <= HALF[TIMER-1:0];
        rx_bits   <= 4'd0;
      end else if (rx_timer != {TIMER{1'b0}}) rx_timer <= rx_timer - ONE[TIMER-1:0];
      else begin
        rx_timer <= BIT[TIMER-1:0];
        rx_bits  <= rx_bits + 4'd1;
        if (rx_bits == 4'd0) receiving <= ~line;
        else if (rx_bits != 4'd9) rx_byte <= {line, rx_byte[7:1]};
        else begin
          receiving <= 1'b0;
          received  <= line;
          broken    <= ~line;
        end
      end
    end

  wire in_ready;
  reg [@AT@-1:0] at;  // bytes of this sample so far
  wire in_valid = received & in_ready;
  wire overrun = received & ~in_ready;
  wire drop = broken | overrun | (quiet & at != @AT@'d0);
  reg failed;
  assign frame_error = failed;
  always @(posedge clk)
    if (rst) begin
      idle    <= {QUIET{1'b0}};
      waiting <= 1'b1;
      at      <= @AT@'d0;
      failed  <= 1'b0;
    end else begin
      if (~line) idle <= {QUIET{1'b0}};
      else if (~quiet) idle <= idle + ONE[QUIET-1:0];
      if (broken | overrun) waiting <= 1'b1;
      else if (quiet) waiting <= 1'b0;
      if (drop) at <= @AT@'d0;
      else if (in_valid) at <= at == SAMPLE ? @AT@'d0 : at + @AT@'d1;
      if (broken) failed <= 1'b1;
    end

@WIRES@  wire out_valid;
  wire [8*(1<<@TO@)-1:0] result = @RESULT@;

  // The transmitter: a result waits until its last byte is on its way.
  reg [9:0] frame;  // stop bit, byte, start bit, of which the lowest is sent
  reg [TIMER-1:0] tx_timer;
  reg [3:0] tx_bits;  // that are left of it
  reg [@TO@-1:0] to;  // bytes of this answer so far
  wire next = out_valid & tx_bits == 4'd0;
  wire out_ready = next & to == ANSWER;
  assign tx = frame[0];
  always @(posedge clk)
    if (rst) begin
      frame    <= 10'h3ff;
      tx_timer <= {TIMER{1'b0}};
      tx_bits  <= 4'd0;
      to       <= @TO@'d0;
    end else if (next) begin
      frame    <= {1'b1, result[{to, 3'd0}+:8], 1'b0};
      tx_timer <= BIT[TIMER-1:0];
      tx_bits  <= 4'd10;
      to       <= out_ready ? @TO@'d0 : to + @TO@'d1;
    end else if (tx_timer != {TIMER{1'b0}}) tx_timer <= tx_timer - ONE[TIMER-1:0];
    else if (tx_bits != 4'd0) begin
      frame    <= {1'b1, frame[9:1]};
      tx_timer <= BIT[TIMER-1:0];
      tx_bits  <= tx_bits - 4'd1;
    end

  @STREAM@ stream (
      .clk(clk),
      .rst(rst),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in_data(rx_byte),
      .in_last(at == SAMPLE),
      .drop(drop),
      .out_valid(out_valid),
      .out_ready(out_ready),
@CONNECTIONS@      .error(error)
  );
endmodule
