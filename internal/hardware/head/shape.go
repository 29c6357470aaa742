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

// A shape is a generalised counter of a tree. It reads in[i] bits of weight 2^i. Its outputs are the binary digits of
// the weighted sum of these bits. The field outs is the number of outputs. (3, 2) denotes the shape with three bits
// of weight 1 and two bits of weight 2.
type shape struct {
	in    [span]int32
	sum   int32 // the largest sum, for which all inputs are 1
	outs  int32
	later [maxOuts]int32 // levels of each output, minus one
	luts  int32
	gain  int32 // inputs minus outputs minus LUTs
}

// maxOuts bounds the outputs of a shape. maxLater bounds the values of shape.later.
const (
	maxOuts  = 4
	maxLater = 4
)

// bulkShapes returns the counters that make up most of a tree. For K = 6, this is (6) with three outputs, and for K =
// 5 it is (5). With these counters, each LUT removes about one bit. For smaller K, it is the full adder, which
// removes one bit with two LUTs. For K = 4 there is also [sevenShape].
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

// sevenShape returns the (7:3) counter of seven LUTs with four inputs each. Four full adders would take eight LUTs.
// See [tree.seven].
func sevenShape() shape {
	s := newShape(7, 0, 0)
	s.luts, s.later = 7, [maxOuts]int32{2, 3, 4}
	s.gain = 7 - s.outs - s.luts
	return s
}

// shapesOf returns the counters of up to k inputs. Bulk shapes come first. For k < 3, a full adder takes several
// cells.
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

// lutsOf returns the number of LUTs of a counter of which only the lowest outputs are needed. The argument outs is
// the number of these outputs.
func (s *shape) lutsOf(outs int) int {
	if int(s.outs) == outs {
		return int(s.luts)
	}
	// One of the seven LUTs is only for the highest output. Four are only for the two higher outputs.
	if s.luts > s.outs {
		return []int{0, 3, 6}[outs]
	}
	return outs
}
