package folded

import _ "embed" // templates

// positionsTemplate is the engine's module. A sample is complete in its buffer three clocks after
// its last word.
//
//go:embed templates/positions_engine.v
var positionsTemplate string

// convolution is the hardware of one convolution.
//
//go:embed templates/convolution.v
var convolution string

// lines is the line buffer of a convolution.
//
//go:embed templates/lines.v
var lines string

// pool computes the OR of two by two positions.
//
//go:embed templates/pool.v
var pool string
