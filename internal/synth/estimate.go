package synth

import (
	"fmt"
	"strings"

	"ialgn/internal/message"
)

// Estimate is what a netlist of yosys will take of an iCE40, before nextpnr takes minutes to
// find out.
type Estimate struct {
	LUTs    int     `json:"luts"`
	FFs     int     `json:"ffs"`
	Carries int     `json:"carries"`
	Cells   int     `json:"logic_cells"` // a LUT, a flip-flop and a carry each
	Share   float64 `json:"share"`       // share of the device's logic cells
	Spread  int     `json:"spread"`      // readers of flip-flops, beyond the first of each
	Route   Verdict `json:"route"`
}

// Verdict says whether nextpnr is likely to route a design.
type Verdict string

// The verdicts.
const (
	Will   Verdict = "will route"
	May    Verdict = "may not route"
	WillNo Verdict = "will not route"
)

// Aim is what a design is placed for.
type Aim string

// The aims of nextpnr's placement. For the clock, what decides it is placed close together, at
// the price of longer wires elsewhere, which a dense design has no room for.
const (
	ForClock Aim = "clock"
	ForWires Aim = "wires"
)

// What was routed on an HX8K within ten minutes, and what was not, by its spread (docs/FPGA.md).
// The tiles of all devices have the same wires, and smaller devices have shorter ways.
const (
	routedForClock = 2300 // the most
	routedForWires = 3000
	lostForWires   = 4500 // the least that was far from it
)

// ParseAim returns the aim with the given name. For auto and the empty name it returns none, so that the estimate
// decides.
func ParseAim(name string) (Aim, error) {
	switch a := Aim(name); {
	case name == "" || name == "auto":
		return "", nil
	case a == ForClock || a == ForWires:
		return a, nil
	}
	return "", message.Near(fmt.Errorf("%q: want auto, %s or %s", name, ForClock, ForWires), name,
		[]string{"auto", string(ForClock), string(ForWires)})
}

// aim returns what a design is best placed for.
func (e *Estimate) aim() Aim {
	if e == nil || e.Spread <= routedForClock {
		return ForClock
	}
	return ForWires
}

// verdict returns what is to be expected of a design that is placed for something.
func (e *Estimate) verdict(aim Aim) Verdict {
	switch {
	case e.Spread <= routedForClock, aim == ForWires && e.Spread <= routedForWires:
		return Will
	case e.Spread < lostForWires:
		return May
	}
	return WillNo
}

// lutInputs are the input pins of a LUT.
type lutInputs [2]wire

// packing is a netlist that is put into logic cells.
type packing struct {
	drives  map[wire]bool     // wires that LUTs drive
	readers map[wire]int      // pins of cells, and bits of output ports
	beside  map[lutInputs]int // LUTs by their pins I1 and I2, which a carry in the same logic cell would share
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
	e.Spread = m.spread()
	return e
}

// broadcast is how many readers a wire has whose readers are wherever there is room.
const broadcast = 64

// spread counts the LUTs that flip-flops lead to, beyond the first of each: beside one of its
// readers a flip-flop can stand, and the tree of LUTs behind a reader can stand there, too. It
// does not count the LUT before the flip-flop, nor wires of more than 64 readers.
func (m *module) spread() (n int) {
	before := map[wire]wire{} // each flip-flop's wire: the wire before it
	for _, c := range m.Cells {
		if strings.HasPrefix(c.Type, "SB_DFF") {
			before[c.pin("Q")] = c.pin("D")
		}
	}
	readers := map[wire]int{}
	for _, c := range m.Cells {
		if c.Type != "SB_LUT4" {
			continue
		}
		for _, pin := range []string{"I0", "I1", "I2", "I3"} {
			if d, ok := before[c.pin(pin)]; ok && d != c.pin("O") {
				readers[c.pin(pin)]++
			}
		}
	}
	for _, k := range readers {
		if k <= broadcast {
			n += k - 1
		}
	}
	return n
}
