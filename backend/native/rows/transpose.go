package rows

import (
	"math/bits"

	"ialgn/backend/native/x86"
)

// stage is a step of the transposition of a square of elements that stands in as many vectors as a vector has
// elements. It works on all pairs of vectors whose numbers differ in one bit. For each pair, that bit of the
// vector's number and a bit of the element's place change roles: of the place of the lane of 128 bits, its lowest
// bit, or of the place in the lane, its highest. The bits of the place that stay move on by one, so that after all
// stages each is where it belongs.
type stage struct {
	bit   int
	lanes bool
}

// stages returns the steps for elements of size bytes. The bits that exchange lanes are the highest: lower halves of
// the vectors' numbers can be left for later, since the last stages work on neighbours alone.
func stages(w x86.Width, size int) (all []stage) {
	top := bits.TrailingZeros(uint(w.Bytes() / size))
	lanes := int(w)
	for bit := top - lanes; bit < top; bit++ {
		all = append(all, stage{bit, true})
	}
	for bit := top - lanes - 1; bit >= 0; bit-- {
		all = append(all, stage{bit, false})
	}
	return all
}

// transpose appends stages that work on the vectors in registers, whose numbers in the square are multiples of step.
// The register free is used too. On return registers has the places of the results, and the result is the register
// that is free now.
func transpose(a *x86.Asm, w x86.Width, size int, todo []stage, registers []x86.Vec, step int, free x86.Vec) x86.Vec {
	for _, s := range todo {
		far := 1 << s.bit / step
		for i := range registers {
			if i&far == 0 {
				first, second := registers[i], registers[i|far]
				exchange(a, w, size, s, free, first, second)
				registers[i], free = free, first
			}
		}
	}
	return free
}

// exchange appends one stage for two vectors: the result with bit 0 goes to low, the one with bit 1 to second.
func exchange(a *x86.Asm, w x86.Width, size int, s stage, low, first, second x86.Vec) {
	switch {
	case !s.lanes:
		a.Packed(w, sized(x86.UnpackLowBytes, size), low, first, second)
		a.Packed(w, sized(x86.UnpackHighBytes, size), second, first, second)
	case w == x86.YMM:
		a.Lanes256(low, first, second, 0x20)
		a.Lanes256(second, first, second, 0x31)
	default:
		a.Lanes512(low, first, second, 0x88)
		a.Lanes512(second, first, second, 0xdd)
	}
}

// pool holds the constants of a piece of code, which stand behind it.
type pool struct {
	a      *x86.Asm
	labels map[string]x86.Label
	order  []string
}

// vector returns the operand of a constant.
func (p *pool) vector(constant []byte) x86.Mem {
	key := string(constant)
	label, known := p.labels[key]
	if !known {
		label = p.a.NewLabel()
		p.labels[key] = label
		p.order = append(p.order, key)
	}
	return x86.AtLabel(label)
}

// emit appends the constants.
func (p *pool) emit() {
	for _, constant := range p.order {
		p.a.Align(len(constant))
		p.a.Bind(p.labels[constant])
		p.a.Data([]byte(constant)...)
	}
}

func newPool(a *x86.Asm) *pool { return &pool{a: a, labels: map[string]x86.Label{}} }

// every returns a vector of equal elements of size bytes.
func every(w x86.Width, size int, value uint32) []byte {
	return elements(w, size, func(int) uint32 { return value })
}

// elements returns a vector of elements of size bytes.
func elements(w x86.Width, size int, value func(i int) uint32) []byte {
	constant := make([]byte, w.Bytes())
	for i := range constant {
		constant[i] = uint8(value(i/size) >> (i % size * 8))
	}
	return constant
}

// sized returns the instruction on elements of size bytes that is like one on bytes.
func sized(op x86.Packed, size int) x86.Packed {
	return op + x86.Packed(bits.TrailingZeros(uint(size)))
}

// load, store and combine have the instruction of the width.
func load(a *x86.Asm, w x86.Width, dst x86.Vec, src x86.Mem) {
	if w == x86.ZMM {
		a.Load512(dst, src)
	} else {
		a.Load256(dst, src)
	}
}

func store(a *x86.Asm, w x86.Width, dst x86.Mem, src x86.Vec) {
	if w == x86.ZMM {
		a.Store512(dst, src)
	} else {
		a.Store256(dst, src)
	}
}

func combine(a *x86.Asm, w x86.Width, op x86.Bitwise, dst, first, second x86.Vec) {
	if w == x86.ZMM {
		a.Bitwise512(op, dst, first, second)
	} else {
		a.Bitwise256(op, dst, first, second)
	}
}
