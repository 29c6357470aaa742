package play

import (
	_ "embed" // templates
)

// templates

// stubHead is what the stubs of cores have in common: what they must be given, and what they give.
// The outputs are random ones that belong to the sample that was given; anything else gets wrong
// ones.
//
//go:embed templates/stub_head.v
var stubHead string

// stubCore has no clock. It does not know when a sample is whole, but which it is: one of those that
// follow the results which the testbench has. What it gives for anything else is none of their
// results, or, where these are all that there is, any.
const (
	corePins = `    input wire [@HIGH@:0] @X@`
)

// stubPipeline compares a sample when it comes, and gives its result as many enabled clocks later as
// the core has stages.
const (
	pipelinePins = `    input wire clk, input wire rst, input wire ce, input wire in_valid, output wire out_valid,
    input wire [@HIGH@:0] @X@`
)

// stubEngine takes words as a folded engine does, two samples on their way at most, and compares a
// sample when it is whole. Between two streams it pauses at times; a serial line would lose a byte.
const (
	enginePins = `    input wire clk, input wire rst, input wire in_valid, output wire in_ready, input wire [@WORD@-1:0] in_data,
    input wire in_last, @DROP@output wire out_valid, input wire out_ready, output wire error`
)

//go:embed templates/stub_core.v
var stubCore string

//go:embed templates/stub_pipeline.v
var stubPipeline string

//go:embed templates/stub_engine.v
var stubEngine string
