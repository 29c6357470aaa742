package rtl

import _ "embed" // templates

// playerBench compares the results of samples with the expected ones. The players of valid and
// ready and of spi change inputs while the clock is low; that of uart has a clock of its own.
//
// A unit is what moves in one clock or byte. Above its data it has six bits: it is the last of a packet;
// it comes after a reset; it makes error 1 from then on; it ends a sample that has a result; it is sent
// with a wrong stop bit; it begins a packet that comes only when all results have been taken. Above these are the bits
// of its tag, where there is one.
//
//go:embed templates/player_bench.v
var playerBench string
