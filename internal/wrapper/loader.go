package wrapper

import _ "embed" // templates

// bitsBelow is a Verilog function that computes parameters.
//
//go:embed templates/bits_below.v
var bitsBelow string

// loaderModule collects the words of a sample. It is the same for every netlist except for its
// parameters.
//
//go:embed templates/loader_module.v
var loaderModule string
