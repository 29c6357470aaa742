package handover

import (
	"fmt"
	"io"

	"ialgn/netlist"
)

// WriteTemplate writes NAME_inst.vh: a signal for each port, with its meaning, and an
// instance. It can be copied into a module or included there.
//
// It returns an error before it writes anything if a name cannot stand in Verilog; later,
// the error of w. So do the other functions of the package.
func WriteTemplate(w io.Writer, n *netlist.Netlist, opt Options) error {
	if err := opt.check(n); err != nil {
		return err
	}
	f := &file{comment: "//"}
	opt.title(f, "Instantiation template")
	f.note("To be copied into a module, or included there.")
	if opt.Version != 0 {
		f.line("localparam [31:0] %s_VERSION = 32'h%08x;", opt.Module, opt.Version)
	}
	list := ports(n)
	for _, p := range list {
		f.line("wire %s%s;  // %s, %s", span(p.width), p.name, p.direction(), p.meaning)
	}
	f.line("")
	f.line("%s %s_i (", opt.Module, opt.Module)
	for i, p := range list {
		comma := ","
		if i == len(list)-1 {
			comma = ""
		}
		f.line("    .%s(%s)%s", p.name, p.name, comma)
	}
	f.line(");")
	return f.writeTo(w)
}

// span returns the range of a vector, with a space behind.
func span(width int) string {
	if width == 0 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", width-1)
}
