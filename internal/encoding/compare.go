package encoding

import (
	"fmt"
	"math/bits"
)

// Compare turns bit planes of feature words into thermometer bits, as [Encoder.Thermometer] does with levels. planes
// holds the bit rows of all features' words, as [Packed.Gather] writes them. The parameter width is the number of
// rows for each feature. dst receives Inputs() rows. Each row has the given number of words.
//
// It panics if planes or dst is too short. It allocates nothing, and several goroutines may call it at once.
func (e *Encoder) Compare(dst, planes []uint64, width, words int) {
	if len(planes) < e.Features()*width*words || len(dst) < e.Inputs()*words {
		panic(fmt.Sprintf("encoding: %d words of planes and %d of bits for %d features of %d bits, %d words a row",
			len(planes), len(dst), e.Features(), width, words))
	}
	e.compare(dst, planes, width, words, 0, e.Features())
}

// compare is [Encoder.Compare] for the features from .. to-1. planes and dst hold only the rows of these features.
//
// It compares from the lowest bit up. A word is above a threshold if its current bit is above the threshold's bit, or
// if the two bits are equal and the lower bits of the word are above the threshold's lower bits. Each bit takes one
// operation, because the threshold's bits are known. Trailing ones of the threshold are skipped, because the word's
// lower bits can never be above them.
func (e *Encoder) compare(dst, planes []uint64, width, words, from, to int) {
	row := width * words
	for f, thresholds := range e.Thresholds[from:to] {
		x := planes[f*row:][:row]
		for j, t := range thresholds {
			above := dst[(f*len(thresholds)+j)*words:][:words]
			full := min(bits.TrailingZeros16(^t), width)
			rest, higher := x[full*words:], uint32(t)>>full
			if words == 2 {
				above[0], above[1] = compare2(rest, higher)
				continue
			}
			for w := range above {
				above[w] = compareOne(rest, higher, w, words)
			}
		}
	}
}

// compareOne compares the samples in word w of each row with the threshold t.
func compareOne(x []uint64, t uint32, w, words int) (above uint64) {
	for ; w < len(x); w, t = w+words, t>>1 {
		if t&1 != 0 {
			above &= x[w]
		} else {
			above |= x[w]
		}
	}
	return above
}

// compare2 is compareOne for both words of two-word rows. Batches of 65 to 128 samples have such rows.
func compare2(x []uint64, t uint32) (a0, a1 uint64) {
	for ; len(x) >= 2; x, t = x[2:], t>>1 {
		if t&1 != 0 {
			a0, a1 = a0&x[0], a1&x[1]
		} else {
			a0, a1 = a0|x[0], a1|x[1]
		}
	}
	return a0, a1
}
