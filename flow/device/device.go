// Package device is the table of what a design can be synthesised for: FPGAs with what they
// hold, a family without a device, and look-up tables alone.
//
// The table says of each figure where it is from. Tests hold those of iCE40 to what
// nextpnr-ice40 reports and to the pins that icestorm's data base has.
package device

import (
	"slices"

	"ialgn/internal/hint"
)

// The families, by the names that `compile --target` and package yosys have for them.
const (
	Generic = "generic"
	ICE40   = "ice40"
	ECP5    = "ecp5"
	Gowin   = "gowin"
	Xilinx7 = "xilinx7"
)

// Device is a target. A capacity of 0 is unknown or has no bound: that of a family, and of
// look-up tables alone.
type Device struct {
	Name    string `json:"name"`              // of the target, such as ice40-hx8k
	Family  string `json:"family"`            // whose cells it has
	Part    string `json:"part,omitempty"`    // the vendor's name
	Package string `json:"package,omitempty"` // as who places calls it; empty: there is no device
	Die     string `json:"-"`                 // nextpnr's option for the device, and what icetime or gowin_pack calls it; of Xilinx, Vivado asks for the part

	LUTInputs int `json:"lut_inputs"`
	LUTs      int `json:"luts,omitempty"`
	Carries   int `json:"carries,omitempty"` // bits of carry chains
	FlipFlops int `json:"flip_flops,omitempty"`
	Pins      int `json:"pins,omitempty"`           // that a design can have in this package
	BlockRAM  int `json:"block_ram_bits,omitempty"` // without large single-port RAM

	Source string `json:"source,omitempty"` // of the figures
}

// Placeable reports whether there is a device, in a package, to place a design on.
func (d Device) Placeable() bool { return d.Package != "" }

// The data sheets, and what they leave open.
const (
	lpHX      = "Lattice FPGA-DS-02029 (iCE40 LP/HX Family), selection guide"
	ultraPlus = "Lattice FPGA-DS-02008 (iCE40 UltraPlus Family), selection guide"
	// The data sheet has thousands of LUTs; the exact number is Project Trellis's.
	ecp5     = "Lattice FPGA-DS-02012 (ECP5 and ECP5-5G Family), selection guide; LUTs as nextpnr-ecp5 reports them; not checked against either here"
	gowin1N9 = "Gowin DS117 (GW1NR series); flip-flops and carries as nextpnr-himbaechel reports them; not checked against either here"
	artix7   = "AMD DS180 (7 Series FPGAs), Artix-7 tables; not checked here"
)

// devices is the table. A logic cell of iCE40 is one LUT, one flip-flop and one bit of a carry
// chain; a slice of ECP5 is two of each. Of GW1N, a LUT is one bit of a carry chain or itself, and
// three of four have a flip-flop and a chain. UltraPlus has 1 Mbit of single-port RAM and DSP blocks besides, which
// no design of ours uses.
var devices = []Device{
	{"ice40-hx8k", ICE40, "iCE40HX8K-CT256", "ct256", "hx8k", 4, 7680, 7680, 7680, 206, 32 * 4096, lpHX},
	{"ice40-hx1k", ICE40, "iCE40HX1K-TQ144", "tq144", "hx1k", 4, 1280, 1280, 1280, 95, 16 * 4096, lpHX},
	{"ice40-lp8k", ICE40, "iCE40LP8K-CM81", "cm81", "lp8k", 4, 7680, 7680, 7680, 63, 32 * 4096, lpHX},
	{"ice40-up5k", ICE40, "iCE40UP5K-SG48", "sg48", "up5k", 4, 5280, 5280, 5280, 39, 30 * 4096, ultraPlus},
	{"ecp5-25k", ECP5, "LFE5U-25F-CABGA381", "CABGA381", "25k", 4, 24288, 24288, 24288, 197, 56 * 18432, ecp5},
	{"ecp5-45k", ECP5, "LFE5U-45F-CABGA381", "CABGA381", "45k", 4, 43848, 43848, 43848, 203, 108 * 18432, ecp5},
	{"ecp5-85k", ECP5, "LFE5U-85F-CABGA381", "CABGA381", "85k", 4, 83640, 83640, 83640, 205, 208 * 18432, ecp5},
	{"gowin-gw1n9", Gowin, "GW1NR-LV9QN88PC6/I5", "QN88P", "GW1N-9C", 4, 8640, 6480, 6480, 71, 26 * 18432, gowin1N9},
	{"xilinx7-a35t", Xilinx7, "xc7a35tcpg236-1", "cpg236", "", 6, 20800, 20800, 41600, 106, 50 * 36864, artix7},
	{Name: "xilinx7", Family: Xilinx7, LUTInputs: 6, Source: "a family, no device"},
	{Name: "generic-lut4", Family: Generic, LUTInputs: 4},
	{Name: "generic-lut6", Family: Generic, LUTInputs: 6},
}

// Names returns the names of all targets, in the order of the table.
func Names() []string {
	var names []string
	for _, d := range devices {
		names = append(names, d.Name)
	}
	return names
}

// Find returns a target by its name. It returns an error that lists the names if there is
// none.
func Find(name string) (Device, error) {
	i := slices.IndexFunc(devices, func(d Device) bool { return d.Name == name })
	if i < 0 {
		return Device{}, hint.NoSuch("target", name, Names())
	}
	return devices[i], nil
}
