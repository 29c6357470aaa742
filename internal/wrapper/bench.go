package wrapper

import _ "embed" // templates

// testbenchModule is the part of a wrapper's testbench that does not depend on the protocol. The other part provides
// the task tb_play, which runs one or more clocks.
//
//go:embed templates/testbench_module.v
var testbenchModule string

// handshakeBench sends units and takes results by valid and ready. Both sides pause sometimes.
//
//go:embed templates/handshake_bench.v
var handshakeBench string
