package rows

import (
	"math/bits"

	"ialgn/internal/native/x86"
)

// intel is the common part of the machines for AVX2 and AVX-512.
type intel struct {
	a    *x86.Asm
	w    x86.Width
	pool pool
}

// generals lists the general registers by number. The first registers hold arguments. The others are registers that a
// function may change.
var generals = [...]x86.Reg{x86.RDI, x86.RSI, x86.RDX, x86.RCX, x86.R8, x86.R9, x86.R10, x86.R11, x86.RAX}

func (m *intel) label() label  { return label(m.a.NewLabel()) }
func (m *intel) bind(l label)  { m.a.Bind(x86.Label(l)) }
func (m *intel) align()        { m.a.Align(64) }
func (m *intel) jump(to label) { m.a.Jump(x86.Label(to)) }
func (m *intel) call(f label)  { m.a.Call(x86.Label(f)) }
func (m *intel) enter(depth)   {}

func (m *intel) leave(d depth) {
	if d == outermost {
		m.a.ZeroUpper()
	}
	m.a.Return()
}

func (m *intel) jumpBelow(r register, k int, to label) {
	m.a.OpImm(x86.Compare, generals[r], int32(k))
	m.a.JumpIf(x86.Below, x86.Label(to))
}

func (m *intel) jumpZero(r register, to label) {
	m.a.OpImm(x86.Compare, generals[r], 0)
	m.a.JumpIf(x86.Zero, x86.Label(to))
}

func (m *intel) loop(r register, k int, to label) {
	m.a.OpImm(x86.Subtract, generals[r], int32(k))
	m.a.JumpIf(x86.NotZero, x86.Label(to))
}

func (m *intel) set(r register, k int)        { m.a.MovImm(generals[r], uint64(k)) }
func (m *intel) move(dst, src register)       { m.a.Mov(generals[dst], generals[src]) }
func (m *intel) add(dst, src register, k int) { m.a.Lea(generals[dst], operand(src, k)) }
func (m *intel) plus(dst, src register)       { m.a.Op(x86.Add, generals[dst], generals[src]) }
func (m *intel) minus(dst, src register)      { m.a.Op(x86.Subtract, generals[dst], generals[src]) }
func (m *intel) shiftRight(r register, n int) { m.a.ShiftRight(generals[r], uint8(n)) }
func (m *intel) keep(r register)              { m.a.Push(generals[r]) }
func (m *intel) restore(r register)           { m.a.Pop(generals[r]) }

func (m *intel) times(dst, src register, k int) {
	m.a.MulImm(generals[dst], generals[src], int32(k))
}

func (m *intel) copy(to, from, n register) {
	used := []x86.Reg{x86.RDI, x86.RSI, x86.RCX}
	for _, r := range used {
		m.a.Push(r)
	}
	for _, r := range []register{to, from, n} {
		m.a.Push(generals[r])
	}
	for _, r := range []x86.Reg{x86.RCX, x86.RSI, x86.RDI} {
		m.a.Pop(r)
	}
	m.a.MoveBytes()
	for i := range used {
		m.a.Pop(used[len(used)-1-i])
	}
}

func operand(base register, displacement int) x86.Mem {
	return x86.At(generals[base], int32(displacement))
}

func (m *intel) exchange(s stage, size int, low, first, second vector) {
	l, f, z := x86.Vec(low), x86.Vec(first), x86.Vec(second)
	switch {
	case !s.lanes:
		m.a.Packed(m.w, sized(x86.UnpackLowBytes, size), l, f, z)
		m.a.Packed(m.w, sized(x86.UnpackHighBytes, size), z, f, z)
	case m.w == x86.YMM:
		m.a.Lanes256(l, f, z, 0x20)
		m.a.Lanes256(z, f, z, 0x31)
	default:
		m.a.Lanes512(l, f, z, 0x88)
		m.a.Lanes512(z, f, z, 0xdd)
	}
}

// sized converts an instruction on bytes to the same instruction on elements of size bytes.
func sized(op x86.Packed, size int) x86.Packed {
	return op + x86.Packed(bits.TrailingZeros(uint(size)))
}

// constant returns the operand of a constant in memory.
func (m *intel) constant(value []byte) x86.Mem {
	return x86.AtLabel(x86.Label(m.pool.place(value, m.label)))
}

func (m *intel) constants() {
	m.pool.take(func(at label, constant []byte) {
		m.a.Align(len(constant))
		m.bind(at)
		m.a.Data(constant...)
	})
}

func (m *intel) prefetch(base register, displacement int) { m.a.Prefetch(operand(base, displacement)) }

func (m *intel) step(size int) int { return m.w.Bytes() / size }

// number computes numbers digit by digit, with the highest digit first. For each digit, it doubles the numbers and
// adds the digit. The function digit adds a digit whose bits are in memory. The function one adds 1.
func (m *intel) number(size int, to x86.Vec, digits []Row, digit func(bits x86.Mem), one func()) {
	started := false
	for i := len(digits) - 1; i >= 0; i-- {
		if started {
			m.a.Packed(m.w, sized(x86.AddBytes, size), to, to, to)
		}
		switch row := digits[i]; row {
		case Zeros:
			continue
		case Ones:
			one()
		default:
			digit(x86.Indexed(generals[state], generals[place], 1, int32(row)*int32(m.w.Bytes())))
		}
		started = true
	}
}
