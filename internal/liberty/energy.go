package liberty

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// powers are the energies of a pin's internal_power groups: what a cell takes when the pin switches, in addition to
// charging the load.
type powers struct {
	from []string      // related pins of an output; empty: the pin itself
	when *Function     // nil: always
	at   [edges]*table // by the edge of the pin; nil: none
}

// power reads an internal_power group.
func (l *Library) power(g *group) (p *powers, err error) {
	p = &powers{from: strings.Fields(g.text("related_pin"))}
	if p.when, err = g.function("when"); err != nil {
		return nil, err
	}
	for _, t := range g.groups {
		to := []int{rising, falling}
		switch t.kind {
		case "rise_power":
			to = to[:1]
		case "fall_power":
			to = to[1:]
		case "power":
		default:
			continue
		}
		read, err := l.table(t)
		if err != nil {
			return nil, err
		}
		for _, edge := range to {
			p.at[edge] = read
		}
	}
	return p, nil
}

// electrical has the units and the voltage of a library.
type electrical struct {
	volts   float64 // nominal voltage; 0: the library does not say
	farad   float64 // picofarads in a unit of capacitance
	leakage float64 // nanowatts in a unit of leakage power
}

// electrical reads the units and the voltage of a library.
func (l *Library) electrical(g *group) (e electrical, err error) {
	if e.volts, err = g.number("nom_voltage", 0); err != nil {
		return e, err
	}
	if e.volts < 0 || e.volts > 100 {
		return e, errorAt(g.find("nom_voltage").line, "nom_voltage: want a voltage of 0 to 100")
	}
	if unit := g.text("voltage_unit"); unit != "" && !strings.EqualFold(strings.TrimSpace(unit), "1V") {
		return e, errorAt(g.find("voltage_unit").line, "voltage_unit %.40q: want 1V", unit)
	}
	e.farad, e.leakage = 1, 1
	if a := g.find("capacitive_load_unit"); a != nil && len(a.values) == 2 {
		n, err := strconv.ParseFloat(strings.TrimSpace(a.values[0]), 64)
		scale, ok := map[string]float64{"pf": 1, "ff": 1e-3}[strings.ToLower(strings.TrimSpace(a.values[1]))]
		if err != nil || !ok || n <= 0 || n > 1e6 {
			return e, errorAt(a.line, "capacitive_load_unit: want a number and pf or ff")
		}
		e.farad = n * scale
	}
	if text := g.text("leakage_power_unit"); text != "" {
		for suffix, nw := range map[string]float64{"mw": 1e6, "uw": 1e3, "nw": 1, "pw": 1e-3} {
			if digits, ok := strings.CutSuffix(strings.ToLower(text), suffix); ok {
				n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
				if err == nil && n > 0 && n <= 1e6 {
					e.leakage = n * nw
					return e, nil
				}
			}
		}
		return e, errorAt(g.find("leakage_power_unit").line, "leakage_power_unit %.40q: want a power such as 1nW", text)
	}
	return e, nil
}

// Energy is what the cells of a netlist take.
type Energy struct {
	Volts       float64 // voltage of the library
	Transitions int     // of all nets, without the clock
	// These are energies in picojoules. Switching charges the pins that a net drives. Internal is what cells take in
	// addition, when an output or an input switches. Clock is both at the clock pins.
	Switching, Internal, Clock float64
	Leakage                    float64  // in nanowatts, of all cells
	Without                    []string // kinds of cells without a table of internal energies
}

// Clocked is a sequence of clocks for [Library.Energy]. In each clock, In sets the values of the input nets, all nets
// settle, and Out may read them. Then the registers take their next values.
type Clocked struct {
	Clock   int // net of the clock; negative: none
	Clocks  int // number of clocks
	Skip    int // number of clocks at the beginning whose transitions are not counted
	In, Out func(clock int, value []bool)
}

// Energy simulates a netlist and adds up what its cells take, by the capacitances, the internal energies and the
// leakage in the library. A net switches if its settled value differs from its settled value in the clock before.
// Delays are zero, so glitches take nothing. Wires have no capacitance, and neither has the tree of the clock.
// Registers begin at 0. The internal energies are those for the load of the pins and for the slowest transition at the
// input. If several inputs of a cell switch at once, the average of their energies counts.
//
// It returns an error if the library has no voltage or no delays of a cell, or if the cells form a loop.
func (l *Library) Energy(n *Netlist, c Clocked) (*Energy, error) {
	if l.unpowered != nil {
		return nil, fmt.Errorf("the library %s has no energies: %w", l.Name, l.unpowered)
	}
	if l.electric.volts == 0 {
		return nil, fmt.Errorf("the library %s has no nom_voltage", l.Name)
	}
	a, err := l.analyse(n)
	if err != nil {
		return nil, err
	}
	m := &powerMeter{analysis: a, clock: c.Clock, e: &Energy{Volts: l.electric.volts}}
	if err := m.sort(); err != nil {
		return nil, err
	}
	m.static()
	m.value, m.state = make([]bool, n.Nets), make([]bool, len(n.Cells))
	before := make([]bool, n.Nets)
	for i := range c.Clocks {
		copy(before, m.value)
		c.In(i, m.value)
		m.settle()
		if c.Out != nil {
			c.Out(i, m.value)
		}
		if i > c.Skip {
			m.count(before)
		}
		m.step()
	}
	return m.e, nil
}

// powerMeter simulates a netlist and adds up energies.
type powerMeter struct {
	*analysis
	clock int
	e     *Energy
	order []output // combinational outputs after the outputs that they read; registers' outputs first
	value []bool   // by net
	state []bool   // by cell: the state of a register
}

// output is a pin that drives a net.
type output struct {
	instance, net int
	pin           *Pin
}

// sort sets the order of the outputs.
func (m *powerMeter) sort() error {
	waits := make([]int, m.n.Nets) // number of nets that the net's driver still waits for
	readers := make([][]int, m.n.Nets)
	var ready []int
	for v := range m.n.Nets {
		d := m.driver[v]
		if d.pin == nil {
			ready = append(ready, v)
			continue
		}
		for _, name := range d.pin.Function.Pins() {
			if w, ok := m.n.Cells[d.instance].Net[name]; ok && m.l.cells[m.n.Cells[d.instance].Cell].register == nil {
				waits[v]++
				readers[w] = append(readers[w], v)
			}
		}
		if waits[v] == 0 {
			ready = append(ready, v)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		v := ready[done]
		if d := m.driver[v]; d.pin != nil {
			m.order = append(m.order, output{d.instance, v, d.pin})
		}
		for _, w := range readers[v] {
			if waits[w]--; waits[w] == 0 {
				ready = append(ready, w)
			}
		}
	}
	if done < m.n.Nets {
		return fmt.Errorf("the cells form a loop")
	}
	return nil
}

// pin returns the value of a pin of a cell, or of its register's state.
func (m *powerMeter) pin(instance int) func(name string) bool {
	c := &m.n.Cells[instance]
	r := m.l.cells[c.Cell].register
	return func(name string) bool {
		if r != nil && name == r.state {
			return m.state[instance]
		}
		if r != nil && name == r.inverse {
			return !m.state[instance]
		}
		if v, ok := c.Net[name]; ok {
			return m.value[v]
		}
		return slices.Contains(m.n.Ones[instance], name)
	}
}

// settle computes the values of all nets that cells drive.
func (m *powerMeter) settle() {
	for _, o := range m.order {
		m.value[o.net] = o.pin.Function.Value(m.pin(o.instance))
	}
}

// step gives all registers their next values.
func (m *powerMeter) step() {
	next := slices.Clone(m.state)
	for i := range m.n.Cells {
		if r := m.l.cells[m.n.Cells[i].Cell].register; r != nil {
			value := m.pin(i)
			switch {
			case r.clear != nil && r.clear.Value(value):
				next[i] = false
			case r.preset != nil && r.preset.Value(value):
				next[i] = true
			default:
				next[i] = r.next.Value(value)
			}
		}
	}
	m.state = next
}

// static adds up the leakage, and lists the kinds of cells without internal energies.
func (m *powerMeter) static() {
	for i := range m.n.Cells {
		c := m.l.cells[m.n.Cells[i].Cell]
		m.e.Leakage += c.leakage * m.l.electric.leakage
		powered := slices.ContainsFunc(c.Pins, func(p *Pin) bool { return len(p.powers) > 0 })
		if !powered && !slices.Contains(m.e.Without, c.Name) {
			m.e.Without = append(m.e.Without, c.Name)
		}
	}
	slices.Sort(m.e.Without)
}

// count adds the energies of a clock.
func (m *powerMeter) count(before []bool) {
	unit := m.l.electric.farad // picojoules in a unit of energy, which is a unit of capacitance times a volt squared
	half := unit * m.l.electric.volts * m.l.electric.volts / 2
	if m.clock >= 0 { // the clock rises and falls
		m.e.Clock += 2 * half * m.load[m.clock]
	}
	for v := range m.n.Nets {
		if v != m.clock && m.value[v] != before[v] {
			m.e.Transitions++
			m.e.Switching += half * m.load[v]
		}
	}
	for i := range m.n.Cells {
		for _, p := range m.l.cells[m.n.Cells[i].Cell].Pins {
			v, ok := m.n.Cells[i].Net[p.Name]
			switch {
			case !ok || len(p.powers) == 0:
			case v == m.clock:
				m.e.Clock += unit * (m.internal(i, p, v, rising, before) + m.internal(i, p, v, falling, before))
			case m.value[v] != before[v]:
				edge := falling
				if m.value[v] {
					edge = rising
				}
				m.e.Internal += unit * m.internal(i, p, v, edge, before)
			}
		}
	}
}

// internal returns the internal energy of an edge of a pin, in the unit of the library. Of the tables for inputs that
// switched, or of all tables if none is for such an input, it returns the average.
func (m *powerMeter) internal(instance int, p *Pin, net, edge int, before []bool) float64 {
	var sum, all [2]float64 // energies, and their number
	for _, g := range p.powers {
		if g.at[edge] == nil || g.when != nil && !g.when.Value(m.pin(instance)) {
			continue
		}
		for _, name := range append(g.from[:len(g.from):len(g.from)], "")[:max(1, len(g.from))] {
			w, ok := m.n.Cells[instance].Net[name]
			if !ok {
				w = net
			}
			energy := g.at[edge].at(point{slew: m.slew(w), load: m.load[net]})
			all = [2]float64{all[0] + energy, all[1] + 1}
			if w == m.clock || m.value[w] != before[w] {
				sum = [2]float64{sum[0] + energy, sum[1] + 1}
			}
		}
	}
	if sum[1] == 0 {
		sum = all
	}
	return sum[0] / max(1, sum[1])
}

// slew returns the slowest transition of a net.
func (m *powerMeter) slew(net int) (slowest float64) {
	for _, start := range m.at[net] {
		for _, t := range start {
			slowest = max(slowest, t.slew)
		}
	}
	return slowest
}
