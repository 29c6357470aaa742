//go:build linux && (amd64 || arm64)

package rows

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestOutput checks random numbers of classes, digits and samples. The pages after the results cannot be accessed.
func TestOutput(t *testing.T) {
	eachISA(t, func(t *testing.T, i isa) {
		for seed := range i.trials {
			testOutput(t, rand.New(rand.NewPCG(uint64(seed), 2)), i)
		}
	})
}

func testOutput(t *testing.T, r *rand.Rand, i isa) {
	const stateRows = 50
	o := &Output{Class: randomDigits(r, r.IntN(17), stateRows)}
	most := 1 + r.IntN(32)
	for range 1 + r.IntN(1<<r.IntN(9)) {
		o.Counts = append(o.Counts, randomDigits(r, r.IntN(most+1), stateRows))
	}
	run := i.compile(t, i.output(o))
	for try := range 4 {
		samples := randomSamples(r, i)
		state := guarded(t, stateRows*i.bytes)
		fill(r, state, false, []Pair{{0, 170}})
		classes, counts := guarded(t, 2*samples), guarded(t, 4*samples*len(o.Counts))
		if try == 0 {
			run(t, state, samples, classes, 0)
		} else {
			run(t, state, samples, classes, counts)
		}
		what := fmt.Sprintf("%d digits of the class, %d classes, %d samples", len(o.Class), len(o.Counts), samples)
		for s := range samples {
			if got, want := binary.LittleEndian.Uint16(classes[2*s:]), number(state, i.bytes, s, o.Class); uint32(got) != want {
				t.Fatalf("%s: class of sample %d: %d, not %d", what, s, got, want)
			}
			for c, digits := range o.Counts {
				got, want := binary.LittleEndian.Uint32(counts[4*(s*len(o.Counts)+c):]), number(state, i.bytes, s, digits)
				if try == 0 {
					want = 0
				}
				if got != want {
					t.Fatalf("%s: count %d of sample %d: %d, not %d", what, c, s, got, want)
				}
			}
		}
	}
}

func randomDigits(r *rand.Rand, n, rows int) []Row {
	digits := make([]Row, n)
	for i := range digits {
		digits[i] = []Row{Zeros, Ones, Row(r.IntN(rows)), Row(r.IntN(rows)), Row(r.IntN(rows))}[r.IntN(5)]
	}
	return digits
}

// number returns the number of a sample.
func number(state []byte, rowBytes, sample int, digits []Row) (v uint32) {
	for i, row := range digits {
		digit := row == Ones
		if row >= 0 {
			digit = state[int(row)*rowBytes+sample/8]>>(sample%8)&1 == 1
		}
		if digit {
			v |= 1 << i
		}
	}
	return v
}
