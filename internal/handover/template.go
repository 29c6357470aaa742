package handover

import (
	"fmt"
	"io"

	"ialgn/netlist"
)

// WriteTemplate writes NAME_inst.vh. The file has a constant for each class, a signal for each port with a comment on
// its meaning, and an instance of the module. Users copy or include the file in a module.
//
// Like the other functions of the package, WriteTemplate returns an error before it writes anything if a name
// is not valid in the file. Later errors come from w.
func WriteTemplate(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	f := &file{comment: "//"}
	d.title(f, "Instantiation template")
	f.note("To be copied into a module, or included there.")
	if d.Version != 0 {
		f.line("localparam [31:0] %s_VERSION = 32'h%08x;", d.module, d.Version)
	}
	classes := d.classes(n)
	if len(classes) > 0 {
		f.note("The classes:")
		f.line("// verilator lint_off UNUSEDPARAM")
	}
	for i, c := range classes {
		f.line("localparam %s%s_%s = %d'd%d;  // class %s", span(netlist.ClassBits(len(d.Classes))), d.module, c.name,
			netlist.ClassBits(len(d.Classes)), i, netlist.Printable(c.label))
	}
	if len(classes) > 0 {
		f.line("// verilator lint_on UNUSEDPARAM")
	}
	for _, p := range d.ports {
		f.line("wire %s%s;  // %s, %s", span(p.Width), p.Name, p.direction(), netlist.Printable(p.Meaning))
	}
	f.line("")
	f.line("%s %s_i (", d.module, d.module)
	for i, p := range d.ports {
		comma := ","
		if i == len(d.ports)-1 {
			comma = ""
		}
		f.line("    .%s(%s)%s", p.Name, p.Name, comma)
	}
	f.line(");")
	return f.writeTo(w)
}

// span returns the range of a vector, followed by a space.
func span(width int) string {
	if width == 0 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", width-1)
}
