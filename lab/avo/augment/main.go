// Command augment generates the vector kernels of trainer/internal/augment as Go assembly.
//
//	go run ./augment -path avx512 -pkg augment -out X.s -stubs X.go
//
// Each kernel computes what the plain Go function of the same name in trainer/internal/augment/image.go computes. A
// test compares both, to the bit.
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

// isa holds the parts of the generator that differ between the instruction sets.
type isa struct {
	name   string
	lanes  int // pixels in a vector
	vector func() reg.VecVirtual
	// load returns a function that loads the four source pixels of each lane into the four bytes of the lane. These
	// are two adjacent pixels and the two pixels below. The call of load itself emits the code that precedes the
	// loops.
	load func(x isa, f *frame) func(at reg.VecVirtual) reg.VecVirtual
	// store stores the lowest byte of each lane.
	store func(v reg.VecVirtual, to Mem)
}

func main() {
	flag.Parse()
	switch *path {
	case "avx512":
		narrow := func(v reg.VecVirtual, to Mem) { VPMOVDB(v, to) }
		isa{"takeAVX512", 16, ZMM, gatherRows, narrow}.take("does image.take.")
		isa{"takeWindowAVX512", 16, ZMM, window, narrow}.take("does image.take where [image.inWindow].")
	case "avx2":
		isa{"takeAVX2", 8, YMM, gatherRows, store2}.take("does image.take.")
	default:
		fmt.Fprintf(os.Stderr, "augment: -path %q: use avx512 or avx2\n", *path)
		os.Exit(2)
	}
	Generate()
}

// frame holds the registers that keep their meaning throughout the generated function.
type frame struct {
	src     reg.Register // the first pixel
	stride  reg.Register // bytes from one row to the next
	vectors reg.Register
	row     []func() // code before each row
	after   []func() // code after each row
}

// gatherRows uses gather instructions to load the pixels of a row and of the row below.
func gatherRows(x isa, f *frame) func(at reg.VecVirtual) reg.VecVirtual {
	below, low := GP64(), x.constant("low", 0xffff)
	LEAQ(Mem{Base: f.src, Index: f.stride, Scale: 1}, below)
	gather := gather512
	if x.lanes == 8 {
		gather = gather2
	}
	return func(at reg.VecVirtual) reg.VecVirtual {
		pixels, next := gather(f.src, at), gather(below, at)
		x.and(low, pixels, pixels)
		VPSLLD(U8(16), next, next)
		x.or(next, pixels, pixels)
		return pixels
	}
}

// window takes the source pixels of a vector from 128 bytes of the image. These bytes begin at the uppermost row and
// the leftmost column of all source pixels.
func window(x isa, f *frame) func(at reg.VecVirtual) reg.VecVirtual {
	spread := GLOBL("spread", RODATA|NOPTR)
	for lane := range 16 {
		DATA(4*lane, U32(lane%4*4*0x01010101))
	}
	var first, at [2]reg.GPVirtual
	for axis := range 2 {
		first[axis], at[axis] = GP32(), GP32()
		MOVL(field(f.vectors, start, axis), first[axis])
	}
	f.row = append(f.row, func() {
		for axis := range 2 {
			MOVL(first[axis], at[axis])
		}
	})
	f.after = append(f.after, func() {
		for axis := range 2 {
			ADDL(field(f.vectors, down, axis), first[axis])
		}
	})
	return func(place reg.VecVirtual) reg.VecVirtual {
		var corner [2]reg.GPVirtual
		for axis := range 2 {
			c := GP32()
			MOVL(field(f.vectors, back, axis), c)
			ADDL(at[axis], c)
			CMPL(c, field(f.vectors, least, axis))
			CMOVLLT(field(f.vectors, least, axis), c)
			CMPL(c, field(f.vectors, most, axis))
			CMOVLGT(field(f.vectors, most, axis), c)
			SARL(U8(16), c)
			ADDL(field(f.vectors, along, axis), at[axis])
			corner[axis] = c
		}
		IMULL(f.stride.(reg.GPVirtual).As32(), corner[1])
		ADDL(corner[1], corner[0])
		begin := x.vector()
		VPBROADCASTD(corner[0], begin)
		VPSUBD(begin, place, place)
		VPSHUFB(spread, place, place)
		VPADDB(field(f.vectors, corners, 0), place, place)
		from := GP64()
		MOVLQSX(corner[0], from)
		upper, lower := x.vector(), x.vector()
		x.move(Mem{Base: f.src, Index: from, Scale: 1}, upper)
		x.move(Mem{Base: f.src, Index: from, Scale: 1, Disp: 64}, lower)
		VPERMI2B(lower, upper, place)
		return place
	}
}

func gather512(base reg.Register, index reg.VecVirtual) reg.VecVirtual {
	all, v := K(), ZMM()
	KXNORW(all, all, all)
	VPXORD(v, v, v) // without this, the gather would wait for the register's old value
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

// store2 narrows the lanes, whose values are below 256, to bytes. It first packs the four lanes of each half and then
// joins the halves.
func store2(v reg.VecVirtual, to Mem) {
	high := XMM()
	VPACKUSDW(v, v, v)
	VPACKUSWB(v, v, v)
	VEXTRACTI128(U8(1), v, high)
	VPUNPCKLDQ(high, v.AsX(), high)
	VMOVQ(high, to)
}

const signature = "func(dst, pixels *byte, stride, width, height int, vectors *int32)"

// field returns the address of one of the vectors in the function's last argument. The argument axis selects x or y.
func field(base reg.Register, which, axis int) Mem {
	return Mem{Base: base, Disp: 64 * (2*which + axis)}
}

// These constants number the vectors in the last argument.
const (
	start   = iota // coordinates of the first pixels of the first row
	along          // step from one vector of pixels to the next
	down           // step from one row to the next
	least          // least coordinate
	most           // largest coordinate
	back           // distance from a vector's first source pixel to its leftmost or uppermost source pixel
	corners        // for x: byte offsets of the four pixels from the first; for y: the bytes of a column and of a row
)

// take emits image.take. Each iteration computes one vector of pixels of a row.
func (x isa) take(doc string) {
	ConstraintExpr("amd64")
	fraction, half := x.constant("fraction", 63), x.constant("half", 1<<11)
	whole, both, high := x.constant("whole", 64), x.constant("both", 64<<16|64), x.constant("high", 0xffff<<16)
	TEXT(x.name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(x.name + " " + doc + " It writes up to a vector of pixels after the last.")
	dst := Load(Param("dst"), GP64())
	width, height := Load(Param("width"), GP64()), Load(Param("height"), GP64())
	f := &frame{
		src: Load(Param("pixels"), GP64()), stride: Load(Param("stride"), GP64()), vectors: Load(Param("vectors"), GP64()),
	}
	load := x.load(x, f)
	var first, at, to, part [2]reg.VecVirtual
	for i := range 2 {
		first[i], at[i], to[i], part[i] = x.vector(), x.vector(), x.vector(), x.vector()
		x.move(field(f.vectors, start, i), first[i])
	}
	left, out := GP64(), GP64()

	Label("row")
	for i := range 2 {
		x.move(first[i], at[i])
	}
	for _, do := range f.row {
		do()
	}
	MOVQ(width, left)
	MOVQ(dst, out)
	Label("pixels")
	for i := range 2 {
		VPMAXSD(field(f.vectors, least, i), at[i], to[i])
		VPMINSD(field(f.vectors, most, i), to[i], to[i])
		VPSRLD(U8(10), to[i], part[i])
		x.and(fraction, part[i], part[i])
		VPADDD(field(f.vectors, along, i), at[i], at[i])
	}
	VPSRLD(U8(16), to[0], to[0])
	x.and(high, to[1], to[1])
	x.or(to[1], to[0], to[0])
	VPMADDWD(field(f.vectors, corners, 1), to[0], to[0])
	pixels := load(to[0])
	// A position with the fraction f has the weights 64-f and f. The weights of the two columns are bytes, and the
	// weights of the two rows are half words.
	columns, rows := x.vector(), x.vector()
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
		VPADDD(field(f.vectors, down, i), first[i], first[i])
	}
	for _, do := range f.after {
		do()
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

// constant emits a vector with a number in all lanes.
func (x isa) constant(name string, n uint32) Mem {
	m := GLOBL(name+x.name, RODATA|NOPTR)
	for i := range x.lanes {
		DATA(4*i, U32(n))
	}
	return m
}
