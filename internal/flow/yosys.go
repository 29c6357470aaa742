// This file drives yosys, which synthesises emitted Verilog. Callers want the netlist to
// simulate it, to prove it equal, or to place it.
//
// [Yosys] runs a script in a folder of the caller's, in which all files have names of our
// own, so that no path or name from outside is part of a command. The Verilog must be what this
// program means to write: without latches, and without memories but where files fill some, every
// wire driven once; and the result
// without an unknown value. What is not is an error of package tool, with yosys's log.

package flow

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ialgn/internal/progress"
	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// YosysOptions says what to synthesise.
type YosysOptions struct {
	Module  string         // the top module, a simple identifier
	Sources []string       // Verilog files
	Target  *target.Family // nil: [target.Generic]
	LUT     int            // without a family: map to LUTs with this number of inputs, 2 to 6; 0: to gates
	Dir     string         // an empty folder for all that is written
	Place   bool           // write the netlist for nextpnr, too
	Vendor  bool           // write the netlist with each unknown value 0, too, as a vendor's tool takes it
	// Memories are files that the design's $readmemh reads. Without any, and without Buffers, it may have no memory.
	Memories []YosysMemory
	Buffers  bool // the design has memories that no file fills

	// Limit bounds the time; 0: an hour.
	Limit time.Duration
}

// YosysMemory is a file that fills a memory.
type YosysMemory struct {
	Name string // without a folder
	Text []byte
}

// YosysResult is what came of it.
type YosysResult struct {
	Netlist string         `json:"-"`     // the synthesised netlist as Verilog, a file in Dir
	JSON    string         `json:"-"`     // the same as nextpnr reads it, with Place
	Vendor  string         `json:"-"`     // the same as Verilog for a vendor's tool, with Vendor
	Library Library        `json:"-"`     // models of the netlist's cells
	Cells   map[string]int `json:"cells"` // how many of each type
	Tool    string         `json:"tool"`  // yosys's version
	CPU     float64        `json:"cpu_seconds"`
}

// Library is a target's cells as yosys's own Verilog, for simulators. That of the target
// generic is empty: its netlists are plain Verilog.
type Library struct {
	Files    []string
	Includes []string // folders of what these include
	Defines  []string // macros that the files need
	Read     string   // the command by which yosys reads them as a design
}

// The files in Dir.
const (
	yosysScript = "synth.ys"
	unknownName = "unknown.v" // the netlist before unknown values become 0
	logName     = "yosys.log"
	statName    = "stat.json"
	netlistName = "netlist.v"
	jsonName    = "netlist.json"
	vendorName  = "vendor.v"
)

const defaultLimit = time.Hour

// Yosys synthesises Verilog. It returns an error if an option has no meaning, a
// [*tool.MissingError] without yosys, and a [*tool.FailedError] if yosys did not come to a
// netlist that is sound as the package says.
func Yosys(ctx context.Context, o YosysOptions) (*YosysResult, error) {
	script, err := o.script()
	if err != nil {
		return nil, err
	}
	t, err := tool.Find("yosys")
	if err != nil {
		return nil, err
	}
	if err := o.prepare(script); err != nil {
		return nil, err
	}
	c := tool.Command{
		Args: []string{"-Q", "-s", yosysScript}, Dir: o.Dir,
		Limit: cmp.Or(o.Limit, defaultLimit), Log: filepath.Join(o.Dir, logName),
	}
	ctx, end := progress.Begin(ctx, "yosys")
	defer end()
	progress.Say(ctx, "synthesising %s", o.Module)
	run, err := t.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &YosysResult{Netlist: filepath.Join(o.Dir, netlistName), Tool: t.Version(ctx), CPU: run.CPU}
	if o.Place {
		r.JSON = filepath.Join(o.Dir, jsonName)
	}
	if o.Vendor {
		r.Vendor = filepath.Join(o.Dir, vendorName)
	}
	if r.Library, err = findLibrary(o.Target.OrGeneric(), t.Path); err != nil {
		return nil, err
	}
	if err := o.checkKnown(); err != nil {
		return nil, run.Failed(err.Error(), err)
	}
	if r.Cells, err = readStat(filepath.Join(o.Dir, statName)); err != nil {
		return nil, run.Failed("no count of cells: "+err.Error(), err)
	}
	return r, nil
}

// prepare writes the script and copies of the sources into the folder.
func (o YosysOptions) prepare(script string) error {
	for i, path := range o.Sources {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(o.Dir, sourceName(i)), text, 0o666); err != nil {
			return err
		}
	}
	for _, m := range o.Memories {
		if err := os.WriteFile(filepath.Join(o.Dir, m.Name), m.Text, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(o.Dir, yosysScript), []byte(script), 0o666)
}

func sourceName(i int) string { return fmt.Sprintf("source%d.v", i) }

// beforeZeroes runs a command in two parts, and writes the netlist between them: a copy, of which
// the wires go as those of the whole do in the end.
const beforeZeroes = `%[1]s -run :%[2]s
design -push-copy
splitnets
opt_clean -purge
write_verilog -noattr %[3]s
design -pop
%[1]s -run %[2]s:`

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

var memoryName = regexp.MustCompile(`^[A-Za-z0-9_]+\.hex$`)

// script returns the commands for yosys. What is not to be in the design is looked for as soon
// as processes are gone: later a latch may have become something else. In the end the wires go
// that nothing reads: of a function's variables, yosys leaves unknown values there. A bit of a
// bus goes only once it is a wire of its own, which nextpnr would call by its index twice.
func (o YosysOptions) script() (string, error) {
	family := o.Target.OrGeneric().Synthesis
	switch {
	case !identifier.MatchString(o.Module):
		return "", fmt.Errorf("yosys: module %q: must be a simple identifier", o.Module)
	case len(o.Sources) == 0:
		return "", fmt.Errorf("yosys: no source files, give at least one")
	case o.LUT != 0 && (family.Library != "" || o.LUT < 2 || o.LUT > 6):
		return "", fmt.Errorf("yosys: LUTs of %d inputs for the target %q: only one without cells of its own has a "+
			"choice, from 2 to 6", o.LUT, o.Target)
	}
	for _, m := range o.Memories {
		if !memoryName.MatchString(m.Name) {
			return "", fmt.Errorf("yosys: memory %q: must be a plain name that ends in .hex", m.Name)
		}
	}
	var s strings.Builder
	for i := range o.Sources {
		fmt.Fprintf(&s, "read_verilog %s\n", sourceName(i))
	}
	command := family.Command
	if o.LUT > 0 {
		command += fmt.Sprintf(" -lut %d", o.LUT)
	}
	if family.Library != "" { // the primitives that the design itself may use
		fmt.Fprintf(&s, "read_verilog -lib +/%s/cells_sim.v\n", family.Library)
	}
	refused := "t:$dlatch* t:$adlatch* t:$sr* t:$tribuf"
	if len(o.Memories) == 0 && !o.Buffers {
		refused += " t:$mem*"
	}
	command += " -top " + o.Module
	if family.Zeroes != "" {
		command = fmt.Sprintf(beforeZeroes, command, family.Zeroes, unknownName)
	}
	fmt.Fprintf(&s, `hierarchy -check -top %[1]s
proc
check -assert
select -assert-none %[3]s
%[2]s
check -assert
opt_clean -purge
`, o.Module, command, refused)
	if o.Place {
		s.WriteString("write_json " + jsonName + "\nsplitnets\nopt_clean -purge\n")
	}
	fmt.Fprintf(&s, "tee -q -o %s stat -json\nwrite_verilog -noattr %s\n", statName, netlistName)
	if o.Vendor {
		s.WriteString("setundef -zero -params\nwrite_verilog -noattr " + vendorName + "\n")
	}
	return s.String(), nil
}

// Cells returns the cells of a target, for netlists of them that yosys did not write. It returns an
// error if an option has no meaning, and a [*tool.MissingError] without yosys.
func Cells(f *target.Family) (*Library, error) {
	t, err := tool.Find("yosys")
	if err != nil {
		return nil, err
	}
	l, err := findLibrary(f.OrGeneric(), t.Path)
	return &l, err
}

// findLibrary finds the cells of a family. yosys looks for its data beside its own program, and so
// do we.
func findLibrary(f *target.Family, program string) (Library, error) {
	s := f.Synthesis
	if s.Library == "" {
		return Library{}, nil
	}
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return Library{}, err
	}
	dir := filepath.Join(filepath.Dir(program), "..", "share", "yosys", s.Library)
	file := filepath.Join(dir, "cells_sim.v")
	if _, err := os.Stat(file); err != nil {
		return Library{}, fmt.Errorf("yosys: the cells of the target %s: %w; install yosys with its data", f, err)
	}
	read := "read_verilog -defer" // most of them are in no design, and block RAMs take minutes
	for _, name := range s.Defines {
		read += " -D " + name
	}
	read += fmt.Sprintf(" +/%s/cells_sim.v", s.Library)
	return Library{Files: []string{file}, Includes: []string{dir}, Defines: s.Defines, Read: read}, nil
}

var unknown = regexp.MustCompile(`[0-9]+'s?[bodh][0-9a-f_?]*[xz]`)

// noInit is a register that may begin with any value.
var noInit = regexp.MustCompile(`\.INIT\(1'hx\)`)

// instance is a cell with parameters.
var instance = regexp.MustCompile(`(?s)\n  \w+ #\(.*?\n  \);`)

// withoutRAM returns a netlist without its memories. Which of their pins and parameters mean anything
// depends on their form: yosys leaves the others unknown.
func withoutRAM(text []byte, f *target.Family) []byte {
	return instance.ReplaceAllFunc(text, func(cell []byte) []byte {
		name, _, _ := bytes.Cut(bytes.TrimSpace(cell), []byte(" "))
		if r := f.Takes(string(name)); r.RAMBits > 0 || r.LUTRAM > 0 {
			return nil
		}
		return cell
	})
}

// checkKnown refuses a netlist with unknown or floating values: what a synthesiser may choose
// at will is no proof of anything. A register may begin with one, and a memory has pins and
// words that need no value.
func (o YosysOptions) checkKnown() error {
	name := netlistName
	family := o.Target.OrGeneric()
	if family.Synthesis.Zeroes != "" {
		name = unknownName
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, name))
	if err != nil {
		return err
	}
	if at := unknown.Find(withoutRAM(noInit.ReplaceAll(text, nil), family)); at != nil {
		return fmt.Errorf("the netlist has an unknown value, %s", at)
	}
	return nil
}

// readStat reads how many cells of each type the design has.
func readStat(path string) (map[string]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var stat struct {
		Design struct {
			Cells map[string]int `json:"num_cells_by_type"`
		} `json:"design"`
	}
	if err := json.Unmarshal(text, &stat); err != nil {
		return nil, err
	}
	return stat.Design.Cells, nil
}
