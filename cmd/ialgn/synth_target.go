package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"ialgn/backend/verilog"
	"ialgn/compiler/folder"
	"ialgn/flow/device"
)

// usualDevice is what is synthesised for where neither the command line nor the folder says it.
const usualDevice = "ice40-hx8k"

// device returns what a folder is for: the device of its board, or the first of the family that it
// was compiled for.
func (p compilePlan) device() (device.Device, error) {
	family := p.family()
	for _, name := range device.Names() {
		d, err := device.Find(name)
		switch {
		case err != nil:
			return d, err
		case p.board != nil && carries(p.board, d), p.board == nil && family == d.Family && d.LUTInputs >= p.genericLUT():
			return d, nil
		}
	}
	return device.Find(usualDevice)
}

// family returns the family whose cells the folder is made for, "" if it is for any.
func (p compilePlan) family() string {
	if p.style != verilog.LUTs && p.target() == verilog.Generic {
		return ""
	}
	return string(p.target())
}

// reason says where a device comes from.
func (p compilePlan) reason() string {
	switch {
	case p.board != nil:
		return "on the board " + p.board.Name + " that it was compiled for"
	case p.family() != "":
		return "the first target of the family that it was compiled for"
	}
	return "as neither --target nor the folder says another"
}

// warnOfFamily warns of a folder whose LUTs were made for another family than it is synthesised
// for: nothing is wrong with it, but another mapping would be smaller.
func warnOfFamily(c *cli.Context, out *folder.Output, p compilePlan, d device.Device) {
	if family := cmp.Or(p.family(), d.Family); family != d.Family && p.style != verilog.LUTs && p.fold == 0 {
		warn(c, "%s was compiled for %s and is synthesised for %s: compile with --target %s to have its LUTs made for that", out.Dir, family, d.Name, d.Family)
	}
}
