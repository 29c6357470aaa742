// Command augment writes the vector kernels of trainer/augment as Go assembly.
//
//	go run ./augment -path avx512 -pkg augment -out X.s -stubs X.go
//
// What is computed is told by the plain Go function of the same name in trainer/augment/image.go, which a test compares
// to the bit.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var path = flag.String("path", "avx512", "avx512 or avx2")

// isa is what differs between the paths.
type isa struct {
	suffix string
	lanes  int // pixels in a vector
	vector func() reg.VecVirtual
	// gather loads a word at base and the index of each lane.
	gather func(base reg.Register, index reg.VecVirtual) reg.VecVirtual
	// store writes the lowest byte of each lane.
	store func(v reg.VecVirtual, to Mem)
}

func main() {
	flag.Parse()
	switch *path {
	case "avx512":
		isa{"AVX512", 16, ZMM, gather512, func(v reg.VecVirtual, to Mem) { VPMOVDB(v, to) }}.take()
	case "avx2":
		isa{"AVX2", 8, YMM, gather2, store2}.take()
	default:
		fmt.Fprintf(os.Stderr, "augment: -path %q: use avx512 or avx2\n", *path)
		os.Exit(2)
	}
	Generate()
}

func gather512(base reg.Register, index reg.VecVirtual) reg.VecVirtual {
	all, v := K(), ZMM()
	KXNORW(all, all, all)
	VPXORD(v, v, v) // else the gather waits for what was in the register
	VPGATHERDD(Mem{Base: base, Index: index, Scale: 1}, all, v)
	return v
}

func gather2(base reg.Register, index reg.VecVirtual) reg.VecVirtual {
	all, v := YMM(), YMM()
	VPCMPEQD(all, all, all)
	VPXOR(v, v, v)
	VPGATHERDD(all, Mem{Base: base, Index: index, Scale: 1}, v)
	return v
}

// store2 narrows the lanes, which are below 256, to bytes: four of each half, which are then brought together.
func store2(v reg.VecVirtual, to Mem) {
	high := XMM()
	VPACKUSDW(v, v, v)
	VPACKUSWB(v, v, v)
	VEXTRACTI128(U8(1), v, high)
	VPUNPCKLDQ(high, v.AsX(), high)
	VMOVQ(high, to)
}

const signature = "func(dst, src *byte, log, width, height int, vectors *int32)"

// field is where a vector of the function's last argument is, one for x and one for y.
func field(base reg.Register, which, axis int) Mem {
	return Mem{Base: base, Disp: 64 * (2*which + axis)}
}

// The vectors.
const (
	start = iota // the places of the first pixels of the first row
	along        // from one vector of pixels to the next
	down         // from one row to the next
	least
	most
)

// take writes image.take: a vector of pixels of a row at a time.
func (x isa) take() {
	ConstraintExpr("amd64")
	fraction, half := x.constant("fraction", 63), x.constant("half", 1<<11)
	low, whole, both := x.constant("low", 0xffff), x.constant("whole", 64), x.constant("both", 64<<16|64)
	TEXT("take"+x.suffix, NOSPLIT, signature)
	Pragma("noescape")
	Doc("take" + x.suffix + " does image.take. It writes up to a vector of pixels after the last.")
	dst, src, shift := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("log"), GP64())
	width, height := Load(Param("width"), GP64()), Load(Param("height"), GP64())
	vectors := Load(Param("vectors"), GP64())
	log, one := XMM(), GP64()
	VMOVQ(shift, log)
	MOVQ(U32(1), one)
	MOVQ(shift, reg.RCX)
	SHLQ(reg.CL, one)
	LEAQ(Mem{Base: src, Index: one, Scale: 1, Disp: 1}, src) // the first pixel
	below := GP64()
	LEAQ(Mem{Base: src, Index: one, Scale: 1}, below)
	var first, at, to, part [2]reg.VecVirtual
	for i := range 2 {
		first[i], at[i], to[i], part[i] = x.vector(), x.vector(), x.vector(), x.vector()
		x.move(field(vectors, start, i), first[i])
	}
	left, out := GP64(), GP64()

	Label("row")
	for i := range 2 {
		x.move(first[i], at[i])
	}
	MOVQ(width, left)
	MOVQ(dst, out)
	Label("pixels")
	for i := range 2 {
		VPMAXSD(field(vectors, least, i), at[i], to[i])
		VPMINSD(field(vectors, most, i), to[i], to[i])
		VPSRLD(U8(10), to[i], part[i])
		x.and(fraction, part[i], part[i])
		VPSRAD(U8(16), to[i], to[i])
		VPADDD(field(vectors, along, i), at[i], at[i])
	}
	VPSLLD(log, to[1], to[1])
	VPADDD(to[1], to[0], to[0])
	pixels, next := x.gather(src, to[0]), x.gather(below, to[0])
	x.and(low, pixels, pixels)
	VPSLLD(U8(16), next, next)
	x.or(next, pixels, pixels)
	// The weights 64-f and f: of the two columns in bytes, of the two rows in half words.
	columns, rows := to[0], to[1]
	VPSLLD(U8(16), part[0], columns)
	x.or(columns, part[0], part[0])
	VPSLLD(U8(8), part[0], columns)
	VPSUBD(part[0], columns, columns)
	VPADDD(both, columns, columns)
	VPSLLD(U8(16), part[1], rows)
	VPSUBD(part[1], rows, rows)
	VPADDD(whole, rows, rows)
	VPMADDUBSW(columns, pixels, pixels)
	VPMADDWD(rows, pixels, pixels)
	VPADDD(half, pixels, pixels)
	VPSRLD(U8(12), pixels, pixels)
	x.store(pixels, Mem{Base: out})
	ADDQ(U8(x.lanes), out)
	SUBQ(U8(x.lanes), left)
	JG(LabelRef("pixels"))

	for i := range 2 {
		VPADDD(field(vectors, down, i), first[i], first[i])
	}
	ADDQ(width, dst)
	DECQ(height)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

func (x isa) move(from Op, v reg.VecVirtual) {
	if x.lanes == 16 {
		VMOVDQU32(from, v)
	} else {
		VMOVDQU(from, v)
	}
}

func (x isa) and(a Op, b, to reg.VecVirtual) {
	if x.lanes == 16 {
		VPANDD(a, b, to)
	} else {
		VPAND(a, b, to)
	}
}

func (x isa) or(a Op, b, to reg.VecVirtual) {
	if x.lanes == 16 {
		VPORD(a, b, to)
	} else {
		VPOR(a, b, to)
	}
}

// constant writes a vector with a number in all lanes.
func (x isa) constant(name string, n uint32) Mem {
	m := GLOBL(name+x.suffix, RODATA|NOPTR)
	for i := range x.lanes {
		DATA(4*i, U32(n))
	}
	return m
}
