// Package target is the table of what a design can be made for: families of FPGAs, and look-up
// tables of no family, each with its devices.
//
// A family is one file: its look-up tables and carries, what yosys and the program that places
// are told, the forms of its files, and its devices. Whoever writes, lowers, synthesises, checks,
// or lists in a help text walks the table, so that one more family is one more file. Families are
// data: what a program of theirs reads or prints is read where that program is driven.
package target

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// Family is a row of the table.
type Family struct {
	Name  string // name on the command line, in manifests and reports, such as ice40
	LUT   LUT
	Carry bool // sums use the carry cell that shares a logic cell with each LUT
	// Primitives says that Verilog is written in the family's look-up tables unless told otherwise:
	// because the synthesiser makes more of gates than what was mapped, and what it makes is routed.
	Primitives bool
	// WidestGate is the most inputs of a network's nodes with which Verilog is written as gates by default; 0: any
	// number. Wider nodes keep the synthesiser for many minutes.
	WidestGate int
	// Modelled says that the look-up tables are of no vendor: synthesisers are given what they do.
	Modelled bool

	Constraints Constraints
	Synthesis   Synthesis
	// Placement is how a design comes from yosys's netlist to a bitstream; nil: no way is known.
	Placement *Placement
	// Unplaced is why a target of this family without a package is not placed; empty: because there
	// is no device.
	Unplaced string
	// BlockBits is the number of bits in a block RAM; 0 if the family has none.
	BlockBits int
	// Takes returns what a cell takes of a device, by the name of its type in yosys's netlists.
	Takes func(cell string) Resources

	Devices []Device
}

// LUT is a family's look-up tables.
type LUT struct {
	Name        string   // LUT%d, by the number of inputs, or the name of the only one
	Least, Most int      // inputs of the smallest and of the largest
	Parameter   string   // parameter that holds the truth table
	Inputs      []string // pins, that of the lowest bit of the table's index first
	Output      string
}

// Primitive returns the name of the LUT for a function with the given number of inputs, and how many inputs that LUT
// has.
func (l LUT) Primitive(inputs int) (name string, pins int) {
	pins = max(inputs, l.Least)
	return strings.ReplaceAll(l.Name, "%d", fmt.Sprint(pins)), pins
}

// Language is that of a file of constraints.
type Language int

// The languages.
const (
	SDC Language = iota // Synopsys Design Constraints: clocks alone
	XDC                 // the same for Vivado, with pins
	LPF                 // Lattice's constraints, for ECP5
	PCF                 // icestorm's constraints
)

// Constraints is how files of constraints look.
type Constraints struct {
	Language Language
	Suffix   string // suffix of the file
	// PinLine is a line of the user's file of pins, with PORT and PIN in their places; empty: there
	// is no such file.
	PinLine string
}

// Synthesis is how yosys synthesises.
type Synthesis struct {
	Command string
	Library string   // folder of the family's cells in yosys's data, empty: netlists are plain Verilog
	Defines []string // macros that these need
	// Zeroes is the part of the command that makes unknown values 0, which are looked for before it;
	// empty: none does.
	Zeroes string
}

// Placer is a program that places and routes.
type Placer int

// The placers.
const (
	Nextpnr Placer = iota
	Vivado
)

// Placement is how a design is placed, and how the bitstream is made.
type Placement struct {
	Placer   Placer
	Program  string   // program that places and routes
	Others   []string // other programs that are needed
	Routed   string   // suffix of the file that it writes
	Bits     string   // suffix of the bitstream
	Seedless bool     // the program has no random seed
	AllPins  bool     // every port must be given a pin

	// Arguments are those of nextpnr that differ from family to family: for the device, for the file
	// that is written, and for a file of pins.
	Arguments func(d Device) []string
	Output    func(routed, placed string) []string
	Pins      func(path string) []string

	// Icestorm says that icestorm's programs pack the bitstream, fill its memories, tell its clock,
	// and read it back.
	Icestorm bool
	// Pack are the arguments of the program that makes the bitstream, the last of Others; nil: the
	// placer has made it, or icestorm does.
	Pack func(d Device, routed, bitstream string) []string
}

// Resources is what a cell takes of a device.
type Resources struct {
	LUTs, Carries, FlipFlops int
	RAMBits                  int // of block RAM
	LUTRAM                   int // of the LUTs, those that are memory
}

// inLUTRAM is what a memory of so many LUTs takes.
func inLUTRAM(n int) Resources { return Resources{LUTs: n, LUTRAM: n} }

// families is the table, the plainest first.
var families = []*Family{Generic, ICE40, ECP5, Gowin, Xilinx7}

// Register adds a family to the table, behind all others, for designs on FPGAs that it lacks. It is to be
// called before anything walks the table, and returns what takes the family out again. It returns an error
// for a family that lacks something, or has the name of another.
func Register(f *Family) (remove func(), err error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("target %q: %w", f.Name, err)
	}
	families = append(families[:len(families):len(families)], f)
	return func() { families = slices.DeleteFunc(slices.Clone(families), func(g *Family) bool { return g == f }) }, nil
}

// check returns what a new family lacks.
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

// mostLUTInputs is what functions of a netlist have at most.
const mostLUTInputs = 6

// check names what a placement requires and does not have.
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

// Families returns all families in the order of their table: first the one that stands for no particular family.
func Families() []*Family { return slices.Clone(families) }

// Names returns the names of all families in the order of their table.
func Names() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.Name)
	}
	return names
}

// Find returns the family of a name. The error for another lists all names.
func Find(name string) (*Family, error) {
	i := slices.IndexFunc(families, func(f *Family) bool { return f.Name == name })
	if i < 0 {
		return nil, message.NoSuch("target", name, Names())
	}
	return families[i], nil
}

// String returns the family's name.
func (f *Family) String() string { return f.OrGeneric().Name }

// OrGeneric returns the family, or [Generic] for nil.
func (f *Family) OrGeneric() *Family {
	if f == nil {
		return Generic
	}
	return f
}
