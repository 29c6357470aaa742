package wrapper

import (
	"fmt"
	"io"
	"strings"

	"ialgn/internal/plural"
	"ialgn/netlist"
)

func uartKind() *Kind {
	return &Kind{
		// it does not say where a packet ends
		Name: "uart", Clock: "clk", Play: playUART, Broken: []Broken{TooShort, CutOff, WrongStop},
		Bytes: true, Drops: true, Paced: true, Baud: true, Write: WriteUART, Ports: (*design).uartPorts,
		Cycles: func(_, bytes *design, o Options) int {
			hz, baud := o.Line()
			clocks := (hz + baud/2) / baud
			return max(10*clocks*bytes.words, (10*clocks+1)*bytes.resultBytes()) // the transmitter has a clock between bytes
		},
		Bench: uartBench,
		BenchParameters: ` #(
    parameter BIT = 8,  // clocks of a bit
    parameter IDLE_BITS = 40
)`,
		BenchOptions: `//
// A bit has BIT clocks here, 8, the fewest that there may be, for they are what takes the time; of
// the rate that the module is written with, that is
//
//   $ iverilog -P@TOP@_tb.BIT=CLOCKS ...  or  verilator -GBIT=CLOCKS ...
`,
		Bits: func(*design, Options) int { return 8 },
	}
}

// Clock and rate of serial lines, unless [Options] say otherwise: those of the boards that
// [ParseBoard] knows, and what every terminal program offers.
const (
	defaultClockHz = 12_000_000
	defaultBaud    = 115_200
)

// The limits of the clocks of a bit: with fewer, a sender that is 2 % off is not read. They are
// an integer, within 1 % of what they should be.
const (
	minBitClocks = 8
	maxBitClocks = 1 << 18
	maxOffBy     = 100
)

// UARTIdle is IDLE_BITS as [WriteUART] writes it: 21 ms at 115,200 baud, longer than adapters to
// USB hold bytes back.
const UARTIdle = 2400

// WriteUART writes a module that takes samples over a serial line and answers each with the
// bytes of its result: 8 data bits, no parity, one stop bit.
//
//	parameter CLOCK_HZ, BAUD, IDLE_BITS   the clock of clk, bits a second, and see below
//	input  clk, rst_n, rx
//	output tx, frame_error, error
//
// A sample is a fixed number of bytes, laid out as the package says, and samples may follow
// each other without a pause as long as an answer is shorter than a sample. Where a stop bit
// is 0 (noise, another rate, a break), where no room is left for a byte, and where the line
// is idle for IDLE_BITS bits within a sample, that sample is dropped, error becomes 1 and, for
// a stop bit, frame_error, both until a reset; after the first two, as after a reset,
// bytes are ignored until the line has been idle for IDLE_BITS bits. So a sender that
// pauses that long always begins a sample.
//
// CLOCK_HZ / BAUD is from 8 to 262144, and the integer next to it within 1 % of it; a sender
// may then be another 2 % off. IDLE_BITS is from 12 to 8191. rst_n and rx may come from pins: both
// are synchronised, and rst_n's registers begin as 0, a reset after power-on where the
// device has initial values.
//
// The errors are those of [WriteStream], and one for a rate out of these limits.
func WriteUART(w io.Writer, n *netlist.Netlist, o Options) error {
	hz, baud := o.Line()
	if err := checkRate(hz, baud); err != nil {
		return err
	}
	o.Beat = 0
	d, err := newDesign(n, o, uartKind(), append(streamNames("CLOCK_HZ", "BAUD", "IDLE_BITS", "rst_n", "rx", "tx",
		"frame_error"), uartNames...)...)
	if err != nil {
		return err
	}
	d = d.asBytes()
	_, err = io.WriteString(w, d.serial(d.uartHeader(), uartModule,
		"@HZ@", fmt.Sprint(hz), "@BAUD@", fmt.Sprint(baud), "@IDLE@", fmt.Sprint(UARTIdle),
		"@AT@", fmt.Sprint(indexBits(d.words)), "@LASTIN@", fmt.Sprint(d.words-1)))
	return err
}

// checkRate refuses what [WriteUART] says is out of range.
func checkRate(hz, baud int) error {
	if baud < 1 || hz < minBitClocks*baud || hz > maxBitClocks*baud || hz > 1<<31-1 {
		return fmt.Errorf("wrapper: %d baud of a clock of %d Hz are out of range, give a clock of %d "+
			"to %d times the baud rate", baud, hz, minBitClocks, maxBitClocks)
	}
	clocks := (hz + baud/2) / baud
	if off := clocks*baud - hz; max(off, -off) > hz/maxOffBy {
		return fmt.Errorf("wrapper: a bit of %d baud is no whole number of clocks of %d Hz within 1 %%, give another "+
			"rate, such as %d", baud, hz, hz/clocks)
	}
	return nil
}

// uartNames are further names of the module.
var uartNames = []string{
	"BIT", "HALF", "IDLE", "TIMER", "QUIET", "ONE", "SAMPLE", "ANSWER", "bits_below", "limit", "rst_s", "rx_s", "line",
	"receiving", "received", "broken", "rx_timer", "rx_bits", "rx_byte",
	"idle", "quiet", "waiting", "at", "overrun", "failed", "frame", "tx_timer", "tx_bits", "to", "next",
}

// uartHeader returns the comment at the top.
func (d *design) uartHeader() string {
	var b strings.Builder
	d.title(&b, "the module "+d.core+" on a serial line")
	d.byteOrder(&b)
	fmt.Fprintf(&b, `//
// The line has 8 data bits, no parity and one stop bit. Each sample of %s is answered by
// the %s of its result. Samples may follow each other without a pause, as long as an
// answer is shorter.
// A stop bit that is 0 (noise, another rate, a break), a byte that there is no room for, and
// IDLE_BITS idle bits within a sample drop this sample, and error is 1 until a reset; so is
// frame_error for a stop bit. After the first two, as after a reset, bytes are ignored until
// the line has been idle for IDLE_BITS bits: a sender that pauses so long begins a sample.
// CLOCK_HZ / BAUD is from %d to %d, and the integer next to it within 1 %% of it; a sender
// may be 2 %% off. IDLE_BITS is from 12 to 8191.
// rst_n is active low; it and rx are synchronised here. Registers of rst_n begin as 0, so that
// devices with initial values begin with a reset.

`, plural.Of(d.words, "byte", "bytes"), plural.Of(d.resultBytes(), "byte", "bytes"), minBitClocks, maxBitClocks)
	return b.String()
}

const uartModule = `module @MODULE@ #(
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
` + bitsBelow + `
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
`

func (d *design) uartPorts(Options) []Port {
	return []Port{
		{"clk", 0, false, "clock of CLOCK_HZ, rising edge"},
		{"rst_n", 0, false, "reset, active low, synchronised inside"},
		{"rx", 0, false, "serial line: the bytes of samples"},
		{"tx", 0, true, "serial line: the bytes of results"},
		{"frame_error", 0, true, "a stop bit was 0; 1 until a reset"},
		errorPort,
	}
}

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

// quickIdle are idle bits of a serial line that take little time, more than the player pauses.
const quickIdle = 40

// playUART sends bytes at the rate of the line.
func playUART(p Played) Player {
	hz, baud := p.Options.Line()
	clocks := hz/baud + 1 // of a bit
	sample := p.sampleBytes()
	parameters, idle := "", UARTIdle
	if p.Quick {
		parameters, idle = "#(.CLOCK_HZ(@HZ@), .BAUD(@BAUD@), .IDLE_BITS(@IDLE@)) ", quickIdle
	}
	ahead := "0" // where an engine is slower than the line, a sender waits for each answer
	if p.Engine <= 10*(hz/baud)*sample {
		ahead = "1"
	}
	bench := strings.NewReplacer("@HZ@", fmt.Sprint(hz), "@BAUD@", fmt.Sprint(baud), "@IDLE@", fmt.Sprint(idle), "@AHEAD@",
		ahead).
		Replace(strings.Replace(playUARTBytes, "@PARAMETERS@", parameters, 1))
	return Player{
		Unit: 8, Units: sample, Bench: bench, Late: clocks * (UARTIdle + 30*(sample+p.resultBytes())), Quiet: 30 * clocks,
	}
}

// playUARTBytes sends as a sender does whose clock is its own, and begins a sample when no more than one answer is on
// its way; at times it pauses before.
const playUARTBytes = `
  localparam real BIT = 100.0 * @HZ@ / @BAUD@;  // ns
  reg rst_n = 0, rx = 1;
  wire tx, frame_error;
  @TOP@ @PARAMETERS@dut (.clk(clk), .rst_n(rst_n), .rx(rx), .tx(tx), .frame_error(frame_error), .error(error));

  reg begins = 1;  // the next byte begins a sample
  reg breaks = 0;  // frame_error must be 1
  integer b;

  // Bytes would be ignored until the line has been idle.
  task rest;
    repeat (@IDLE@ + 4) #BIT;
  endtask

  task restart;
    begin
      running = 0;
      rst_n = 0;
      repeat (8) @(negedge clk);
      rst_n = 1;
      repeat (8) @(negedge clk);
      fails = 0;
      breaks = 0;
      begins = 1;
      running = 1;
      rest;
    end
  endtask

  initial begin
    restart;
    while (sent < UNITS) begin
      if (units[sent][RESET]) begin
        wait (got == whole);
        restart;
      end
      if (begins) begin
        wait (got + (@AHEAD@ & !units[sent][ALONE]) >= whole);
        if ($random(seed) % 4 == 0) #(3 * BIT);
      end
      rx = 0;
      #BIT;
      for (b = 0; b < 8; b = b + 1) begin
        rx = units[sent][b];
        #BIT;
      end
      if (units[sent][FAILS]) sure = 0;
      if (units[sent][WHOLE]) whole = whole + 1;
      rx = !units[sent][BREAKS];
      #BIT;
      rx = 1;
      if (units[sent][FAILS]) begin
        rest;
        fails = 1;
        breaks = breaks | units[sent][BREAKS];
        sure = 1;
      end
      begins = units[sent][LAST];
      sent = sent + 1;
    end
  end

  reg [@RESULT@-1:0] answer;
  integer place = 0, k;
  always @(negedge tx)
    if (running) begin
      #(1.5 * BIT);
      for (k = 0; k < 8; k = k + 1) begin
        answer[8*place+k] = tx;
        #BIT;
      end
      if (tx !== 1'b1 || sure && frame_error !== breaks) broken("an answer without a stop bit");
      place = (place + 1) % (@RESULT@ / 8);
      if (place == 0) compare(answer);
    end
`
