package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/backend/wrapper"
	"ialgn/flow/synth"
	"ialgn/internal/hint"
	"ialgn/target"
)

// onBoard has a folder that was compiled for a board placed on the board's pins, for its clock,
// unless --pins gives others or nothing is placed. It returns an error if the target or --freq
// is not the board's.
func onBoard(c *cli.Context, out *artifact.Output, b *wrapper.Board, o *synth.Options) (err error) {
	if b == nil || o.Pins != "" || !o.Device.Placeable() || c.String("reuse") != "" {
		return nil
	}
	if !carries(b, o.Device) {
		return hint.With(fmt.Errorf("%s: compiled for the board %s, whose pins %s has not", out.Dir, b.Name, o.Device.Name),
			"synthesise with %s, or give other pins with --pins FILE", boardTarget(b))
	}
	if err := b.CheckClock(o.MHz); err != nil {
		return hint.With(fmt.Errorf("--freq %w", err), "leave it out, or give pins without a frequency with --pins FILE")
	}
	if o.Pins, err = out.Path("pins"); err != nil {
		return err
	}
	o.MHz = b.MHz()
	note(c, "placing on the pins of the board %s, as %s says", b.Name, o.Pins)
	return nil
}

// carries reports whether a board has a device.
func carries(b *wrapper.Board, d target.Device) bool {
	return d.Die == b.Device && d.Package == b.Package
}

// boardTarget returns the option that names a board's device.
func boardTarget(b *wrapper.Board) string {
	for _, name := range target.DeviceNames() {
		if d, err := target.FindDevice(name); err == nil && carries(b, d) {
			return "--target " + name
		}
	}
	panic("synth: the board " + b.Name + " has a device that is no target")
}
