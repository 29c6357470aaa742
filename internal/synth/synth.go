// Package synth turns emitted Verilog into a bitstream for a device. It runs yosys, then nextpnr with one or more
// seeds, or Vivado, and then makes the bitstream.
//
// [Run] writes all results, including logs, into a folder with the target's name. It first makes the results in a
// temporary folder next to the final folder, and renames this folder when everything is complete. So an error or an
// interruption leaves an earlier result unchanged. If no installed program can place a design for the target, the
// results include only yosys's netlist, and the report says why.
package synth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"ialgn/internal/flow"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// Options says what to synthesise, and how.
type Options struct {
	Device   target.Device
	Module   string        // the top module, after which the results are named
	Sources  []string      // Verilog files
	Dir      string        // folder in which a folder for each target is made
	MHz      float64       // clock frequency to aim at
	Seeds    []int         // seeds for nextpnr, at least one; Vivado always has the seed 1
	Pins     string        // file of pins; if empty, nextpnr chooses the pins
	Aim      Aim           // aim of placement; if empty, it depends on the estimate of the wiring
	Parallel int           // number of nextpnr processes at a time
	Memories []Memory      // memories that files fill; without them and Buffers, no memory cells are allowed
	Buffers  bool          // whether the design may have memories that no file fills
	Reuse    string        // folder with the results of a design that differs only in its memories, or empty
	Manifest string        // SHA-256 of the compiled folder's manifest, for the report
	Gates    bool          // whether the network's Verilog consists of gates, which yosys maps
	Liberty  string        // Liberty file of a target with standard cells; empty for other targets
	Guard    outfile.Guard // says which files in the target's folder may be replaced

	// Note is called with texts about the progress, and Warn with problems that do not end the run. Either may be
	// nil. They are called by one goroutine at a time.
	Note func(text string)
	Warn func(error)

	cells *flow.Liberty // the content of the Liberty file
}

// Run synthesises a design, places it if possible, and writes Dir/TARGET. If a program fails, it returns an error of
// package tool and keeps the program's log in Dir/TARGET.failed. It returns an error with a hint if the device has
// too little room.
func Run(ctx context.Context, o Options) (*Report, error) {
	begin := time.Now()
	if err := o.checkSeeds(); err != nil {
		return nil, err
	}
	if err := o.checkLiberty(); err != nil {
		return nil, err
	}
	if err := o.checkFolder(); err != nil {
		return nil, err
	}
	s, err := newStage(o.Dir, o.Device.Name)
	if err != nil {
		return nil, err
	}
	defer s.release()
	produce := o.run
	if o.Reuse != "" {
		produce = o.reuse
	}
	r, err := produce(ctx, s.dir)
	if err != nil {
		return nil, s.fail(err)
	}
	r.Dir = filepath.Join(o.Dir, o.Device.Name)
	if r.Bitstream != "" {
		r.Bitstream = filepath.Join(r.Dir, filepath.Base(r.Bitstream))
	}
	r.Seconds = time.Since(begin).Seconds()
	if err := s.writeReport(r); err != nil {
		return nil, s.fail(err)
	}
	return r, s.install()
}

// checkSeeds returns an error for an empty list of seeds, unless a placement is reused. For placers without
// seeds, the list must be the seed 1.
func (o Options) checkSeeds() error {
	if len(o.Seeds) == 0 && o.Reuse == "" {
		return errors.New("synth: no seeds, give at least one")
	}
	d := o.Device
	if p := d.Placement(); p != nil && p.Seedless && !slices.Equal(o.Seeds, []int{1}) {
		return message.WithHint(fmt.Errorf("synth: %s for %s uses no random numbers, so seeds have no effect",
			placers[p.Placer].name, d.Name),
			"leave {Seed} and {Seeds} out")
	}
	return nil
}

// run makes all results in folder dir.
func (o Options) run(ctx context.Context, dir string) (*Report, error) {
	if o.Liberty != "" {
		var err error
		if o.cells, err = readLiberty(o.Liberty); err != nil {
			return nil, err
		}
	}
	o.note("yosys: synthesising " + o.Module + " for " + o.Device.Name)
	y, err := o.synthesise(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Target: o.Device.Name, Module: o.Module, Device: o.Device, MHz: o.MHz, Manifest: o.Manifest,
		Synthesis: y, Tools: map[string]string{"synthesis": y.Tool},
	}
	if o.cells != nil {
		r.NotPlaced = unplaceable(o)
		return r, r.measure(y, o.cells, o.Liberty)
	}
	if err := r.count(y); err != nil {
		return nil, err
	}
	if err := r.fits(); err != nil {
		return nil, err
	}
	if o.Device.Placeable() {
		r.Aim = cmp.Or(o.Aim, r.Estimate.aim())
	}
	if r.Estimate != nil {
		o.judge(r)
	}
	if r.NotPlaced = unplaceable(o); r.NotPlaced != "" {
		r.Command, err = o.prepare(r.Aim, y.Vendor, dir)
		return r, err
	}
	if r.Runs, err = o.placeAll(ctx, r.Aim, cmp.Or(y.Vendor, y.JSON), dir); err != nil {
		return nil, err
	}
	best := r.choose()
	if best == nil {
		return nil, noRoute(r.Runs)
	}
	r.Tools["place and route"] = best.Tool
	o.note("packing the bitstream of seed " + fmt.Sprint(best.Result.Seed))
	return r, o.bitstream(ctx, r, best, dir)
}

// longSynthesis is the time after which a warning says that yosys takes long.
var longSynthesis = 3 * time.Minute

// synthesise runs yosys, which synthesises the design. It warns if the design consists of gates and yosys takes long
// to map them.
func (o Options) synthesise(ctx context.Context, dir string) (*flow.YosysResult, error) {
	if !o.Gates || o.cells != nil {
		return flow.Yosys(ctx, o.yosys(dir))
	}
	warned := make(chan struct{})
	timer := time.AfterFunc(longSynthesis, func() {
		defer close(warned)
		o.warn(message.Optionf("yosys has mapped the gates of %s for %.0f minutes; wide nodes can take much "+
			"longer: compile with {Target %s} {Style lut}", o.Module, longSynthesis.Minutes(), o.Device.Of()))
	})
	y, err := flow.Yosys(ctx, o.yosys(dir))
	if !timer.Stop() {
		<-warned // wait, so that no two goroutines warn at the same time
	}
	return y, err
}

// judge reports an estimate of the wiring, and whether the design is likely to be routed.
func (o Options) judge(r *Report) {
	e := r.Estimate
	e.Route = e.verdict(r.Aim)
	o.note(fmt.Sprintf("estimate: %d LUTs, %d flip-flops, %d carries in %d of %d logic cells (%.0f %%), %s",
		e.LUTs, e.FFs, e.Carries, e.Cells, o.Device.LUTs, 100*e.Share, e.Route))
	if e.Route != Will {
		o.warn(message.Optionf("%s has many wires for %s: choose a larger target, compile with {Fold 1}, or train a model "+
			"of fewer or shorter chains",
			r.Module, o.Device.Name))
	}
	if r.Aim == ForWires {
		o.note("placing for short wires instead of the clock")
	}
}

func (o Options) note(text string) {
	if o.Note != nil {
		o.Note(text)
	}
}

func (o Options) warn(err error) {
	if o.Warn != nil {
		o.Warn(err)
	}
}

// yosys returns the options for yosys.
func (o Options) yosys(dir string) flow.YosysOptions {
	y := flow.YosysOptions{
		Module: o.Module, Sources: o.Sources, Target: o.Device.Of(), Dir: dir, Place: true, Buffers: o.Buffers,
		Liberty: o.cells,
	}
	if p := o.Device.Placement(); p != nil {
		y.Vendor = p.Placer == target.Vivado
	}
	for _, m := range o.Memories {
		y.Memories = append(y.Memories, flow.YosysMemory{Name: m.Name, Text: o.synthesised(m)})
	}
	if y.Target.Synthesis.Library == "" && o.cells == nil {
		y.LUT = o.Device.LUTInputs
	}
	return y
}

// fits returns an error if the design needs more than the device has, because nextpnr would take minutes to find this
// out.
func (r *Report) fits() error {
	d := r.Device
	if !d.Placeable() {
		return nil
	}
	if r.Pins > d.Pins {
		return message.WithHint(fmt.Errorf("%s: its ports have %s, but %s in the package %s has %d pins",
			r.Module, message.Plural(r.Pins, "bit", "bits"), d.Name, d.Package, d.Pins),
			"compile with {Wrap stream}, which reads a sample word by word")
	}
	needs := []struct {
		what      string
		need, has int
	}{
		{"LUTs", r.LUTs, d.LUTs},
		{"carries", r.Carries, d.Carries},
		{"flip-flops", r.FFs, d.FlipFlops},
		{"bits of block RAM", r.RAM, d.BlockRAM},
	}
	if e := r.Estimate; e != nil {
		needs[0].what, needs[0].need = "logic cells", e.Cells // a logic cell has a LUT, a carry and a flip-flop
	}
	for _, c := range needs {
		if c.need > c.has {
			err := roomless{
				fmt.Errorf("%s: needs %d %s, but %s has %d", r.Module, c.need, c.what, d.Name, c.has),
				float64(c.need) / float64(max(c.has, 1)),
			}
			return message.WithHint(err,
				"choose a larger target, compile with {Fold 1}, or train a model of fewer or shorter chains")
		}
	}
	return nil
}

// noRoute returns the error to report if all runs failed. This is the error of the first run, and it names the log of
// this run.
func noRoute(runs []Placed) error {
	err := runs[0].err
	var failed *tool.FailedError
	if len(runs) > 1 && errors.As(err, &failed) {
		failed.Reason = fmt.Sprintf("none of %d seeds was placed and routed, the first: %s", len(runs), failed.Reason)
	}
	return roomless{err, 0}
}

// ErrNoRoom is wrapped by errors about designs that do not fit on a device or were not routed on the device.
var ErrNoRoom = errors.New("no room on the device")

// roomless is an error that wraps its cause and ErrNoRoom. It has the text of its cause.
type roomless struct {
	error
	over float64
}

// Over returns how many times the device's capacity the design needs. It is 0 if there is another reason why the
// design has no room.
func (r roomless) Over() float64 { return r.over }

// Unwrap returns the cause and ErrNoRoom.
func (r roomless) Unwrap() []error { return []error{r.error, ErrNoRoom} }
