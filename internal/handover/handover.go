// Package handover writes what stands beside the Verilog of a netlist for those who use it
// in a design of their own: an instantiation template, a VHDL package with the component,
// timing constraints in the form of the target, and file lists.
//
// What is handed over is the netlist's module or, where [Options] name a [Top], a module around it,
// whose files begin with that module's name. [Files] says which files a target has. Each is a
// function of the netlist and the options alone. A pipeline ([netlist.Pipeline]) has the control ports clk, rst, ce,
// in_valid and out_valid beside those for data.
package handover

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"ialgn/internal/names"
	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// Options say how a netlist is handed over.
type Options struct {
	Module  string         // the module's name; empty: the netlist's
	Target  *target.Family // nil: [target.Generic]
	Style   verilog.Style  // style of the Verilog
	MHz     float64        // frequency of the clock; without registers, 1/MHz is the longest delay from inputs to outputs
	Version uint32         // the word of [Version] that the Verilog has too; 0: none
	Classes []string       // names of the classes, for constants
	Top     *Top           // the module that is handed over in place of the netlist's; nil: the netlist's itself
}

// Top is a module around a netlist's, or in its place: a wrapper, an engine.
type Top struct {
	Module string
	Clock  string // the name of its port
	Ports  []Port // in the order in which the Verilog has them
	// clocks from the edge that takes the first word of a sample to the first that can take its result; 0: there is none
	Latency   int
	Sources   []string // Verilog files for synthesis, without models of primitives, the top last
	Cells     string   // file with models of the primitives of the sources; empty: they have none
	Memories  []string // files that the Verilog reads
	Testbench string   // file of the testbench
}

// File is a file that is handed over together with the Verilog.
type File struct {
	Format string // name of the list's format in the manifest
	Suffix string // what follows the module's name in the file's name
	Write  func(w io.Writer, n *netlist.Netlist, opt Options) error
}

// Files returns the files that are handed over for the target of the options: constraints
// only where a frequency is given.
func Files(opt Options) []File {
	files := []File{
		{"template", "_inst.vh", WriteTemplate},
		{"vhdl", "_pkg.vhd", WriteVHDL},
		{"file-list", ".vc", WriteFileList},
		{"simulation-list", "_sim.vc", WriteSimulationList},
	}
	if opt.MHz != 0 {
		files = append(files, File{"constraints", opt.Target.OrGeneric().Constraints.Suffix, WriteConstraints})
	}
	return files
}

// Version returns a word that identifies a build: the first 32 bits of the SHA-256 over the
// program's version, the model's SHA-256 and the options, each on a line. It is never 0.
func Version(program, model string, options []byte) uint32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n", program, model, options))
	return max(1, binary.BigEndian.Uint32(sum[:]))
}

// Port is a port of the module.
type Port struct {
	Name    string
	Width   int // 0: a scalar
	Output  bool
	Meaning string // what the port carries, one line for people
}

// direction returns how Verilog calls the direction.
func (p Port) direction() string {
	if p.Output {
		return "output"
	}
	return "input"
}

// ports returns all ports of the module: control first, then inputs, then outputs. The
// pipeline is nil for a netlist without registers.
func ports(n *netlist.Netlist, pipeline *netlist.Pipeline) []Port {
	var list []Port
	if pipeline != nil {
		list = []Port{
			{Name: "clk", Meaning: "clock, rising edge"},
			{Name: "rst", Meaning: "synchronous reset of the valid bits, active high"},
			{Name: netlist.EnablePort, Meaning: "0 freezes all state"},
			{Name: "in_valid", Meaning: "there is a sample at the inputs"},
			{
				Name: "out_valid", Output: true,
				Meaning: fmt.Sprintf("in_valid of %d enabled clocks before, as the outputs are of the inputs", pipeline.Stages),
			},
		}
	}
	for i, group := range [][]netlist.Port{n.DataInputs(), n.OutputPorts()} {
		for _, p := range group {
			list = append(list, Port{p.Name, len(p.Nets), i == 1, meaning(p)})
		}
	}
	return list
}

// meaning says what the words of a port are, from the first to the last.
func meaning(p netlist.Port) string {
	word := max(p.Word, 1)
	words := len(p.Nets) / word
	text := fmt.Sprintf("%d bits", len(p.Nets))
	switch {
	case len(p.Nets) == 1:
		text = "1 bit"
	case word > 1 && words > 1:
		text = fmt.Sprintf("%d words of %d bits, the first lowest", words, word)
	}
	if labels := p.Labels[:min(len(p.Labels), words)]; len(labels) > 0 {
		first, last := netlist.Printable(labels[0]), netlist.Printable(labels[len(labels)-1])
		if text += ": " + first; last != first {
			text += " to " + last
		}
	}
	return text
}

// file is a text that is being made. What stands in its comments never begins with a name,
// which tools might take for a directive.
type file struct {
	strings.Builder
	comment string // token that begins a comment
}

func (f *file) line(format string, args ...any) {
	f.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (f *file) note(format string, args ...any) { f.line(f.comment+" "+format, args...) }

func (f *file) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, f.String())
	return err
}

// design is a netlist that is being handed over.
type design struct {
	Options
	module   string            // name of the module that is handed over
	pipeline *netlist.Pipeline // nil: there are no registers
	ports    []Port
	clock    string // the name of its port; empty: there is none
}

// newDesign completes the options, and refuses names that cannot stand in the files and
// registers that are no pipeline.
func newDesign(n *netlist.Netlist, opt Options) (*design, error) {
	if opt.Module == "" {
		opt.Module = n.Name
	}
	opt.Target = opt.Target.OrGeneric()
	if err := names.CheckIdentifier(opt.Module); err != nil {
		return nil, fmt.Errorf("handover: module: %w", err)
	}
	pipeline, err := n.Pipeline()
	if err != nil {
		return nil, fmt.Errorf("handover: %w", err)
	}
	d := &design{Options: opt, module: opt.Module, pipeline: pipeline, ports: ports(n, pipeline)}
	switch {
	case opt.Top != nil:
		d.module, d.ports, d.clock = opt.Top.Module, opt.Top.Ports, opt.Top.Clock
		if err := names.CheckIdentifier(d.module); err != nil {
			return nil, fmt.Errorf("handover: module: %w", err)
		}
	case pipeline != nil:
		d.clock = "clk"
	}
	return d, d.checkPorts()
}

// checkPorts refuses names that cannot stand in the files, or stand for two ports.
func (d *design) checkPorts() error {
	taken := map[string]bool{}
	for _, p := range d.ports {
		if err := names.CheckIdentifier(p.Name); err != nil {
			return fmt.Errorf("handover: port: %w", err)
		}
		if taken[p.Name] {
			return fmt.Errorf("handover: port: the name %q is taken, choose another name", p.Name)
		}
		taken[p.Name] = true
	}
	return nil
}

// latency returns the number of enabled clocks from inputs to outputs, or of clocks as [Top] has
// it, and what it is.
func (d *design) latency() (clocks int, what string) {
	switch {
	case d.Top != nil:
		return d.Top.Latency, "clocks from the edge that takes a sample's first word to the first that can take its result"
	case d.pipeline != nil:
		clocks = d.pipeline.Stages
	}
	return clocks, "enabled clocks from inputs to outputs"
}

// title names the module and its version.
func (d *design) title(f *file, what string) {
	f.note("%s of the module %s", what, d.module)
	if d.Version != 0 {
		f.note("Version word of the build: %08x", d.Version)
	}
}
