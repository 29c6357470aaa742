//go:build linux && (amd64 || arm64)

package rows

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestInput has random features, pairs and samples, words of both sizes. The page behind the samples cannot be read.
func TestInput(t *testing.T) {
	eachISA(t, func(t *testing.T, i isa) {
		for seed := range i.trials {
			testInput(t, rand.New(rand.NewPCG(uint64(seed), 1)), i)
		}
	})
}

func testInput(t *testing.T, r *rand.Rand, i isa) {
	features, wide := 1+r.IntN(1<<r.IntN(11)), r.IntN(3) == 0
	pairs := randomPairs(r, features, wide)
	in := NewInput(features, wide, pairs)
	run := i.compile(t, i.input(in))
	for range 3 {
		samples := randomSamples(r, i)
		x := guarded(t, samples*features*in.size)
		fill(r, x, wide, pairs)
		out := guarded(t, len(pairs)*i.bytes)
		run(t, x, samples, out, guarded(t, in.Temp()))
		what := fmt.Sprintf("%d features, wide %v, %d pairs, %d samples", features, wide, len(pairs), samples)
		for row, pair := range in.Order() {
			for s := range samples {
				got := out[row*i.bytes+s/8]>>(s%8)&1 == 1
				if want := word(x, wide, s*features+pairs[pair].Feature) > pairs[pair].Threshold; got != want {
					t.Fatalf("%s: row %d, %+v, of sample %d is %v", what, row, pairs[pair], s, got)
				}
			}
		}
	}
}

// randomSamples draws a number of samples, often a whole block.
func randomSamples(r *rand.Rand, i isa) int {
	if r.IntN(3) == 0 {
		return i.bytes * 8
	}
	return 1 + r.IntN(i.bytes*8)
}

// word returns the i-th feature word of samples.
func word(x []byte, wide bool, i int) uint16 {
	if wide {
		return binary.LittleEndian.Uint16(x[2*i:])
	}
	return uint16(x[i])
}

// randomPairs draws pairs, many or few thresholds a feature, in no order.
func randomPairs(r *rand.Rand, features int, wide bool) (pairs []Pair) {
	most, share := 1+r.IntN(1<<r.IntN(5)), r.Float64()
	used := map[Pair]bool{}
	for f := range features {
		if r.Float64() > share {
			continue
		}
		for range 1 + r.IntN(most) {
			p := Pair{f, uint16([]int{0, 1, 254, 255, r.IntN(256), r.IntN(256)}[r.IntN(6)])}
			if wide && r.IntN(4) > 0 {
				p.Threshold = uint16([]int{0, 65535, r.IntN(65536)}[r.IntN(3)])
			}
			if !used[p] {
				used[p] = true
				pairs = append(pairs, p)
			}
		}
	}
	if len(pairs) == 0 {
		pairs = append(pairs, Pair{features - 1, 3})
	}
	r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs
}

// fill draws words, half of them at a threshold or one beside it.
func fill(r *rand.Rand, x []byte, wide bool, pairs []Pair) {
	for i := range x {
		x[i] = uint8(r.Uint32())
	}
	for i := range len(x) / 2 {
		near := pairs[r.IntN(len(pairs))].Threshold + uint16(r.IntN(3)) - 1
		switch {
		case !wide && r.IntN(2) == 0:
			x[i] = uint8(near)
		case wide && i%2 == 0 && r.IntN(2) == 0:
			binary.LittleEndian.PutUint16(x[i:], near)
		}
	}
}
