package rtl

import _ "embed" // templates

// playerBench is the testbench that compares the results of samples with the expected ones. The players for
// valid/ready and for spi change inputs while the clock is low; the player for uart has a clock of its own.
//
// A unit is sent in one clock, or is one byte. Above its data it has six bits. In ascending order they say that
// the unit is the last of a packet; that it comes after a reset; that error is 1 from this unit on; that the
// unit ends a sample that has a result; that it is sent with a wrong stop bit; and that it begins a packet that
// waits until all results have been taken. The bits of the tag, if there is one, come above these.
//
//go:embed templates/player_bench.v
var playerBench string
