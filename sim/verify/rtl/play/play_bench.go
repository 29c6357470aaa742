package play

import (
	_ "embed" // templates
)

// templates

// playerBench holds what comes of samples to what is expected. Inputs change while the clock is
// low, so that what moves at its edge is the same for all that look.
//
// Above its data, a unit says in this order whether it is the last of a packet, comes after a reset,
// makes error 1 from then on, ends a sample that has a result, is sent with a wrong stop bit, and begins
// a packet that comes when all results have been taken.
//
//go:embed templates/player_bench.v
var playerBench string
