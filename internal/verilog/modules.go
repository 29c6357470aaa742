package verilog

import (
	_ "embed" // templates
	"fmt"
	"strings"

	"ialgn/netlist"
)

// These modules implement a netlist's operators. In the modules for popcount and argmax, a continuous assignment
// calls a function. Unlike always @*, a continuous assignment is also evaluated if all inputs are constants.
var (
	//go:embed templates/popcount_module.v
	popcountModule string
	//go:embed templates/argmax_module.v
	argmaxModule string
	//go:embed templates/margin_module.v
	marginModule string
	//go:embed templates/register_module.v
	registerModule string
)

// Helper is a module that implements an operator inside the netlist's module. If the netlist's module is NAME, the
// helper has a name such as NAME_popcount.
type Helper struct {
	Suffix     string
	Parameters []string // parameters in the order in which an instance sets them
	Inputs     []string // pins in order; for a register: clock, enable, data
	Output     string

	title, text string
}

var (
	popcountHelper = Helper{
		"_popcount",
		[]string{"WIDTH", "BITS"},
		[]string{"bits"},
		"count", "count is the number of ones among bits",
		popcountModule,
	}
	argmaxHelper = Helper{
		"_argmax",
		[]string{"CLASSES", "BITS", "INDEX"},
		[]string{"counts"},
		"index",
		"index is the class of the largest count, class 0 in the lowest bits; the lowest of equals", argmaxModule,
	}
	marginHelper = Helper{
		"_margin",
		[]string{"CLASSES", "BITS", "INDEX", "MARGIN"},
		[]string{"counts"},
		"result",
		"result is the index as of an argmax, and above it 1 if another count plus MARGIN is larger than the largest count",
		marginModule,
	}
	registerHelper = Helper{
		"_register",
		[]string{"WIDTH"},
		[]string{"clk", "ce", "d"},
		"q", "q is d as it was at the last edge of clk at which ce was 1",
		registerModule,
	}
)

// Helpers returns the helper modules in the order in which they appear in a file.
func Helpers() []Helper { return []Helper{popcountHelper, argmaxHelper, marginHelper, registerHelper} }

// Module returns the module's text. module is the name of the netlist's module.
func (h Helper) Module(module string) string {
	return "\n// " + h.title + "\n" + Below(strings.ReplaceAll(h.text, "NAME"+h.Suffix, module+h.Suffix))
}

// head returns the beginning of an instance. The text consists of the last part of the module's name, followed by the
// parameters.
func (h Helper) head(values []int) string {
	var parameters []string
	for i, name := range h.Parameters {
		parameters = append(parameters, fmt.Sprintf(".%s(%d)", name, values[i]))
	}
	return h.Suffix + " #(" + strings.Join(parameters, ", ") + ")"
}

// modules writes the helper modules that have instances.
func (d *design) modules() {
	var popcount, argmax, margin, register bool
	for c := range netlist.Cell(d.n.Cells()) {
		switch k, in := d.n.Kind(c), len(d.n.Inputs(c)); {
		case k == netlist.Popcount && in > 1:
			popcount = true
		case k == netlist.Argmax && in > d.n.ArgmaxWidth(c):
			argmax, margin = argmax || d.n.Margin(c) == 0, margin || d.n.Margin(c) > 0
		case k == netlist.Register:
			register = true
		}
	}
	for i, used := range []bool{popcount, argmax, margin, register} {
		if used {
			d.text(Helpers()[i].Module(d.module))
		}
	}
}
