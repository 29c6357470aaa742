package wrapper

import (
	_ "embed" // templates
	"fmt"
	"strings"

	"ialgn/netlist"
)

// Played describes a design with an interface, for a player.
type Played struct {
	Options Options      // clock and bit rate of a line
	Input   netlist.Port // input port of the netlist, whose words are a sample
	Outputs []netlist.Port
	Tag     int  // bits of the tag; 0: no tag
	Engine  int  // clocks per sample in a folded engine; 0: no engine
	Drop    bool // the module is an engine with an input named drop
	Quick   bool // module parameters give a serial line the rate in Options and few idle bits
}

// sampleBytes returns the number of bytes of a sample, for interfaces that transfer bytes.
func (p Played) sampleBytes() int {
	_, bytes := layOut([]netlist.Port{p.Input})
	return bytes
}

// resultBytes returns the number of bytes of a result, for interfaces that transfer bytes.
func (p Played) resultBytes() int {
	_, bytes := layOut(p.Outputs)
	return bytes
}

// Player describes how a simulation sends samples to an interface and receives the results. A unit is the amount of
// data that is transferred at a time. Player has the size of a unit, and the part of a testbench between the units
// and the pins. Before this part, the testbench declares
//
//	clk            a clock of 100 ns
//	running        1 once a reset is over
//	units          the units to send: @UNIT@ bits of data, above them LAST, RESET, FAILS, WHOLE, BREAKS and ALONE;
//	               with a tag, the tag input's value from bit TAG on
//	sent           number of units sent
//	whole          number of samples sent completely
//	got            number of results received
//	fails          whether error must be 1
//	sure           whether the value that error must have is known
//	reset_done     whether the reset before the next unit is done
//	compare        a task for a result, with the tag above the output ports
//	broken         a task for an impossible result
//
// The writer of the testbench replaces @UNITS@, @SAMPLES@, @EACH@, @RESULT@, @LATE@, @QUIET@ and @TOP@.
type Player struct {
	Unit  int    // bits that are transferred at a time
	Units int    // units in a sample
	Bench string // Verilog
	Late  int    // number of clocks without a result after which the testbench fails
	Quiet int    // clocks after the last result in which no further result may come
}

// Broken is a way in which a packet can be broken, so that it has no result.
type Broken int

// A broken packet has too few units or too many, is cut off by a reset, or has a wrong stop bit.
const (
	TooShort Broken = iota
	TooLong
	CutOff
	WrongStop
)

// usualQuiet is [Player.Quiet] for interfaces without a bit rate.
const usualQuiet = 200

// handshakePlayer returns a player that sends one unit after another by valid and ready. Both sides pause sometimes.
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

// playHandshake drives in_valid, in_data, in_last and out_ready, and takes a result when out_valid is 1.
//
//go:embed templates/play_handshake.v
var playHandshake string
