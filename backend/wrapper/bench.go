package wrapper

// testbenchModule is the testbench of a wrapper without its protocol, which has the task tb_play
// for a clock of it, or for several.
const testbenchModule = `// Module @TOP@_tb: checks the module @TOP@ against vectors
@HEADER@//
// To run it, in this folder:
//
//   $ iverilog -g2001 -o @TOP@.vvp @TOP@_tb.v @SOURCES@
//   $ vvp @TOP@.vvp
//
// or
//
//   $ verilator --binary --timing --top-module @TOP@_tb @TOP@_tb.v @SOURCES@
//   $ obj_dir/V@TOP@_tb
//
// +vectors=FILE  where the vectors are (default: @VECTORS@)
// +count=N       how many to check (default: all)
@MORE@//
// A vector is a line of hexadecimal numbers; the sample's words and what is wanted of its result
// are taken from it. The last line that the testbench prints is "PASS: N vectors" or begins with
// "FAIL".

` + "`default_nettype none" + `

module @TOP@_tb@PARAMETERS@;
  localparam UNITS = @UNITS@;  // of @UNIT@ bits, that a sample comes in
  localparam LATE = @LATE@;  // clocks in which nothing happens

  // the vectors: samples are given from one file, what is wanted is read from the same once more
  reg [8*1000-1:0] tb_path;
  reg [@WIDEST@-1:0] tb_field;
  reg [@INPUTS@-1:0] tb_x;
  reg [@UNIT@*UNITS-1:0] tb_sample;
@WANT@@GOT@  integer tb_source, tb_expected, tb_count, tb_read, tb_i;
  integer tb_given, tb_got, tb_failed, tb_shown, tb_unit, tb_late, tb_quiet;
  reg tb_stop, tb_ended, tb_running, tb_differs;
  reg [31:0] tb_dice;

  reg clk;
  wire error;
@PLAYER@
  // reads the next number of a vector
  task tb_next(input integer file);
    if ($fscanf(file, "%h", tb_field) == 1) tb_read = tb_read + 1;
  endtask

  // takes the next vector's sample, or notes that there is none
  task tb_take;
    begin
      tb_read = 0;
@READSAMPLE@      tb_sample = {@UNIT@*UNITS{1'b0}};
      for (tb_i = 0; tb_i < @WORDS@; tb_i = tb_i + 1)
        tb_sample[tb_i*@LANE@+:@WORD@] = tb_x[tb_i*@WORD@+:@WORD@];
      if (tb_read == @FIELDS@ && $fgetc(tb_source) == 10) begin
        tb_given = tb_given + 1;
      end else begin
        tb_ended = 1'b1;
        if (tb_read > 0 || $feof(tb_source) == 0) begin
          tb_stop = 1'b1;
          $display("FAIL: %0s: vector %0d is not a line of @FIELDS@ numbers", tb_path, tb_given);
        end else if (tb_given == 0 || tb_given < tb_count) begin
          tb_stop = 1'b1;
          $display("FAIL: %0s ends after %0d vectors", tb_path, tb_given);
        end
      end
    end
  endtask

  // begins the next sample, if there is to be one
  task tb_begin;
    if (tb_count > 0 && tb_given == tb_count) tb_ended = 1'b1;
    else tb_take;
  endtask

  // draws a number
  task tb_draw;
    tb_dice = tb_dice * 32'd1664525 + 32'd1013904223;
  endtask

  // compares a result that has come with what is wanted
  task tb_check;
    if (tb_got >= tb_given) tb_broken("a result without a sample");
    else begin
      tb_read = 0;
@READWANT@      if ($fgetc(tb_expected) != 10) tb_broken("the vectors changed");
      tb_differs = 1'b0;
@COMPARE@      if (tb_differs) tb_failed = tb_failed + 1;
      tb_got = tb_got + 1;
      tb_late = 0;
    end
  endtask

  // ends it: nothing that comes later can be right
  task tb_broken(input [8*32-1:0] what);
    begin
      if (!tb_stop) $display("FAIL: sample %0d: %0s", tb_got, what);
      tb_stop = 1'b1;
    end
  endtask

  // a clock: what stands at the pins before its edge is judged, then the edge
  task tb_clock;
    begin
      #1;
      if (tb_running) begin
        if (error !== 1'b0) tb_broken("error is not 0");
        if (tb_late > LATE && !(tb_ended && tb_got == tb_given)) tb_broken("no result");
        tb_late = tb_late + 1;
        tb_quiet = tb_ended && tb_got == tb_given ? tb_quiet + 1 : 0;
        tb_before;
      end
      clk = 1'b1;
      #1;
      clk = 1'b0;
    end
  endtask

  initial begin
    if ($value$plusargs("vectors=%s", tb_path) == 0) tb_path = "@VECTORS@";
    if ($value$plusargs("count=%d", tb_count) == 0) tb_count = 0;
    clk = 1'b0;
    {tb_ended, tb_running, tb_differs} = 3'd0;
    tb_given = 0;
    tb_got = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_unit = 0;
    tb_late = 0;
    tb_quiet = 0;
    tb_dice = 32'd1;
    tb_source = $fopen(tb_path, "r");
    tb_expected = $fopen(tb_path, "r");
    tb_stop = tb_source == 0 || tb_expected == 0;
    if (tb_stop) $display("FAIL: cannot open %0s", tb_path);
    else tb_reset;
    tb_running = 1'b1;
    while (!tb_stop) begin
      tb_play;
      if (!tb_stop && tb_quiet > QUIET) begin
        tb_stop = 1'b1;
        if (tb_failed == 0) $display("PASS: %0d vectors", tb_got);
        else $display("FAIL: %0d of %0d vectors", tb_failed, tb_got);
      end
    end
    if (tb_source != 0) $fclose(tb_source);
    if (tb_expected != 0) $fclose(tb_expected);
    $finish;
  end
endmodule

` + "`default_nettype wire\n"

// benches are the protocols of the testbenches: pins, the design, tb_reset, tb_play, and
// tb_before, which sees the pins before each edge. QUIET are the clocks after the last result in
// which no other may come.
var benches = map[string]string{
	"stream": streamBench + handshakeBench,
	"axis":   axisBench + handshakeBench,
	"uart":   uartBench,
	"spi":    spiBench,
}

// benchParameters and benchOptions are what can be chosen, and what the head says of it.
var (
	benchParameters = map[string]string{
		"uart": ` #(
    parameter BIT = 8,  // clocks of a bit
    parameter IDLE_BITS = 40
)`,
	}
	benchOptions = map[string]string{
		"uart": `//
// A bit has BIT clocks here, 8, the fewest that there may be, for they are what takes the time; of
// the rate that the module is written with, that is
//
//   $ iverilog -P@TOP@_tb.BIT=CLOCKS ...  or  verilator -GBIT=CLOCKS ...
`,
	}
)

// streamBench are the pins of the stream module, and axisBench those of AXI4-Stream, as
// handshakeBench has them.
const (
	streamBench = `
  reg rst, in_valid, in_last, out_ready;
  reg [@UNIT@-1:0] in_data;
  wire in_ready, out_valid;
@PORTS@
  @TOP@ dut (.clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), .in_last(in_last), .out_valid(out_valid), .out_ready(out_ready), .error(error)@PINS@);

  // takes the result at the outputs
  task tb_result;
    begin
@CAPTURE@    end
  endtask
`
	axisBench = `
  reg rst, in_valid, in_last, out_ready;
  reg [@UNIT@-1:0] in_data;
  wire in_ready, out_valid, out_last;
  wire [8*@RESULTBYTES@-1:0] tb_bytes;

  @TOP@ dut (.aclk(clk), .aresetn(~rst), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data), .s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready), .m_axis_tdata(tb_bytes), .m_axis_tlast(out_last), .error(error));

  // takes the result at the outputs
  task tb_result;
    begin
      if (out_last !== 1'b1) tb_broken("a result without tlast");
@UNPACK@    end
  endtask
`
)

// handshakeBench gives units and takes results where valid and ready meet, each side pausing at
// times.
const handshakeBench = `
  localparam QUIET = LATE / 10;

  // looks at the pins: what moves at the next edge
  reg tb_moves, tb_comes;
  task tb_before;
    begin
      tb_moves = in_valid && in_ready === 1'b1;
      tb_comes = out_valid !== 1'b0 && out_ready;
      if (out_valid === 1'bx) tb_broken("out_valid is unknown");
      if (tb_comes) tb_result;
    end
  endtask

  // offers the next unit, or none
  task tb_offer;
    begin
      tb_draw;
      if (!in_valid && !tb_ended && tb_dice[31:30] != 2'd0) begin
        if (tb_unit == 0) tb_begin;
        if (!tb_ended) begin
          in_valid = 1'b1;
          in_data = tb_sample[tb_unit*@UNIT@+:@UNIT@];
          in_last = tb_unit == UNITS - 1;
        end
      end
      tb_draw;
      out_ready = tb_dice[31:30] != 2'd0;
    end
  endtask

  task tb_play;
    begin
      tb_offer;
      tb_clock;
      if (tb_comes) tb_check;
      if (tb_moves) begin
        tb_unit = tb_unit == UNITS - 1 ? 0 : tb_unit + 1;
        in_valid = 1'b0;
        tb_late = 0;
      end
    end
  endtask

  task tb_reset;
    begin
      {in_valid, in_last, out_ready} = 3'd0;
      in_data = @UNIT@'d0;
      rst = 1'b1;
      repeat (4) tb_clock;
      rst = 1'b0;
    end
  endtask
`

// uartBench sends a byte after the other, with pauses between some samples, and no sample while
// more than one answer is missing; it receives at the same time.
const uartBench = `
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
`

// spiBench has a frame for each sample, which reads the result of the one before, and where a
// result has more bytes than a sample, one for each result, too. Halves of a period of sck have the
// fewest clocks that there may be, or some more.
const spiBench = `
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
`
