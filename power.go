package ialgn

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"ialgn/backend"
	"ialgn/internal/liberty"
	"ialgn/internal/message"
	"ialgn/internal/synth"
	"ialgn/internal/target"
	"ialgn/netlist"
)

// powerLeavesOut says what [Power] leaves out.
const powerLeavesOut = "wires, the tree of the clock, pads and glitches (zero delays); leakage as if all states of a " +
	"cell leaked equally"

// Power is an estimate of what a netlist of standard cells takes, by its switching activity and a Liberty file.
// Energies are averages for a sample, in picojoules.
type Power struct {
	Library     string  `json:"library"`
	SHA256      string  `json:"library_sha256"`
	Samples     int     `json:"samples"` // number of samples, each of which follows another one
	Volts       float64 `json:"volts"`
	Transitions float64 `json:"transitions_per_sample"` // of the nets between cells, without the clock
	Switching   float64 `json:"switching_pj"`           // charging of the pins that nets drive
	Internal    float64 `json:"internal_pj"`            // inside of the cells
	Clock       float64 `json:"clock_pj"`               // both, for the clock pins of registers
	Energy      float64 `json:"energy_pj"`              // sum of these three
	Leakage     float64 `json:"leakage_nw"`
	// MHz is the clock for which the design was compiled, or 0. Milliwatts is the power at one sample per clock.
	MHz        float64 `json:"clock_mhz,omitempty"`
	Milliwatts float64 `json:"power_mw,omitempty"`
	// Without are cells for which the library has no internal energies. These energies are missing in the sums.
	Without   []string `json:"cells_without_energies,omitempty"`
	LeavesOut string   `json:"leaves_out"`
}

// Static is the static current of a device's core, by the data sheet. Nothing says how much a transition takes.
type Static struct {
	Device string  `json:"device"`
	Core   float64 `json:"core_ua"`
	Volts  float64 `json:"core_volts"`
	Source string  `json:"source"`
}

// statics returns the static currents of the devices of a family.
func statics(f *target.Family) (list []Static) {
	if f == nil || f.Static == nil {
		return nil
	}
	for _, d := range f.Devices {
		if core := f.Static.Core[d.Name]; core > 0 {
			list = append(list, Static{d.Name, core, f.Static.Volts, f.Static.Source})
		}
	}
	return list
}

// power measures the design's netlist of cells on the first samples of bit rows. The classes are those of the design.
func (d *Design) power(ctx context.Context, library string, x []uint64, classes []uint16) (*Power, error) {
	out, err := d.output(ctx)
	if err != nil {
		return nil, err
	}
	m, err := mapped(out, d.read, library)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(m.Netlist)
	report, err := synth.ReadReport(dir)
	if err != nil {
		return nil, err
	}
	cells, err := synth.ReadCells(dir, report)
	if err != nil {
		return nil, err
	}
	run, err := newPowerRun(out, cells, x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	run.ctx, run.classes = ctx, classes
	e, err := m.Library.Energy(&cells.Netlist, run.clocked())
	if err != nil {
		return nil, message.Optionf("{Liberty}: %w", err)
	}
	if run.err != nil {
		return nil, run.err
	}
	r := &Power{
		Library: m.Library.Name, SHA256: m.Library.SHA256, Samples: len(classes), Volts: e.Volts, Leakage: e.Leakage,
		MHz: d.read.Options.MHz, Without: e.Without, LeavesOut: powerLeavesOut,
	}
	steps := float64(max(1, len(classes)-1))
	r.Transitions = float64(e.Transitions) / steps
	r.Switching, r.Internal, r.Clock = e.Switching/steps, e.Internal/steps, e.Clock/steps
	r.Energy = r.Switching + r.Internal + r.Clock
	if r.MHz > 0 {
		r.Milliwatts = r.Energy*r.MHz*1e-3 + r.Leakage*1e-6
	}
	return r, nil
}

// powerRun gives samples to a netlist of cells, one in each clock, and compares the classes.
type powerRun struct {
	ctx     context.Context
	x       []uint64 // bit rows of the samples
	words   int      // words of a row
	in      []int    // nets of the input port
	class   []int    // nets of the class; nil: the design has no class
	ones    []int    // nets of inputs that are always 1
	clock   int      // net of the clock, or -1
	stages  int
	classes []uint16 // of the samples
	err     error    // the first error
}

func newPowerRun(out *backend.Output, cells *synth.Cells, x []uint64) (*powerRun, error) {
	n := out.Netlist
	port := n.DataInputs()[0]
	r := &powerRun{x: x, in: cells.Ports[port.Name], class: cells.Ports[netlist.ClassPort], clock: -1}
	if len(r.in) != len(port.Nets) {
		return nil, fmt.Errorf("the netlist of cells has %d bits of the port %s, want %d", len(r.in), port.Name,
			len(port.Nets))
	}
	r.words = len(x) / len(r.in)
	clock, err := n.Pipeline()
	if clock == nil || err != nil {
		return r, err
	}
	r.stages, r.ones = clock.Stages, slices.Concat(cells.Ports["ce"], cells.Ports["in_valid"])
	for _, v := range cells.Ports["clk"] {
		r.clock = v
	}
	return r, nil
}

// clocked returns the clocks of a simulation. The first samples come again behind the last ones, which are still in the
// pipeline.
func (r *powerRun) clocked() liberty.Clocked {
	samples := len(r.classes)
	return liberty.Clocked{Clock: r.clock, Clocks: samples + r.stages, Skip: r.stages, In: r.give, Out: r.compare}
}

// give sets the inputs of a clock.
func (r *powerRun) give(clock int, value []bool) {
	i := clock % len(r.classes)
	for b, v := range r.in {
		if v >= 0 {
			value[v] = r.x[b*r.words+i/64]>>(i%64)&1 == 1
		}
	}
	for _, v := range r.ones {
		if v >= 0 {
			value[v] = true
		}
	}
}

// compare compares the class of the sample that leaves the pipeline.
func (r *powerRun) compare(clock int, value []bool) {
	i := clock - r.stages
	if i < 0 || r.err != nil {
		return
	}
	r.err = r.ctx.Err()
	for b, v := range r.class {
		one := v == synth.ConstantOne || v >= 0 && value[v]
		if one != (r.classes[i]>>b&1 == 1) {
			r.err = message.WithHint(fmt.Errorf("the netlist of cells has another class for sample %d than the design", i),
				"find the fault with verify {Liberty FILE.lib}, or synthesise the folder again")
		}
	}
}
