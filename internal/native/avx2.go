package native

import (
	"golang.org/x/sys/cpu"

	"ialgn/internal/native/rows"
	"ialgn/internal/native/x86"
	"ialgn/internal/wordcode"
)

// AVX2 computes 256 samples at a time. Each instruction combines two bits of a sample.
var AVX2 = &ISA{
	Name: "avx2", Arch: "amd64", RowBytes: 32, available: func() bool { return cpu.X86.HasAVX2 },
	registers: 15, segment: 4000, encoder: newAVX2,
	edges: x86Edges((*rows.Input).AVX2, (*rows.Output).AVX2),
}

// avx2 writes AVX2 code. The last vector register holds all ones, because a complement is computed as the exclusive
// or with all ones.
type avx2 struct {
	a    x86.Asm
	loop x86.Label
}

const ones = 15

func newAVX2([]int) encoder { return &avx2{} }

func (e *avx2) text() ([]byte, error) { return e.a.Bytes(), nil }

func (e *avx2) begin() (offset int) {
	e.a.Align(entryAlignment)
	offset = e.a.Len()
	e.a.Ones256(ones)
	e.loop = e.a.Here()
	return offset
}

func (e *avx2) end() {
	e.a.Op(x86.Add, x86.RDI, x86.R9)
	e.a.Op(x86.Add, x86.RSI, x86.R8)
	e.a.OpImm(x86.Subtract, x86.RCX, 1)
	e.a.JumpIf(x86.NotZero, e.loop)
	e.a.ZeroUpper()
	e.a.Return()
}

// areas lists the registers that hold the addresses of the areas.
var areas = [...]x86.Reg{inputArea: x86.RDI, stateArea: x86.RSI, localArea: x86.RDX}

func (e *avx2) at(r row) x86.Mem { return x86.At(areas[r.area], 32*r.number) }

func (e *avx2) load(dst int, from row) { e.a.Load256(x86.Vec(dst), e.at(from)) }
func (e *avx2) store(to row, src int)  { e.a.Store256(e.at(to), x86.Vec(src)) }
func (e *avx2) not(dst, src int)       { e.a.Bitwise256(x86.Xor, x86.Vec(dst), x86.Vec(src), ones) }

func (e *avx2) zero(dst int) {
	e.a.Bitwise256(x86.Xor, x86.Vec(dst), x86.Vec(dst), x86.Vec(dst))
}

func (e *avx2) op(g *generator, op *wordcode.Op) int {
	if op.Operator == wordcode.Not {
		return g.complement(op)
	}
	o := g.two(op)
	if o.second >= 0 {
		e.a.Bitwise256(bitwise[op.Operator], x86.Vec(o.result), x86.Vec(o.first), x86.Vec(o.second))
	} else {
		e.a.Bitwise256Mem(bitwise[op.Operator], x86.Vec(o.result), x86.Vec(o.first), e.at(o.memory))
	}
	return o.result
}
