// This file runs nextpnr, which places and routes a synthesised netlist, for iCE40, ECP5 and Gowin.
//
// [Nextpnr] runs nextpnr once, with a seed, and reads its report. For iCE40 it also reads the positions of the ports
// on the die.

package flow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// Nextpnr places and routes a netlist. It returns an error if an option is not valid, a [*tool.MissingError] if
// nextpnr is missing, and a [*tool.FailedError] if the design does not fit or is not routed.
func Nextpnr(ctx context.Context, o PlaceOptions) (*Result, error) {
	p := o.Device.Placement()
	if p == nil || p.Placer != target.Nextpnr {
		return nil, fmt.Errorf("nextpnr: target %q: there is no device to place a design on", o.Device.Name)
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	t, err := tool.Find(p.Program)
	if err != nil {
		return nil, err
	}
	f := newFiles(o, p)
	c := tool.Command{Args: nextpnrArgs(o, p, f), Dir: o.Dir, Limit: PlaceLimit, Log: f.log, Line: follow(ctx)}
	run, err := t.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &Result{Seed: o.Seed, CPU: run.CPU, Bits: f.bits, Log: f.log, Tool: t.Version(ctx)}
	if err := r.ReadReport(f.report); err != nil {
		return nil, run.Failed("no report: "+err.Error(), err)
	}
	if !p.Icestorm {
		return r, nil
	}
	if err := readPacking(r, run.Stderr); err != nil {
		return nil, run.Failed(err.Error(), err)
	}
	if err := readPlaced(r, f.placed); err != nil {
		return nil, run.Failed("no placed netlist: "+err.Error(), err)
	}
	return r, os.Remove(f.placed) // the file is several megabytes long, and its data are in the result
}

// files holds the paths of the files that a run writes.
type files struct{ bits, report, placed, log string }

func newFiles(o PlaceOptions, p *target.Placement) files {
	at := func(suffix string) string { return filepath.Join(o.Dir, fmt.Sprintf("seed%d%s", o.Seed, suffix)) }
	return files{bits: at(p.Routed), report: at(".report.json"), placed: at(".placed.json"), log: at(".nextpnr.log")}
}

// nextpnrArgs returns the arguments of the program. Paths of output files are relative to Dir, and paths of input
// files are absolute.
func nextpnrArgs(o PlaceOptions, p *target.Placement, f files) []string {
	args := append(p.Arguments(o.Device),
		"--top", o.Module, "--json", absolute(o.Netlist), "--report", filepath.Base(f.report), "--seed", strconv.Itoa(o.Seed),
		"--freq", strconv.FormatFloat(o.MHz, 'f', -1, 64), "--timing-allow-fail")
	if o.Wires {
		args = append(args, "--no-tmdriv")
	}
	args = append(args, p.Output(filepath.Base(f.bits), filepath.Base(f.placed))...)
	if o.Pins != "" {
		args = append(args, p.Pins(absolute(o.Pins))...)
	}
	return args
}

// absolute returns an absolute path, which is valid in any folder.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// These expressions match the lines of the log that give the numbers of logic cells in use on an iCE40.
var (
	lutOnly = regexp.MustCompile(`(?m)^Info: +(\d+) LCs used as LUT4 only$`)
	lutFF   = regexp.MustCompile(`(?m)^Info: +(\d+) LCs used as LUT4 and DFF$`)
	ffOnly  = regexp.MustCompile(`(?m)^Info: +(\d+) LCs used as DFF only$`)
)

func readPacking(r *Result, log string) error {
	var n [3]int
	for i, line := range []*regexp.Regexp{lutOnly, lutFF, ffOnly} {
		m := line.FindStringSubmatch(log)
		if m == nil {
			return fmt.Errorf("no line %s", line)
		}
		n[i], _ = strconv.Atoi(m[1]) // the match has only digits
	}
	r.LUTs, r.FFs = n[0]+n[1], n[1]+n[2]
	return nil
}
