package wrapper

import (
	_ "embed" // templates
	"fmt"
	"strings"

	"ialgn/netlist"
)

// Played is what a player must know of a design that has an interface.
type Played struct {
	Options Options      // clock and rate of a line
	Input   netlist.Port // input port of the netlist: a sample has its words
	Outputs []netlist.Port
	Tag     int  // bits of the tag; 0: there is none
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
//	units, sent    what is to move: @UNIT@ bits of data and above them LAST, RESET, FAILS, WHOLE, BREAKS and ALONE;
//	               where there is a tag, what is to be its input comes above these from the bit TAG on
//	whole, got     samples that were sent whole, and results that came
//	fails, sure    whether error must be 1, and whether that is known; reset_done, the reset before the next unit
//	compare        a task for a result, with the tag above the output ports, and broken, one for what cannot be right
//	@UNITS@, @SAMPLES@, @EACH@, @RESULT@, @LATE@, @QUIET@, @TOP@   filled in by whoever writes it
type Player struct {
	Unit  int    // bits that move at a time
	Units int    // units in a sample
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
	bench := pins + playHandshake
	for hole, text := range map[string]string{
		"@TAG@":  "  reg [@BITS@-1:0] in_tag = 0;\n",
		"@SEND@": "          in_tag = units[sent][TAG+:@BITS@];\n",
	} {
		if p.Tag == 0 {
			text = ""
		}
		bench = strings.Replace(bench, hole, strings.Replace(text, "@BITS@", fmt.Sprint(p.Tag), 1), 1)
	}
	return Player{
		Unit: unit, Units: units, Bench: bench, Late: 20 * max(units, p.Engine),
		Quiet: usualQuiet,
	}
}

// playHandshake drives in_valid, in_data, in_last and out_ready, and takes what out_valid says is a result.
//
//go:embed templates/play_handshake.v
var playHandshake string
