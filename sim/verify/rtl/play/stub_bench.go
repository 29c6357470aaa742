package play

import _ "embed" // templates

// stubHead is what the stubs of cores have in common: what they must be given, and what they give.
// The outputs are random ones that belong to the sample that was given; anything else gets wrong
// ones.
//
//go:embed templates/stub_head.v
var stubHead string

// stubCore has no clock, so it cannot know when a sample is complete. It looks for its input among the next
// three samples whose results the testbench waits for. For any other input it returns a result that differs from those
// three, if there is one.
//
//go:embed templates/stub_core.v
var stubCore string

// stubPipeline compares a sample when it comes, and gives its result as many enabled clocks later as
// the core has stages.
//
//go:embed templates/stub_pipeline.v
var stubPipeline string

// stubEngine takes words as a folded engine does, with at most two samples in progress, and compares a sample when it
// is complete. At times it takes no word for a clock, unless the protocol cannot wait (uart, spi) and would
// lose a byte.
//
//go:embed templates/stub_engine.v
var stubEngine string

// The ports of the stubs.
const (
	corePins = `    input wire [@HIGH@:0] @X@`

	pipelinePins = `    input wire clk, input wire rst, input wire ce, input wire in_valid, output wire out_valid,
    input wire [@HIGH@:0] @X@`

	enginePins = `    input wire clk, input wire rst, input wire in_valid, output wire in_ready, input wire [@WORD@-1:0] in_data,
    input wire in_last, @DROP@output wire out_valid, input wire out_ready, output wire error`
)
