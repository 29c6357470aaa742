package native

import (
	"golang.org/x/sys/cpu"

	"ialgn/internal/native/arm64"
	"ialgn/internal/wordcode"
)

// NEON computes 128 samples at a time. Every 64-bit Arm processor has these instructions.
var NEON = &ISA{
	Name: "neon", Arch: "arm64", RowBytes: 16, available: func() bool { return cpu.ARM64.HasASIMD },
	registers: 32, forms: forms{selects: true}, segment: 6000, encoder: newNEON, edges: neonEdges,
}

// NEONSHA3 is NEON with the additional instructions EOR3 and BCAX of the SHA3 extension.
var NEONSHA3 = &ISA{
	Name: "neon-sha3", Arch: "arm64", RowBytes: 16, available: func() bool { return cpu.ARM64.HasSHA3 },
	registers: 32, forms: forms{selects: true, folds: true}, segment: 6000, encoder: newNEON, edges: neonEdges,
}

// neon writes NEON code. The code saves the lower halves of v8 to v15 on the stack.
type neon struct {
	a    arm64.Asm
	loop arm64.Label
}

func newNEON([]int) encoder { return &neon{} }

// These registers hold a function's arguments, and an address that is out of reach of an instruction's offset.
const (
	inputBase arm64.X = iota
	stateBase
	localBase
	blocksLeft
	stateBytes
	inputBytes
	far       arm64.X = 16
	farOffset arm64.X = 17
)

// calleeOwned is the first of eight vector registers whose lower halves a function must keep.
const calleeOwned = 8

func (e *neon) text() ([]byte, error) { return e.a.Bytes(), e.a.Err() }

func (e *neon) begin() (offset int) {
	offset = e.a.Len()
	for i := range arm64.V(4) {
		e.a.StpD(calleeOwned+2*i, calleeOwned+2*i+1, arm64.Pre(arm64.SP, -16))
	}
	e.loop = e.a.Label()
	e.a.Bind(e.loop)
	return offset
}

func (e *neon) end() {
	e.a.Add(inputBase, inputBase, inputBytes)
	e.a.Add(stateBase, stateBase, stateBytes)
	e.a.SubsImm(blocksLeft, blocksLeft, 1)
	done := e.a.Label()
	e.a.BCond(arm64.EQ, done)
	e.a.B(e.loop) // an unconditional jump reaches further than a conditional jump
	e.a.Bind(done)
	for i := range arm64.V(4) {
		e.a.LdpD(calleeOwned+6-2*i, calleeOwned+7-2*i, arm64.Post(arm64.SP, 16))
	}
	e.a.Ret()
}

// reach is the largest offset of a vector load or store. For a larger offset, a multiple of page is first added to
// the address.
const (
	reach = 65520
	page  = 4096
)

// at returns a row as an operand. It writes an address computation if necessary.
func (e *neon) at(r row) arm64.Mem {
	base := [...]arm64.X{inputArea: inputBase, stateArea: stateBase, localArea: localBase}[r.area]
	offset := 16 * int(r.number)
	switch {
	case offset <= reach:
		return arm64.At(base, offset)
	case offset < page*page:
		e.a.AddImm(far, base, offset&^(page-1))
		return arm64.At(far, offset&(page-1))
	}
	e.a.MovImm(farOffset, uint64(offset))
	e.a.Add(far, base, farOffset)
	return arm64.At(far, 0)
}

func (e *neon) load(dst int, from row) { e.a.LdrQ(arm64.V(dst), e.at(from)) }
func (e *neon) store(to row, src int)  { e.a.StrQ(arm64.V(src), e.at(to)) }
func (e *neon) not(dst, src int)       { e.a.Not(arm64.V(dst), arm64.V(src)) }
func (e *neon) zero(dst int)           { e.a.Eor(arm64.V(dst), arm64.V(dst), arm64.V(dst)) }

func (e *neon) op(g *generator, op *wordcode.Op) int {
	if op.Operator == wordcode.Not {
		return g.complement(op)
	}
	read := operands(op)
	for _, v := range read {
		if g.register(v) < 0 {
			g.fetch(v, read)
		}
	}
	g.cost.Compute++
	if op.Operator == wordcode.Lookup && op.Table == selection {
		return e.selection(g, op)
	}
	a, b := arm64.V(g.register(op.A)), arm64.V(g.register(op.B))
	result := g.result(read)
	d := arm64.V(result)
	switch op.Operator {
	case wordcode.And:
		e.a.And(d, a, b)
	case wordcode.AndNot:
		e.a.Bic(d, a, b)
	case wordcode.Or:
		e.a.Orr(d, a, b)
	case wordcode.Xor:
		e.a.Eor(d, a, b)
	default:
		c := arm64.V(g.register(op.C))
		if op.Table == exclusive3 {
			e.a.Eor3(d, a, b, c)
		} else {
			e.a.Bcax(d, a, b, c)
		}
	}
	return result
}

// selection computes A ? B : C. The result may overwrite any of the three operands. A different instruction is used
// for each of the three cases.
func (e *neon) selection(g *generator, op *wordcode.Op) int {
	a, b, c := g.register(op.A), g.register(op.B), g.register(op.C)
	switch {
	case !g.dies(op.A) && g.dies(op.B):
		e.a.Bif(arm64.V(b), arm64.V(c), arm64.V(a))
		return b
	case !g.dies(op.A) && g.dies(op.C):
		e.a.Bit(arm64.V(c), arm64.V(b), arm64.V(a))
		return c
	case !g.dies(op.A):
		d := g.free(operands(op))
		e.a.Mov(arm64.V(d), arm64.V(a))
		g.cost.Copies++
		a = d
	}
	e.a.Bsl(arm64.V(a), arm64.V(b), arm64.V(c))
	return a
}
