package head

import (
	"math/bits"
	"sync"
)

// maxDigits bounds the digits of a count, which has fewer than 2^32 bits.
const maxDigits = 32

// span is how many neighbouring digits a counter of a tree may read.
const span = 3

// A shape is a generalised counter of a tree: it reads in[i] bits of weight 2^i and gives
// their weighted sum in outs bits, one of each weight from 1 on. (3, 2) names the one
// with three bits of weight 1 and two of weight 2.
type shape struct {
	in   [span]int32
	sum  int32 // the largest, all inputs being 1
	outs int32
	gain int32 // bits that it makes fewer, less its LUTs
}

// bulkShape returns the counter that most of a tree is made of: (6) with three outputs for
// K = 6 and (5) for K = 5, where each LUT makes one bit fewer; for fewer inputs the full
// adder, with one bit fewer for two LUTs.
func bulkShape(k int) shape {
	if k >= 5 {
		return newShape(int32(min(k, 6)), 0, 0)
	}
	return newShape(3, 0, 0)
}

func newShape(a, b, c int32) shape {
	s := shape{in: [span]int32{a, b, c}, sum: a + 2*b + 4*c}
	s.outs = int32(bits.Len32(uint32(s.sum)))
	s.gain = a + b + c - 2*s.outs
	return s
}

// shapesOf returns the counters of up to k inputs, with the bulk shape first. For k < 3 a
// full adder is made of several cells.
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
	all := []shape{bulkShape(int(k))}
	for a := k; a >= 2; a-- {
		for b := range min(a, k-a) + 1 {
			for c := range min(b, k-a-b) + 1 {
				if s := newShape(a, b, c); s != all[0] {
					all = append(all, s)
				}
			}
		}
	}
	return all
}
