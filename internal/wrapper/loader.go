package wrapper

import _ "embed" // templates

// bitsBelow is a function of Verilog that parameters are computed with.
//
//go:embed templates/bits_below.v
var bitsBelow string

// loaderModule collects the words of a sample. It is the same for every netlist: what
// differs are its parameters.
//
//go:embed templates/loader_module.v
var loaderModule string
