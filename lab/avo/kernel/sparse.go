package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	sparseSignature = "func(dst, src *float64, rows int, start, from *uint32, factor *float64)"
	sparseDoc       = "does sparse for at least one row."
)

// sparse emits the product with a sparse matrix. The arguments zeros and product emit the path's instructions for a
// row of eight float64.
func sparse(path string, zeros func() []reg.VecVirtual, product func(sums []reg.VecVirtual, factor, row Mem)) {
	ConstraintExpr("amd64")
	step("sparse", path, sparseSignature, sparseDoc)
	dst, src, rows := general("dst"), general("src"), general("rows")
	start, from, factor := general("start"), general("from"), general("factor")
	e, end, at := GP64(), GP64(), GP64()
	MOVL(Mem{Base: start}, e.As32())
	loop(rows, func() {
		ADDQ(U8(4), start)
		MOVL(Mem{Base: start}, end.As32())
		sums := zeros()
		CMPQ(e, end)
		JAE(LabelRef("store"))
		Label("edge")
		MOVL(index(from, e, 4, 0), at.As32())
		SHLQ(U8(6), at)
		product(sums, index(factor, e, 8, 0), index(src, at, 1, 0))
		INCQ(e)
		CMPQ(e, end)
		JB(LabelRef("edge"))
		Label("store")
		for i, s := range sums {
			VMOVUPD(s, Mem{Base: dst, Disp: zmm / len(sums) * i})
		}
		advance(zmm, dst)
	})
	VZEROUPPER()
	RET()
}

func sparse512() {
	sparse("AVX512", func() []reg.VecVirtual {
		sum := ZMM()
		VPXORQ(sum, sum, sum)
		return []reg.VecVirtual{sum}
	}, func(sums []reg.VecVirtual, factor, row Mem) {
		q := ZMM()
		VBROADCASTSD(factor, q)
		VMULPD(row, q, q)
		VADDPD(q, sums[0], sums[0])
	})
}

func sparse2() {
	sparse("AVX2", func() (sums []reg.VecVirtual) {
		for range 2 {
			sum := YMM()
			VXORPD(sum, sum, sum)
			sums = append(sums, sum)
		}
		return sums
	}, func(sums []reg.VecVirtual, factor, row Mem) {
		q := YMM()
		VBROADCASTSD(factor, q)
		for i, sum := range sums {
			product := YMM()
			VMULPD(row.Offset(ymm*i), q, product)
			VADDPD(product, sum, sum)
		}
	})
}
