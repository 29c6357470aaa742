//go:build linux && amd64

package rows

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"ialgn/backend/native/x86"
	"ialgn/internal/nativecall"
)

// TestOutput has random numbers of classes, digits and samples. The pages behind the results cannot be touched.
func TestOutput(t *testing.T) {
	for _, isa := range isas {
		t.Run(isa.name, func(t *testing.T) {
			if !isa.has {
				t.Skip("this processor has no", isa.name)
			}
			for seed := range 150 {
				r := rand.New(rand.NewPCG(uint64(seed), 2))
				testOutput(t, r, isa.bytes, isa.output)
			}
		})
	}
}

func testOutput(t *testing.T, r *rand.Rand, rowBytes int, build func(*Output, *x86.Asm) x86.Label) {
	const stateRows = 50
	o := &Output{Class: randomDigits(r, r.IntN(17), stateRows)}
	most := 1 + r.IntN(32)
	for range 1 + r.IntN(1<<r.IntN(9)) {
		o.Counts = append(o.Counts, randomDigits(r, r.IntN(most+1), stateRows))
	}
	function := compile(t, func(a *x86.Asm) x86.Label { return build(o, a) })
	for try := range 4 {
		samples := 1 + r.IntN(rowBytes*8)
		if r.IntN(3) == 0 {
			samples = rowBytes * 8
		}
		state := guarded(t, stateRows*rowBytes)
		fill(r, state, false, []Pair{{0, 170}})
		classes, counts := guarded(t, 2*samples), guarded(t, 4*samples*len(o.Counts))
		address := uintptr(unsafe.Pointer(&counts[0]))
		if try == 0 {
			address = 0
		}
		nativecall.Call(function, uintptr(unsafe.Pointer(&state[0])), uintptr(samples),
			uintptr(unsafe.Pointer(&classes[0])), address)
		what := fmt.Sprintf("%d digits of the class, %d classes, %d samples", len(o.Class), len(o.Counts), samples)
		for s := range samples {
			if got, want := binary.LittleEndian.Uint16(classes[2*s:]), number(state, rowBytes, s, o.Class); uint32(got) != want {
				t.Fatalf("%s: class of sample %d: %d, not %d", what, s, got, want)
			}
			for c, digits := range o.Counts {
				got, want := binary.LittleEndian.Uint32(counts[4*(s*len(o.Counts)+c):]), number(state, rowBytes, s, digits)
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
