// Package encoding turns feature words into the thermometer bits that a network
// reads, and keeps whole data sets packed.
//
// Every feature is an unsigned integer of a declared width, in the trainer and in the
// hardware alike. An [Encoder] compares it with bits-1 integer thresholds: bit j of
// feature f is value > Thresholds[f][j-1], strictly, and stands at input index
// f*(bits-1) + j-1. The number of thresholds a value exceeds is its level, so a set
// of samples is kept as levels ([Packed]) and spread into bits a batch at a time.
package encoding

import "math/bits"

// Encoder is the thermometer code of a data set's features.
type Encoder struct {
	Bits       int        // n_b: Bits-1 thresholds a feature
	BitsIn     int        // width of a feature word
	Max        uint32     // largest value of a feature, below 1<<BitsIn
	Names      []string   // of the features; empty: "feature 0" and so on
	Thresholds [][]uint16 // [feature][Bits-1], ascending, not necessarily strictly
	Quantiser  *Quantiser // how real features became integers; nil if they were integers
}

// Quantiser maps real features to integers: round((x - Offset[f]) * Scale[f]), half
// away from zero, saturating at 0 and the encoder's Max.
type Quantiser struct {
	Offset, Scale []float64
}

// Features returns the number of features.
func (e *Encoder) Features() int { return len(e.Thresholds) }

// Inputs returns the number of thermometer bits, the network's inputs.
func (e *Encoder) Inputs() int { return len(e.Thresholds) * (e.Bits - 1) }

// LevelBits returns the width of a level, which is 0 to Bits-1.
func (e *Encoder) LevelBits() int { return bits.Len(uint(e.Bits - 1)) }
