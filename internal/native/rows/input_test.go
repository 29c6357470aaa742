//go:build linux && (amd64 || arm64)

package rows

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestInput checks random features, pairs and samples, with words of both sizes. The page after the samples cannot
// be read.
func TestInput(t *testing.T) {
	eachISA(t, func(t *testing.T, i isa) {
		for seed := range i.trials {
			testInput(t, rand.New(rand.NewPCG(uint64(seed), 1)), i)
		}
	})
}

func testInput(t *testing.T, r *rand.Rand, i isa) {
	features, wide := 1+r.IntN(1<<r.IntN(11)), r.IntN(3) == 0
	checkInput(t, r, i, features, wide, randomPairs(r, features, wide))
}

// checkInput compares the rows of random samples with the comparisons value > threshold.
func checkInput(t *testing.T, r *rand.Rand, i isa, features int, wide bool, pairs []Pair) {
	t.Helper()
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

// everyPair returns pairs of all features, with the given number of thresholds for each.
func everyPair(features, thresholds int) (pairs []Pair) {
	for f := range features {
		for t := range thresholds {
			pairs = append(pairs, Pair{f, uint16((t + 1) * 256 / (thresholds + 1))})
		}
	}
	return pairs
}

// TestWide uses too many features or thresholds for one function. No function may take long.
func TestWide(t *testing.T) {
	eachISA(t, func(t *testing.T, i isa) {
		r := rand.New(rand.NewPCG(3, 3))
		for _, c := range []struct {
			features, thresholds int
			wide                 bool
		}{{3000, 3, false}, {40, 255, true}, {3000, 7, true}} {
			pairs := everyPair(c.features, c.thresholds)
			if n := len(i.input(NewInput(c.features, c.wide, pairs)).starts); n < 2 && c.features > 1000 {
				t.Errorf("%+v: %d functions", c, n)
			}
			checkInput(t, r, i, c.features, c.wide, pairs)
		}
	})
}

// TestParts checks that the functions together handle all units in order, and that no function takes longer than
// allowed or much less time.
func TestParts(t *testing.T) {
	for _, s := range []shape{shape512, shape256, shape128} {
		for _, c := range []struct{ features, thresholds int }{{1, 1}, {784, 3}, {784, 63}, {3072, 15}, {30000, 3}} {
			in := NewInput(c.features, false, everyPair(c.features, c.thresholds))
			units, parts := in.units(s.bytes), in.parts(s)
			for i, p := range parts {
				cost := 0
				for k, u := range p.units {
					if u.start != units[k].start || u.planes != units[k].planes {
						t.Fatalf("%+v: unit %d of function %d is another", c, k, i)
					}
					cost += s.cost(k == 0 || u.start != p.units[k-1].start)
				}
				if cost > longest || cost < longest*9/10 && i < len(parts)-1 {
					t.Errorf("%+v, vectors of %d bytes: function %d takes %d us", c, s.bytes, i, cost/1_000_000)
				}
				units = units[len(p.units):]
			}
			if len(units) > 0 {
				t.Errorf("%+v: %d units are left", c, len(units))
			}
		}
	}
}

// TestFarConstants uses many thresholds. The code between the first and the last threshold is longer than an Arm
// instruction can reach.
func TestFarConstants(t *testing.T) {
	in := NewInput(3072, true, everyPair(3072, 255))
	if code := assembleARM(in.NEON).code; len(code) < 4<<20 {
		t.Errorf("%d bytes of code are no proof", len(code))
	}
}

// TestCheck checks that samples that are too long are refused.
func TestCheck(t *testing.T) {
	if err := NewInput(1<<20, true, nil).Check(); err != nil {
		t.Error(err)
	}
	if NewInput(1<<23, true, nil).Check() == nil {
		t.Error("samples of 16 MiB were accepted")
	}
}

// randomSamples draws the number of samples, often a whole block.
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

// randomPairs draws pairs with many or few thresholds for each feature, in random order.
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

// fill draws words. Half of the words equal a threshold or differ from a threshold by one.
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
