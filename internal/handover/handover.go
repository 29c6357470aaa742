// Package handover writes the files that users of a netlist's Verilog need in their own designs: an
// instantiation template, a VHDL package with the component, timing constraints in the format of the target,
// file lists, and for some targets a project for the vendor's tool.
//
// The files describe the netlist's module or, if [Options] have a [Top], a module around it. Their names begin
// with the name of the described module. [Files] returns the files for a target. Each file depends only on the
// netlist and the options. The module of a pipeline ([netlist.Pipeline]) has the control ports clk, rst, ce,
// in_valid and out_valid in addition to its data ports.
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

// Options say what to write for a netlist.
type Options struct {
	Module  string         // name of the module; if empty, the netlist's name
	Target  *target.Family // nil means [target.Generic]
	Style   verilog.Style  // style of the Verilog
	MHz     float64        // frequency of the clock; without registers, 1/MHz is the longest delay from inputs to outputs
	Version uint32         // the result of [Version], which the Verilog also contains; 0 for none
	Classes []string       // names of the classes, for constants
	Top     *Top           // module around the netlist's module; nil for the netlist's module itself
}

// Top is a module around a netlist's module or instead of it: a wrapper or an engine.
type Top struct {
	Module string
	Clock  string // name of the clock port
	Ports  []Port // in the order of the Verilog
	// Latency is the number of clocks from the edge that takes the first word of a sample to the first edge that can
	// take the sample's result. It is 0 if the latency is not defined.
	Latency   int
	Sources   []string // Verilog files for synthesis, without models of primitives; the file of Module is last
	Cells     string   // file with models of the sources' primitives, or empty
	Memories  []string // files that the Verilog reads
	Testbench string   // file of the testbench
}

// File is a file to be written in addition to the Verilog.
type File struct {
	Format string // name of the file's format in the manifest
	Suffix string // part of the file's name after the module's name
	Write  func(w io.Writer, n *netlist.Netlist, opt Options) error
}

// Files returns the files for the target of the options. Constraints are included only if there is a frequency.
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
	if p, ok := projects[opt.Target.OrGeneric().Project]; ok {
		files = append(files, File{"project", p.suffix, WriteProject})
	}
	return files
}

// Version returns a word that identifies a build: the first 32 bits of the SHA-256 of three lines, which are
// the program's version, the model's SHA-256 and the options. It is never 0.
func Version(program, model string, options []byte) uint32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n", program, model, options))
	return max(1, binary.BigEndian.Uint32(sum[:]))
}

// Port is a port of the module.
type Port struct {
	Name    string
	Width   int // 0 for a scalar
	Output  bool
	Meaning string // description of the port's data, one line
}

// direction returns the port's direction in Verilog.
func (p Port) direction() string {
	if p.Output {
		return "output"
	}
	return "input"
}

// ports returns all ports of the module: first the control ports, then the inputs, then the outputs. pipeline is nil
// for a netlist without registers.
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

// meaning describes the words of a port, from first to last.
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

// file is a text that is being built. A comment never begins with a name, because tools might read it as a
// directive.
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

// design is a netlist whose files are being written.
type design struct {
	Options
	module   string            // name of the module that the files describe
	pipeline *netlist.Pipeline // nil without registers
	ports    []Port
	clock    string // name of the clock port; empty without a clock
}

// newDesign completes the options. It returns an error for names that are not valid in the files, and for
// registers that do not form a pipeline.
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

// checkPorts returns an error if the name of a port is not valid in the files, or if two ports have the same name.
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

// latency returns the latency in clocks, and a text that says how it is defined. The latency is [Top.Latency], or the
// number of enabled clocks from inputs to outputs.
func (d *design) latency() (clocks int, what string) {
	switch {
	case d.Top != nil:
		return d.Top.Latency, "clocks from the edge that takes a sample's first word to the first that can take its result"
	case d.pipeline != nil:
		clocks = d.pipeline.Stages
	}
	return clocks, "enabled clocks from inputs to outputs"
}

// title writes the module's name and version.
func (d *design) title(f *file, what string) {
	f.note("%s of the module %s", what, d.module)
	if d.Version != 0 {
		f.note("Version word of the build: %08x", d.Version)
	}
}
