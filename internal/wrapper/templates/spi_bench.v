
  localparam QUIET = 100;
  reg rst_n, sck, mosi, cs_n;
  wire miso, ready;

  @TOP@ dut (.clk(clk), .rst_n(rst_n), .sck(sck), .mosi(mosi), .miso(miso), .cs_n(cs_n), .ready(ready), .error(error));

  integer tb_bit, tb_place;
  reg [7:0] tb_back;
  reg [8*@RESULTBYTES@-1:0] tb_bytes;
  reg tb_answers;

  task tb_before;
    if (ready === 1'bx) tb_broken("ready is unknown");
  endtask

  task tb_half;
    begin
      tb_draw;
      repeat (tb_dice[31:29] == 3'd0 ? 7 : 4) tb_clock;
    end
  endtask

  // exchanges a byte
  task tb_exchange(input [7:0] value);
    for (tb_bit = 7; tb_bit >= 0; tb_bit = tb_bit - 1) begin
      mosi = value[tb_bit];
      tb_half;
      tb_back[tb_bit] = miso;
      sck = 1'b1;
      tb_half;
      sck = 1'b0;
    end
  endtask

  // a frame of so many bytes after a command: 1 gives the sample, 0 reads alone
  task tb_exchange_all(input gives, input integer bytes);
    begin
      cs_n = 1'b0;
      tb_half;
      tb_exchange({7'd0, gives});
      tb_answers = tb_back[0];
      if (tb_back !== 8'd0 && tb_back !== 8'd1) tb_broken("a status is not 0 or 1");
      for (tb_place = 0; tb_place < bytes && !tb_stop; tb_place = tb_place + 1) begin
        tb_exchange(gives ? tb_sample[tb_place*8+:8] : 8'd0);
        if (tb_place < @RESULTBYTES@) tb_bytes[tb_place*8+:8] = tb_back;
        tb_late = 0;
      end
      tb_half;
      cs_n = 1'b1;
      tb_half;
      if (tb_answers && bytes >= @RESULTBYTES@) begin
@UNPACK@        tb_check;
      end
    end
  endtask

  task tb_play;
    if (tb_given > tb_got && ready !== 1'b1) tb_clock;
    else begin
      if (!tb_ended && (tb_given == tb_got || UNITS >= @RESULTBYTES@)) begin
        tb_begin;
        if (!tb_ended) tb_exchange_all(1'b1, UNITS);
      end else if (tb_given > tb_got) tb_exchange_all(1'b0, @RESULTBYTES@);
      else begin
        if (ready !== 1'b0) tb_broken("a result without a sample");
        tb_clock;
      end
    end
  endtask

  task tb_reset;
    begin
      {rst_n, sck, mosi} = 3'd0;
      cs_n = 1'b1;
      repeat (8) tb_clock;
      rst_n = 1'b1;
      repeat (8) tb_clock;
    end
  endtask
