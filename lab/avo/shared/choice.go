package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	meanSignature   = "func(x, q *float32, rows *uint32, candidates, positions int, step, out, in uint32)"
	sumsSignature   = "func(r, x, grads *float32, rows *uint32, candidates, positions int, step, grad, in uint32)"
	spreadSignature = "func(grads, q *float32, rows *uint32, candidates, positions int, step, grad, in uint32)"
)

// atOnce is the number of sums that are computed together. The sums belong to different positions (in mean) or to
// different candidates (in sums). A single sum would be slow, because each addition waits for the preceding addition.
const atOnce = 4

// candidates holds the offset of each candidate of a pin, and the distance between a candidate's rows at neighbouring
// positions.
type candidates struct {
	rows        reg.Register
	step, three reg.Register // the distance in bytes, and three times this distance
}

func newCandidates() candidates {
	step, three := GP64(), GP64()
	MOVLQSX(address("step"), step)
	SHLQ(U8(2), step)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, three)
	return candidates{general("rows"), step, three}
}

// first returns the row of a candidate at the first position. The argument place points to the candidate's offset in
// the list.
func first(arena, place reg.Register) reg.GPVirtual {
	return rowOf(arena, Mem{Base: place}, address("in"))
}

// position returns a candidate's row at a later position. The argument on is the distance in positions, at most
// three.
func (c candidates) position(row reg.Register, on int) Mem {
	switch on {
	case 0:
		return Mem{Base: row}
	case 3:
		return Mem{Base: row, Index: c.three, Scale: 1}
	}
	return Mem{Base: row, Index: c.step, Scale: uint8(on)}
}

// inGroups emits the body for groups of atOnce items, and then for single items. It changes the register count.
func inGroups(count reg.Register, body func(n int)) {
	for _, n := range []int{atOnce, 1} {
		again, done := label(), label()
		Label(again)
		SUBQ(U8(n), count)
		JL(LabelRef(done))
		body(n)
		JMP(LabelRef(again))
		Label(done)
		ADDQ(U8(n), count)
	}
}

// mean emits Choice.Mean.
func (x isa) mean() {
	x.begin("mean", meanSignature, "does Choice.Mean for at least one candidate.")
	arena, q, out, left := general("x"), general("q"), rowAt(general("x"), "out"), general("positions")
	c := newCandidates()
	inGroups(left, func(n int) {
		var sums [atOnce][]reg.VecVirtual
		for i := range n {
			sums[i] = x.zeros()
		}
		rows, share := copied(c.rows), copied(q)
		loop(copied(address("candidates")), func() {
			row, factor := first(arena, rows), x.broadcast(Mem{Base: share})
			for i := range n {
				for part, sum := range sums[i] {
					product := x.vector()
					VMULPS(c.position(row, i).Offset(x.bytes*part), factor, product)
					VADDPS(product, sum, sum)
				}
			}
			ADDQ(U8(wordBytes), rows)
			ADDQ(U8(wordBytes), share)
		})
		for i := range n {
			for part, sum := range sums[i] {
				VMOVUPS(sum, Mem{Base: out, Disp: rowBytes*i + x.bytes*part})
			}
			ADDQ(c.step, arena)
		}
		ADDQ(I32(rowBytes*n), out)
	})
	end()
}

// sums emits Choice.Sums.
func (x isa) sums() {
	x.begin("sums", sumsSignature, "does Choice.Sums for at least one position.")
	r, arena, grad, left := general("r"), general("x"), rowAt(general("grads"), "grad"), general("candidates")
	c, fold := newCandidates(), x.fold()
	inGroups(left, func(n int) {
		var sums [atOnce][]reg.VecVirtual
		var rows [atOnce]reg.Register
		for j := range n {
			sums[j], rows[j] = x.zeros(), first(arena, c.rows)
			ADDQ(U8(wordBytes), c.rows)
		}
		d := copied(grad)
		loop(copied(address("positions")), func() {
			for part := range x.parts() {
				delta := x.load(Mem{Base: d, Disp: x.bytes * part})
				for j := range n {
					product := x.vector()
					VMULPS(Mem{Base: rows[j], Disp: x.bytes * part}, delta, product)
					VADDPS(product, sums[j][part], sums[j][part])
				}
			}
			ADDQ(U8(rowBytes), d)
			for j := range n {
				ADDQ(c.step, rows[j])
			}
		})
		if n == atOnce {
			addFolded(r, fold(sums), nil)
			return
		}
		all := fold([4][]reg.VecVirtual{sums[0], sums[0], sums[0], sums[0]})
		VADDSS(Mem{Base: r}, all, all)
		VMOVSS(all, Mem{Base: r})
		ADDQ(U8(wordBytes), r)
	})
	end()
}

// spread emits Choice.Spread.
func (x isa) spread() {
	x.begin("spread", spreadSignature, "does Choice.Spread for at least one candidate and position.")
	arena, q, d := general("grads"), general("q"), rowAt(general("grads"), "grad")
	c := newCandidates()
	loop(general("positions"), func() {
		var delta []reg.VecVirtual
		for part := range x.parts() {
			delta = append(delta, x.load(Mem{Base: d, Disp: x.bytes * part}))
		}
		rows, share := copied(c.rows), copied(q)
		loop(copied(address("candidates")), func() {
			to, factor := first(arena, rows), x.broadcast(Mem{Base: share})
			for part := range x.parts() {
				product, place := x.vector(), Mem{Base: to, Disp: x.bytes * part}
				VMULPS(delta[part], factor, product)
				VADDPS(place, product, product)
				VMOVUPS(product, place)
			}
			ADDQ(U8(wordBytes), rows)
			ADDQ(U8(wordBytes), share)
		})
		ADDQ(U8(rowBytes), d)
		ADDQ(c.step, arena)
	})
	end()
}
