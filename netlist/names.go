package netlist

import (
	"errors"
	"fmt"
	"strings"
)

// maxName is the maximum length of a name. Verilog-2001 allows tools to limit names to this length.
const maxName = 1024

// keywords are the reserved words of Verilog-2001 (IEEE 1364-2001, annex B).
var keywords = func() map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(`
		always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos
		config deassign default defparam design disable edge else end endcase endconfig
		endfunction endgenerate endmodule endprimitive endspecify endtable endtask event
		for force forever fork function generate genvar highz0 highz1 if ifnone incdir
		include initial inout input instance integer join large liblist library localparam
		macromodule medium module nand negedge nmos nor noshowcancelled not notif0 notif1
		or output parameter pmos posedge primitive pull0 pull1 pulldown pullup
		pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos
		rpmos rtran rtranif0 rtranif1 scalared showcancelled signed small specify specparam
		strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 tri1
		triand trior trireg unsigned use vectored wait wand weak0 weak1 while wire wor xnor
		xor`) {
		m[word] = true
	}
	return m
}()

// CheckName returns nil if s is a valid name for a netlist, a port, a probe, a primitive or a pin. A valid name is
// a simple identifier of Verilog-2001: letters, digits, _ and $, not starting with a digit or $ (IEEE 1364-2001,
// section 2.7). It has at most 1024 characters and is not a reserved word. The error says what is wrong and how to
// fix it.
func CheckName(s string) error {
	switch {
	case s == "":
		return errors.New("the name is empty, use letters, digits and _ with a letter first")
	case len(s) > maxName:
		return fmt.Errorf("the name %.20q... has %d characters, use at most %d", s, len(s), maxName)
	case keywords[s]:
		return fmt.Errorf("%q is a reserved word of Verilog, choose another name", s)
	}
	for i := range len(s) {
		if !isNameByte(s[i]) || i == 0 && (isDigit(s[i]) || s[i] == '$') {
			return fmt.Errorf("%q is no Verilog identifier, use letters, digits and _ with a letter first", shorten(s))
		}
	}
	return nil
}

// Identifier converts s to a name that passes [CheckName]. It replaces invalid characters by _ and adds the prefix m_
// if the result is still invalid. Identifier is used to name a netlist after its model, because the name of a model
// may be any text.
func Identifier(s string) string {
	mapped := strings.Map(func(r rune) rune {
		if r < 128 && isNameByte(byte(r)) && r != '$' {
			return r
		}
		return '_'
	}, s)
	if len(mapped) > maxName/2 {
		mapped = mapped[:maxName/2]
	}
	if CheckName(mapped) != nil {
		mapped = "m_" + mapped
	}
	return mapped
}

// Printable replaces tabs in s by spaces, and all other characters except printable ASCII by ?. The result is safe
// in a one-line comment of an output file.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, s)
}

// shorten returns s for use in a message. If s is longer than 40 bytes, shorten returns only its beginning.
func shorten(s string) string {
	const maxShown = 40
	if len(s) <= maxShown {
		return s
	}
	return s[:maxShown] + "..."
}

func isDigit(c byte) bool { return c-'0' < 10 }

func isNameByte(c byte) bool {
	return c|0x20-'a' < 26 || isDigit(c) || c == '_' || c == '$'
}
