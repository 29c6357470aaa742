//go:build linux && amd64

package rows

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"ialgn/backend/native/x86"
	"ialgn/internal/nativecall"
)

// isas are the kinds of code, with what tells that this processor has the instructions.
var isas = []struct {
	name   string
	bytes  int // of a row
	has    bool
	input  func(*Input, *x86.Asm) x86.Label
	output func(*Output, *x86.Asm) x86.Label
}{
	{
		"avx512", 64, cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2,
		(*Input).AVX512, (*Output).AVX512,
	},
	{"avx2", 32, cpu.X86.HasAVX2, (*Input).AVX2, (*Output).AVX2},
}

// TestInput has random features, pairs and samples, words of both sizes. The page behind the samples cannot be read.
func TestInput(t *testing.T) {
	for _, isa := range isas {
		t.Run(isa.name, func(t *testing.T) {
			if !isa.has {
				t.Skip("this processor has no", isa.name)
			}
			for seed := range 150 {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				testInput(t, r, isa.bytes, isa.input)
			}
		})
	}
}

func testInput(t *testing.T, r *rand.Rand, rowBytes int, build func(*Input, *x86.Asm) x86.Label) {
	features, wide := 1+r.IntN(1<<r.IntN(11)), r.IntN(3) == 0
	pairs := randomPairs(r, features, wide)
	in := NewInput(features, wide, pairs)
	function := compile(t, func(a *x86.Asm) x86.Label { return build(in, a) })
	for range 3 {
		samples := 1 + r.IntN(rowBytes*8)
		if r.IntN(3) == 0 {
			samples = rowBytes * 8
		}
		x := guarded(t, samples*features*in.size)
		fill(r, x, wide, pairs)
		out, temp := make([]byte, len(pairs)*rowBytes+8), make([]byte, in.Temp()+8)
		binary.LittleEndian.PutUint64(out[len(out)-8:], 0x123456789abcdef0)
		binary.LittleEndian.PutUint64(temp[len(temp)-8:], 0x123456789abcdef0)
		nativecall.Call(function, uintptr(unsafe.Pointer(&x[0])), uintptr(samples), uintptr(unsafe.Pointer(&out[0])),
			uintptr(unsafe.Pointer(&temp[0])))
		what := fmt.Sprintf("%d features, wide %v, %d pairs, %d samples", features, wide, len(pairs), samples)
		for _, memory := range [][]byte{out, temp} {
			if binary.LittleEndian.Uint64(memory[len(memory)-8:]) != 0x123456789abcdef0 {
				t.Fatalf("%s: written behind its memory", what)
			}
		}
		for row, pair := range in.Order() {
			for s := range samples {
				got := out[row*rowBytes+s/8]>>(s%8)&1 == 1
				if want := word(x, wide, s*features+pairs[pair].Feature) > pairs[pair].Threshold; got != want {
					t.Fatalf("%s: row %d, %+v, of sample %d is %v", what, row, pairs[pair], s, got)
				}
			}
		}
	}
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

// guarded returns memory that ends where a page begins that cannot be read.
func guarded(tb testing.TB, size int) []byte {
	tb.Helper()
	page := unix.Getpagesize()
	pages := (size + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, pages+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := unix.Munmap(memory); err != nil {
			tb.Error(err)
		}
	})
	if err := unix.Mprotect(memory[pages:], unix.PROT_NONE); err != nil {
		tb.Fatal(err)
	}
	return memory[pages-size : pages : pages]
}

// compile returns the address of the function that build appends.
func compile(tb testing.TB, build func(a *x86.Asm) x86.Label) uintptr {
	tb.Helper()
	var a x86.Asm
	function := build(&a)
	start := a.Len()
	a.Jump(function)
	code, err := nativecall.Map(a.Bytes())
	if err != nil {
		tb.Skip(err)
	}
	tb.Cleanup(func() {
		if err := code.Close(); err != nil {
			tb.Error(err)
		}
	})
	return code.Entry(start)
}
