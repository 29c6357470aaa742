// Command shared generates the vector kernels of internal/kernel/shared as Go assembly.
//
//	go run ./shared -path avx512 -pkg shared -out X.s -stubs X.go
//
// The package comment of internal/kernel/shared and the plain Go functions there define the results and the order of
// operations. A test compares the kernels with the plain functions, to the bit.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var path = flag.String("path", "avx512", "avx512 or avx2")

// rowBytes is the size of a row. wordBytes is the size of a float32, and also of an offset.
const (
	rowBytes  = 64
	wordBytes = 4
)

// isa holds the parts of the generator that differ between the instruction sets.
type isa struct {
	name   string
	bytes  int // bytes of a vector
	vector func() reg.VecVirtual
	// fold returns a function that adds up the lanes of four sums in the order of the plain functions and returns the
	// four results. The call of fold itself emits the code that precedes the loops.
	fold func() func(sums [4][]reg.VecVirtual) reg.Register
	// choose returns four vectors. Vector i holds the lanes of value in which of[i] is the largest of the four compared
	// vectors. In the other lanes, vector i holds zeros.
	choose func(of [4]reg.VecVirtual, value reg.VecVirtual) [4]reg.VecVirtual
}

func main() {
	flag.Parse()
	var x isa
	switch *path {
	case "avx512":
		x = isa{"AVX512", 64, ZMM, fold512, choose512}
	case "avx2":
		x = isa{"AVX2", 32, YMM, fold2, choose2}
	default:
		fmt.Fprintf(os.Stderr, "shared: -path %q: use avx512 or avx2\n", *path)
		os.Exit(2)
	}
	ConstraintExpr("amd64")
	x.forward()
	x.backward()
	for _, pins := range []int{4, 6} {
		x.forwardTable(pins)
		x.backwardTable(pins)
	}
	x.pool()
	x.unpool()
	x.mean()
	x.sums()
	x.spread()
	Generate()
}

// begin begins a function that needs little stack. The method beginLarge begins a function that needs more stack.
func (x isa) begin(name, signature, doc string) { x.text(name, NOSPLIT, signature, doc) }

func (x isa) beginLarge(name, signature, doc string) { x.text(name, 0, signature, doc) }

func (x isa) text(name string, flags attr.Attribute, signature, doc string) {
	TEXT(name+x.name, flags, signature)
	Pragma("noescape")
	Doc(name + x.name + " " + doc)
}

func end() {
	VZEROUPPER()
	RET()
}

// parts returns the number of vectors in a row.
func (x isa) parts() int { return rowBytes / x.bytes }

// load returns a new vector loaded from memory.
func (x isa) load(from Mem) reg.VecVirtual {
	v := x.vector()
	VMOVUPS(from, v)
	return v
}

// broadcast returns a new vector with a float32 from memory in all lanes.
func (x isa) broadcast(from Mem) reg.VecVirtual {
	v := x.vector()
	VBROADCASTSS(from, v)
	return v
}

// zero returns a vector of zeros. The method zeros returns a row of zeros.
func (x isa) zero() reg.VecVirtual {
	v := x.vector()
	if x.bytes == rowBytes {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
	return v
}

func (x isa) zeros() []reg.VecVirtual { return x.zeroVectors(x.parts()) }

func (x isa) zeroVectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = x.zero()
	}
	return v
}

// linear returns c + d v.
func (x isa) linear(c, d, v reg.VecVirtual) reg.VecVirtual {
	y := x.vector()
	VMULPS(v, d, y)
	VADDPS(y, c, y)
	return y
}

// general loads a parameter into a new register.
func general(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// address returns the address of a parameter.
func address(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// rowOf returns the address of a row of an arena. The row's offset is loaded from memory, and the argument shift is
// added to it.
func rowOf(arena reg.Register, offset Mem, shift Op) reg.GPVirtual {
	at := GP64()
	MOVL(offset, at.As32())
	ADDL(shift, at.As32())
	LEAQ(Mem{Base: arena, Index: at, Scale: wordBytes}, at)
	return at
}

// copied returns a new register with the same value.
func copied(from Op) reg.GPVirtual {
	r := GP64()
	MOVQ(from, r)
	return r
}

// loop emits a loop that runs the body n times. The register n must be at least 1, and is 0 after the loop.
func loop(n Op, body func()) {
	again := label()
	Label(again)
	body()
	DECQ(n)
	JNZ(LabelRef(again))
}

// repeat emits the body for any number of positions. One iteration handles atOnce positions. The body gets the byte
// offset of its position from the addresses in rows. After each iteration, these addresses advance.
func repeat(positions Op, atOnce int, body func(at int), rows ...reg.Register) {
	rest, done := label(), label()
	n := copied(positions)
	SHRQ(U8(log2(atOnce)), n)
	JZ(LabelRef(rest))
	loop(n, func() {
		for i := range atOnce {
			body(rowBytes * i)
		}
		for _, r := range rows {
			ADDQ(I32(rowBytes*atOnce), r)
		}
	})
	Label(rest)
	MOVQ(positions, n)
	ANDQ(U8(atOnce-1), n)
	JZ(LabelRef(done))
	loop(n, func() {
		body(0)
		for _, r := range rows {
			ADDQ(U8(rowBytes), r)
		}
	})
	Label(done)
}

func log2(n int) (l int) {
	for ; n > 1; n /= 2 {
		l++
	}
	return l
}

var labels int

// label returns a new label.
func label() string {
	labels++
	return fmt.Sprintf("label%d", labels)
}
