package arm64

import (
	"fmt"
	"slices"
	"strings"
)

// row draws the operands of one instruction, appends it to the assembler, and returns its text.
type row func(a *Asm, d *draws) string

// table has rows for every instruction without a label operand. An instruction has a row for each way to write it.
func table() []row {
	return slices.Concat(logicRows(), laneRows(), shiftRows(), moveRows(), memoryRows(), pairRows(), generalRows())
}

func logicRows() []row {
	var rows []row
	for _, c := range []struct {
		name string
		do   func(a *Asm, d, n, m V)
	}{
		{"and", (*Asm).And},
		{"bic", (*Asm).Bic},
		{"orr", (*Asm).Orr},
		{"eor", (*Asm).Eor},
		{"bsl", (*Asm).Bsl},
		{"bit", (*Asm).Bit},
		{"bif", (*Asm).Bif},
	} {
		rows = append(rows, func(a *Asm, d *draws) string {
			x, y, z := d.v(), d.v(), d.v()
			c.do(a, x, y, z)
			return fmt.Sprintf("%s v%d.16b, v%d.16b, v%d.16b", c.name, x, y, z)
		})
	}
	for _, c := range []struct {
		name string
		do   func(a *Asm, d, n, m, o V)
	}{
		{"eor3", (*Asm).Eor3},
		{"bcax", (*Asm).Bcax},
	} {
		rows = append(rows, func(a *Asm, d *draws) string {
			w, x, y, z := d.v(), d.v(), d.v(), d.v()
			c.do(a, w, x, y, z)
			return fmt.Sprintf("%s v%d.16b, v%d.16b, v%d.16b, v%d.16b", c.name, w, x, y, z)
		})
	}
	return rows
}

// arrangements lists each arrangement with its assembler text, the letter for a lane, and the number of bits in a
// lane.
var arrangements = []struct {
	t      Arrangement
	text   string
	letter string
	bits   int
}{{B16, "16b", "b", 8}, {H8, "8h", "h", 16}, {S4, "4s", "s", 32}, {D2, "2d", "d", 64}}

func laneRows() []row {
	var rows []row
	for _, c := range []struct {
		name string
		do   func(a *Asm, t Arrangement, d, n, m V)
	}{
		{"cmhi", (*Asm).Cmhi},
		{"zip1", (*Asm).Zip1},
		{"zip2", (*Asm).Zip2},
	} {
		for _, l := range arrangements {
			rows = append(rows, func(a *Asm, d *draws) string {
				x, y, z := d.v(), d.v(), d.v()
				c.do(a, l.t, x, y, z)
				return fmt.Sprintf("%s v%d.%s, v%d.%s, v%d.%s", c.name, x, l.text, y, l.text, z, l.text)
			})
		}
	}
	return rows
}

func shiftRows() []row {
	var rows []row
	for _, c := range []struct {
		name  string
		do    func(a *Asm, t Arrangement, d, n V, by int)
		least int
	}{
		{"sli", (*Asm).Sli, 0},
		{"sri", (*Asm).Sri, 1},
	} {
		for _, l := range arrangements {
			rows = append(rows, func(a *Asm, d *draws) string {
				by, x, y := d.from(c.least, c.least+l.bits-1, 1), d.v(), d.v()
				c.do(a, l.t, x, y, by)
				return fmt.Sprintf("%s v%d.%s, v%d.%s, #%d", c.name, x, l.text, y, l.text, by)
			})
		}
	}
	return rows
}

// moveRows returns the instructions that fill vector registers, and that move data between vector registers and
// general registers.
func moveRows() []row {
	rows := []row{
		func(a *Asm, d *draws) string {
			x, y := d.v(), d.v()
			a.Not(x, y)
			return fmt.Sprintf("mvn v%d.16b, v%d.16b", x, y)
		},
		func(a *Asm, d *draws) string {
			x, y := d.v(), d.v()
			a.Mov(x, y)
			return fmt.Sprintf("mov v%d.16b, v%d.16b", x, y)
		},
		func(a *Asm, d *draws) string {
			x, value := d.v(), d.from(0, 255, 1)
			a.Movi(B16, x, uint64(value))
			return fmt.Sprintf("movi v%d.16b, #%d", x, value)
		},
		func(a *Asm, d *draws) string {
			x, mask := d.v(), d.from(0, 255, 1)
			value := uint64(0)
			for b := range 8 {
				value |= uint64(mask>>b&1) * 0xff << (8 * b)
			}
			a.Movi(D2, x, value)
			return fmt.Sprintf("movi v%d.2d, #%#x", x, value)
		},
	}
	for _, l := range arrangements {
		general := x32
		if l.t == D2 {
			general = x64
		}
		lane := func(d *draws) int { return d.from(0, 128/l.bits-1, 1) }
		rows = append(rows, func(a *Asm, d *draws) string {
			k, x, y := lane(d), d.x(), d.v()
			a.Umov(l.t, x, y, k)
			return fmt.Sprintf("umov %s, v%d.%s[%d]", general(x), y, l.letter, k)
		}, func(a *Asm, d *draws) string {
			k, x, y := lane(d), d.v(), d.x()
			a.Ins(l.t, x, k, y)
			return fmt.Sprintf("ins v%d.%s[%d], %s", x, l.letter, k, general(y))
		})
	}
	return rows
}

// generalRows returns the instructions that use general registers alone, and jumps to addresses in registers.
func generalRows() []row {
	var rows []row
	for _, c := range []struct {
		name string
		do   func(a *Asm, d, n, m X)
	}{{"add", (*Asm).Add}, {"sub", (*Asm).Sub}, {"mul", (*Asm).Mul}} {
		rows = append(rows, func(a *Asm, d *draws) string {
			x, y, z := d.x(), d.x(), d.x()
			c.do(a, x, y, z)
			return fmt.Sprintf("%s %s, %s, %s", c.name, x64(x), x64(y), x64(z))
		})
	}
	for _, c := range []struct {
		name string
		do   func(a *Asm, d, n X, value int)
		last string // the name of register 31 if it is the destination
	}{{"add", (*Asm).AddImm, "sp"}, {"sub", (*Asm).SubImm, "sp"}, {"subs", (*Asm).SubsImm, "xzr"}} {
		for _, step := range []int{1, 4096} {
			rows = append(rows, func(a *Asm, d *draws) string {
				value, x, y := d.from(0, 4095*step, step), d.x(), d.x()
				c.do(a, x, y, value)
				return fmt.Sprintf("%s %s, %s, #%d", c.name, name("x", x, c.last), base(y), value)
			})
		}
	}
	for _, c := range []struct {
		name string
		do   func(a *Asm, d X, value uint16, shift int)
	}{{"movz", (*Asm).Movz}, {"movk", (*Asm).Movk}} {
		rows = append(rows, func(a *Asm, d *draws) string {
			value, shift, x := d.from(0, 0xffff, 1), d.from(0, 48, 16), d.x()
			c.do(a, x, uint16(value), shift)
			return fmt.Sprintf("%s %s, #%d, lsl #%d", c.name, x64(x), value, shift)
		})
	}
	for _, c := range []struct {
		text string
		do   func(a *Asm, n X)
	}{
		{"br REG", (*Asm).Br},
		{"ret", func(a *Asm, _ X) { a.Ret() }},
	} {
		rows = append(rows, func(a *Asm, d *draws) string {
			x := d.x()
			c.do(a, x)
			return strings.ReplaceAll(c.text, "REG", x64(x))
		})
	}
	return append(rows, func(a *Asm, d *draws) string {
		by, x, y := d.from(0, 63, 1), d.x(), d.x()
		a.LsrImm(x, y, by)
		return fmt.Sprintf("lsr %s, %s, #%d", x64(x), x64(y), by)
	}, func(a *Asm, d *draws) string {
		x, y := d.x(), d.x()
		a.Cmp(x, y)
		return fmt.Sprintf("cmp %s, %s", x64(x), x64(y))
	}, func(a *Asm, d *draws) string {
		value, x := d.from(0, 4095, 1), d.x()
		a.CmpImm(x, value)
		return fmt.Sprintf("cmp %s, #%d", base(x), value)
	}, func(a *Asm, d *draws) string {
		x, y := d.x(), d.x()
		a.MovX(x, y)
		return fmt.Sprintf("mov %s, %s", x64(x), x64(y))
	}, func(a *Asm, d *draws) string {
		word := d.Uint32()
		a.Word(word)
		return fmt.Sprintf(".inst %#x", word)
	})
}
