package wrapper

import (
	"fmt"
	"io"
	"strings"

	"ialgn/internal/plural"
	"ialgn/netlist"
)

func spiKind() *Kind {
	return &Kind{
		Name: "spi", Clock: "clk", Play: playSPI, Broken: []Broken{TooShort, TooLong}, // a frame is not cut off
		Bytes: true, Drops: true, Paced: true, Write: WriteSPI, Ports: (*design).spiPorts,
		Cycles: func(_, bytes *design, _ Options) int {
			frame := 1 + max(bytes.words, bytes.resultBytes())
			return 2*spiHalf*8*frame + 2*spiHalf // cs_n after the last edge, and at 1
		},
		Bench: spiBench,
		Bits:  func(*design, Options) int { return 8 },
	}
}

// spiHalf are the clocks of half a period of sck, at least.
const spiHalf = 4

// WriteSPI writes a module that takes samples and gives results as an SPI slave in mode 0:
// sck rests at 0, both sides read at its rising edge and change after its falling one, the
// highest bit of a byte first.
//
//	input  clk, rst_n, sck, mosi, cs_n
//	output miso, ready, error
//
// While cs_n is 0 there is a frame. Its first byte is a command, and is answered by a status:
//
//	command 0   nothing, to read
//	        1   the further bytes are a sample, until cs_n is 1
//	status      bit 0: the bytes of a result follow; bit 1: error
//
// The bytes after the status are those of the oldest result that is there when the frame
// begins, then zeros; it is given up for the next one when all its bytes were read. ready is 1
// while a result waits. A sample of another length or with a part of a byte, one that there is
// no room for because results were not read, and another command are void, and error is 1
// from then on until a reset. The bytes of samples and results are laid out as the package says.
//
// All inputs are synchronised to clk: each half of a period of sck must last four periods of
// clk or longer, and so must cs_n before the first edge of sck, after the last and between
// frames. miso is driven always. rst_n's registers begin as 0, a reset after power-on where
// the device has initial values.
//
// The errors are those of [WriteStream].
func WriteSPI(w io.Writer, n *netlist.Netlist, o Options) error {
	o.Beat = 0
	d, err := newDesign(n, o, spiKind(), streamNames("rst_n", "sck", "mosi", "miso", "cs_n", "ready", "ANSWER", "rst_s",
		"sck_s", "mosi_s", "cs_s",
		"rise", "fall", "first_clock", "last_clock", "bits", "data", "value", "whole", "command", "taking", "held",
		"held_valid",
		"push", "finish", "to", "left", "final_byte", "shift", "load")...)
	if err != nil {
		return err
	}
	d = d.asBytes()
	_, err = io.WriteString(w, d.serial(d.spiHeader(), spiModule))
	return err
}

// spiHeader returns the comment at the top.
func (d *design) spiHeader() string {
	var b strings.Builder
	d.title(&b, "the module "+d.core+" as an SPI slave in mode 0")
	d.byteOrder(&b)
	fmt.Fprintf(&b, `//
// sck rests at 0, both sides read at its rising edge, the highest bit of a byte comes first.
// While cs_n is 0 there is a frame. On mosi its first byte is a command: 0 nothing, 1 the %s
// of a sample follow, and no more. On miso its first byte is a status, bit 0: the %s
// of a result follow, the oldest that was not read; bit 1: error. Further bytes are 0. A
// result is given up for the next one when all its bytes were read. ready is 1 while one waits.
// A sample of another length or with a part of a byte, one that there is no room for because
// results were not read, and another command are void, and error is 1 until a reset.
// Each half of a period of sck lasts four periods of clk or longer, and so do the times from
// cs_n to sck, from sck to cs_n and between frames. rst_n is active low; all inputs are
// synchronised here. Registers of rst_n begin as 0, so that devices with initial values begin
// with a reset. miso is driven always: other slaves on its wire need a buffer.

`, plural.Of(d.words, "byte", "bytes"), plural.Of(d.resultBytes(), "byte", "bytes"))
	return b.String()
}

const spiModule = `module @MODULE@ (
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
`

func (d *design) spiPorts(Options) []Port {
	return []Port{
		{"clk", 0, false, "clock, rising edge, at least eight times as fast as sck"},
		{"rst_n", 0, false, "reset, active low, synchronised inside"},
		{"sck", 0, false, "clock of the bits, mode 0"},
		{"mosi", 0, false, "commands and samples"},
		{"miso", 0, true, "status and results"},
		{"cs_n", 0, false, "0: there is a frame"},
		{"ready", 0, true, "a result waits to be read"},
		errorPort,
	}
}

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

// playSPI has a frame for each sample.
func playSPI(p Played) Player {
	sample := p.sampleBytes()
	return Player{
		Unit: 8, Units: sample, Bench: playSPIFrames, Late: 4*64*(2+sample+p.resultBytes()) + 20*p.Engine, Quiet: usualQuiet,
	}
}

// playSPIFrames has a frame for each sample, which reads the result of the one before; and where a result has more
// bytes than a sample, one for each result, too. Halves of a period of sck have the fewest clocks that there may be, or
// some more.
const playSPIFrames = `
  localparam ANSWER = @RESULT@ / 8;  // bytes
  reg rst_n = 0, sck = 0, mosi = 0, cs_n = 1;
  wire miso, ready;
  @TOP@ dut (.clk(clk), .rst_n(rst_n), .sck(sck), .mosi(mosi), .miso(miso), .cs_n(cs_n), .ready(ready), .error(error));

  reg [7:0] back;
  reg [@RESULT@-1:0] answer;
  reg answers, more, bad;
  integer k, place;

  task half;
    repeat ($random(seed) % 8 == 0 ? 7 : 4) @(negedge clk);
  endtask

  task exchange(input [7:0] value);
    for (k = 7; k >= 0; k = k - 1) begin
      mosi = value[k];
      half;
      back[k] = miso;
      sck = 1;
      half;
      sck = 0;
    end
  endtask

  // The command of a frame and the status that answers it.
  task open(input [7:0] command);
    begin
      cs_n = 0;
      half;
      exchange(command);
      answers = back[0];
      if (back !== {6'd0, fails, answers} || answers === 1'bx) broken("an unknown status");
      place = 0;
    end
  endtask

  task next(input [7:0] value);
    begin
      exchange(value);
      if (place < ANSWER) answer[8*place+:8] = back;
      place = place + 1;
    end
  endtask

  task close;
    begin
      half;
      cs_n = 1;
      half;
      if (answers && place >= ANSWER) compare(answer);
    end
  endtask

  // A frame that sends the units up to the last of a packet.
  task send;
    begin
      open(1);
      more = 1;
      bad = 0;
      while (more) begin
        more = !units[sent][LAST];
        bad = bad | units[sent][FAILS];
        if (units[sent][FAILS]) sure = 0;
        next(units[sent][7:0]);
        if (units[sent][WHOLE]) whole = whole + 1;
        sent = sent + 1;
      end
      close;
      repeat (8) @(negedge clk);
      fails = fails | bad;
      sure = 1;
      reset_done = 0;
    end
  endtask

  task restart;
    begin
      running = 0;
      rst_n = 0;
      repeat (8) @(negedge clk);
      rst_n = 1;
      repeat (8) @(negedge clk);
      fails = 0;
      reset_done = 1;
      running = 1;
    end
  endtask

  initial begin
    restart;
    while (got < SAMPLES) begin
      if (whole > got) wait (ready === 1'b1);
      @(negedge clk);
      if (sent == UNITS || whole > got && (units[sent][ALONE] || units[sent][RESET] || @EACH@ < ANSWER)) begin
        open(0);
        while (place < ANSWER) next(8'd0);
        close;
      end else begin
        if (units[sent][RESET] && !reset_done) restart;
        send;
      end
    end
    repeat (@QUIET@ / 2) @(negedge clk);
    if (ready !== 1'b0) broken("a result too many");
  end
`
