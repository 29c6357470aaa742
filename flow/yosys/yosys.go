// Package yosys has emitted Verilog synthesised by yosys, for whoever wants the netlist: to
// simulate it, to prove it equal, or to place it.
//
// [Synthesise] runs a script in a folder of the caller's, in which all files have names of our
// own, so that no path or name from outside is part of a command. The Verilog must be what this
// program means to write: without latches, and without memories but where files fill some, every
// wire driven once; and the result
// without an unknown value. What is not is an error of package tool, with yosys's log.
package yosys

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ialgn/internal/plural"
	"ialgn/internal/progress"
	"ialgn/internal/tool"
)

// Options says what to synthesise.
type Options struct {
	Module  string   // the top module, a simple identifier
	Sources []string // Verilog files
	Target  string   // one of [Targets]; empty: the first
	LUT     int      // of the target generic: map to LUTs of so many inputs, 2 to 6; 0: to gates
	Dir     string   // an empty folder for all that is written
	Place   bool     // write the netlist for nextpnr, too
	Vendor  bool     // write the netlist with each unknown value 0, too, as a vendor's tool takes it
	// Memories are files that the design's $readmemh reads. Without any it may have no memory.
	Memories []Memory

	// Limit bounds the time; 0: an hour.
	Limit time.Duration
}

// Memory is a file that fills a memory.
type Memory struct {
	Name string // without a folder
	Text []byte
}

// Result is what came of it.
type Result struct {
	Netlist string         `json:"-"`     // the synthesised netlist as Verilog, a file in Dir
	JSON    string         `json:"-"`     // the same as nextpnr reads it, with Place
	Vendor  string         `json:"-"`     // the same as Verilog for a vendor's tool, with Vendor
	Library Library        `json:"-"`     // what the cells in it do
	Cells   map[string]int `json:"cells"` // how many of each type
	Tool    string         `json:"tool"`  // yosys's version
	CPU     float64        `json:"cpu_seconds"`
}

// Library is a target's cells as yosys's own Verilog, for simulators. That of the target
// generic is empty: its netlists are plain Verilog.
type Library struct {
	Files    []string
	Includes []string // folders of what these include
	Defines  []string // macros that they need
	Read     string   // the command by which yosys reads them as a design
}

// target is how yosys synthesises for a target, and where its cells are.
type target struct {
	name    string
	command string
	library string // folder in yosys's data
	defines []string
	// zeroes is the part of the command that makes unknown values 0, which are looked for before;
	// empty: none does.
	zeroes string
}

// targets is the table, of the same names as that of package verilog. LUTs and carries alone: wide multiplexers cost ECP5 1.3 times the LUTs, Gowin
// 1.4 times; and pads belong to a chip, but those of Gowin, which nextpnr wants to find. On iCE40 an enable of few flip-flops, such as that of a word in a
// loader, is a multiplexer in the LUT before each, which is there anyway: as an enable, it
// takes a LUT and a tile of eight logic cells for itself, and a loader of 784 words in 61 %
// of an hx8k was not routed.
var targets = []target{
	{name: "generic", command: "synth -flatten"},
	{name: "ice40", command: "synth_ice40 -dffe_min_ce_use 8", library: "ice40", defines: []string{"NO_ICE40_DEFAULT_ASSIGNMENTS"}},
	{name: "ecp5", command: "synth_ecp5 -nowidelut", library: "ecp5"},
	{name: "gowin", command: "synth_gowin -nowidelut", library: "gowin", zeroes: "map_cells"},
	{name: "xilinx7", command: "synth_xilinx -flatten -family xc7 -noiopad -noclkbuf", library: "xilinx"},
}

// Targets returns the names of all targets, the one that stands for an empty name first.
func Targets() []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// The files in Dir.
const (
	scriptName  = "synth.ys"
	unknownName = "unknown.v" // the netlist as it is before unknown values become 0
	logName     = "yosys.log"
	statName    = "stat.json"
	netlistName = "netlist.v"
	jsonName    = "netlist.json"
	vendorName  = "vendor.v"
)

const defaultLimit = time.Hour

// Synthesise synthesises Verilog. It returns an error if an option has no meaning, a
// [*tool.MissingError] without yosys, and a [*tool.FailedError] if yosys did not come to a
// netlist that is sound as the package says.
func Synthesise(ctx context.Context, o Options) (*Result, error) {
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
		Args: []string{"-Q", "-s", scriptName}, Dir: o.Dir,
		Limit: cmp.Or(o.Limit, defaultLimit), Log: filepath.Join(o.Dir, logName),
	}
	ctx, end := progress.Begin(ctx, "yosys")
	defer end()
	progress.Say(ctx, "synthesising %s", o.Module)
	run, err := t.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &Result{Netlist: filepath.Join(o.Dir, netlistName), Tool: t.Version(ctx), CPU: run.CPU}
	if o.Place {
		r.JSON = filepath.Join(o.Dir, jsonName)
	}
	if o.Vendor {
		r.Vendor = filepath.Join(o.Dir, vendorName)
	}
	if r.Library, err = o.library(t.Path); err != nil {
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
func (o Options) prepare(script string) error {
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
	return os.WriteFile(filepath.Join(o.Dir, scriptName), []byte(script), 0o666)
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
func (o Options) script() (string, error) {
	t, err := o.target()
	switch {
	case err != nil:
		return "", err
	case !identifier.MatchString(o.Module):
		return "", fmt.Errorf("yosys: module %q: must be a simple identifier", o.Module)
	case len(o.Sources) == 0:
		return "", fmt.Errorf("yosys: no source files, give at least one")
	case o.LUT != 0 && (t.library != "" || o.LUT < 2 || o.LUT > 6):
		return "", fmt.Errorf("yosys: LUTs of %d inputs for the target %q: only generic has a choice, from 2 to 6", o.LUT, o.Target)
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
	command := t.command
	if o.LUT > 0 {
		command += fmt.Sprintf(" -lut %d", o.LUT)
	}
	if t.library != "" { // the primitives that the design itself may use
		fmt.Fprintf(&s, "read_verilog -lib +/%s/cells_sim.v\n", t.library)
	}
	refused := "t:$dlatch* t:$adlatch* t:$sr* t:$tribuf"
	if len(o.Memories) == 0 {
		refused += " t:$mem*"
	}
	command += " -top " + o.Module
	if t.zeroes != "" {
		command = fmt.Sprintf(beforeZeroes, command, t.zeroes, unknownName)
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
func Cells(name string) (*Library, error) {
	t, err := tool.Find("yosys")
	if err != nil {
		return nil, err
	}
	l, err := Options{Target: name}.library(t.Path)
	return &l, err
}

func (o Options) target() (target, error) {
	name := cmp.Or(o.Target, targets[0].name)
	for _, t := range targets {
		if t.name == name {
			return t, nil
		}
	}
	return target{}, fmt.Errorf("yosys: target %q: give %s", o.Target, plural.Or(Targets()))
}

// library finds the target's cells. yosys looks for its data beside its own program, and so
// do we.
func (o Options) library(program string) (Library, error) {
	t, err := o.target()
	if err != nil || t.library == "" {
		return Library{}, err
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return Library{}, err
	}
	dir := filepath.Join(filepath.Dir(program), "..", "share", "yosys", t.library)
	file := filepath.Join(dir, "cells_sim.v")
	if _, err := os.Stat(file); err != nil {
		return Library{}, fmt.Errorf("yosys: the cells of the target %s: %w; install yosys with its data", o.Target, err)
	}
	read := "read_verilog -defer" // most of them are in no design, and block RAMs take minutes
	for _, name := range t.defines {
		read += " -D " + name
	}
	read += fmt.Sprintf(" +/%s/cells_sim.v", t.library)
	return Library{Files: []string{file}, Includes: []string{dir}, Defines: t.defines, Read: read}, nil
}

var unknown = regexp.MustCompile(`[0-9]+'s?[bodh][0-9a-f_?]*[xz]`)

// noInit is a register that may begin with any value.
var noInit = regexp.MustCompile(`\.INIT\(1'hx\)`)

// blockRAM is an instance of a block RAM. Which of its pins and parameters mean anything depends on
// its form: yosys leaves the others unknown.
var blockRAM = regexp.MustCompile(`(?s)\n  (SB_RAM40_4K\w*|DP16KD|(?:SP|SDP|DP|pROM)(?:X9)?B?|RAMB18E1|RAMB36E1) #\(.*?\n  \);`)

// checkKnown refuses a netlist with unknown or floating values: what a synthesiser may choose
// at will is no proof of anything. A register may begin with one, and a block RAM has pins and
// words that need no value.
func (o Options) checkKnown() error {
	name := netlistName
	if t, err := o.target(); err == nil && t.zeroes != "" {
		name = unknownName
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, name))
	if err != nil {
		return err
	}
	if at := unknown.Find(blockRAM.ReplaceAll(noInit.ReplaceAll(text, nil), nil)); at != nil {
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
