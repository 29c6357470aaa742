package synth

import (
	"regexp"
	"strings"
	"time"

	"ialgn/flow/device"
	"ialgn/flow/yosys"
)

// packLimit bounds the time of what packs a bitstream.
const packLimit = 20 * time.Minute

// Report is what came of it, the content of synth.json.
type Report struct {
	Target string        `json:"target"`
	Module string        `json:"module"` // the top module
	Device device.Device `json:"device"`
	Dir    string        `json:"dir"`

	// The cells of yosys's netlist.
	LUTs    int `json:"luts"`
	Carries int `json:"carries"` // bits of carry chains
	FFs     int `json:"ffs"`
	RAM     int `json:"block_ram_bits,omitempty"` // of the block RAMs, used or not
	Pins    int `json:"pins"`                     // bits of the ports

	Estimate *Estimate `json:"estimate,omitempty"` // of iCE40

	Reused    string `json:"reused_manifest_sha256,omitempty"` // of the design that was placed, of which this one has the Verilog
	NotPlaced string `json:"not_placed,omitempty"`             // why all below is missing
	Command   string `json:"place_command,omitempty"`          // what places it in Dir, on a machine that has the program

	Aim           Aim      `json:"placed_for,omitempty"`
	MHz           float64  `json:"mhz"`                // that was aimed at
	Met           bool     `json:"timing_met"`         // the fastest seed reaches it, or there is no clock; false where nothing was placed
	Fmax          float64  `json:"fmax_mhz,omitempty"` // after routing, the median of the seeds; 0: there is no clock
	Least         float64  `json:"fmax_least_mhz,omitempty"`
	Most          float64  `json:"fmax_most_mhz,omitempty"`
	Routed        int      `json:"routed,omitempty"` // seeds
	Runs          []Placed `json:"seeds,omitempty"`
	Bitstream     string   `json:"bitstream,omitempty"` // of the seed with the fastest clock
	BitstreamSeed int      `json:"bitstream_seed,omitempty"`

	Synthesis *yosys.Result     `json:"synthesis"`
	Tools     map[string]string `json:"tools"`
	Manifest  string            `json:"manifest_sha256"`
	Files     []string          `json:"files,omitempty"` // in the folder, beside the report
	Seconds   float64           `json:"seconds"`
}

// Best returns the run that the bitstream is of, nil if there is none.
func (r *Report) Best() *Placed {
	for i := range r.Runs {
		if r.Runs[i].Result != nil && r.Runs[i].Seed == r.BitstreamSeed {
			return &r.Runs[i]
		}
	}
	return nil
}

// count counts the cells and the bits of the ports.
func (r *Report) count(y *yosys.Result) error {
	for cell, n := range y.Cells {
		c := cellsOf(cell)
		r.LUTs += n * c.luts
		r.Carries += n * c.carries
		r.FFs += n * c.ffs
		r.RAM += n * c.ram
	}
	m, err := readModule(y.JSON, r.Module)
	if err != nil {
		return err
	}
	r.Pins = m.pins()
	if r.Device.Family == device.ICE40 {
		r.Estimate = m.estimate(r.Device.LUTs)
	}
	return nil
}

// cells is what one cell of a netlist takes of a device.
type cells struct{ luts, carries, ffs, ram int }

// gowinRAM are the forms of Gowin's block RAM, by the names that yosys 0.23 and later ones have.
var gowinRAM = regexp.MustCompile(`^(SP|SDP|DP|pROM)(X9)?B?$`)

// cellsOf returns what a cell takes, by the name of its type in yosys's libraries.
func cellsOf(name string) cells {
	switch {
	case name == "SB_LUT4", name == "LUT4", name == "$lut":
		return cells{luts: 1}
	case strings.HasPrefix(name, "LUT") && len(name) == 4, name == "INV": // of Xilinx and Gowin
		return cells{luts: 1}
	case name == "SB_CARRY":
		return cells{carries: 1}
	case name == "ALU": // of Gowin, in the place of a LUT
		return cells{luts: 1, carries: 1}
	case name == "CCU2C": // the two LUTs before its carries are part of it
		return cells{luts: 2, carries: 2}
	case name == "CARRY4":
		return cells{carries: 4}
	case strings.HasPrefix(name, "SB_RAM40_4K"): // with its forms for other edges of the clock
		return cells{ram: 4096}
	case name == "DP16KD", name == "RAMB18E1", gowinRAM.MatchString(name):
		return cells{ram: 18432}
	case name == "RAMB36E1":
		return cells{ram: 36864}
	case strings.HasPrefix(name, "SB_DFF"), name == "TRELLIS_FF", strings.HasPrefix(name, "$_DFF"), strings.HasPrefix(name, "$_SDFF"):
		return cells{ffs: 1}
	case strings.HasPrefix(name, "DFF"): // of Gowin
		return cells{ffs: 1}
	case name == "FDRE", name == "FDSE", name == "FDCE", name == "FDPE":
		return cells{ffs: 1}
	}
	return cells{}
}
