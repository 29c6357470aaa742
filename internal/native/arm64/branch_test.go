package arm64

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// referrers has a row for every instruction that refers to a label. A row holds the lowest and the highest distance
// that the instruction can reach. The instruction's text is the row's text followed by the label's name.
var referrers = []struct {
	nearest, furthest int
	row               func(a *Asm, d *draws, l Label) string
}{
	{-1 << 27, 1<<27 - 4, func(a *Asm, _ *draws, l Label) string { a.B(l); return "b " }},
	{-1 << 27, 1<<27 - 4, func(a *Asm, _ *draws, l Label) string { a.Bl(l); return "bl " }},
	{-1 << 20, 1<<20 - 4, func(a *Asm, d *draws, l Label) string {
		conditions := []Cond{EQ, NE, HS, LO, HI, LS, GE, LT, GT, LE}
		names := strings.Fields("eq ne hs lo hi ls ge lt gt le")
		k := d.IntN(len(conditions))
		a.BCond(conditions[k], l)
		return "b." + names[k] + " "
	}},
	{
		-1 << 20, 1<<20 - 4,
		func(a *Asm, d *draws, l Label) string { x := d.x(); a.Cbz(x, l); return "cbz " + x64(x) + ", " },
	},
	{
		-1 << 20, 1<<20 - 4,
		func(a *Asm, d *draws, l Label) string { x := d.x(); a.Cbnz(x, l); return "cbnz " + x64(x) + ", " },
	},
	{
		-1 << 20, 1<<20 - 4,
		func(a *Asm, d *draws, l Label) string { x := d.x(); a.Adr(x, l); return "adr " + x64(x) + ", " },
	},
}

// compare fails unless the assembler produces the code of a for the text.
func compare(t *testing.T, a *Asm, text string) {
	t.Helper()
	if a.Err() != nil {
		t.Fatal(a.Err())
	}
	if want := assemble(t, text); !bytes.Equal(a.Bytes(), want) {
		t.Errorf("%d bytes of code and %d of the system's assembler are not the same", a.Len(), len(want))
	}
}

// TestLabels compares branches to random labels with the system's assembler. The labels are before or after the
// branches.
func TestLabels(t *testing.T) {
	const labels, lines = 40, 2000
	d := &draws{Rand: rand.New(rand.NewPCG(1, 28)), number: cases}
	var a Asm
	var text strings.Builder
	var all []Label
	bindAt := map[int][]Label{}
	for range labels {
		l := a.Label()
		all = append(all, l)
		at := d.IntN(lines + 1)
		bindAt[at] = append(bindAt[at], l)
	}
	for line := range lines + 1 {
		for _, l := range bindAt[line] {
			a.Bind(l)
			fmt.Fprintf(&text, "L%d:\n", l)
		}
		if line < lines {
			l := all[d.IntN(labels)]
			fmt.Fprintf(&text, "%sL%d\n", referrers[d.IntN(len(referrers))].row(&a, d, l), l)
		}
	}
	compare(t, &a, text.String())
}

// pad appends words of zero.
func pad(a *Asm, bytes int) {
	for range bytes / wordSize {
		a.Word(0)
	}
}

// far emits an instruction that refers to a label at the given distance, with padding in between. It returns the text
// of the instruction and the label.
func far(a *Asm, d *draws, row func(*Asm, *draws, Label) string, distance int) string {
	l := a.Label()
	if distance > 0 {
		line := row(a, d, l)
		pad(a, distance-wordSize)
		a.Bind(l)
		return fmt.Sprintf("%sL%d\n.zero %d\nL%d:\n", line, l, distance-wordSize, l)
	}
	a.Bind(l)
	pad(a, -distance)
	return fmt.Sprintf("L%d:\n.zero %d\n%sL%d\n", l, -distance, row(a, d, l), l)
}

// TestFurthest compares branches over their furthest distances with the system's assembler, and expects errors
// beyond these distances.
func TestFurthest(t *testing.T) {
	d := &draws{Rand: rand.New(rand.NewPCG(2, 28)), number: cases}
	var a Asm
	var text strings.Builder
	for _, c := range referrers {
		if c.furthest > 1<<20 { // TestEncode checks these distances
			continue
		}
		text.WriteString(far(&a, d, c.row, c.nearest))
		text.WriteString(far(&a, d, c.row, c.furthest))
		for _, distance := range []int{c.nearest - wordSize, c.furthest + wordSize} {
			var b Asm
			line := far(&b, d, c.row, distance)
			if b.Err() == nil {
				t.Errorf("%s: no error", line)
			}
		}
	}
	compare(t, &a, text.String())
}

// TestEncode checks the furthest distances of B, which would take 128 MiB of code, and distances to data.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		reach    reach
		distance int
		bits     uint32
		ok       bool
	}{
		{reachB, 1<<27 - 4, 0x1ffffff, true},
		{reachB, 1 << 27, 0, false},
		{reachB, -1 << 27, 0x2000000, true},
		{reachB, -1<<27 - 4, 0, false},
		{reachB, 2, 0, false},
		{reachAdr, 1<<20 - 1, 3<<29 | 0x3ffff<<5, true},
		{reachAdr, 1 << 20, 0, false},
		{reachAdr, -1 << 20, 0x40000 << 5, true},
		{reachAdr, -1<<20 - 1, 0, false},
	} {
		bits, fault := c.reach.encode(c.distance)
		if ok := fault == ""; ok != c.ok || ok && bits != c.bits {
			t.Errorf("%+v, distance %d: %#x %q, want %#x", c.reach, c.distance, bits, fault, c.bits)
		}
	}
}

// TestOffset checks the result of Offset before and after a label is bound.
func TestOffset(t *testing.T) {
	var a Asm
	l := a.Label()
	a.Ret()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a label that is bound nowhere has an offset")
			}
		}()
		a.Offset(l)
	}()
	a.Bind(l)
	a.Ret()
	if got := a.Offset(l); got != 4 {
		t.Errorf("offset %d, not 4", got)
	}
}
