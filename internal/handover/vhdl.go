package handover

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"ialgn/netlist"
)

// reservedVHDL holds the reserved words of VHDL-2008 (IEEE 1076-2008, section 15.10).
var reservedVHDL = func() map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(`
		abs access after alias all and architecture array assert assume assume_guarantee
		attribute begin block body buffer bus case component configuration constant context
		cover default disconnect downto else elsif end entity exit fairness file for force
		function generate generic group guarded if impure in inertial inout is label library
		linkage literal loop map mod nand new next nor not null of on open or others out
		package parameter port postponed procedure process property protected pure range
		record register reject release rem report restrict restrict_guarantee return rol ror
		select sequence severity shared signal sla sll sra srl strong subtype then to transport
		type unaffected units until use variable vmode vprop vunit wait when while with xnor
		xor`) {
		m[word] = true
	}
	return m
}()

// basicVHDL matches basic identifiers of VHDL. They have no underscore at either end, and never two underscores in a
// row.
var basicVHDL = regexp.MustCompile(`^[A-Za-z](_?[A-Za-z0-9])*$`)

// vhdlNames makes VHDL identifiers that differ even if case is ignored. It contains the names that are already used,
// in lower case.
type vhdlNames map[string]bool

// of returns a VHDL identifier for a name. This is the name itself if possible. Otherwise it is the extended
// identifier \name\, which all tools match with the Verilog name.
func (taken vhdlNames) of(name string) string {
	folded := strings.ToLower(name)
	if !basicVHDL.MatchString(name) || reservedVHDL[folded] || taken[folded] {
		return `\` + name + `\`
	}
	taken[folded] = true
	return name
}

// WriteVHDL writes NAME_pkg.vhd, in VHDL-93. The file is a package with the component declaration, the version word
// and the latency of the module, and a constant for each class.
func WriteVHDL(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	f := &file{comment: "--"}
	d.title(f, "VHDL component")
	outside := vhdlNames{"ieee": true, "std": true, "work": true, "std_logic": true, "std_logic_vector": true}
	unit, component := outside.of(d.module+"_pkg"), outside.of(d.module)
	f.line("library ieee;")
	f.line("use ieee.std_logic_1164.all;")
	f.line("")
	f.line("package %s is", unit)
	if d.Version != 0 {
		f.line("  constant %s : std_logic_vector(31 downto 0) := x\"%08x\";", outside.of(d.module+"_version"), d.Version)
	}
	if clocks, what := d.latency(); clocks > 0 || d.Top == nil {
		f.line("  constant %s : natural := %d; -- %s", outside.of(d.module+"_latency"), clocks, what)
	}
	for i, c := range d.classes(n) {
		f.line("  constant %s : natural := %d; -- class %s", outside.of(d.module+"_"+c.name), i, netlist.Printable(c.label))
	}
	f.line("")
	f.line("  component %s is", component)
	f.line("    port (")
	inside := vhdlNames{"std_logic": true, "std_logic_vector": true}
	for i, p := range d.ports {
		mode, semicolon := "in", ";"
		if p.Output {
			mode = "out"
		}
		if i == len(d.ports)-1 {
			semicolon = ""
		}
		f.line("      %s : %s %s%s -- %s", inside.of(p.Name), mode, vhdlType(p.Width), semicolon,
			netlist.Printable(p.Meaning))
	}
	f.line("    );")
	f.line("  end component;")
	f.line("end package;")
	return f.writeTo(w)
}

// vhdlType returns the type of a port, which is a vector unless the port is a scalar in Verilog.
func vhdlType(width int) string {
	if width == 0 {
		return "std_logic"
	}
	return fmt.Sprintf("std_logic_vector(%d downto 0)", width-1)
}
