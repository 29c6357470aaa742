package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	poolSignature   = "func(x *float32, in, out, pitch uint32, width int)"
	unpoolSignature = "func(x, grads, from *float32, in, out, pitch uint32, width int)"
)

// poolRows holds the addresses of a pooled value and of the four values that are pooled.
type poolRows struct{ upper, lower, out reg.Register }

// places returns the addresses of the four values, in reading order.
func (r *poolRows) places(at int) [4]Mem {
	return [4]Mem{
		{Base: r.upper, Disp: at},
		{Base: r.upper, Disp: rowBytes + at},
		{Base: r.lower, Disp: at},
		{Base: r.lower, Disp: rowBytes + at},
	}
}

// rowsAt returns the addresses of the upper and the lower row of positions in an arena.
func rowsAt(arena reg.Register) (upper, lower reg.GPVirtual) {
	upper, lower = GP64(), GP64()
	MOVL(address("in"), upper.As32())
	MOVL(address("pitch"), lower.As32())
	ADDL(upper.As32(), lower.As32())
	LEAQ(Mem{Base: arena, Index: upper, Scale: wordBytes}, upper)
	LEAQ(Mem{Base: arena, Index: lower, Scale: wordBytes}, lower)
	return upper, lower
}

// rowAt returns the address of a row. The argument name names the parameter that holds the row's offset.
func rowAt(arena reg.Register, name string) reg.GPVirtual {
	at := GP64()
	MOVL(address(name), at.As32())
	LEAQ(Mem{Base: arena, Index: at, Scale: wordBytes}, at)
	return at
}

// pool emits Pool.Forward.
func (x isa) pool() {
	x.begin("pool", poolSignature, "does Pool.Forward for at least one pooled position.")
	arena := general("x")
	upper, lower := rowsAt(arena)
	out, n := rowAt(arena, "out"), general("width")
	r := poolRows{upper: upper, lower: lower}
	loop(n, func() {
		for part := range x.parts() {
			places := r.places(x.bytes * part)
			best := x.load(places[0])
			for _, p := range places[1:] {
				other := x.load(p)
				VMAXPS(best, other, best) // keeps the value in best unless the value in other is greater
			}
			VMOVUPS(best, Mem{Base: out, Disp: x.bytes * part})
		}
		ADDQ(I32(2*rowBytes), upper)
		ADDQ(I32(2*rowBytes), lower)
		ADDQ(U8(rowBytes), out)
	})
	end()
}

// unpool emits Pool.Backward.
func (x isa) unpool() {
	x.begin("unpool", unpoolSignature, "does Pool.Backward for at least one pooled position.")
	var r, to poolRows
	r.upper, r.lower = rowsAt(general("x"))
	to.upper, to.lower = rowsAt(general("grads"))
	from, n := rowAt(general("from"), "out"), general("width")
	loop(n, func() {
		for part := range x.parts() {
			var of [4]reg.VecVirtual
			for i, p := range r.places(x.bytes * part) {
				of[i] = x.load(p)
			}
			values := x.choose(of, x.load(Mem{Base: from, Disp: x.bytes * part}))
			for i, p := range to.places(x.bytes * part) {
				VMOVUPS(values[i], p)
			}
		}
		for _, rows := range []reg.Register{r.upper, r.lower, to.upper, to.lower} {
			ADDQ(I32(2*rowBytes), rows)
		}
		ADDQ(U8(rowBytes), from)
	})
	end()
}

// greater is the VCMPPS comparison that is false if an operand is NaN.
const greater = 0x1e

func choose512(of [4]reg.VecVirtual, value reg.VecVirtual) (values [4]reg.VecVirtual) {
	var better [4]reg.OpmaskVirtual // lanes in which a value exceeds all values before it
	for i := 1; i < 4; i++ {
		better[i] = K()
		VCMPPS(U8(greater), of[0], of[i], better[i])
		VMAXPS(of[0], of[i], of[0])
	}
	for i := 3; i > 0; i-- {
		not, rest := K(), ZMM()
		values[i] = ZMM()
		KNOTW(better[i], not)
		VMOVAPS_Z(value, better[i], values[i])
		VMOVAPS_Z(value, not, rest)
		value = rest
	}
	values[0] = value
	return values
}

func choose2(of [4]reg.VecVirtual, value reg.VecVirtual) (values [4]reg.VecVirtual) {
	var better [4]reg.VecVirtual // lanes in which a value exceeds all values before it
	for i := 1; i < 4; i++ {
		better[i] = YMM()
		VCMPPS(U8(greater), of[0], of[i], better[i])
		VMAXPS(of[0], of[i], of[0])
	}
	for i := 3; i > 0; i-- {
		rest := YMM()
		values[i] = YMM()
		VANDPS(value, better[i], values[i])
		VANDNPS(value, better[i], rest)
		value = rest
	}
	values[0] = value
	return values
}
