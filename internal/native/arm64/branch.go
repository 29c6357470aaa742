package arm64

import (
	"encoding/binary"
	"fmt"
)

// Label is a position in the code of an [Asm]. It belongs to the Asm whose method [Asm.Label] returned it.
type Label int

// target is the state of a label.
type target struct {
	bound bool
	at    int   // position in bytes, if bound
	uses  []use // instructions that are patched when the label is bound
}

// use is an instruction that refers to a label.
type use struct {
	name  string
	at    int // position of the instruction in bytes
	reach reach
}

// reach says how an instruction encodes the distance from itself to a label.
type reach struct {
	field, width int // lowest bit and width of the field; ADR has a second field for the two lowest bits
	step         int // the distance is a multiple of step bytes
	mend         string
}

var (
	reachB   = reach{0, 26, wordSize, "jump by Br"}
	reach19  = reach{5, 19, wordSize, "branch over a B with the opposite condition"}
	reachAdr = reach{5, 21, 1, "place the data nearer"}
)

// Label returns a new label. [Asm.Bind] gives the label a position, before or after an instruction uses it.
func (a *Asm) Label() Label {
	a.labels = append(a.labels, target{})
	return Label(len(a.labels))
}

// Bind sets the label's position to the next instruction, and patches all instructions that refer
// to it. A label is bound once.
func (a *Asm) Bind(l Label) {
	t := a.target(l)
	if t.bound {
		a.fail("Bind", a.Len(), fmt.Sprintf("label %d is bound at byte %d already: take another one", l, t.at))
		return
	}
	t.bound, t.at = true, a.Len()
	for _, u := range t.uses {
		a.patch(u, t.at)
	}
	t.uses = nil
}

// Offset returns the position of a label in bytes. It panics if the label is not bound.
func (a *Asm) Offset(l Label) int {
	t := a.target(l)
	if !t.bound {
		panic(fmt.Sprintf("arm64: label %d is bound nowhere", l))
	}
	return t.at
}

// target returns the state of a label. It panics if the label belongs to another assembler.
func (a *Asm) target(l Label) *target {
	if l < 1 || int(l) > len(a.labels) {
		panic(fmt.Sprintf("arm64: label %d is not one of this assembler, which has %d", l, len(a.labels)))
	}
	return &a.labels[l-1]
}

// refer writes an instruction that refers to a label.
func (a *Asm) refer(i insn, r reach, l Label) {
	u := use{i.name, a.Len(), r}
	a.emit(i)
	t := a.target(l)
	switch {
	case i.fault != "":
	case t.bound:
		a.patch(u, t.at)
	default:
		t.uses = append(t.uses, u)
	}
}

// patch encodes the distance to a position in an instruction.
func (a *Asm) patch(u use, to int) {
	word := a.code[u.at : u.at+wordSize]
	bits, fault := u.reach.encode(to - u.at)
	if fault != "" {
		a.fail(u.name, u.at, fault)
		clear(word)
		return
	}
	binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|bits)
}

// encode returns the bits that encode a distance in bytes. If the distance cannot be encoded, the result fault says
// why.
func (r reach) encode(distance int) (bits uint32, fault string) {
	half := r.step << (r.width - 1)
	s := span{"distance", -half, half - r.step, r.step, r.mend}
	if r != reachAdr {
		i := insn{}.imm(r.field, s, distance)
		return i.bits, i.fault
	}
	low, high := uint32(distance)&3, uint32(distance)>>2&(1<<19-1)
	return low<<29 | high<<r.field, insn{}.check(s, distance).fault
}

// Adr sets d to the address of a label that is at most 1 MiB away.
func (a *Asm) Adr(d X, l Label) {
	a.refer(insn{name: "adr", bits: 0x10000000}.x(fieldD, d), reachAdr, l)
}

// B continues at a label, at most 128 MiB away.
func (a *Asm) B(l Label) { a.refer(insn{name: "b", bits: 0x14000000}, reachB, l) }

// Bl calls a label, at most 128 MiB away. It stores the address of the next instruction in [LR] and continues at the
// label.
func (a *Asm) Bl(l Label) { a.refer(insn{name: "bl", bits: 0x94000000}, reachB, l) }

// BCond continues at a label, at most 1 MiB away, if the condition holds.
func (a *Asm) BCond(c Cond, l Label) {
	i := insn{name: "b." + c.String(), bits: 0x54000000 | uint32(c)}
	if c.name() == "" {
		i = i.wrong("no such condition: take one that this package names")
	}
	a.refer(i, reach19, l)
}

// Cbz continues at a label, at most 1 MiB away, if t is zero. Register 31 is [XZR].
func (a *Asm) Cbz(t X, l Label) {
	a.refer(insn{name: "cbz", bits: 0xb4000000}.x(fieldD, t), reach19, l)
}

// Cbnz continues at a label, at most 1 MiB away, if t is not zero. Register 31 is [XZR].
func (a *Asm) Cbnz(t X, l Label) {
	a.refer(insn{name: "cbnz", bits: 0xb5000000}.x(fieldD, t), reach19, l)
}

// Br continues at the address in n.
func (a *Asm) Br(n X) { a.emit(insn{name: "br", bits: 0xd61f0000}.x(fieldN, n)) }

// Ret continues at the address in [LR].
func (a *Asm) Ret() { a.Word(0xd65f03c0) }
