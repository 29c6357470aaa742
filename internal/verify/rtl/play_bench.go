package rtl

import _ "embed" // templates

// playerBench is the testbench that sends samples and compares the results with the expected results. The players for
// valid/ready and for spi change inputs while the clock is low. The player for uart has a separate clock.
//
// A unit is a word that is sent in one clock, or a byte. It has six more bits above its data. In ascending order,
// they mean:
//
//   - The unit is the last one of a packet.
//   - The unit comes after a reset.
//   - The signal error is 1 from this unit on.
//   - The unit ends a sample that has a result.
//   - The unit is sent with a wrong stop bit.
//   - The unit begins a packet that waits until all results have been taken.
//
// The bits of the tag, if there is one, come above these six bits.
//
//go:embed templates/player_bench.v
var playerBench string
