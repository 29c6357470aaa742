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

// SynthOptions say how to implement a design on an FPGA or with the standard cells of a chip.
type SynthOptions struct {
	// Target is the device, one of [target.DeviceNames]. Empty: a device for the design's board or family, or
	// ice40-hx8k.
	Target  string
	MHz     float64 // target clock frequency; 0: the frequency of the design, its board or its serial line, or 48
	Seeds   []int   // seeds for placement; the fastest result is kept; empty: seed 1
	Place   string  // goal of placement: clock, wires, or auto (default), which chooses by an estimate of the wiring
	Pins    string  // a pin file; empty: the pins of the design's board, or pins that the placer chooses
	Liberty string  // the Liberty file of a chip's standard cells, for the target asic; it implies this target
	Reuse   string  // folder of another design with the same folded engine, to reuse its placement and routing

	// Check, if not nil, is the model with which the bitstream's content is compared. The comparison uses samples
	// from Data. Their number is Samples, or 100 if Samples is 0.
	Check   *Model
	Samples int
	Data    Data

	Force bool     // overwrite files that ialgn did not write
	Keep  []string // files that must not be overwritten

	// If Note is not nil, it is called with progress messages. If Warn is not nil, it is called with problems that do
	// not stop the synthesis.
	Note func(string)
	Warn func(error)
}

// Validate returns an error if options are invalid for any design.
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

// SynthesisFolder is the subfolder of a design's folder with the results. It has one folder for each target.
const SynthesisFolder = "synth"

// These are defaults for the device, the clock, and the number of samples to check. They apply if neither the design
// nor the options set the value.
const (
	usualDevice  = "ice40-hx8k"
	usualMHz     = 48
	usualChecked = 100
)

// Implementation is the result of [Synthesise]. The files are in DIR/synth/TARGET.
type Implementation struct {
	*synth.Report
	Cycles    float64   `json:"cycles,omitempty"`             // average clocks between samples (lower bound)
	Rate      float64   `json:"samples_per_second,omitempty"` // samples per second at the clock frequency of the result
	Latency   int       `json:"latency_cycles,omitempty"`     // see [backend.Report.Rate]
	LatencyNS float64   `json:"latency_ns,omitempty"`         // Latency in nanoseconds at the result's clock
	Hint      string    `json:"timing_hint,omitempty"`        // advice if the clock frequency was not reached
	Check     *BitCheck `json:"check,omitempty"`              // check of the bitstream; nil: not requested

	slow error // the error if the clock frequency was not reached or does not exist; nil: reached
}

// ErrSlow says that a routed design does not reach the requested clock frequency.
var ErrSlow = errors.New("was not reached")

// ErrUnplaced says that the design was not placed, so its clock frequency is unknown.
var ErrUnplaced = errors.New("the design was not placed, so there is no clock")

// ErrUnclocked says that no path of a routed design begins or ends at a register, so there is no clock frequency.
var ErrUnclocked = errors.New("no path begins or ends at a register, so there is no clock")

// ErrNoRoom says that the design does not fit into the device. The error of [Synthesise] then wraps ErrNoRoom.
var ErrNoRoom = synth.ErrNoRoom

// Timing returns nil if the requested clock frequency is reached. Otherwise it returns an error that wraps
// [ErrSlow], [ErrUnplaced] or [ErrUnclocked]. The error's [Hint] says what may help.
func (i *Implementation) Timing() error {
	if i.NotPlaced != "" && !i.timed() {
		return fmt.Errorf("%w: %s", ErrUnplaced, i.NotPlaced)
	}
	return i.slow
}

// Synthesise synthesises the Verilog in a design's folder, places and routes it with each seed, and makes a
// bitstream. If the design cannot be placed, for example because programs are missing, it is only synthesised, and
// [synth.Report.NotPlaced] gives the reason.
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
	if (r.NotPlaced == "" || i.timed()) && !r.Met {
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

// timed reports whether the delays of a chip's cells are known. Its wires are not placed.
func (i *Implementation) timed() bool { return i.Chip != nil && i.Chip.Untimed == "" }

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

// run derives the options of package synth from o and from the content of the folder.
func (o SynthOptions) run(ctx context.Context, d *Design, out *backend.Output) (r synth.Options, err error) {
	r = synth.Options{
		MHz: o.MHz, Pins: o.Pins, Liberty: o.Liberty, Seeds: o.Seeds, Note: o.Note, Warn: o.Warn,
		Guard:    guard(o.Force, o.Keep, o.Pins, o.Liberty),
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

// device returns the device to synthesise for. It is o.Target if set, else the device of the design's board, else the
// first device of the family for which the design was compiled.
func (o SynthOptions) device(p *plan.Plan) (target.Device, error) {
	if o.Target != "" {
		return target.FindDevice(o.Target)
	}
	if o.Liberty != "" {
		return target.ASIC.Devices[0], nil
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

// reason says, for a message, why [SynthOptions.device] chose the device.
func reason(p *plan.Plan) string {
	switch {
	case p.Board != nil:
		return "on the board " + p.Board.Name + " that it was compiled for"
	case p.Family() != "":
		return "the first target of the family that it was compiled for"
	}
	return "because neither an option nor the folder names a target"
}

// warnOfFamily warns if the LUTs in a folder were mapped for a family other than the device's family. The result is
// correct, but a mapping for the device's family would be smaller.
func (o SynthOptions) warnOfFamily(out *backend.Output, p *plan.Plan, d target.Device) {
	if family := cmp.Or(p.Family(), d.Family); family != d.Family && p.Style != verilog.LUTs && p.Lanes() == 0 {
		o.warn(message.Optionf("%s was compiled for %s, but is synthesised for %s: compile with {Target %s} to get LUTs "+
			"for this target",
			out.Dir, family, d.Name, d.Family))
	}
}

// onBoard sets the pins and the clock of the board for which a folder was compiled. It changes nothing if the options
// give other pins, or if designs for the device cannot be placed. It returns an error if the device or the clock does
// not match the board.
func (o SynthOptions) onBoard(out *backend.Output, b *wrapper.Board, r *synth.Options) (err error) {
	if b == nil || r.Pins != "" || !r.Device.Placeable() || o.Reuse != "" {
		return nil
	}
	if !carries(b, r.Device) {
		return message.WithHint(fmt.Errorf("%s: compiled for the board %s, but %s does not have the pins of the board",
			out.Dir, b.Name,
			r.Device.Name),
			"synthesise with {Target %s}, or give other pins with {Pins FILE}", boardTarget(b))
	}
	if err := b.CheckClock(r.MHz); err != nil {
		return message.WithHint(message.Optionf("{MHz} %w", err),
			"omit it, or give pins without a frequency with {Pins FILE}")
	}
	if r.Pins, err = out.Path("pins"); err != nil {
		return err
	}
	r.MHz = b.MHz()
	o.note("placing on the pins of the board %s, as %s says", b.Name, r.Pins)
	return nil
}

// warnOfPins warns if a design with an interface for a board is placed without a pin file. The bitstream then does
// not fit any board.
func (o SynthOptions) warnOfPins(p *plan.Plan, r synth.Options) {
	if r.Pins == "" && o.Reuse == "" && r.Device.Placeable() && wrapper.Boarded(p.Wrap) {
		o.warn(message.Optionf("no pins are given for the %s, so they are placed freely: for a board, compile with "+
			"{Board NAME}, or give {Pins FILE}", p.Wrap))
	}
}

// carries reports whether the board has this device.
func carries(b *wrapper.Board, d target.Device) bool {
	return d.Die == b.Device && d.Package == b.Package
}

// boardTarget returns the name of the board's device.
func boardTarget(b *wrapper.Board) string {
	for _, name := range target.DeviceNames() {
		if d, err := target.FindDevice(name); err == nil && carries(b, d) {
			return name
		}
	}
	panic("ialgn: the board " + b.Name + " has a device that is no target")
}

// sources returns the top module and the Verilog files of a compiled folder. If there is a wrapper, it is the top
// module.
func sources(out *backend.Output, p *plan.Plan, d target.Device) (top string, files []string, err error) {
	parts := len(out.Paths(backend.FoldPartOf)) > 0
	if p.Folded() && !parts {
		return foldSources(out, p, nil)
	}
	formats := []string{"verilog"}
	if p.Style == verilog.LUTs {
		family := p.Target().OrGeneric()
		if family != d.Of() {
			return "", nil, message.WithHint(fmt.Errorf("%s: compiled to primitives of %s, which %s does not have", out.Dir,
				family,
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

// paths returns the files of a compiled folder that have the given formats.
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

// checkPins returns an error if a pin file is given for a target without pins, or if the file does not exist.
func checkPins(r synth.Options) error {
	if r.Pins == "" {
		return nil
	}
	if !r.Device.Placeable() {
		return message.WithHint(message.Optionf("{Pins}: the target %s has no pins", r.Device.Name),
			"omit it, or choose a device")
	}
	if info, err := os.Stat(r.Pins); err != nil || info.IsDir() {
		return message.WithHint(message.Optionf("{Pins} %s: no such file", r.Pins),
			"write the file with a line `%s` for each port, or omit the option", r.Device.Of().Constraints.PinLine)
	}
	return nil
}

// parallel returns the number of goroutines and programs to run at once.
func parallel() int { return runtime.GOMAXPROCS(0) }
