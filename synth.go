package ialgn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"ialgn/backend"
	"ialgn/internal/message"
	"ialgn/internal/plan"
	"ialgn/internal/synth"
	"ialgn/internal/target"
	"ialgn/internal/verify/certify"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
)

// SynthOptions say how a design is taken to a device.
type SynthOptions struct {
	// Target is the device, one of [target.DeviceNames]; empty: that of the design's board or family, or ice40-hx8k.
	Target string
	MHz    float64 // clock frequency to aim at; 0: that of the design, its board or its serial line, or 48
	Seeds  []int   // seeds for placement, of which the fastest result is kept; empty: seed 1
	Place  string  // what placement aims for: clock, wires, or auto (default): an estimate of the wiring decides
	Pins   string  // a file of pins; empty: those of the design's board, or as the program that places chooses
	Reuse  string  // folder of another design of the same folded engine, whose routing is taken

	// Check, unless nil, is the model with which the content of the bitstream is compared, on so many Samples (0: 100)
	// from Data.
	Check   *Model
	Samples int
	Data    Data

	Force bool     // write over files that ialgn did not write
	Keep  []string // files that must not be written over

	// Note, unless nil, is told what is being done, and Warn of what may be amiss though it goes on.
	Note func(string)
	Warn func(error)
}

// Validate returns an error for options that are wrong whatever the design.
func (o *SynthOptions) Validate() error {
	if o.Target != "" {
		if _, err := target.FindDevice(o.Target); err != nil {
			return message.Optionf("{Target}: %w", err)
		}
	}
	if _, err := synth.ParseAim(o.Place); err != nil {
		return message.Optionf("{Place}: %w", err)
	}
	if o.MHz != 0 {
		return plan.CheckMHz(o.MHz)
	}
	return nil
}

// SynthesisFolder is the folder in a design's that has a folder for each target.
const SynthesisFolder = "synth"

// What is synthesised for where nothing says it, the clock, and the samples.
const (
	usualDevice  = "ice40-hx8k"
	usualMHz     = 48
	usualChecked = 100
)

// Implementation is what came of a synthesis; DIR/synth/TARGET has its files.
type Implementation struct {
	*synth.Report
	Cycles    float64   `json:"cycles,omitempty"`             // clocks from one sample to the next, at least, on average
	Rate      float64   `json:"samples_per_second,omitempty"` // at the median clock from register to register
	Latency   int       `json:"latency_cycles,omitempty"`     // see [backend.Report.Rate]
	LatencyNS float64   `json:"latency_ns,omitempty"`         // at the same
	Hint      string    `json:"timing_hint,omitempty"`        // advice if the clock was not reached
	Check     *BitCheck `json:"check,omitempty"`              // check of the bitstream

	slow error // the clock is not reached, or there is none; nil: it is
}

// ErrSlow says that a routed design does not reach the clock that was aimed at.
var ErrSlow = errors.New("was not reached")

// ErrUnplaced says that nothing was placed, so that there is no clock to judge.
var ErrUnplaced = errors.New("nothing was placed, so there is no clock")

// ErrUnclocked says that no path of a routed design begins or ends at a register, so that there is no clock to judge.
var ErrUnclocked = errors.New("no path begins or ends at a register, so there is no clock")

// ErrNoRoom is wrapped by the errors of [Synthesise] for designs that the device has no room for.
var ErrNoRoom = synth.ErrNoRoom

// Timing returns nil if the clock that was aimed at is reached; else an error that wraps [ErrSlow], [ErrUnplaced] or
// [ErrUnclocked], whose [Hint] says what may help.
func (i *Implementation) Timing() error {
	if i.NotPlaced != "" {
		return fmt.Errorf("%w: %s", ErrUnplaced, i.NotPlaced)
	}
	return i.slow
}

// Synthesise synthesises the Verilog in a design's folder, places and routes it with each seed and makes a bitstream,
// where the programs for its target are installed; else [synth.Report.NotPlaced] says why not.
func Synthesise(ctx context.Context, d *Design, o SynthOptions) (*Implementation, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	out, err := d.output(ctx)
	if err != nil {
		return nil, err
	}
	run, err := o.run(ctx, d, out)
	if err != nil {
		return nil, err
	}
	var checker *bitChecker
	if o.Check != nil {
		if checker, err = newBitChecker(ctx, out, d.plan, o); err != nil {
			return nil, err
		}
	}
	r, err := synth.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	i := &Implementation{Report: r}
	if r.NotPlaced == "" && !r.Met {
		i.slow = tooSlow(d.plan, out, r)
		i.Hint = message.Hint(i.slow)
	}
	if errors.Is(i.slow, ErrSlow) {
		o.warn(i.slow)
	}
	i.Cycles, i.Latency = out.Report.Rate()
	if r.Fmax > 0 && i.Cycles > 0 {
		i.Rate = r.Fmax * 1e6 / i.Cycles
		i.LatencyNS = 1e3 / r.Fmax * float64(i.Latency)
	}
	if checker != nil {
		i.Check, err = checker.check(ctx, r, o)
	}
	return i, err
}

func (o SynthOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

func (o SynthOptions) warn(err error) {
	if o.Warn != nil {
		o.Warn(err)
	}
}

// run returns what is synthesised and how, by the options and by what the folder says.
func (o SynthOptions) run(ctx context.Context, d *Design, out *backend.Output) (r synth.Options, err error) {
	r = synth.Options{
		MHz: o.MHz, Pins: o.Pins, Guard: guard(o.Force, o.Keep, o.Pins), Seeds: o.Seeds, Note: o.Note,
		Warn:     o.Warn,
		Parallel: parallel(),
	}
	if len(r.Seeds) == 0 {
		r.Seeds = []int{1}
	}
	if r.Aim, err = synth.ParseAim(o.Place); err != nil {
		return r, err
	}
	if r.Device, err = o.device(d.plan); err != nil {
		return r, err
	}
	if err := checkPins(r); err != nil {
		return r, err
	}
	o.warnOfFamily(out, d.plan, r.Device)
	if err := o.onBoard(out, d.plan.Board, &r); err != nil {
		return r, err
	}
	r.Dir, r.Manifest = filepath.Join(out.Dir, SynthesisFolder), out.SHA256()
	o.warnOfPins(d.plan, r)
	r.MHz = cmp.Or(r.MHz, clockOf(d.plan))
	if r.Module, r.Sources, err = sources(out, d.plan, r.Device); err != nil {
		return r, err
	}
	r.Buffers = d.plan.Fold == plan.FoldPositions
	r.Gates = d.plan.Style == verilog.Gates && d.plan.Lanes() == 0
	if r.Memories, err = memories(out); err != nil {
		return r, err
	}
	r.Reuse, err = o.reused(ctx, out, r)
	return r, err
}

// device returns the device of the options, else what the design is for: the device of its board, or the first of the
// family that it was compiled for.
func (o SynthOptions) device(p *plan.Plan) (target.Device, error) {
	if o.Target != "" {
		return target.FindDevice(o.Target)
	}
	d, err := designDevice(p)
	if err == nil {
		o.note("for %s, %s", d.Name, reason(p))
	}
	return d, err
}

func designDevice(p *plan.Plan) (target.Device, error) {
	family := p.Family()
	for _, d := range target.Devices() {
		if p.Board != nil && carries(p.Board, d) || p.Board == nil && family == d.Family && d.LUTInputs >= p.GenericLUT() {
			return d, nil
		}
	}
	return target.FindDevice(usualDevice)
}

// reason says where a design's device comes from.
func reason(p *plan.Plan) string {
	switch {
	case p.Board != nil:
		return "on the board " + p.Board.Name + " that it was compiled for"
	case p.Family() != "":
		return "the first target of the family that it was compiled for"
	}
	return "as neither an option nor the folder says another"
}

// warnOfFamily warns of a folder whose LUTs were made for another family than it is synthesised for: nothing is wrong
// with it, but another mapping would be smaller.
func (o SynthOptions) warnOfFamily(out *backend.Output, p *plan.Plan, d target.Device) {
	if family := cmp.Or(p.Family(), d.Family); family != d.Family && p.Style != verilog.LUTs && p.Lanes() == 0 {
		o.warn(message.Optionf("%s was compiled for %s and is synthesised for %s: compile with {Target %s} to have its LUTs "+
			"made for that",
			out.Dir, family, d.Name, d.Family))
	}
}

// onBoard has a folder that was compiled for a board placed on the board's pins, for its clock, unless the options give
// other pins or nothing is placed. It returns an error if the target or the clock is not the board's.
func (o SynthOptions) onBoard(out *backend.Output, b *wrapper.Board, r *synth.Options) (err error) {
	if b == nil || r.Pins != "" || !r.Device.Placeable() || o.Reuse != "" {
		return nil
	}
	if !carries(b, r.Device) {
		return message.WithHint(fmt.Errorf("%s: compiled for the board %s, whose pins %s has not", out.Dir, b.Name,
			r.Device.Name),
			"synthesise with {Target %s}, or give other pins with {Pins FILE}", boardTarget(b))
	}
	if err := b.CheckClock(r.MHz); err != nil {
		return message.WithHint(message.Optionf("{MHz} %w", err),
			"leave it out, or give pins without a frequency with {Pins FILE}")
	}
	if r.Pins, err = out.Path("pins"); err != nil {
		return err
	}
	r.MHz = b.MHz()
	o.note("placing on the pins of the board %s, as %s says", b.Name, r.Pins)
	return nil
}

// warnOfPins warns of an interface for a board that is placed without a file of pins: its bitstream fits no board.
func (o SynthOptions) warnOfPins(p *plan.Plan, r synth.Options) {
	if r.Pins == "" && o.Reuse == "" && r.Device.Placeable() && wrapper.Boarded(p.Wrap) {
		o.warn(message.Optionf("nothing names the pins of the %s, so they are placed freely: for a board compile with "+
			"{Board NAME}, or give {Pins FILE}", p.Wrap))
	}
}

// carries reports whether a board has a device.
func carries(b *wrapper.Board, d target.Device) bool {
	return d.Die == b.Device && d.Package == b.Package
}

// boardTarget returns the target that is a board's device.
func boardTarget(b *wrapper.Board) string {
	for _, name := range target.DeviceNames() {
		if d, err := target.FindDevice(name); err == nil && carries(b, d) {
			return name
		}
	}
	panic("ialgn: the board " + b.Name + " has a device that is no target")
}

// sources returns the top module of a compiled folder, its wrapper's if it has one, and its Verilog.
func sources(out *backend.Output, p *plan.Plan, d target.Device) (top string, files []string, err error) {
	parts := len(out.Paths(backend.FoldPartOf)) > 0
	if p.Folded() && !parts {
		return foldSources(out, p, nil)
	}
	formats := []string{"verilog"}
	if p.Style == verilog.LUTs {
		family := p.Target().OrGeneric()
		if family != d.Of() {
			return "", nil, message.WithHint(fmt.Errorf("%s: compiled in primitives of %s, which %s has not", out.Dir, family,
				d.Name),
				"compile with {Target %s}, or with {Style gates}", d.Family)
		}
		switch {
		case parts && family.Modelled:
			return foldSources(out, p, []string{backend.FoldPartOf, backend.FoldCells})
		case family.Modelled:
			formats = append(formats, "cells")
		}
	}
	if parts {
		return foldSources(out, p, []string{backend.FoldPartOf})
	}
	top = out.Manifest.Module
	if p.Wrap != "" {
		top += "_" + p.Wrap
		formats[0] = certify.InnerFormat(out)
		formats = append(formats, p.Wrap)
	}
	files, err = paths(out, formats)
	return top, files, err
}

// paths returns the files of some formats in a compiled folder.
func paths(out *backend.Output, formats []string) (files []string, err error) {
	for _, f := range formats {
		path, err := out.Path(f)
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// checkPins refuses a file of pins for a target that has none, and one that is not there.
func checkPins(r synth.Options) error {
	if r.Pins == "" {
		return nil
	}
	if !r.Device.Placeable() {
		return message.WithHint(message.Optionf("{Pins}: the target %s has none", r.Device.Name),
			"leave it out, or choose a device")
	}
	if info, err := os.Stat(r.Pins); err != nil || info.IsDir() {
		return message.WithHint(message.Optionf("{Pins} %s: no such file", r.Pins),
			"write one with a line `%s` for each port, or leave the option out", r.Device.Of().Constraints.PinLine)
	}
	return nil
}

// parallel is how many goroutines and programs run at a time: as many as the process may.
func parallel() int { return runtime.GOMAXPROCS(0) }
