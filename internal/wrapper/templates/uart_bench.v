
  localparam QUIET = 30 * BIT;
  reg rst_n, rx;
  wire tx, frame_error;

  @TOP@ #(.CLOCK_HZ(BIT), .BAUD(1), .IDLE_BITS(IDLE_BITS)) dut (.clk(clk), .rst_n(rst_n), .rx(rx), .tx(tx), .frame_error(frame_error), .error(error));

  integer tb_wait, tb_bits;  // of the sender: clocks until its next bit, bits of the frame
  reg [9:0] tb_frame;
  integer tb_left, tb_until, tb_place;  // of the receiver: bits of the frame, clocks to the next, bytes so far
  reg [7:0] tb_byte;
  reg [8*@RESULTBYTES@-1:0] tb_bytes;

  // sends, for a clock
  task tb_send;
    if (tb_wait > 0) tb_wait = tb_wait - 1;
    else if (tb_bits > 0) begin
      rx = tb_frame[0];
      tb_frame = {1'b1, tb_frame[9:1]};
      tb_bits = tb_bits - 1;
      tb_wait = BIT - 1;
    end else if (!tb_ended && (tb_unit > 0 || tb_given <= tb_got + 1)) begin
      if (tb_unit == 0) tb_begin;
      if (!tb_ended) begin
        tb_frame = {1'b1, tb_sample[tb_unit*8+:8], 1'b0};
        tb_bits = 10;
        tb_draw;
        if (tb_unit == 0 && tb_dice[31:30] == 2'd0) tb_wait = 3 * BIT;
        tb_unit = tb_unit == UNITS - 1 ? 0 : tb_unit + 1;
        tb_late = 0;
      end
    end
  endtask

  // receives, for a clock: looks at the middle of each bit
  task tb_before;
    if (tb_left == 0) begin
      if (tx !== 1'b1) begin
        tb_left = 10;
        tb_until = BIT / 2;
      end
    end else if (tb_until > 0) tb_until = tb_until - 1;
    else begin
      tb_until = BIT - 1;
      if (tb_left == 10 && tx !== 1'b0 || tb_left == 1 && tx !== 1'b1) tb_broken("a start or stop bit is wrong");
      if (tb_left < 10 && tb_left > 1) tb_byte = {tx, tb_byte[7:1]};
      tb_left = tb_left - 1;
      if (tb_left == 0) tb_whole;
    end
  endtask

  // a byte has come
  task tb_whole;
    begin
      tb_late = 0;
      tb_bytes[tb_place*8+:8] = tb_byte;
      tb_place = tb_place + 1;
      if (tb_place == @RESULTBYTES@) begin
        tb_place = 0;
@UNPACK@        tb_check;
      end
    end
  endtask

  task tb_play;
    begin
      tb_send;
      tb_clock;
      if (frame_error !== 1'b0) tb_broken("frame_error is not 0");
    end
  endtask

  // after a reset bytes are ignored until the line has been idle
  task tb_reset;
    begin
      tb_wait = 0;
      tb_bits = 0;
      tb_left = 0;
      tb_place = 0;
      rst_n = 1'b0;
      rx = 1'b1;
      repeat (8) tb_clock;
      rst_n = 1'b1;
      repeat (BIT * (IDLE_BITS + 4)) tb_clock;
    end
  endtask
