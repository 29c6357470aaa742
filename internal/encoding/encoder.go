// Package encoding turns feature words into the thermometer bits that a network reads, and stores whole data sets
// in packed form.
//
// Every feature is an unsigned integer of a declared width, both in the trainer and in hardware. An [Encoder]
// compares each feature with bits-1 integer thresholds. Bit j of feature f is 1 if the value is greater than
// Thresholds[f][j-1]. The index of this bit among the inputs is f*(bits-1) + j-1. The level of a value is the number
// of thresholds that it exceeds. A set of samples is stored as levels ([Packed]), because levels never take more bits
// than the thermometer code. Levels are turned into bits one batch at a time:
//
//	values --Levels--> levels --Append--> Packed      once for a data set
//	Packed --Gather--> planes --Thermometer--> bits   once for a batch
//
// A [Batcher] does the work of the second line in one step, on several goroutines.
//
// An Encoder made here or accepted by [Encoder.Check] has the same number of thresholds for every feature, in
// ascending order. The rest of the package relies on this.
package encoding

import (
	"fmt"
	"math/bits"
	"sort"
)

// Encoder is the thermometer code of a data set's features.
type Encoder struct {
	Bits       int        `json:"bits"`                // n_b: each feature has Bits-1 thresholds
	BitsIn     int        `json:"bits_in"`             // width of a feature word
	Max        uint32     `json:"max"`                 // largest value of a feature, below 1<<BitsIn
	Names      []string   `json:"names,omitempty"`     // feature names; empty means "feature 0" and so on
	Thresholds [][]uint16 `json:"thresholds"`          // [feature][Bits-1], ascending, not necessarily strictly
	Quantiser  *Quantiser `json:"quantiser,omitempty"` // turns real features into integers; nil if features are integers

	// Columns are the columns of the table that the features come from, in order. Columns is nil if each column is a
	// feature of numbers. A model of such a table needs only the ranges, and its file keeps the bytes of earlier
	// versions.
	Columns []Column `json:"columns,omitempty"`
}

// Features returns the number of features.
func (e *Encoder) Features() int { return len(e.Thresholds) }

// Inputs returns the number of thermometer bits. They are the network's inputs.
func (e *Encoder) Inputs() int { return len(e.Thresholds) * (e.Bits - 1) }

// LevelBits returns the width in bits of a level. Levels are 0 to Bits-1.
func (e *Encoder) LevelBits() int { return bits.Len(uint(e.Bits - 1)) }

// Name returns the name of feature f, or "feature f" if it has no name.
func (e *Encoder) Name(f int) string {
	if f < len(e.Names) && e.Names[f] != "" {
		return e.Names[f]
	}
	return fmt.Sprintf("feature %d", f)
}

// Label returns the meaning of input bit i, which consists of a feature and a threshold, as in "pixel 12 > 63". The
// threshold is an integer that is compared with the feature word. The label is therefore correct for the hardware's
// input bus, with or without cuts.
func (e *Encoder) Label(i int) string {
	f, j := i/(e.Bits-1), i%(e.Bits-1)
	return fmt.Sprintf("%s > %d", e.Name(f), e.Thresholds[f][j])
}

// ByCuts reports whether real features become words by cuts (see [Quantiser]).
func (e *Encoder) ByCuts() bool { return e.Quantiser != nil && e.Quantiser.Cuts != nil }

// Cut returns the real threshold of input bit i. The bit is 1 if the feature's value is greater. The boolean result
// is false if the encoder does not work by cuts.
func (e *Encoder) Cut(i int) (x float64, has bool) {
	if !e.ByCuts() {
		return 0, false
	}
	return e.Quantiser.Cuts[i/(e.Bits-1)][i%(e.Bits-1)], true
}

// Level returns the number of thresholds of feature f that v exceeds, 0 to Bits-1.
func (e *Encoder) Level(f int, v uint16) uint16 { return level(e.Thresholds[f], v) }

// Levels writes the level of each value to dst. It panics unless values and dst have one element for each feature.
func (e *Encoder) Levels(dst, values []uint16) {
	if len(values) != e.Features() || len(dst) != e.Features() {
		panic(fmt.Sprintf("encoding: %d values and %d levels for %d features", len(values), len(dst), e.Features()))
	}
	for f, v := range values {
		dst[f] = level(e.Thresholds[f], v)
	}
}

// Relevel replaces the levels of a set in place. It computes the new levels from the set named words, which holds the
// feature words of the same samples. It is called after thresholds have moved. It panics if the two sets differ in
// form.
func (e *Encoder) Relevel(levels, words *Packed) {
	if levels.Len() != words.Len() || levels.Features != words.Features || levels.Width != e.LevelBits() {
		panic(fmt.Sprintf("encoding: %d samples of %d features of %d bits are not levels of %d of %d", levels.Len(),
			levels.Features, levels.Width, words.Len(), words.Features))
	}
	row := make([]uint16, words.Features)
	for i := range words.Len() {
		words.Values(row, i)
		e.Levels(row, row)
		levels.appendRow(levels.Row(i)[:0], row)
	}
}

// level counts the thresholds below v. If there are only a few thresholds, counting is faster than a search.
func level(thresholds []uint16, v uint16) uint16 {
	if len(thresholds) > 16 {
		return uint16(sort.Search(len(thresholds), func(j int) bool { return v <= thresholds[j] }))
	}
	n := uint32(0)
	for _, t := range thresholds {
		n += (uint32(t) - uint32(v)) >> 31 // 1 if t < v, because both are below 1<<16
	}
	return uint16(n)
}
