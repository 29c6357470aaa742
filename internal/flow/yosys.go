// This file drives yosys, which synthesises emitted Verilog. Callers simulate the resulting netlist, prove that it is
// equivalent, or place it.
//
// [Yosys] runs a script in a folder of the caller. All files in this folder have fixed names, so that no path or name
// from outside is part of a command. The Verilog must have the properties that our Verilog should have: there are no
// latches, every memory is filled from a file, and every wire is driven once. The result must have no unknown value.
// Otherwise yosys fails with an error from package tool that names the log.

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

// YosysOptions says what to synthesise, and how.
type YosysOptions struct {
	Module  string         // the top module, a simple identifier
	Sources []string       // Verilog files
	Target  *target.Family // nil means [target.Generic]
	LUT     int            // without a family, the number of inputs of LUTs, 2 to 6, or 0 to map to gates
	Dir     string         // an empty folder for all files that are written
	Place   bool           // also write the netlist for nextpnr
	Vendor  bool           // also write the netlist for a vendor's tool, with unknown values replaced by 0
	// Memories lists the files that the design reads with $readmemh. If there are no such files and Buffers is false,
	// the design must not have a memory.
	Memories []YosysMemory
	Buffers  bool // whether the design may have memories that are not filled from files
	// Liberty is the library of standard cells to which the design is mapped, or nil.
	Liberty *Liberty

	// Limit is the time limit. 0 means an hour.
	Limit time.Duration
}

// YosysMemory is a file that fills a memory.
type YosysMemory struct {
	Name string // file name without a folder
	Text []byte
}

// YosysResult is the result of [Yosys].
type YosysResult struct {
	Netlist string         `json:"-"`     // the synthesised netlist as Verilog, a file in Dir
	JSON    string         `json:"-"`     // the same netlist for nextpnr, if Place is set
	Vendor  string         `json:"-"`     // the same netlist as Verilog for a vendor's tool, if Vendor is set
	Library Library        `json:"-"`     // models of the netlist's cells
	Cells   map[string]int `json:"cells"` // number of cells of each type
	Tool    string         `json:"tool"`  // yosys's version
	CPU     float64        `json:"cpu_seconds"`
}

// Library describes yosys's own Verilog models of a target's cells, for simulators. It is empty for the target
// generic, whose netlists are plain Verilog.
type Library struct {
	Files    []string
	Includes []string // folders of the files that Files include
	Defines  []string // macros that the files need
	Read     string   // the yosys command that reads Files as a design; empty if Files are not yosys's
}

// NetlistJSON is the name of the file with the synthesised netlist as JSON.
const NetlistJSON = "netlist.json"

// These are the names of the files in Dir.
const (
	yosysScript = "synth.ys"
	unknownName = "unknown.v" // netlist as it is before unknown values are replaced by 0
	logName     = "yosys.log"
	statName    = "stat.json"
	netlistName = "netlist.v"
	vendorName  = "vendor.v"
	libertyName = "library.lib"
	addersName  = "adders.v"

	substituteName = "models.v" // models of cells that replace yosys's
)

const defaultLimit = time.Hour

// Yosys synthesises Verilog. It returns an error if an option is not valid, a [*tool.MissingError] if yosys is
// missing, and a [*tool.FailedError] if yosys fails or the result does not meet the conditions at the top of
// this file.
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
	if o.Liberty != nil {
		defer os.Remove(filepath.Join(o.Dir, libertyName)) // the file is large, and it is the user's
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
		r.JSON = filepath.Join(o.Dir, NetlistJSON)
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

// library returns the models of the netlist's cells. Models that replace yosys's models are written to the folder.
func (o YosysOptions) library(program string) (Library, error) {
	family := o.Target.OrGeneric()
	if family.Synthesis.Substitute == "" {
		return findLibrary(family, program)
	}
	file := filepath.Join(o.Dir, substituteName)
	return Library{Files: []string{file}}, os.WriteFile(file, []byte(family.Synthesis.Substitute), 0o666)
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
	if o.Liberty != nil {
		if err := o.Liberty.prepare(o.Dir); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(o.Dir, yosysScript), []byte(script), 0o666)
}

func sourceName(i int) string { return fmt.Sprintf("source%d.v", i) }

// beforeZeroes runs a command in two parts. Between the two parts, it writes a copy of the netlist. From the copy, it
// first removes the wires that the end of the script removes from the netlist.
const beforeZeroes = `%[1]s -run :%[2]s
design -push-copy
splitnets
opt_clean -purge
write_verilog -noattr %[3]s
design -pop
%[1]s -run %[2]s:`

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

var memoryName = regexp.MustCompile(`^[A-Za-z0-9_]+\.hex$`)

// script returns the commands for yosys. The script checks for latches and similar faults as soon as yosys has
// removed processes, because a latch may become something else later. At the end it removes wires that nothing reads,
// because the wires for variables of Verilog functions keep unknown values. A bit of a bus can only be removed after
// splitnets has made it a wire of its own. The JSON is written before splitnets runs, because nextpnr would repeat
// the index in the name of such a wire.
func (o YosysOptions) script() (string, error) {
	family := o.Target.OrGeneric().Synthesis
	switch {
	case !identifier.MatchString(o.Module):
		return "", fmt.Errorf("yosys: module %q: must be a simple identifier", o.Module)
	case len(o.Sources) == 0:
		return "", fmt.Errorf("yosys: no source files, give at least one")
	case o.LUT != 0 && o.Liberty != nil:
		return "", fmt.Errorf("yosys: LUTs of %d inputs and a library of cells: a design is mapped to one of the two", o.LUT)
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
	s.WriteString(readPrimitives(family))
	refused := "t:$dlatch* t:$adlatch* t:$sr* t:$tribuf"
	if len(o.Memories) == 0 && !o.Buffers {
		refused += " t:$mem*"
	}
	command += " -top " + o.Module
	if o.Liberty != nil {
		command = o.Liberty.commands(o.Module)
	}
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
		s.WriteString("write_json " + NetlistJSON + "\nsplitnets\nopt_clean -purge\n")
	}
	fmt.Fprintf(&s, "tee -q -o %s stat -json\nwrite_verilog -noattr %s\n", statName, netlistName)
	if o.Vendor {
		s.WriteString("setundef -zero -params\nwrite_verilog -noattr " + vendorName + "\n")
	}
	return s.String(), nil
}

// readPrimitives returns the commands that read the primitives that a design itself may use.
func readPrimitives(s target.Synthesis) (commands string) {
	if s.Library == "" {
		return ""
	}
	for _, name := range s.ModelFiles() {
		commands += fmt.Sprintf("read_verilog -lib +/%s/%s\n", s.Library, name)
	}
	return commands
}

// Cells returns the cells of a target, for netlists that yosys did not write. It returns an error if an option
// is not valid, and a [*tool.MissingError] if yosys is missing.
func Cells(f *target.Family) (*Library, error) {
	t, err := tool.Find("yosys")
	if err != nil {
		return nil, err
	}
	l, err := findLibrary(f.OrGeneric(), t.Path)
	return &l, err
}

// findLibrary finds the models of a family's cells. The models are at a fixed path relative to the program of yosys,
// which also looks for them there.
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
	l := Library{Includes: []string{dir}, Defines: s.Defines}
	l.Read = "read_verilog -defer" // -defer, because a design uses few of the cells and reading block RAMs takes minutes
	for _, name := range s.Defines {
		l.Read += " -D " + name
	}
	for _, name := range s.ModelFiles() {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err != nil {
			return Library{}, fmt.Errorf("yosys: the cells of the target %s: %w; install yosys with its data", f, err)
		}
		l.Files, l.Read = append(l.Files, file), l.Read+fmt.Sprintf(" +/%s/%s", s.Library, name)
	}
	return l, nil
}

var unknown = regexp.MustCompile(`[0-9]+'s?[bodh][0-9a-f_?]*[xz]`)

// noInit matches a register that may start with any value.
var noInit = regexp.MustCompile(`\.INIT\(1'hx\)`)

// instance matches a cell with parameters.
var instance = regexp.MustCompile(`(?s)\n  \w+ #\(.*?\n  \);`)

// withoutRAM returns a netlist without its memories. Depending on the form of a memory, some of its pins and
// parameters have no meaning, and yosys leaves their values unknown.
func withoutRAM(text []byte, f *target.Family) []byte {
	return instance.ReplaceAllFunc(text, func(cell []byte) []byte {
		name, _, _ := bytes.Cut(bytes.TrimSpace(cell), []byte(" "))
		if r := f.Takes(string(name)); r.RAMBits > 0 || r.LUTRAM > 0 {
			return nil
		}
		return cell
	})
}

// checkKnown returns an error for a netlist with unknown or floating values, because yosys may choose such values
// freely, so that a proof about the netlist would prove nothing. Two exceptions are allowed. A register may start
// with an unknown value, and some pins and words of a memory need no value.
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

// readStat returns the number of cells of each type in the design.
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
