package head

import (
	"math/bits"
	"slices"
	"sync"
)

// maxDigits bounds the digits of a count, which has fewer than 2^32 bits.
const maxDigits = 32

// span is the number of neighbouring digits that a counter of a tree may read.
const span = 3

// A shape is a generalised counter of a tree. It reads in[i] bits of weight 2^i and gives their
// weighted sum as outs bits, of weights 1, 2, 4 and so on. (3, 2) denotes the shape with three bits
// of weight 1 and two of weight 2.
type shape struct {
	in    [span]int32
	sum   int32 // the largest sum: all inputs are 1
	outs  int32
	later [maxOuts]int32 // levels of each output in addition to one
	luts  int32
	gain  int32 // bits saved (inputs less outputs), less the LUTs
}

// maxOuts bounds the outputs of a shape. maxLater bounds the values of shape.later.
const (
	maxOuts  = 4
	maxLater = 4
)

// bulkShapes returns the counters that most of a tree is made of: (6) with three outputs for K = 6
// and (5) for K = 5, where each LUT removes one bit, or nearly. For fewer inputs it is the full
// adder, which removes one bit with two LUTs, and for K = 4 also [sevenShape].
func bulkShapes(k int) []shape {
	switch {
	case k >= 5:
		return []shape{newShape(int32(min(k, 6)), 0, 0)}
	case k == 4:
		return []shape{newShape(3, 0, 0), sevenShape()}
	}
	return []shape{newShape(3, 0, 0)}
}

func newShape(a, b, c int32) shape {
	s := shape{in: [span]int32{a, b, c}, sum: a + 2*b + 4*c}
	s.outs = int32(bits.Len32(uint32(s.sum)))
	s.luts = s.outs
	s.gain = a + b + c - s.outs - s.luts
	return s
}

// sevenShape returns the (7:3) counter of seven LUTs with four inputs each. Four full adders would
// take eight LUTs; see [tree.seven].
func sevenShape() shape {
	s := newShape(7, 0, 0)
	s.luts, s.later = 7, [maxOuts]int32{2, 3, 4}
	s.gain = 7 - s.outs - s.luts
	return s
}

// shapesOf returns the counters of up to k inputs, bulk shapes first. For k < 3, a full adder takes
// several cells.
func shapesOf(k int) []shape {
	k = min(max(k, 3), 6)
	return shapeCache[k]()
}

var shapeCache = func() (cache [7]func() []shape) {
	for k := range cache {
		cache[k] = sync.OnceValue(func() []shape { return makeShapes(int32(k)) })
	}
	return cache
}()

func makeShapes(k int32) []shape {
	all := bulkShapes(int(k))
	for a := k; a >= 2; a-- {
		for b := range min(a, k-a) + 1 {
			for c := range min(b, k-a-b) + 1 {
				if s := newShape(a, b, c); !slices.Contains(all, s) {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// lutsOf returns the LUTs of a counter if only its lowest outs outputs are needed.
func (s *shape) lutsOf(outs int) int {
	if int(s.outs) == outs {
		return int(s.luts)
	}
	// Of the seven LUTs, one is only for the highest output, and four are only for the two higher
	// ones.
	if s.luts > s.outs {
		return []int{0, 3, 6}[outs]
	}
	return outs
}
