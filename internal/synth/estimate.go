package synth

import (
	"fmt"
	"strings"

	"ialgn/internal/message"
)

// Estimate is a quick estimate of the cells and wires that a yosys netlist needs on an iCE40. nextpnr would take
// minutes to find these numbers.
type Estimate struct {
	LUTs    int     `json:"luts"`
	FFs     int     `json:"ffs"`
	Carries int     `json:"carries"`
	Cells   int     `json:"logic_cells"` // logic cells, each of which holds a LUT, a flip-flop and a carry
	Share   float64 `json:"share"`       // share of the device's logic cells
	Spread  int     `json:"spread"`      // readers of flip-flops, not counting the first reader of each
	Route   Verdict `json:"route"`
}

// Verdict says whether nextpnr is likely to route a design.
type Verdict string

// These are the verdicts.
const (
	Will   Verdict = "will route"
	May    Verdict = "may not route"
	WillNo Verdict = "will not route"
)

// Aim is the aim of placement.
type Aim string

// These are the aims of nextpnr's placement. ForClock places the parts on critical paths close together. This makes
// other wires longer, for which a dense design has no room. For example, a random network of 400 x 100 with its
// loader takes 63 % of an HX8K. It was routed in 214 s when it was placed for short wires. When it was placed for the
// clock, it was not routed within eight minutes.
const (
	ForClock Aim = "clock"
	ForWires Aim = "wires"
)

// These limits on the spread of a design come from experiments on an HX8K with at most ten minutes for routing
// (docs/guides/fpga.md). The tiles of all devices have the same wires, and distances on smaller devices are shorter.
const (
	routedForClock = 2300 // the largest spread that was routed
	routedForWires = 3000
	lostForWires   = 4500 // the smallest spread for which routing was far from complete
)

// ParseAim returns the aim with the given name. For auto and for the empty name it returns "", which means that the
// aim depends on the estimate.
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

// aim returns the best aim for a design.
func (e *Estimate) aim() Aim {
	if e == nil || e.Spread <= routedForClock {
		return ForClock
	}
	return ForWires
}

// verdict returns the expected result of routing a design that is placed with an aim.
func (e *Estimate) verdict(aim Aim) Verdict {
	switch {
	case e.Spread <= routedForClock, aim == ForWires && e.Spread <= routedForWires:
		return Will
	case e.Spread < lostForWires:
		return May
	}
	return WillNo
}

// lutInputs are two input pins of a LUT.
type lutInputs [2]wire

// packing describes how a netlist is packed into logic cells.
type packing struct {
	drives  map[wire]bool     // the wires that LUTs drive
	readers map[wire]int      // number of cell pins and output port bits that read the wire
	beside  map[lutInputs]int // number of LUTs with the wires at I1 and I2, which a carry in the same cell shares
}

// newPacking counts the drivers and readers of the wires of a module.
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

// estimate packs a module as nextpnr-ice40 does. A flip-flop shares a logic cell with the LUT before it if nothing
// else reads this LUT. A carry shares a logic cell with a LUT that reads the same two bits. The result does not
// include the cells in which carry chains begin and end.
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

// broadcast is the largest number of readers of a wire in the spread. Wires with more readers do not count, because
// their readers are distributed over the whole device.
const broadcast = 64

// spread counts the LUTs that flip-flops drive. The first LUT of each flip-flop does not count, because a flip-flop
// can be placed next to one of its readers and to the tree of LUTs after this reader. The LUT that drives the
// flip-flop does not count either. If a wire has more than 64 readers, none of these readers counts.
func (m *module) spread() (n int) {
	before := map[wire]wire{} // maps the output wire of a flip-flop to its input wire
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
