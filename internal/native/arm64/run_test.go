package arm64_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/native/arm64"
	"ialgn/internal/native/arm64/arm64test"
)

// code returns the code that the argument do emits, followed by a return instruction.
func code(t *testing.T, do func(a *arm64.Asm)) []byte {
	t.Helper()
	var a arm64.Asm
	do(&a)
	a.Ret()
	if a.Err() != nil {
		t.Fatal(a.Err())
	}
	return a.Bytes()
}

// random returns random bytes. The bytes are the same in each run of the test.
func random(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 28))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// operation is an instruction on vector registers together with a Go function that computes the same. Before the
// instruction, each of the registers d, n, m and o holds a row of the data. After the instruction, the test compares
// d with the function's result.
type operation struct {
	name string
	do   func(a *arm64.Asm, d, n, m, o arm64.V)
	mean func(d, n, m, o []byte) []byte
}

// bitwise applies f to each byte.
func bitwise(f func(d, n, m, o byte) byte) func(d, n, m, o []byte) []byte {
	return func(d, n, m, o []byte) []byte {
		out := make([]byte, 16)
		for i := range out {
			out[i] = f(d[i], n[i], m[i], o[i])
		}
		return out
	}
}

// logic lists the bitwise operations, with their meanings from the architecture's manual.
var logic = []operation{
	{
		"and", func(a *arm64.Asm, d, n, m, _ arm64.V) { a.And(d, n, m) },
		bitwise(func(_, n, m, _ byte) byte { return n & m }),
	},
	{
		"bic", func(a *arm64.Asm, d, n, m, _ arm64.V) { a.Bic(d, n, m) },
		bitwise(func(_, n, m, _ byte) byte { return n &^ m }),
	},
	{
		"orr", func(a *arm64.Asm, d, n, m, _ arm64.V) { a.Orr(d, n, m) },
		bitwise(func(_, n, m, _ byte) byte { return n | m }),
	},
	{
		"eor", func(a *arm64.Asm, d, n, m, _ arm64.V) { a.Eor(d, n, m) },
		bitwise(func(_, n, m, _ byte) byte { return n ^ m }),
	},
	{"not", func(a *arm64.Asm, d, n, _, _ arm64.V) { a.Not(d, n) }, bitwise(func(_, n, _, _ byte) byte { return ^n })},
	{"mov", func(a *arm64.Asm, d, n, _, _ arm64.V) { a.Mov(d, n) }, bitwise(func(_, n, _, _ byte) byte { return n })},
	{
		"bsl", func(a *arm64.Asm, d, n, m, _ arm64.V) { a.Bsl(d, n, m) },
		bitwise(func(d, n, m, _ byte) byte { return d&n | ^d&m }),
	},
	{
		"bit", func(a *arm64.Asm, d, n, m, _ arm64.V) { a.Bit(d, n, m) },
		bitwise(func(d, n, m, _ byte) byte { return m&n | ^m&d }),
	},
	{
		"bif", func(a *arm64.Asm, d, n, m, _ arm64.V) { a.Bif(d, n, m) },
		bitwise(func(d, n, m, _ byte) byte { return m&d | ^m&n }),
	},
	{
		"movi 16b", func(a *arm64.Asm, d, _, _, _ arm64.V) { a.Movi(arm64.B16, d, 0xa7) },
		bitwise(func(_, _, _, _ byte) byte { return 0xa7 }),
	},
	{
		"movi 2d", func(a *arm64.Asm, d, _, _, _ arm64.V) { a.Movi(arm64.D2, d, ^uint64(0)) },
		bitwise(func(_, _, _, _ byte) byte { return 0xff }),
	},
}

// sha3 lists the bitwise operations of the SHA3 extension.
var sha3 = []operation{
	{"eor3", (*arm64.Asm).Eor3, bitwise(func(_, n, m, o byte) byte { return n ^ m ^ o })},
	{"bcax", (*arm64.Asm).Bcax, bitwise(func(_, n, m, o byte) byte { return n ^ m&^o })},
}

// get returns lane i of a vector with lanes of size bytes.
func get(v []byte, size, i int) uint64 {
	var b [8]byte
	copy(b[:], v[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(b[:])
}

// lanes returns a vector with lanes of size bytes. The function f returns the value of each lane.
func lanes(size int, f func(i int) uint64) []byte {
	var out []byte
	for i := range 16 / size {
		out = append(out, binary.LittleEndian.AppendUint64(nil, f(i))[:size]...)
	}
	return out
}

// permutations returns the operations that move lanes of size bytes. Each result is described as a list of lane
// numbers. The lanes of n have the first numbers, and the lanes of m have the numbers after these.
func permutations(t arm64.Arrangement, size int) []operation {
	count := 16 / size
	var list []operation
	for _, c := range []struct {
		name string
		do   func(a *arm64.Asm, t arm64.Arrangement, d, n, m arm64.V)
		from func(i int) int
	}{
		{"zip1", (*arm64.Asm).Zip1, func(i int) int { return i/2 + i%2*count }},
		{"zip2", (*arm64.Asm).Zip2, func(i int) int { return count/2 + i/2 + i%2*count }},
	} {
		list = append(list, operation{
			fmt.Sprint(c.name, " ", t),
			func(a *arm64.Asm, d, n, m, _ arm64.V) { c.do(a, t, d, n, m) },
			func(_, n, m, _ []byte) []byte {
				both := slices.Concat(n, m)
				return lanes(size, func(i int) uint64 { return get(both, size, c.from(i)) })
			},
		})
	}
	return list
}

// arithmetic returns the comparisons and shifts of lanes of size bytes.
func arithmetic(t arm64.Arrangement, size int) []operation {
	width := 8 * size
	all := ^uint64(0) >> (64 - width)
	by := width / 3
	shift := func(name string, do func(a *arm64.Asm, t arm64.Arrangement, d, n arm64.V, by int), by int,
		f func(d, n uint64) uint64,
	) operation {
		return operation{
			fmt.Sprint(name, " ", t, " ", by), func(a *arm64.Asm, d, n, _, _ arm64.V) { do(a, t, d, n, by) },
			func(d, n, _, _ []byte) []byte {
				return lanes(size, func(i int) uint64 { return f(get(d, size, i), get(n, size, i)) })
			},
		}
	}
	return []operation{
		shift("sli", (*arm64.Asm).Sli, by, func(d, n uint64) uint64 { return n<<by | d&(1<<by-1) }),
		shift("sri", (*arm64.Asm).Sri, by, func(d, n uint64) uint64 { return n>>by | d&^(all>>by) }),
		{
			fmt.Sprint("cmhi ", t), func(a *arm64.Asm, d, n, m, _ arm64.V) { a.Cmhi(t, d, n, m) },
			func(_, n, m, _ []byte) []byte {
				return lanes(size, func(i int) uint64 {
					if get(n, size, i) > get(m, size, i) {
						return all
					}
					return 0
				})
			},
		},
	}
}

// TestVectors executes operations and compares the results with results computed in Go.
func TestVectors(t *testing.T) {
	list := slices.Clone(logic)
	for log, arrangement := range []arm64.Arrangement{arm64.B16, arm64.H8, arm64.S4, arm64.D2} {
		list = append(list, permutations(arrangement, 1<<log)...)
		list = append(list, arithmetic(arrangement, 1<<log)...)
	}
	execute(t, arm64test.Plain, list)
}

// TestSHA3 executes the operations of the SHA3 extension.
func TestSHA3(t *testing.T) { execute(t, arm64test.Max, sha3) }

// execute runs all operations in one function. Each operation has separate rows in the data. The test compares the
// result d of each operation.
func execute(t *testing.T, cpu arm64test.CPU, list []operation) {
	t.Helper()
	const rows = 4
	data := random(len(list) * rows * 16)
	for i := range list { // make some lanes equal
		row := data[i*rows*16:]
		row[16+i%16] = row[32+i%16]
	}
	after := arm64test.RunOn(t, cpu, code(t, func(a *arm64.Asm) {
		for i, o := range list {
			d, n, m, x := arm64.V(16+i%16), arm64.V(i%4), arm64.V(4+i%3), arm64.V(7)
			for k, v := range []arm64.V{d, n, m, x} {
				a.LdrQ(v, arm64.At(0, (i*rows+k)*16))
			}
			o.do(a, d, n, m, x)
			a.StrQ(d, arm64.At(0, i*rows*16))
		}
	}), data)
	for i, o := range list {
		row := func(k int) []byte { return data[(i*rows+k)*16 : (i*rows+k+1)*16] }
		want, got := o.mean(row(0), row(1), row(2), row(3)), after[i*rows*16:i*rows*16+16]
		if !bytes.Equal(got, want) {
			t.Errorf("%s: % x, want % x\nd % x\nn % x\nm % x\no % x", o.name, got, want, row(0), row(1), row(2), row(3))
		}
	}
}
