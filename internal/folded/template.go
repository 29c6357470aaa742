package folded

import _ "embed" // templates

// chainsTemplate is the module. A step takes eight clocks from pc to the best class; only v depends on
// itself. A sample is whole in its buffer three clocks after its last word, and its first step
// reads it one clock later.
//
//go:embed templates/engine.v
var chainsTemplate string

// lane is the hardware of one lane, which does one step in a clock.
//
//go:embed templates/lane.v
var lane string

// closing0 is what lane 0 has in addition: it closes the classes.
//
//go:embed templates/closing0.v
var closing0 string
