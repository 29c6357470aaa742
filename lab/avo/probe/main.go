// Command probe generates the vector kernels of internal/diagnose as Go assembly.
//
//	go run ./probe -path avx512 -pkg probe -out X.s -stubs X.go
//
// The plain Go functions of the same names in internal/diagnose/rows.go define the results and the order of
// operations. A test compares the kernels with the plain functions, to the bit.
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

// These constants are the shapes of the arrays in internal/diagnose. A row has 64 columns of 4 bytes, and a table has
// 8 groups of 16 rows.
const (
	rowBytes   = 256
	groups     = 8
	groupBytes = 16 * rowBytes
)

// isa holds the parts of the generator that differ between the instruction sets.
type isa struct {
	suffix string
	bytes  int // bytes in a vector
	vector func() reg.VecVirtual
}

var isas = map[string]isa{
	"avx512": {"AVX512", 64, ZMM},
	"avx2":   {"AVX2", 32, YMM},
}

func main() {
	flag.Parse()
	x, ok := isas[*path]
	if !ok {
		fmt.Fprintf(os.Stderr, "probe: -path %q: use avx512 or avx2\n", *path)
		os.Exit(2)
	}
	x.subsets()
	x.addSelected()
	x.updateRows()
	Generate()
}

// begin begins a function of the path.
func (x isa) begin(name, signature, doc string) {
	TEXT(name+x.suffix, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + x.suffix + " " + doc)
}

func end() {
	VZEROUPPER()
	RET()
}

// general loads a parameter of the function.
func general(name string) reg.Register { return Load(Param(name), GP64()) }

// loop emits a loop that runs the body n times. The register n must be at least 1, and is 0 after the loop.
func loop(name string, n Op, body func()) {
	Label(name)
	body()
	DECQ(n)
	JNZ(LabelRef(name))
}

// subsets adds the rows in the order of subsetsPlain. It handles one vector of columns at a time.
func (x isa) subsets() {
	x.begin("subsets", "func(t, rows *float32)", "does subsetsPlain.")
	t, rows, n := general("t"), general("rows"), GP64()
	zero := x.vector()
	VXORPS(zero, zero, zero)
	MOVQ(U32(groups), n)
	loop("group", n, func() {
		for at := 0; at < rowBytes; at += x.bytes {
			var r [4]reg.VecVirtual
			for i := range r {
				r[i] = x.vector()
				VMOVUPS(Mem{Base: rows, Disp: i*rowBytes + at}, r[i])
			}
			sums := [8]reg.VecVirtual{zero, r[0], r[1], x.vector(), r[2], x.vector(), x.vector(), x.vector()}
			VADDPS(r[1], r[0], sums[3])
			VADDPS(r[2], r[0], sums[5])
			VADDPS(r[2], r[1], sums[6])
			VADDPS(r[2], sums[3], sums[7])
			for i, s := range sums {
				VMOVUPS(s, Mem{Base: t, Disp: i*rowBytes + at})
			}
			for i, s := range sums {
				v := x.vector()
				VADDPS(r[3], s, v)
				VMOVUPS(v, Mem{Base: t, Disp: (8+i)*rowBytes + at})
			}
		}
		ADDQ(U32(4*rowBytes), rows)
		ADDQ(U32(groupBytes), t)
	})
	end()
}

// addSelected adds the rows that the bits select, one from each group. The sum stays in registers until all rows have
// been added.
func (x isa) addSelected() {
	x.begin("addSelected", "func(dst *float32, n int, t *float32, words *uint64, stride, shift int)",
		"does addSelectedPlain for n rows, at least 1, with a stride in bytes.")
	dst, n, t := general("dst"), general("n"), general("t")
	words, stride := general("words"), general("stride")
	Load(Param("shift"), reg.RCX)
	var sum [rowBytes / 32]reg.VecVirtual
	vectors := sum[:rowBytes/x.bytes]
	for i := range vectors {
		vectors[i] = x.vector()
	}
	bits, at := GP64(), GP64()
	loop("row", n, func() {
		MOVQ(Mem{Base: words}, bits)
		SHRQ(reg.CL, bits)
		for i, v := range vectors {
			VMOVUPS(Mem{Base: dst, Disp: i * x.bytes}, v)
		}
		for g := range groups {
			MOVQ(bits, at)
			if to := 4*g - 8; to < 0 { // a table entry is 256 bytes, so the four bits go to bit 8 and up
				SHLQ(U8(-to), at)
			} else if to > 0 {
				SHRQ(U8(to), at)
			}
			ANDQ(U32(15*rowBytes), at)
			for i, v := range vectors {
				VADDPS(Mem{Base: t, Index: at, Scale: 1, Disp: g*groupBytes + i*x.bytes}, v, v)
			}
		}
		for i, v := range vectors {
			VMOVUPS(v, Mem{Base: dst, Disp: i * x.bytes})
		}
		ADDQ(stride, words)
		ADDQ(U32(rowBytes), dst)
	})
	end()
}

// updateRows makes an Adam step, one vector at a time.
func (x isa) updateRows() {
	x.begin("updateRows", "func(adam, w, m, v, grad *float32, n int)",
		"does updateRowsPlain for n rows, at least 1, with the constants of Adam in their order.")
	var c [7]reg.VecVirtual
	adam := general("adam")
	for i := range c {
		c[i] = x.vector()
		VBROADCASTSS(Mem{Base: adam, Disp: 4 * i}, c[i])
	}
	beta1, rest1, beta2, rest2, rate, root, eps := c[0], c[1], c[2], c[3], c[4], c[5], c[6]
	w, m, v, g, n := general("w"), general("m"), general("v"), general("grad"), general("n")
	loop("row", n, func() {
		for at := 0; at < rowBytes; at += x.bytes {
			grad, mean, square, t := x.vector(), x.vector(), x.vector(), x.vector()
			VMOVUPS(Mem{Base: g, Disp: at}, grad)
			VMULPS(Mem{Base: m, Disp: at}, beta1, mean)
			VMULPS(grad, rest1, t)
			VADDPS(t, mean, mean)
			VMOVUPS(mean, Mem{Base: m, Disp: at})
			VMULPS(grad, grad, grad)
			VMULPS(grad, rest2, grad)
			VMULPS(Mem{Base: v, Disp: at}, beta2, square)
			VADDPS(grad, square, square)
			VMOVUPS(square, Mem{Base: v, Disp: at})
			VSQRTPS(square, square)
			VMULPS(root, square, square)
			VADDPS(eps, square, square)
			VMULPS(rate, mean, mean)
			VDIVPS(square, mean, mean)
			VMOVUPS(Mem{Base: w, Disp: at}, t)
			VSUBPS(mean, t, t)
			VMOVUPS(t, Mem{Base: w, Disp: at})
		}
		for _, p := range []reg.Register{w, m, v, g} {
			ADDQ(U32(rowBytes), p)
		}
	})
	end()
}
