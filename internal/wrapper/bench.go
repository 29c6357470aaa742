package wrapper

import _ "embed" // templates

// testbenchModule is the testbench of a wrapper without its protocol, which has the task tb_play
// for a clock of it, or for several.
//
//go:embed templates/testbench_module.v
var testbenchModule string

// handshakeBench gives units and takes results where valid and ready meet, each side pausing at
// times.
//
//go:embed templates/handshake_bench.v
var handshakeBench string
