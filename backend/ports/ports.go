// Package ports has the outside of every engine's module: its ports, which are those of package wrapper's stream module
// without the parameter, and the register in which a class waits until it is taken:
//
//	input  clk, rst
//	input  in_valid, in_data, in_last   a feature's word a clock
//	output in_ready
//	output out_valid, class_index
//	input  out_ready
//	output error
//
// Samples are packets of words, in_last 1 with the last. A packet of another length is dropped as a whole, and error
// is 1 from then on until a reset. A class stays on class_index, with out_valid, until a clock in which out_ready is 1.
package ports

import (
	_ "embed"
	"fmt"
	"strings"

	"ialgn/netlist"
)

// Ports describes an engine's module.
type Ports struct {
	Module   string
	WordBits int // bits of in_data
	Classes  int

	// Drop: there is a port drop; with 1 on it, the packet so far is void, which is an error.
	Drop bool
}

//go:embed templates/module.v
var module string

//go:embed templates/result.v
var result string

// Replacements are what a template of an engine names of its outside, for a [strings.Replacer]: @PORTS@, its beginning,
// @DROPPED@, at the end of the registers that count the words of a packet, and @RESULT@, its end, which takes the class
// from winner in a clock in which decided is 1, and only comes to that when the class before it no longer waits. The
// lines reset, assignments six columns in, are what a packet that is dropped resets besides skip and failed.
func (p *Ports) Replacements(reset string) []string {
	drop, dropped := "", ""
	if p.Drop {
		drop = "    input  wire drop,  // the packet so far is void, an error; not in a clock with in_valid\n"
		dropped = "      if (drop) begin\n" + strings.ReplaceAll(reset, "      ", "        ") +
			"        skip <= 1'b0;\n        failed <= 1'b1;\n      end\n"
	}
	fill := strings.NewReplacer(
		"@MODULE@", p.Module, "@WORD@", fmt.Sprint(p.WordBits-1), "@INDEX@", fmt.Sprint(netlist.ClassBits(p.Classes)-1),
		"@DROP@", drop,
	)
	return []string{"@PORTS@", fill.Replace(module), "@DROPPED@", dropped, "@RESULT@", fill.Replace(result)}
}
