module @MODULE@ (
    input  wire clk,
    input  wire rst_n,
    input  wire sck,
    input  wire mosi,
    output wire miso,
    input  wire cs_n,
    output wire ready,
    output wire error
);
  localparam [@TO@-1:0] ANSWER = @TO@'d@LASTOUT@;  // its last byte

  reg [1:0] rst_s;
  initial rst_s = 2'b00;
  always @(posedge clk) rst_s <= {rst_s[0], rst_n};
  wire rst = ~rst_s[1];

  reg [2:0] sck_s, cs_s;
  reg [1:0] mosi_s;
  always @(posedge clk)
    if (rst) begin
      sck_s  <= 3'b000;
      cs_s   <= 3'b000;  // the rest of a frame that has begun is none
      mosi_s <= 2'b00;
    end else begin
      sck_s  <= {sck_s[1:0], sck};
      cs_s   <= {cs_s[1:0], cs_n};
      mosi_s <= {mosi_s[0], mosi};
    end
  wire rise = sck_s[1] & ~sck_s[2] & ~cs_s[1];
  wire fall = ~sck_s[1] & sck_s[2] & ~cs_s[1];
  wire first_clock = ~cs_s[1] & cs_s[2];  // of a frame
  wire last_clock = cs_s[1] & ~cs_s[2];

  // Bytes of a sample wait for the next one or the end: only then it is known which is the last.
  reg [2:0] bits;
  reg [6:0] data;
  reg command, taking;
  reg [7:0] held;
  reg held_valid;
  wire [7:0] value = {data, mosi_s[1]};
  wire whole = rise & bits == 3'd7;
  wire push = whole & taking & held_valid;
  wire finish = last_clock & taking;
  wire in_ready;
  wire in_valid = (push | finish & held_valid & bits == 3'd0) & in_ready;
  wire drop = (push | finish) & ~in_valid | whole & command & value > 8'd1;
  always @(posedge clk)
    if (rst) begin
      bits       <= 3'd0;
      command    <= 1'b0;
      taking     <= 1'b0;
      held_valid <= 1'b0;
    end else if (first_clock) begin
      bits       <= 3'd0;
      command    <= 1'b1;
      taking     <= 1'b0;
      held_valid <= 1'b0;
    end else begin
      if (rise) begin
        bits <= bits + 3'd1;
        data <= value[6:0];
      end
      if (whole) begin
        command    <= 1'b0;
        taking     <= command ? value == 8'd1 : taking & ~drop;
        held       <= value;
        held_valid <= taking;
      end
      if (last_clock) taking <= 1'b0;
    end

@WIRES@  wire out_valid;
  assign ready = out_valid;
  wire [8*(1<<@TO@)-1:0] result = @RESULT@;

  reg [@TO@-1:0] to;  // bytes of the result so far
  reg left;  // there are more of them
  reg final_byte;  // the last one is on its way
  reg [7:0] shift;
  assign miso = shift[7];
  wire out_ready = whole & final_byte;
  always @(posedge clk)
    if (rst) begin
      to         <= @TO@'d0;
      left       <= 1'b0;
      final_byte <= 1'b0;
      shift      <= 8'd0;
    end else if (first_clock) begin
      to         <= @TO@'d0;
      left       <= out_valid;
      final_byte <= 1'b0;
      shift      <= {6'd0, error, out_valid};
    end else if (out_ready) final_byte <= 1'b0;
    else if (fall & bits != 3'd0) shift <= {shift[6:0], 1'b0};
    else if (fall) begin
      to         <= to + @TO@'d1;
      left       <= left & to != ANSWER;
      final_byte <= left & to == ANSWER;
      shift      <= left ? result[{to, 3'd0}+:8] : 8'd0;
    end

  @STREAM@ stream (
      .clk(clk),
      .rst(rst),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in_data(held),
      .in_last(finish),
      .drop(drop),
      .out_valid(out_valid),
      .out_ready(out_ready),
@CONNECTIONS@      .error(error)
  );
endmodule
