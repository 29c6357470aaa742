// This file has a synthesised netlist placed and routed by Vivado, for Xilinx 7.
//
// The script that Vivado runs makes the bitstream, too, and writes a report in the form of
// nextpnr's. Script and arguments are by Vivado's documentation (UG835, UG904, UG912): tests run
// the script in a Tcl shell that knows Vivado's commands by name alone.

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

// VivadoProgram is Vivado's name, for [tool.Find].
const VivadoProgram = "vivado"

//go:embed place.tcl
var script []byte

// The files in Dir that Vivado reads in addition to the netlist.
const (
	vivadoScript = "place.tcl"
	pinsName     = "pins.xdc" // a copy: a name from outside may mean something in Tcl
)

// Vivado places and routes a netlist, a file in Dir, and makes its bitstream.
// It returns an error if an option has no meaning, a [*tool.MissingError] without Vivado, and a
// [*tool.FailedError] if the design does not fit or does not route.
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

// PrepareVivado writes into the folder what [Vivado] has Vivado read beside the netlist, and returns the
// command that runs it there, for a machine that has Vivado.
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

// nameOf begins the names of what Vivado writes.
func nameOf(o PlaceOptions) string { return fmt.Sprintf("seed%d", o.Seed) }

// prepare writes script and pins into the folder.
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

// vivadoArgs returns the arguments, those of the script last. The log is ours.
func vivadoArgs(o PlaceOptions, name string) []string {
	aim := "clock"
	if o.Wires {
		aim = "wires"
	}
	period := strconv.FormatFloat(1000/o.MHz, 'f', 3, 64) // period in ns, to the ps
	args := []string{
		"-mode", "batch", "-nojournal", "-nolog", "-source", vivadoScript,
		"-tclargs", name, filepath.Base(o.Netlist), o.Module, o.Device.Part, period, aim,
	}
	if o.Pins != "" {
		args = append(args, pinsName)
	}
	return args
}
