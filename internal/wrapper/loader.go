package wrapper

import _ "embed" // templates

// bitsBelow is a Verilog function that computes the widths of counters.
//
//go:embed templates/bits_below.v
var bitsBelow string

// loaderModule is the Verilog module that collects the words of a sample. Only its parameters depend on the netlist.
// The module is not a shift register. A shift register would need a third fewer wires, but its flip-flops would be
// far from their readers. On iCE40, routing a random network of 400 x 100 takes 296 s with a shift register, and 214
// s with this module.
//
//go:embed templates/loader_module.v
var loaderModule string
