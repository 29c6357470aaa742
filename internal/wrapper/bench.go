package wrapper

import _ "embed" // templates

// testbenchModule is the testbench of a wrapper without its protocol. The protocol provides the
// task tb_play, which plays one or more clocks.
//
//go:embed templates/testbench_module.v
var testbenchModule string

// handshakeBench sends units and takes results by valid and ready. Each side pauses at times.
//
//go:embed templates/handshake_bench.v
var handshakeBench string
