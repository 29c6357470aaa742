package liberty

import (
	"fmt"
	"slices"
	"strings"
)

// Models returns models of the named cells in Verilog, without delays, in the order of the library. It returns an
// error if a name is not a cell of the library, or if the cell cannot be used.
func (l *Library) Models(cells []string) (string, error) {
	for _, name := range cells {
		switch c := l.cells[name]; {
		case c == nil:
			return "", fmt.Errorf("%.60q is not a cell of the library %s", name, l.Name)
		case c.Unusable != "":
			return "", fmt.Errorf("the cell %s cannot be used: %s", name, c.Unusable)
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "// Cells of the library %.100q, by the functions in the Liberty file, without delays.\n", l.Name)
	for _, c := range l.Cells {
		if slices.Contains(cells, c.Name) {
			s.WriteString(c.model())
		}
	}
	return s.String(), nil
}

// model returns the model of a cell in Verilog.
func (c *Cell) model() string {
	var ports []string
	var body strings.Builder
	for _, p := range c.Pins {
		if p.Output {
			ports = append(ports, "    output wire "+p.Name)
			fmt.Fprintf(&body, "  assign %s = %s;\n", p.Name, p.Function)
		} else {
			ports = append(ports, "    input  wire "+p.Name)
		}
	}
	text := "\nmodule " + c.Name + " (\n" + strings.Join(ports, ",\n") + "\n);\n"
	if c.register != nil {
		text += c.register.model()
	}
	return text + body.String() + "endmodule\n"
}

// model returns the statements for the state of a register. If clear and preset are both active, the state is
// cleared.
func (r *register) model() string {
	text := "  reg " + r.state + ";\n"
	if r.inverse != "" {
		text += fmt.Sprintf("  wire %s = ~%s;\n", r.inverse, r.state)
	}
	events := edge(r.clock)
	branches := ""
	for _, c := range []struct {
		when  *Function
		value int
	}{{r.clear, 0}, {r.preset, 1}} {
		if c.when != nil {
			events += " or " + edge(c.when)
			branches += fmt.Sprintf("    if (%s) %s <= 1'b%d;\n    else\n", c.when, r.state, c.value)
		}
	}
	return text + fmt.Sprintf("  always @(%s)\n%s    %s <= %s;\n", events, branches, r.state, r.next)
}

// edge returns the event after which a pin, or an inverted pin, is active.
func edge(f *Function) string {
	pin, inverted := f.literal()
	if inverted {
		return "negedge " + pin
	}
	return "posedge " + pin
}
