// Package activity counts how often the nets of a netlist switch when samples follow each other.
//
// A net switches between two consecutive samples if its settled value changes from the first to the second. Delays
// are zero, so glitches, which occur before nets settle, are not counted. In a pipeline, the samples reach a net some
// clocks later but in the same order, so the net has the same transitions as in a netlist without registers. Clock,
// reset, enable and valid are not among the nets. The figures show where the logic switches. They do not estimate
// power, which also depends on glitches, wires and their capacitances, and the clock.
package activity

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"ialgn/internal/names"
	"ialgn/netlist"
	"ialgn/sim"
)

// What describes the transitions that are counted. Reports contain this text.
const What = "zero-delay transitions between settled values of consecutive samples: activity " +
	"without glitches, not power"

// Report holds the counts.
type Report struct {
	What    string  `json:"what"`
	Samples int     `json:"samples"`
	Parts   []Group `json:"parts"`             // input, encoder, gates and head; empty parts are left out
	Classes []Group `json:"classes,omitempty"` // one group for each class, with the gates of its chains
	Total   Group   `json:"total"`
	Nets    []Net   `json:"nets,omitempty"` // every net except constants and the enable, by ascending number
}

// Group holds the figures of a group of nets.
type Group struct {
	Name        string  `json:"name"`
	Nets        int     `json:"nets"`
	Silent      int     `json:"silent"` // nets that never switch
	Transitions int     `json:"transitions"`
	Mean        float64 `json:"mean"` // average number of transitions of a net from one sample to the next
}

// Net holds the figures of a net.
type Net struct {
	Name        string `json:"name"` // the net's name in the Verilog
	Part        string `json:"part"`
	Transitions int    `json:"transitions"`
}

// blockWords is the number of words that are simulated at once for each net. It is small so that large netlists do
// not need a long row for each net.
const blockWords = 4

// Measure simulates n on the first of the samples in x and counts transitions. x has one row of bits for each net of
// the input port. A row may have any number of words. The samples are simulated in order. If vcd is not nil, all
// values over time are written to vcd, with one sample per microsecond.
//
// Measure needs a few hundred bytes of memory for each net, mostly for the report. With vcd it also needs memory for
// the transitions in 64 samples. Measure returns an error if n does not have exactly one input port, if the rows have
// fewer samples, if ctx ends, or if vcd fails.
func Measure(ctx context.Context, n *netlist.Netlist, x []uint64, samples int, vcd io.Writer) (*Report, error) {
	ports := n.DataInputs()
	if len(ports) != 1 || len(ports[0].Nets) == 0 {
		return nil, fmt.Errorf("activity: netlist %q has %d input ports, need one", n.Name, len(ports))
	}
	words := len(x) / len(ports[0].Nets)
	if samples < 1 || samples > 64*words {
		return nil, fmt.Errorf("activity: %d samples are out of range, the rows have 1 to %d", samples, 64*words)
	}
	s, err := sim.NewBlock(n, blockWords)
	if err != nil {
		return nil, err
	}
	m := &meter{
		n: n, sim: s, samples: samples, names: names.New(n), last: make([]uint8, n.Nets()),
		count: make([]int, n.Nets()),
	}
	if vcd != nil {
		m.trace = newTrace(vcd, n, m.names)
	}
	for first := 0; 64*first < samples; first += blockWords {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		size := min(blockWords, (samples+63)/64-first)
		var in []uint64
		for row := range ports[0].Nets {
			in = append(in, x[row*words+first:][:size]...)
		}
		if err := s.Settle(size, in); err != nil {
			return nil, err
		}
		for w := range size {
			m.word(64*(first+w), w)
		}
	}
	if m.trace != nil {
		if err := m.trace.end(samples); err != nil {
			return nil, err
		}
	}
	return m.report(), nil
}

// meter counts transitions.
type meter struct {
	n       *netlist.Netlist
	sim     *sim.Simulator
	samples int
	names   *names.Names
	last    []uint8 // value of each net in the previous sample
	count   []int   // number of transitions of each net
	trace   *trace  // nil without a VCD file
}

// word counts the transitions in 64 samples, which are in word w of each row of the simulator. The argument first is
// the number of the first of these samples.
func (m *meter) word(first, w int) {
	valid := ^uint64(0)
	if left := m.samples - first; left < 64 {
		valid = 1<<left - 1
	}
	begins := uint64(0) // mask of the first sample, which has no predecessor
	if first == 0 {
		begins = 1
	}
	for v := netlist.True + 1; int(v) < m.n.Nets(); v++ {
		value := m.sim.Net(v)[w]
		switched := (value ^ (value<<1 | uint64(m.last[v]))) & valid
		switched &^= begins
		m.last[v] = uint8(value >> 63)
		m.count[v] += bits.OnesCount64(switched)
		if m.trace != nil {
			m.trace.note(v, value, switched|begins)
		}
	}
	if m.trace != nil {
		m.trace.write(first)
	}
}

// report returns the report on all transitions counted so far.
func (m *meter) report() *Report {
	part := m.parts()
	class := m.n.ChainClasses()
	r := &Report{What: What, Samples: m.samples, Parts: make([]Group, len(partNames)), Total: Group{Name: "total"}}
	for i, name := range partNames {
		r.Parts[i].Name = name
	}
	enable := m.enable()
	for v := netlist.True + 1; int(v) < m.n.Nets(); v++ {
		p, n := part[v], m.count[v]
		if v == enable {
			continue
		}
		r.Nets = append(r.Nets, Net{string(m.names.AppendNet(nil, v)), partNames[p], n})
		r.Parts[p].add(n)
		r.Total.add(n)
		if c, _, ok := m.n.Driver(v); ok && m.n.Origin(c).Layer > 0 && int(m.n.Origin(c).Chain) < len(class) {
			of := int(class[m.n.Origin(c).Chain])
			for len(r.Classes) <= of {
				r.Classes = append(r.Classes, Group{Name: fmt.Sprint(len(r.Classes))})
			}
			r.Classes[of].add(n)
		}
	}
	r.Parts = slices.DeleteFunc(r.Parts, func(g Group) bool { return g.Nets == 0 })
	for _, groups := range [][]Group{r.Parts, r.Classes} {
		for i := range groups {
			groups[i].mean(m.samples)
		}
	}
	r.Total.mean(m.samples)
	return r
}

// enable returns the net that enables the registers, or a constant if there is none.
func (m *meter) enable() netlist.Net {
	p, err := m.n.Pipeline()
	if p == nil || err != nil {
		return netlist.False
	}
	return m.n.InputPorts()[p.Enable].Nets[0]
}

// partNames are the names of the parts: the input port, and the cells in the order of [netlist.Part].
var partNames = []string{"input", "encoder", "gates", "head"}

// parts returns the part of each net, as an index into partNames.
func (m *meter) parts() []uint8 {
	part := make([]uint8, m.n.Nets())
	for c, p := range m.n.Parts() {
		first := m.n.Output(netlist.Cell(c))
		for v := range netlist.Net(m.n.Outputs(netlist.Cell(c))) {
			part[first+v] = uint8(p) + 1
		}
	}
	return part
}

func (g *Group) add(transitions int) {
	g.Nets++
	g.Transitions += transitions
	if transitions == 0 {
		g.Silent++
	}
}

func (g *Group) mean(samples int) {
	if steps := g.Nets * (samples - 1); steps > 0 {
		g.Mean = float64(g.Transitions) / float64(steps)
	}
}

// Busiest returns the n nets that switch most. Nets that switch equally often are ordered by number.
func (r *Report) Busiest(n int) []Net {
	nets := slices.Clone(r.Nets)
	slices.SortStableFunc(nets, func(a, b Net) int { return b.Transitions - a.Transitions })
	return nets[:min(n, len(nets))]
}
