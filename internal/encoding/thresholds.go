package encoding

import (
	"errors"
	"fmt"
	"slices"
)

// NewUniform returns the uniform thermometer code (IALGN paper, "Experimental Setup"). Bit j of a feature v in 0..max
// is v/max > j/bits, strictly, for j = 1 .. bits-1. The integer threshold is floor(j*max/bits). Therefore v >
// threshold exactly if v*bits > j*max.
//
// names has one element for each feature, or is empty. NewUniform returns an error if features < 1, bits is outside
// 2..256, bitsIn is outside 1..16, max does not fit bitsIn bits, or the number of names is wrong.
func NewUniform(features, bits, bitsIn int, max uint32, names []string) (*Encoder, error) {
	if features < 1 {
		return nil, errors.New("encoder has no features")
	}
	if err := checkWidths(bits, bitsIn, max); err != nil {
		return nil, err
	}
	if err := checkNames(names, features); err != nil {
		return nil, err
	}
	e := &Encoder{Bits: bits, BitsIn: bitsIn, Max: max, Names: names, Thresholds: thresholdRows(features, bits)}
	e.SpreadOver(slices.Repeat([][2]uint16{{0, uint16(max)}}, features))
	return e, nil
}

// SpreadOver sets the thresholds of each feature f at equal steps between the two words spans[f].
func (e *Encoder) SpreadOver(spans [][2]uint16) {
	for f, row := range e.Thresholds {
		low, high := uint64(spans[f][0]), uint64(spans[f][1])
		for j := range row {
			row[j] = uint16(low + uint64(j+1)*(high-low)/uint64(e.Bits))
		}
	}
}

// thresholdRows returns a row of bits-1 thresholds for each feature, all in one backing array.
func thresholdRows(features, bits int) [][]uint16 {
	all, rows := make([]uint16, features*(bits-1)), make([][]uint16, features)
	for f := range rows {
		rows[f], all = all[:bits-1:bits-1], all[bits-1:]
	}
	return rows
}

// Histogram counts the values of each feature of a training set in order to fit quantile thresholds.
// [Histogram.Add] fills it sample by sample; then [Histogram.Quantile] may be called any number of times.
//
// Its memory depends on the values that occur. Each aligned run of 256 values of a feature takes 1 KiB, if one of the
// values occurs. A feature of 16 bits takes at most 256 KiB.
type Histogram struct {
	bitsIn  int
	max     uint32
	samples uint64
	counts  [][]*[256]uint32 // [feature][value / 256][value % 256]
}

// NewHistogram returns an empty histogram of features with values 0..max in words of bitsIn bits. It returns an error
// in the same cases as [NewUniform].
func NewHistogram(features, bitsIn int, max uint32) (*Histogram, error) {
	if features < 1 {
		return nil, errors.New("histogram has no features")
	}
	if err := checkWidths(MinBits, bitsIn, max); err != nil {
		return nil, err
	}
	h := &Histogram{bitsIn: bitsIn, max: max, counts: make([][]*[256]uint32, features)}
	for f := range h.counts {
		h.counts[f] = make([]*[256]uint32, max/256+1)
	}
	return h, nil
}

// Add counts the values of one sample. It panics if the number of values is not the number of features, or if a value
// exceeds the histogram's maximum.
func (h *Histogram) Add(values []uint16) {
	if len(values) != len(h.counts) {
		panic(fmt.Sprintf("encoding: %d values for a histogram of %d features", len(values), len(h.counts)))
	}
	h.samples++
	for f, v := range values {
		if uint32(v) > h.max {
			panic(fmt.Sprintf("encoding: value %d of feature %d is above %d", v, f, h.max))
		}
		page := h.counts[f][v/256]
		if page == nil {
			page = new([256]uint32)
			h.counts[f][v/256] = page
		}
		page[v%256]++
	}
}

// Quantile returns the code by quantiles of the samples. Threshold j, for j = 1 .. bits-1, is the smallest value that
// at least j/bits of the samples do not exceed. If no sample exceeds this value, the threshold is the next smaller
// value that occurs, unless the feature is constant. Each input bit therefore splits the training set if a split
// exists. Thresholds may repeat, but no threshold is wasted on a bit that is always 0.
//
// It returns an error in the same cases as [NewUniform], and for an empty histogram.
func (h *Histogram) Quantile(bits int, names []string) (*Encoder, error) {
	if h.samples == 0 {
		return nil, errors.New("quantile thresholds: no training sample to fit them to")
	}
	e, err := NewUniform(len(h.counts), bits, h.bitsIn, h.max, names)
	if err != nil {
		return nil, err
	}
	for f, row := range e.Thresholds {
		h.quantile(row, f)
	}
	return e, nil
}

// quantile fills row with the thresholds of feature f in one pass over its values in ascending order.
func (h *Histogram) quantile(row []uint16, f int) {
	j, seen, previous := 0, uint64(0), uint16(0)
	for p, page := range h.counts[f] {
		if page == nil {
			continue
		}
		for i, n := range page {
			if n == 0 {
				continue
			}
			v, first := uint16(p*256+i), seen == 0
			if seen += uint64(n); seen == h.samples && !first {
				v = previous // nothing exceeds the largest value
			}
			for ; j < len(row) && seen*uint64(len(row)+1) >= uint64(j+1)*h.samples; j++ {
				row[j] = v
			}
			previous = v
		}
	}
}

// Cheapen moves each threshold of an encoder to the cheapest place at which it still splits the samples in the same
// way. No sample's value is between the old and the new place. If several places have the lowest cost, Cheapen takes
// the nearest, and the lower of two nearest places. Thresholds stay in order.
func (h *Histogram) Cheapen(e *Encoder, cost func(threshold uint16) int) {
	for f, row := range e.Thresholds {
		for j, t := range row {
			row[j] = h.cheapest(f, t, cost)
		}
	}
}

// cheapest returns the new place of threshold t of feature f.
func (h *Histogram) cheapest(f int, t uint16, cost func(threshold uint16) int) uint16 {
	low, high := uint32(t), uint32(t)
	for low > 0 && !h.occurs(f, low) {
		low--
	}
	for high+1 < h.max && !h.occurs(f, high+1) {
		high++
	}
	best := t
	for _, at := range outwards(low, uint32(t), high) {
		if cost(at) < cost(best) {
			best = at
		}
	}
	return best
}

// occurs reports whether some sample has the value v in feature f.
func (h *Histogram) occurs(f int, v uint32) bool {
	page := h.counts[f][v/256]
	return page != nil && page[v%256] > 0
}

// outwards returns the numbers from low to high, ordered by their distance from the start value (the parameter from).
// Of two equally distant numbers, the lower comes first.
func outwards(low, from, high uint32) []uint16 {
	all := []uint16{uint16(from)}
	for d := uint32(1); d <= max(from-low, high-from); d++ {
		if from >= low+d {
			all = append(all, uint16(from-d))
		}
		if from+d <= high {
			all = append(all, uint16(from+d))
		}
	}
	return all
}
