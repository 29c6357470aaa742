package wrapper

import "ialgn/netlist"

// Played is what a player must know of a design that has an interface.
type Played struct {
	Options Options      // clock and rate of a line
	Input   netlist.Port // of the netlist, whose words a sample has
	Outputs []netlist.Port
	Engine  int  // clocks of a sample in a folded engine; 0: there is no engine
	Drop    bool // the module is an engine with an input drop
	Quick   bool // a line gets the rate of the options, and few idle bits, by its parameters
}

// sampleBytes returns the bytes of a sample, where an interface has bytes.
func (p Played) sampleBytes() int { return len(Bytes(p.Input, zero)) }

// resultBytes returns the bytes of a result, where an interface has bytes.
func (p Played) resultBytes() (n int) {
	for _, out := range p.Outputs {
		n += len(Bytes(out, zero))
	}
	return n
}

func zero(int) uint64 { return 0 }

// Player is how samples are played to an interface, to compare the results: what moves at a time, and the part of a
// testbench between that and the pins. The testbench has, above the part,
//
//	clk            a clock of 100 ns, and running, which is 1 once a reset is over
//	units, sent    what is to move: @UNIT@ bits of data and above them LAST, RESET, FAILS, WHOLE, BREAKS and ALONE
//	whole, got     samples that were sent whole, and results that came
//	fails, sure    whether error must be 1, and whether that is known; reset_done, the reset before the next unit
//	compare        a task for a result, and broken, one for what cannot be right
//	@UNITS@, @SAMPLES@, @EACH@, @RESULT@, @LATE@, @QUIET@, @TOP@   filled in by whoever writes it
type Player struct {
	Unit  int    // bits that move at a time
	Units int    // of a sample
	Bench string // Verilog
	Late  int    // clocks without a result after which none is expected any more
	Quiet int    // clocks after the last result in which no other may come
}

// Broken is a form of packets that have no result.
type Broken int

// The forms: too few or too many units, one that a reset cuts off, and one with a wrong stop bit.
const (
	TooShort Broken = iota
	TooLong
	CutOff
	WrongStop
)

// usualQuiet is [Player.Quiet] of an interface without a rate of its own.
const usualQuiet = 200

// handshakePlayer plays units one after the other by valid and ready, each side pausing at times.
func handshakePlayer(unit, units int, pins string, p Played) Player {
	return Player{
		Unit: unit, Units: units, Bench: pins + playHandshake, Late: 20 * max(units, p.Engine),
		Quiet: usualQuiet,
	}
}

// playHandshake drives in_valid, in_data, in_last and out_ready, and takes what out_valid says is a result.
const playHandshake = `
  reg rst = 1, in_valid = 0, in_last = 0, out_ready = 0;
  integer pause = 0;  // clocks in which no result is taken: long enough at times for others to wait behind it
  reg [@UNIT@-1:0] in_data = 0;
  wire in_ready, out_valid;
  wire [@RESULT@-1:0] result;

  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
    running = 1;
  end

  // A reset, once every result is there.
  task restart;
    if (got == whole) begin
      running = 0;
      rst = 1;
      repeat (2) @(negedge clk);
      rst = 0;
      fails = 0;
      reset_done = 1;
      running = 1;
    end
  endtask

  always @(negedge clk)
    if (running) begin
      if (!in_valid && sent < UNITS) begin
        if (units[sent][RESET] && !reset_done) restart;
        else begin
          in_valid = $random(seed) % 4 != 0;
          in_data = units[sent][@UNIT@-1:0];
          in_last = units[sent][LAST];
        end
      end
      if (pause > 0) pause = pause - 1;
      out_ready = pause == 0 && $random(seed) % 4 != 0;
    end

  always @(posedge clk)
    if (running) begin
      if (in_valid && in_ready === 1'b1) begin
        if (units[sent][WHOLE]) whole = whole + 1;
        fails <= fails | units[sent][FAILS];
        sent = sent + 1;
        reset_done = 0;
        in_valid <= #1 0;
      end
      if (out_valid === 1'b1 && out_ready) begin
        compare(result);
        if ($random(seed) % 8 == 0) pause = 4 * @EACH@ + 20;
      end
    end
`
