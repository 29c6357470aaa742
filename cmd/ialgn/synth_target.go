package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/backend/verilog"
	"ialgn/target"
)

// usualDevice is what is synthesised for where neither the command line nor the folder says it.
const usualDevice = "ice40-hx8k"

// device returns what a folder is for: the device of its board, or the first of the family that it
// was compiled for.
func (p compilePlan) device() (target.Device, error) {
	family := p.family()
	for _, d := range target.Devices() {
		if p.board != nil && carries(p.board, d) || p.board == nil && family == d.Family && d.LUTInputs >= p.genericLUT() {
			return d, nil
		}
	}
	return target.FindDevice(usualDevice)
}

// family returns the family whose cells the folder is made for, "" if it is for any.
func (p compilePlan) family() string {
	t := p.target()
	if t == nil || t == target.Generic && p.style != verilog.LUTs {
		return ""
	}
	return t.Name
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
func warnOfFamily(c *cli.Context, out *artifact.Output, p compilePlan, d target.Device) {
	if family := cmp.Or(p.family(), d.Family); family != d.Family && p.style != verilog.LUTs && p.fold == 0 {
		warn(c, "%s was compiled for %s and is synthesised for %s: compile with --target %s to have its LUTs made for that", out.Dir, family, d.Name, d.Family)
	}
}
