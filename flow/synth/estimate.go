package synth

import (
	"strings"
)

// Estimate is what a netlist of yosys will take of an iCE40, before nextpnr takes minutes to
// find out.
type Estimate struct {
	LUTs    int     `json:"luts"`
	FFs     int     `json:"ffs"`
	Carries int     `json:"carries"`
	Cells   int     `json:"logic_cells"` // a LUT, a flip-flop and a carry each
	Share   float64 `json:"share"`       // of the device's logic cells
}

// lutInputs are the input pins of a LUT.
type lutInputs [2]wire

// packing is a netlist that is put into logic cells.
type packing struct {
	drives  map[wire]bool     // of LUTs
	readers map[wire]int      // pins of cells, and bits of output ports
	beside  map[lutInputs]int // LUTs by the pins that they share with a carry beside them
}

// newPacking counts who drives and reads the wires of a module.
func newPacking(m *module) *packing {
	p := &packing{map[wire]bool{}, map[wire]int{}, map[lutInputs]int{}}
	for _, c := range m.Cells {
		for pin, bits := range c.Connections {
			if pin == "O" || pin == "Q" || pin == "CO" {
				continue
			}
			for _, w := range bits {
				p.readers[w]++
			}
		}
		if c.Type == "SB_LUT4" {
			p.drives[c.pin("O")] = true
			p.beside[lutInputs{c.pin("I1"), c.pin("I2")}]++
		}
	}
	for _, port := range m.Ports {
		if port.Direction == "output" {
			for _, w := range port.Bits {
				p.readers[w]++
			}
		}
	}
	return p
}

// estimate packs a module as nextpnr-ice40 does: a flip-flop goes with the LUT before it if
// nothing else reads that, a carry with a LUT that reads the same two bits. So it is off by the
// cells in which carry chains begin and end.
func (m *module) estimate(cells int) *Estimate {
	e := &Estimate{}
	p := newPacking(m)
	for _, c := range m.Cells {
		switch {
		case c.Type == "SB_LUT4":
			e.LUTs++
			e.Cells++
		case strings.HasPrefix(c.Type, "SB_DFF"):
			e.FFs++
			if d := c.pin("D"); !p.drives[d] || p.readers[d] > 1 {
				e.Cells++
			}
		case c.Type == "SB_CARRY":
			e.Carries++
			if at := (lutInputs{c.pin("I0"), c.pin("I1")}); p.beside[at] > 0 {
				p.beside[at]--
			} else {
				e.Cells++
			}
		}
	}
	e.Share = float64(e.Cells) / float64(cells)
	return e
}
