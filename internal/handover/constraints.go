package handover

import (
	"fmt"
	"io"
	"strconv"

	"ialgn/internal/target"
	"ialgn/netlist"
)

// WriteConstraints writes the timing constraints in the format of the target. The file name ends in .sdc for generic
// and gowin, .xdc for xilinx7, .lpf for ecp5, and .pcf for ice40. For a netlist with registers, the constraints give
// the clock's period. Without registers, they give the longest delay from inputs to outputs. If the format cannot
// express this delay, a comment in the file says so. Pins depend on the board. Therefore the file has a comment for
// each port, which the user completes. An .sdc file has no such comments, because the format has no command for pins.
//
// WriteConstraints returns an error unless the frequency is above 0 and at most 10,000 MHz.
func WriteConstraints(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	if !(d.MHz > 0 && d.MHz <= 1e4) {
		return fmt.Errorf("handover: a clock of %v MHz is out of range, give more than 0 and at most 10000", d.MHz)
	}
	f := &file{comment: "#"}
	d.title(f, "Timing constraints")
	c := constraints{f, d.ports, d.clock, d.MHz}
	switch d.Target.Constraints.Language {
	case target.SDC:
		c.tcl(false)
	case target.XDC:
		c.tcl(true)
	case target.LPF:
		c.lpf()
	case target.PCF:
		c.pcf()
	}
	return f.writeTo(w)
}

// constraints is a file of constraints that is being built.
type constraints struct {
	*file
	ports []Port
	clock string // name of the clock port; empty without a clock
	mhz   float64
}

// frequency returns the frequency in MHz.
func (c constraints) frequency() string { return strconv.FormatFloat(c.mhz, 'f', -1, 64) }

// period returns the period in ns, rounded down to ps. A tool that meets this period also meets the frequency.
func (c constraints) period() string {
	ps := int64(1e6 / c.mhz)
	return fmt.Sprintf("%d.%03d", ps/1000, ps%1000)
}

// tcl writes SDC, or its dialect XDC.
func (c constraints) tcl(xilinx bool) {
	if c.clock != "" {
		c.line("create_clock -name %[1]s -period %[2]s [get_ports %[1]s]", c.clock, c.period())
	} else {
		c.note("The module has no clock. Where it stands between registers of a larger design, leave")
		c.note("this out and constrain their clock.")
		c.line("set_max_delay %s -from [all_inputs] -to [all_outputs]", c.period())
	}
	if !xilinx {
		return
	}
	c.pins(func(p Port, bit string) {
		c.note("set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {%s%s}]", p.Name, bit)
	})
}

// lpf writes Lattice preferences, as nextpnr-ecp5 reads them.
func (c constraints) lpf() {
	if c.clock != "" {
		c.line("FREQUENCY PORT \"%s\" %s MHZ;", c.clock, c.frequency())
	} else {
		c.unclocked("nextpnr-ecp5")
	}
	c.pins(func(p Port, bit string) {
		c.note("LOCATE COMP \"%s%s\" SITE \"pin\";", p.Name, bit)
	})
}

// pcf writes physical constraints, as nextpnr-ice40 reads them.
func (c constraints) pcf() {
	if c.clock != "" {
		c.note("The same on the command line: nextpnr-ice40 --freq %s", c.frequency())
		c.line("set_frequency %s %s", c.clock, c.frequency())
	} else {
		c.unclocked("nextpnr-ice40")
	}
	c.pins(func(p Port, bit string) { c.note("set_io %s%s pin", p.Name, bit) })
}

// unclocked writes a comment that says that there is nothing to constrain.
func (c constraints) unclocked(tool string) {
	c.note("The module has no clock, and this form has no word for a delay from inputs to outputs:")
	c.note("nothing constrains the %s ns that were asked for. %s prints the longest delay;", c.period(), tool)
	c.note("where the module stands between registers of a larger design, constrain their clock.")
}

// pins writes a comment for each port, with the pin of the port's first bit as an example.
func (c constraints) pins(write func(p Port, bit string)) {
	c.note("")
	c.note("Pins are the board's. To be completed, for each bit of a vector:")
	for _, p := range c.ports {
		bit := ""
		if p.Width > 1 {
			bit = "[0]"
		}
		write(p, bit)
	}
}
