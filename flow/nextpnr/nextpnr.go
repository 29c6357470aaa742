// Package nextpnr has a synthesised netlist placed and routed by nextpnr, for iCE40 and ECP5.
//
// [Place] runs it once, with a seed, in a folder of the caller's, and reads its report: the
// clock that the routed design takes, the cells that it has, the path that decides the clock,
// by the names of our nets, and on which cells of the die the ports are. The log is kept. A
// design that does not fit, or does not route, is an error of package tool with that log; one
// that is slower than was asked for is a result.
package nextpnr

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"ialgn/flow/device"
	"ialgn/internal/tool"
)

// Options says what to place and where.
type Options struct {
	Device  device.Device
	Module  string  // the top module
	Netlist string  // of yosys, as JSON
	Dir     string  // a folder for all that is written, under names that begin with seedN
	Seed    int     // of the random numbers; the same seed gives the same bytes
	MHz     float64 // of the clock that is aimed at
	Pins    string  // file of pins (.pcf, .lpf); ports that it leaves out are placed freely. Empty: all are
	Wires   bool    // place for short wires alone, not for the clock

	// Limit bounds the time; 0: half an hour.
	Limit time.Duration
}

// Result is what came of it.
type Result struct {
	Seed     int     `json:"seed"`
	Fmax     float64 `json:"fmax_mhz,omitempty"` // after routing; 0: the design has no clock
	Cells    []Use   `json:"utilization"`        // of the device, in the order of their names
	LUTs     int     `json:"luts,omitempty"`     // as nextpnr packs them; of iCE40 alone
	Carries  int     `json:"carries,omitempty"`  // with those that begin and end chains
	FFs      int     `json:"ffs,omitempty"`
	Critical Path    `json:"critical_path"`
	CPU      float64 `json:"cpu_seconds"`

	Bits string `json:"-"` // the configuration as text, a file in Dir
	Pads []Pad  `json:"-"` // of the ports; of iCE40 alone
	Log  string `json:"-"`
	Tool string `json:"-"` // nextpnr's version
}

// Use is how many cells of a kind there are.
type Use struct {
	Cell      string `json:"cell"` // nextpnr's name of the kind, such as ICESTORM_LC
	Used      int    `json:"used"`
	Available int    `json:"available"`
}

// Used returns how many cells of a kind the design has, 0 if the device has none.
func (r *Result) Used(cell string) int {
	for _, u := range r.Cells {
		if u.Cell == cell {
			return u.Used
		}
	}
	return 0
}

const defaultLimit = 30 * time.Minute

// Program returns the name of the program that places designs on a device, for [tool.Find],
// "" if none does.
func Program(d device.Device) string {
	switch {
	case !d.Placeable():
		return ""
	case d.Family == device.ICE40:
		return "nextpnr-ice40"
	case d.Family == device.ECP5:
		return "nextpnr-ecp5"
	}
	return ""
}

// Place places and routes a netlist. It returns an error if an option has no meaning, a
// [*tool.MissingError] without nextpnr, and a [*tool.FailedError] if the design does not fit
// or does not route.
func Place(ctx context.Context, o Options) (*Result, error) {
	program := Program(o.Device)
	switch {
	case program == "":
		return nil, fmt.Errorf("nextpnr: target %q: there is no device to place a design on", o.Device.Name)
	case !(o.MHz > 0) || math.IsInf(o.MHz, 0):
		return nil, fmt.Errorf("nextpnr: a clock of %v MHz: must be positive", o.MHz)
	}
	t, err := tool.Find(program)
	if err != nil {
		return nil, err
	}
	f := o.files()
	c := tool.Command{Args: o.args(f), Dir: o.Dir, Limit: cmp.Or(o.Limit, defaultLimit), Log: f.log}
	run, err := t.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &Result{Seed: o.Seed, CPU: run.CPU, Bits: f.bits, Log: f.log, Tool: t.Version(ctx)}
	if err := r.readReport(f.report); err != nil {
		return nil, run.Failed("no report: "+err.Error(), err)
	}
	if o.Device.Family != device.ICE40 {
		return r, nil
	}
	if err := r.readPacking(run.Stderr); err != nil {
		return nil, run.Failed(err.Error(), err)
	}
	if err := r.readPlaced(f.placed); err != nil {
		return nil, run.Failed("no placed netlist: "+err.Error(), err)
	}
	return r, os.Remove(f.placed) // of some megabytes, and said in less
}

// files are what a run writes.
type files struct{ bits, report, placed, log string }

func (o Options) files() files {
	at := func(suffix string) string { return filepath.Join(o.Dir, fmt.Sprintf("seed%d%s", o.Seed, suffix)) }
	bits := ".asc"
	if o.Device.Family == device.ECP5 {
		bits = ".config"
	}
	return files{bits: at(bits), report: at(".report.json"), placed: at(".placed.json"), log: at(".nextpnr.log")}
}

// args returns the arguments, files by names within Dir where they are there.
func (o Options) args(f files) []string {
	args := []string{
		"--" + o.Device.Die, "--package", o.Device.Package, "--top", o.Module, "--json", absolute(o.Netlist),
		"--report", filepath.Base(f.report), "--seed", strconv.Itoa(o.Seed),
		"--freq", strconv.FormatFloat(o.MHz, 'f', -1, 64), "--timing-allow-fail",
	}
	if o.Wires {
		args = append(args, "--no-tmdriv")
	}
	if o.Device.Family == device.ECP5 {
		args = append(args, "--textcfg", filepath.Base(f.bits), "--lpf-allow-unconstrained")
		if o.Pins != "" {
			args = append(args, "--lpf", absolute(o.Pins))
		}
		return args
	}
	args = append(args, "--asc", filepath.Base(f.bits), "--write", filepath.Base(f.placed))
	if o.Pins != "" {
		args = append(args, "--pcf", absolute(o.Pins), "--pcf-allow-unconstrained")
	}
	return args
}

// absolute returns a path that holds in any folder.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// The lines of the log that say how iCE40's logic cells are used.
var (
	lutOnly = regexp.MustCompile(`(?m)^Info: +(\d+) LCs used as LUT4 only$`)
	lutFF   = regexp.MustCompile(`(?m)^Info: +(\d+) LCs used as LUT4 and DFF$`)
	ffOnly  = regexp.MustCompile(`(?m)^Info: +(\d+) LCs used as DFF only$`)
)

func (r *Result) readPacking(log string) error {
	var n [3]int
	for i, line := range []*regexp.Regexp{lutOnly, lutFF, ffOnly} {
		m := line.FindStringSubmatch(log)
		if m == nil {
			return fmt.Errorf("no line %s", line)
		}
		n[i], _ = strconv.Atoi(m[1]) // digits
	}
	r.LUTs, r.FFs = n[0]+n[1], n[1]+n[2]
	return nil
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
