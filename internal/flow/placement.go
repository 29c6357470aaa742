// This file is what the programs that place and route a design have in common: what they
// are asked for, and what came of it.
//
// They run once, with a seed, in a folder of the caller's, and leave a report there: the clock
// that the routed design takes, the cells that it has, and the longest path of each kind, by
// the names of our nets. The log is kept. A design that does not fit, or does not route, is an
// error of package tool with that log; one that is slower than was asked for is a result.

package flow

import (
	"fmt"
	"math"
	"time"

	"ialgn/internal/target"
)

// PlaceLimit bounds the time that a program has for it.
const PlaceLimit = 30 * time.Minute

// PlaceOptions says what to place and where.
type PlaceOptions struct {
	Device  target.Device
	Module  string  // the top module
	Netlist string  // the netlist from yosys, as JSON; for Vivado, a Verilog file in Dir without unknown values
	Dir     string  // a folder for all that is written, under names that begin with seedN
	Seed    int     // seed of the placer's random numbers; the same seed gives the same bytes. Vivado has none
	MHz     float64 // clock frequency to aim at
	// file of pins (.pcf, .lpf, .cst, .xdc); ports that it leaves out are placed freely, but for Gowin. Empty: all are
	Pins  string
	Wires bool // place for short wires alone, not for the clock
}

// Result is what came of it.
type Result struct {
	Seed     int     `json:"seed"`
	Fmax     float64 `json:"fmax_mhz,omitempty"` // from register to register, after routing; 0: there is no such path
	Cells    []Use   `json:"utilization"`        // cells of the device in use, sorted by name
	LUTs     int     `json:"luts,omitempty"`     // LUTs as nextpnr packs them; iCE40 only
	Carries  int     `json:"carries,omitempty"`  // carries, including those that begin and end chains
	FFs      int     `json:"ffs,omitempty"`
	Critical Path    `json:"critical_path"` // from register to register; without any, the longest
	Paths    []Path  `json:"paths"`         // the longest of each kind
	CPU      float64 `json:"cpu_seconds"`

	Bits string `json:"-"` // the configuration as text, or Vivado's bitstream, a file in Dir
	Pads []Pad  `json:"-"` // pads of the ports; iCE40 only
	Log  string `json:"-"`
	Tool string `json:"-"` // the program's version
}

// Use is the number of cells of a kind that a design uses.
type Use struct {
	Cell      string `json:"cell"` // name of the kind, such as ICESTORM_LC, of who placed it
	Used      int    `json:"used"`
	Available int    `json:"available"`
}

// Used returns how many cells of a kind the design uses; 0 if the device has no such cells.
func (r *Result) Used(cell string) int {
	for _, u := range r.Cells {
		if u.Cell == cell {
			return u.Used
		}
	}
	return 0
}

// Check returns an error if an option has no meaning.
func (o PlaceOptions) Check() error {
	if !(o.MHz > 0) || math.IsInf(o.MHz, 0) {
		return fmt.Errorf("placement: a clock of %v MHz: must be positive", o.MHz)
	}
	return nil
}

// Pad is where a bit of a port is on an iCE40 die.
type Pad struct {
	Port    string // x[3] for a bit of a port, clk for a port of one bit
	X, Y, Z int    // the tile, and which of its two pads
}
