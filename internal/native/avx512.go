package native

import (
	"golang.org/x/sys/cpu"

	"ialgn/internal/native/rows"
	"ialgn/internal/native/x86"
	"ialgn/internal/wordcode"
)

// AVX512 computes 512 samples at a time. One instruction computes any function of three bits. It
// needs AVX512F and, for feature words and numbers, AVX512BW and BMI2.
var AVX512 = &ISA{
	Name: "avx512", Arch: "amd64", RowBytes: 64, available: hasAVX512,
	registers: 32, tables: true, segment: 2500, encoder: newAVX512,
	edges: x86Edges((*rows.Input).AVX512, (*rows.Output).AVX512),
}

func hasAVX512() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2 }

// entryAlignment is the alignment of functions in bytes. It is the size of a cache line.
const entryAlignment = 64

// avx512 writes AVX-512 code. With an offset of one signed byte, an instruction can address 256 rows around the
// address in a register. Therefore each group of 256 input rows has its own register, as long as there are free
// registers.
type avx512 struct {
	a      x86.Asm
	groups []int // the first input row of each group that has a register
	loop   x86.Label
}

const (
	group  = 256            // number of rows within reach of one register
	middle = group / 2 * 64 // distance from a group's first row to the address in the register
	rowOf  = 64             // bytes of a row
)

// inputBases lists the registers that hold addresses of groups of input rows. The function must keep rbx and all
// later registers in the list.
var inputBases = [...]x86.Reg{
	x86.RDI, x86.RAX, x86.R10, x86.R11, x86.RBX, x86.RBP, x86.R12, x86.R13, x86.R14, x86.R15,
}

// callerOwned is the index of the first input base that a function must save and restore.
const callerOwned = 4

func newAVX512(rows []int) encoder {
	e := &avx512{}
	for _, r := range rows {
		if n := len(e.groups); n == 0 || n < len(inputBases) && r >= e.groups[n-1]+group {
			e.groups = append(e.groups, r)
		}
	}
	if len(e.groups) == 0 {
		e.groups = []int{0}
	}
	return e
}

func (e *avx512) text() ([]byte, error) { return e.a.Bytes(), nil }

func (e *avx512) begin() (offset int) {
	e.a.Align(entryAlignment)
	offset = e.a.Len()
	for i := callerOwned; i < len(e.groups); i++ {
		e.a.Push(inputBases[i])
	}
	e.a.OpImm(x86.Add, x86.RDX, middle)
	e.a.OpImm(x86.Add, x86.RSI, middle)
	for i := len(e.groups) - 1; i >= 0; i-- {
		e.a.Lea(inputBases[i], x86.At(x86.RDI, int32(middle+e.groups[i]*rowOf)))
	}
	e.loop = e.a.Here()
	return offset
}

func (e *avx512) end() {
	for i := range e.groups {
		e.a.Op(x86.Add, inputBases[i], x86.R9)
	}
	e.a.Op(x86.Add, x86.RSI, x86.R8)
	e.a.OpImm(x86.Subtract, x86.RCX, 1)
	e.a.JumpIf(x86.NotZero, e.loop)
	for i := len(e.groups) - 1; i >= callerOwned; i-- {
		e.a.Pop(inputBases[i])
	}
	e.a.ZeroUpper()
	e.a.Return()
}

// at returns a row as an operand.
func (e *avx512) at(r row) x86.Mem {
	switch r.area {
	case inputArea:
		i := len(e.groups) - 1
		for i > 0 && int(r.number) < e.groups[i] {
			i--
		}
		return x86.At(inputBases[i], (r.number-int32(e.groups[i]))*rowOf-middle)
	case stateArea:
		return x86.At(x86.RSI, r.number*rowOf-middle)
	}
	return x86.At(x86.RDX, r.number*rowOf-middle)
}

func (e *avx512) load(dst int, from row) { e.a.Load512(x86.Vec(dst), e.at(from)) }
func (e *avx512) store(to row, src int)  { e.a.Store512(e.at(to), x86.Vec(src)) }
func (e *avx512) not(dst, src int)       { e.a.Ternary512(x86.Vec(dst), x86.Vec(src), x86.Vec(src), 0x33) }

func (e *avx512) zero(dst int) { e.a.Bitwise512(x86.Xor, x86.Vec(dst), x86.Vec(dst), x86.Vec(dst)) }

// bitwise maps operators to instructions. The operands come from [generator.two].
var bitwise = [...]x86.Bitwise{
	wordcode.And: x86.And, wordcode.AndNot: x86.AndNot, wordcode.Or: x86.Or, wordcode.Xor: x86.Xor,
}

func (e *avx512) op(g *generator, op *wordcode.Op) int {
	if op.Operator == wordcode.Lookup {
		return e.lookup(g, op)
	}
	o := g.two(op)
	if o.second >= 0 {
		e.a.Bitwise512(bitwise[op.Operator], x86.Vec(o.result), x86.Vec(o.first), x86.Vec(o.second))
	} else {
		e.a.Bitwise512Mem(bitwise[op.Operator], x86.Vec(o.result), x86.Vec(o.first), e.at(o.memory))
	}
	return o.result
}

// lookup computes any function of three values. The result overwrites the first operand of the instruction. The third
// operand may be in memory.
func (e *avx512) lookup(g *generator, op *wordcode.Op) int {
	keep := []wordcode.Value{op.A, op.B, op.C}
	order := e.order(g, op)
	d, s, t := order[0], order[1], order[2]
	table := permuted(op, order)
	second := g.register(s)
	if second < 0 {
		second = g.fetch(s, keep)
	}
	if g.register(t) < 0 && g.worth(t) {
		g.fetch(t, keep)
	}
	third := g.register(t)
	dst := g.register(d)
	switch {
	case dst < 0:
		dst = g.spare(d, keep)
	case !g.dies(d):
		dst = g.free(keep)
		e.a.Move512(x86.Vec(dst), x86.Vec(g.register(d)))
		g.cost.Copies++
	}
	g.cost.Compute++
	if third >= 0 {
		e.a.Ternary512(x86.Vec(dst), x86.Vec(second), x86.Vec(third), table)
	} else {
		g.cost.Operands++
		e.a.Ternary512Mem(x86.Vec(dst), x86.Vec(second), e.at(g.mem.home[t]), table)
	}
	return dst
}

// order chooses the value that the result overwrites and the value that may be read from memory, so that as few
// instructions as possible are needed.
func (e *avx512) order(g *generator, op *wordcode.Op) [3]wordcode.Value {
	rank := func(v wordcode.Value) int { // lowest rank: overwritten; highest: may be in memory
		switch in := g.register(v) >= 0; {
		case in && g.dies(v):
			return 0
		case !in && g.worth(v):
			return 2
		case !in:
			return 3
		}
		return 1
	}
	v := [3]wordcode.Value{op.A, op.B, op.C}
	for i := 1; i < 3; i++ {
		for j := i; j > 0 && rank(v[j]) < rank(v[j-1]); j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
	if rank(v[0]) == 1 && rank(v[2]) >= 2 { // all values are needed later, so load one value instead of copying one
		if rank(v[1]) == 1 {
			v[0], v[1], v[2] = v[2], v[0], v[1]
		} else {
			v[0], v[1] = v[1], v[0]
		}
	}
	return v
}

// permuted returns the table of an operation for an instruction whose operands are the operation's
// values in the given order.
func permuted(op *wordcode.Op, order [3]wordcode.Value) (table uint8) {
	var bit [3]int // the bits for A, B and C in an index of the instruction's table
	for k, v := range [3]wordcode.Value{op.A, op.B, op.C} {
		for i, w := range order {
			if v == w {
				bit[k] = 2 - i
			}
		}
	}
	for i := range 8 {
		at := i>>bit[0]&1 | i>>bit[1]&1<<1 | i>>bit[2]&1<<2
		table |= op.Table >> at & 1 << i
	}
	return table
}
