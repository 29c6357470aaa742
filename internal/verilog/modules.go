package verilog

import (
	_ "embed" // templates
	"fmt"
	"slices"
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
	orderedHelper       = ordered(argmaxHelper, "_ordered")
	orderedMarginHelper = ordered(marginHelper, "_ordered_margin")

	registerHelper = Helper{
		"_register",
		[]string{"WIDTH"},
		[]string{"clk", "ce", "d"},
		"q", "q is d as it was at the last edge of clk at which ce was 1",
		registerModule,
	}
)

// OrderParameter is the parameter of a helper module that holds the tie order: the classes in the order in which they
// win, the first one in the lowest bits. Each class has as many bits as the index.
const OrderParameter = "ORDER"

// ordered returns the helper of an argmax with a tie order, which goes through the classes in this order.
func ordered(h Helper, suffix string) Helper {
	const first = "best = words[BITS-1:0];\n      largest = {INDEX{1'b0}};\n"
	return Helper{
		suffix, append(slices.Clip(h.Parameters), OrderParameter), h.Inputs, h.Output,
		strings.ReplaceAll(h.title, "the lowest of equals", "of equals the first in ORDER"),
		strings.NewReplacer(
			"NAME"+h.Suffix, "NAME"+suffix,
			"INDEX = 1     //", "INDEX = 1,    //", "MARGIN = 1    //", "MARGIN = 1,   //",
			"\n) (", "\n    // the classes, the one that wins ties first in the lowest bits\n"+
				"    parameter [CLASSES*INDEX-1:0] ORDER = 0\n) (",
			first, "largest = ORDER[INDEX-1:0];\n      best = words[ORDER[INDEX-1:0]*BITS+:BITS];\n",
			"words[i*BITS+:BITS]", "words[ORDER[i*INDEX+:INDEX]*BITS+:BITS]",
			"i[INDEX-1:0]", "ORDER[i*INDEX+:INDEX]",
		).Replace(h.text),
	}
}

// Helpers returns the helper modules in the order in which they appear in a file.
func Helpers() []Helper {
	return []Helper{popcountHelper, argmaxHelper, marginHelper, orderedHelper, orderedMarginHelper, registerHelper}
}

// Module returns the module's text. module is the name of the netlist's module.
func (h Helper) Module(module string) string {
	return "\n// " + h.title + "\n" + Below(strings.ReplaceAll(h.text, "NAME"+h.Suffix, module+h.Suffix))
}

// head returns the beginning of an instance. The text consists of the last part of the module's name, followed by the
// parameters.
func (h Helper) head(values []string) string {
	var parameters []string
	for i, name := range h.Parameters {
		parameters = append(parameters, fmt.Sprintf(".%s(%s)", name, values[i]))
	}
	return h.Suffix + " #(" + strings.Join(parameters, ", ") + ")"
}

// modules writes the helper modules that have instances.
func (d *design) modules() {
	used := map[string]bool{}
	for c := range netlist.Cell(d.n.Cells()) {
		switch k, in := d.n.Kind(c), len(d.n.Inputs(c)); {
		case k == netlist.Popcount && in > 1:
			used[popcountHelper.Suffix] = true
		case k == netlist.Argmax && in > d.n.ArgmaxWidth(c):
			used[d.argmaxHelper(c).Suffix] = true
		case k == netlist.Register:
			used[registerHelper.Suffix] = true
		}
	}
	for _, h := range Helpers() {
		if used[h.Suffix] {
			d.text(h.Module(d.module))
		}
	}
}
