package wrapper

import _ "embed" // templates

// bitsBelow is a Verilog function that computes the widths of counters.
//
//go:embed templates/bits_below.v
var bitsBelow string

// loaderModule is the Verilog module that collects the words of a sample. Only its parameters depend on the netlist.
// It is not a shift register: that would need a third fewer wires, but its flip-flops would be far from their
// readers. A random network of 400 x 100 on iCE40 is routed in 296 s with a shift register, and in 214 s with this
// module.
//
//go:embed templates/loader_module.v
var loaderModule string
