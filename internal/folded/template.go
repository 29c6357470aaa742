package folded

import _ "embed" // templates

// chainsTemplate is the engine's module. A step takes eight clocks from the program counter pc to the best class.
// Only the register v depends on its own previous value. A sample is complete in its buffer three clocks after its
// last word. Its first step reads the buffer one clock later.
//
//go:embed templates/engine.v
var chainsTemplate string

// lane is the hardware of one lane, which runs one step in each clock.
//
//go:embed templates/lane.v
var lane string

// closing0 is the additional hardware of lane 0, which closes the classes.
//
//go:embed templates/closing0.v
var closing0 string
