// Package target holds the table of targets for which designs can be compiled. The targets are families of FPGAs,
// look-up tables without a family, and chips of standard cells. Each family has its devices.
//
// Each family has one file in this package. The file describes the family's look-up tables and carries, the arguments
// for yosys and for the program that places designs, the forms of the family's files, and its devices. Writers,
// lowerings, synthesis, checks and help texts go through the table, so that a new family needs only one new file.
// Families are data. Code that interprets the files and output of a family's programs belongs to the packages that
// drive these programs.
package target

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// Family is a row of the table.
type Family struct {
	Name  string // name on the command line, in manifests and in reports, such as ice40
	LUT   LUT
	Carry bool // whether sums use carry cells, each of which shares a logic cell with a LUT
	// Primitives says whether Verilog consists of the family's look-up tables by default. This is set if the
	// synthesiser turns gates into more look-up tables than ialgn's mapping, and if designs of primitives can be
	// routed.
	Primitives bool
	// WidestGate is the largest number of inputs of a network's nodes for which Verilog is written as gates by
	// default. 0 means no limit. The gates of wider nodes keep the synthesiser busy for many minutes.
	WidestGate int
	// UsualLUT is the number of inputs of look-up tables to which a netlist is mapped by default, or 0 for the most.
	UsualLUT int
	// Cells says whether designs consist of standard cells. The cells come from a Liberty file.
	Cells bool
	// Modelled says whether the look-up tables are not a vendor's, so that synthesisers must be given their
	// definition.
	Modelled bool

	Constraints Constraints
	Synthesis   Synthesis
	// Project is the form of the file with which the vendor's tool makes a project. Only families that have no Placement
	// have such a file.
	Project Project
	// Placement describes how yosys's netlist becomes a bitstream. It is nil if no way is known.
	Placement *Placement
	// Unplaced is the reason why designs for a target of this family without a package cannot be placed. If it is
	// empty, the reason is that there is no specific device.
	Unplaced string
	// BlockBits is the number of bits in a block RAM, or 0 if the family has no block RAM.
	BlockBits int
	// Static has the static currents of some devices. It is nil if they are not known.
	Static *Static
	// Takes returns the resources that a cell takes, given the name of its type in yosys's netlists.
	Takes func(cell string) Resources

	Devices []Device
}

// Static describes the static currents of the cores of a family's devices, by the data sheet.
type Static struct {
	Volts  float64            // of the core
	Core   map[string]float64 // by the name of the device, in microamperes
	Source string             // the data sheet and its conditions
}

// LUT describes a family's look-up tables.
type LUT struct {
	Name        string   // name; %d, as in LUT%d, is replaced by the number of inputs
	Least, Most int      // inputs of the smallest and of the largest LUT
	Parameter   string   // parameter that holds the truth table
	Inputs      []string // pins, beginning with the lowest bit of the table's index
	Output      string
}

// MappedLUT returns the number of inputs of look-up tables to which a netlist is mapped by default.
func (f *Family) MappedLUT() int { return cmp.Or(f.UsualLUT, f.LUT.Most) }

// Primitive returns the name of the LUT for a function with the given number of inputs, and the number of inputs of
// this LUT.
func (l LUT) Primitive(inputs int) (name string, pins int) {
	pins = max(inputs, l.Least)
	return strings.ReplaceAll(l.Name, "%d", fmt.Sprint(pins)), pins
}

// Language is the language of a constraints file.
type Language int

// These are the languages.
const (
	SDC Language = iota // Synopsys Design Constraints: only clocks
	XDC                 // SDC for Vivado, which also has pins
	LPF                 // Lattice's constraints, for ECP5
	PCF                 // icestorm's constraints
)

// Constraints describes the constraints files of a family.
type Constraints struct {
	Language Language
	Suffix   string // suffix of the file
	// PinLine is the form of a line in the user's file of pins, with PORT and PIN as placeholders. It is empty if
	// there is no such file.
	PinLine string
}

// Synthesis describes how yosys synthesises for a family.
type Synthesis struct {
	Command string
	Library string   // folder of the family's cells in yosys's data; empty if netlists are plain Verilog
	Models  []string // files of the folder with models of the cells; empty for cells_sim.v
	// Substitute is Verilog with models of the cells, for simulations and proofs in place of yosys's models. It is empty
	// if yosys's models can be used.
	Substitute string
	Defines    []string // macros that the cells need
	// Zeroes is the step that turns unknown values into 0 when the synthesis command runs. The check for unknown
	// values runs before this step. Zeroes is empty if there is no such step.
	Zeroes string
}

// ModelFiles returns the files with models of the family's cells.
func (s Synthesis) ModelFiles() []string {
	if len(s.Models) > 0 {
		return s.Models
	}
	return []string{"cells_sim.v"}
}

// Project is the form of a file for a vendor's tool.
type Project int

// These are the forms.
const (
	NoProject Project = iota
	Quartus           // Tcl for quartus_sh
	Libero            // Tcl for libero
	Efinity           // a project in XML
	PeppeR            // a shell script for yosys and CologneChip's p_r
)

// Placer is a program that places and routes.
type Placer int

// These are the placers.
const (
	Nextpnr Placer = iota
	Vivado
)

// Placement describes how a design is placed, and how its bitstream is made.
type Placement struct {
	Placer   Placer
	Program  string   // program that places and routes
	Others   []string // other programs that are needed
	Routed   string   // suffix of the file that the program writes
	Bits     string   // suffix of the bitstream
	Seedless bool     // whether the program has no random seed
	AllPins  bool     // whether every port must have a pin

	// Arguments, Output and Pins return the arguments of nextpnr that depend on the family. Arguments selects the
	// device, Output names the output file, and Pins names a file of pins.
	Arguments func(d Device) []string
	Output    func(routed, placed string) []string
	Pins      func(path string) []string

	// Icestorm says whether the programs of Project IceStorm pack the bitstream, fill its memories, estimate its
	// clock, and read it back.
	Icestorm bool
	// Pack returns the arguments of the program that makes the bitstream, which is the last of Others. It is nil if
	// the placer or icestorm makes the bitstream.
	Pack func(d Device, routed, bitstream string) []string
}

// Resources says how much of a device a cell takes.
type Resources struct {
	LUTs, Carries, FlipFlops int
	RAMBits                  int // bits of block RAM
	LUTRAM                   int // LUTs that are used as memory, included in LUTs
}

// inLUTRAM returns the resources of a memory made of n LUTs.
func inLUTRAM(n int) Resources { return Resources{LUTs: n, LUTRAM: n} }

// families is the table of families, with the plainest family first.
var families = []*Family{Generic, ICE40, ECP5, Gowin, Xilinx7, ASIC, Intel, PolarFire, Efinix, GateMate}

// Register adds a family at the end of the table, for designs on FPGAs that the table lacks. It must be called before
// the table is used. It returns a function that removes the family. It returns an error for an incomplete family or a
// name that already exists.
func Register(f *Family) (remove func(), err error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("target %q: %w", f.Name, err)
	}
	families = append(families[:len(families):len(families)], f)
	return func() { families = slices.DeleteFunc(slices.Clone(families), func(g *Family) bool { return g == f }) }, nil
}

// check returns an error if a new family is incomplete.
func (f *Family) check() error {
	switch l := f.LUT; {
	case f.Name == "" || slices.Contains(Names(), f.Name):
		return errors.New("give a name that no other has")
	case l.Least < 1 || l.Most < l.Least || l.Most > mostLUTInputs || l.Most > len(l.Inputs) || l.Name == "" ||
		l.Parameter == "" || l.Output == "":
		return fmt.Errorf("its look-up tables need a name, a parameter, an output and 1 to %d inputs, the smallest first",
			mostLUTInputs)
	case f.Synthesis.Command == "" || f.Takes == nil:
		return errors.New("give a command of yosys, and what cells take")
	case f.Constraints.Suffix == "" || f.Constraints.Language < SDC || f.Constraints.Language > PCF:
		return errors.New("give a language of constraints and the suffix of their file")
	case len(f.Devices) == 0:
		return errors.New("give at least one device")
	}
	for _, d := range f.Devices {
		if d.Family != f.Name || slices.Contains(DeviceNames(), d.Name) {
			return fmt.Errorf("device %q: want the name of the family, and a name of its own that no other device has", d.Name)
		}
	}
	return f.Placement.check()
}

// mostLUTInputs is the largest number of inputs of a netlist's functions.
const mostLUTInputs = 6

// check returns an error if a placement is incomplete.
func (p *Placement) check() error {
	switch {
	case p == nil:
		return nil
	case p.Program == "" || p.Bits == "" || p.Placer < Nextpnr || p.Placer > Vivado:
		return errors.New("its placement needs a placer, a program and the suffix of bitstreams")
	case p.Placer == Vivado:
		return nil
	case p.Routed == "" || p.Arguments == nil || p.Output == nil || p.Pins == nil:
		return errors.New("nextpnr needs its arguments, and the suffix of its output")
	case !p.Icestorm && (p.Pack == nil || len(p.Others) == 0):
		return errors.New("its placement needs a program that packs the bitstream, and the arguments of that program")
	}
	return nil
}

// Families returns all families in the order of the table. The first family, [Generic], is for designs without a
// particular family.
func Families() []*Family { return slices.Clone(families) }

// Names returns the names of all families in the order of their table.
func Names() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.Name)
	}
	return names
}

// Find returns the family with a given name. The error for an unknown name lists all names.
func Find(name string) (*Family, error) {
	i := slices.IndexFunc(families, func(f *Family) bool { return f.Name == name })
	if i < 0 {
		return nil, message.NoSuch("target", name, Names())
	}
	return families[i], nil
}

// String returns the family's name.
func (f *Family) String() string { return f.OrGeneric().Name }

// OrGeneric returns f, or [Generic] if f is nil.
func (f *Family) OrGeneric() *Family {
	if f == nil {
		return Generic
	}
	return f
}
