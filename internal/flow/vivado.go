// This file runs Vivado, which places and routes a synthesised netlist, for Xilinx 7.
//
// The script for Vivado also makes the bitstream, and writes a report in the format of nextpnr's report. Script and
// arguments follow Vivado's documentation (UG835, UG904, UG912). They were never run in Vivado. The tests run the
// script in a Tcl shell that only knows the names of Vivado's commands.

package flow

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// VivadoProgram is the name of Vivado's program, for [tool.Find].
const VivadoProgram = "vivado"

//go:embed place.tcl
var script []byte

// These are the names of the files in Dir that Vivado reads in addition to the netlist.
const (
	vivadoScript = "place.tcl"
	pinsName     = "pins.xdc" // a copy, because the original name may mean something in Tcl
)

// Vivado places and routes a netlist, which is a file in Dir, and makes its bitstream. It returns an error if
// an option is not valid, a [*tool.MissingError] if Vivado is missing, and a [*tool.FailedError] if the design
// does not fit or is not routed.
func Vivado(ctx context.Context, o PlaceOptions) (*Result, error) {
	if err := check(o); err != nil {
		return nil, err
	}
	t, err := tool.Find(VivadoProgram)
	if err != nil {
		return nil, err
	}
	if err := prepare(o); err != nil {
		return nil, err
	}
	name := nameOf(o)
	log := filepath.Join(o.Dir, name+".vivado.log")
	run, err := t.Run(ctx, tool.Command{Args: vivadoArgs(o, name), Dir: o.Dir, Limit: PlaceLimit, Log: log})
	if err != nil {
		return nil, err
	}
	r := &Result{
		Seed: o.Seed, CPU: run.CPU, Bits: filepath.Join(o.Dir, name+".bit"), Log: log,
		Tool: t.Version(ctx),
	}
	if err := r.ReadReport(filepath.Join(o.Dir, name+".report.json")); err != nil {
		return nil, run.Failed("no report: "+err.Error(), err)
	}
	return r, nil
}

// PrepareVivado writes the files that [Vivado] needs in addition to the netlist. It returns the command that runs
// Vivado in this folder, for use on a machine that has Vivado.
func PrepareVivado(o PlaceOptions) (command string, err error) {
	if err := check(o); err != nil {
		return "", err
	}
	return VivadoProgram + " " + strings.Join(vivadoArgs(o, nameOf(o)), " "), prepare(o)
}

func check(o PlaceOptions) error {
	if p := o.Device.Placement(); p == nil || p.Placer != target.Vivado {
		return fmt.Errorf("vivado: target %q: there is no device of Xilinx 7 to place a design on", o.Device.Name)
	}
	return o.Check()
}

// nameOf returns the prefix of the files that Vivado writes.
func nameOf(o PlaceOptions) string { return fmt.Sprintf("seed%d", o.Seed) }

// prepare writes the script and the pins into the folder.
func prepare(o PlaceOptions) error {
	if o.Pins != "" {
		text, err := os.ReadFile(o.Pins)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(o.Dir, pinsName), text, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(o.Dir, vivadoScript), script, 0o666)
}

// vivadoArgs returns the arguments, with the script's arguments at the end. The arguments turn Vivado's own log off,
// because we write the log.
func vivadoArgs(o PlaceOptions, name string) []string {
	aim := "clock"
	if o.Wires {
		aim = "wires"
	}
	period := strconv.FormatFloat(1000/o.MHz, 'f', 3, 64) // in ns, with three decimals
	args := []string{
		"-mode", "batch", "-nojournal", "-nolog", "-source", vivadoScript,
		"-tclargs", name, filepath.Base(o.Netlist), o.Module, o.Device.Part, period, aim,
	}
	if o.Pins != "" {
		args = append(args, pinsName)
	}
	return args
}
