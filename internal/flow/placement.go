// This file has the common options and results of the programs that place and route a design.
//
// A program runs once, with a seed, in a folder of the caller, and leaves a report there. The report has the clock of
// the routed design, its cells, and the longest path of each kind, with the names of our nets. The log is kept. If a
// design does not fit or cannot be routed, the error is from package tool and names the log. It is not an error if a
// design is slower than required.

package flow

import (
	"fmt"
	"math"
	"time"

	"ialgn/internal/target"
)

// PlaceLimit is the time limit of a program.
const PlaceLimit = 30 * time.Minute

// PlaceOptions says what to place and where.
type PlaceOptions struct {
	Device  target.Device
	Module  string  // the top module
	Netlist string  // the netlist from yosys, as JSON; for Vivado, a Verilog file in Dir without unknown values
	Dir     string  // folder for all files that are written, with names that begin with seedN
	Seed    int     // seed of the placer's random numbers, with reproducible results; not used for Vivado
	MHz     float64 // clock frequency of the constraints
	// Pins is the path of a file of pins (.pcf, .lpf, .cst, .xdc). If it is empty, all ports are placed freely. Ports
	// that are missing in the file are also placed freely, except for Gowin.
	Pins  string
	Wires bool // whether to place for short wires and ignore the clock
}

// Result is the result of placing and routing.
type Result struct {
	Seed     int     `json:"seed"`
	Fmax     float64 `json:"fmax_mhz,omitempty"` // from register to register, after routing; 0 without such a path
	Cells    []Use   `json:"utilization"`        // cells of the device in use, by name
	LUTs     int     `json:"luts,omitempty"`     // LUTs as nextpnr packs them; iCE40 only
	Carries  int     `json:"carries,omitempty"`  // carries, including those that begin and end chains
	FFs      int     `json:"ffs,omitempty"`
	Critical Path    `json:"critical_path"` // from register to register, or the longest path if there is none
	Paths    []Path  `json:"paths"`         // the longest path of each kind
	CPU      float64 `json:"cpu_seconds"`

	Bits string `json:"-"` // file in Dir with the configuration as text, or with Vivado's bitstream
	Pads []Pad  `json:"-"` // pads of the ports; iCE40 only
	Log  string `json:"-"`
	Tool string `json:"-"` // the program's version
}

// Use says how many cells of a kind a design uses.
type Use struct {
	Cell      string `json:"cell"` // the placer's name of the kind, such as ICESTORM_LC
	Used      int    `json:"used"`
	Available int    `json:"available"`
}

// Used returns the number of cells of a kind that the design uses, or 0 if the device has no such cells.
func (r *Result) Used(cell string) int {
	for _, u := range r.Cells {
		if u.Cell == cell {
			return u.Used
		}
	}
	return 0
}

// Check returns an error if an option is not valid.
func (o PlaceOptions) Check() error {
	if !(o.MHz > 0) || math.IsInf(o.MHz, 0) {
		return fmt.Errorf("placement: a clock of %v MHz: must be positive", o.MHz)
	}
	return nil
}

// Pad is the position of a port's bit on an iCE40 die.
type Pad struct {
	Port    string // x[3] for a bit of a port, clk for a port of one bit
	X, Y, Z int    // the tile, and one of its two pads
}
