package arm64

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// draws draws the operands for one case. The cases of an instruction are numbered. The first cases go through the
// first values of one operand in order, then through the first values of the next operand, and so on. The other
// operands are random. In later cases, all operands are random.
type draws struct {
	*rand.Rand
	number int // number of the case
	before int // number of operands already drawn for the case
}

// ordered is the number of values of each operand that are drawn in order. The constant operands is the largest
// number of operands that an instruction has.
const (
	ordered  = registers
	operands = 4
	cases    = ordered*operands + 128
)

// below returns a number below n.
func (d *draws) below(n int) int {
	turn := d.number / ordered
	d.before++
	if turn == d.before-1 && turn < operands {
		return d.number % ordered % n
	}
	return d.IntN(n)
}

// v returns a vector register.
func (d *draws) v() V { return V(d.below(registers)) }

// x returns a general register. Register 31 is the zero register.
func (d *draws) x() X { return X(d.below(registers)) }

// from returns a multiple of step from lo to hi. The first values include lo and hi.
func (d *draws) from(lo, hi, step int) int {
	count := (hi-lo)/step + 1
	k := d.below(max(count, ordered))
	switch {
	case k%4 == 3 && count > 4: // any value of the range
		k = d.IntN(count)
	case k%4 == 2:
		k = count - 1 - k/4
	}
	return lo + (k%count+count)%count*step
}

// name returns the text of a general register with the given letter. The argument last is the text for register 31.
func name(letter string, r X, last string) string {
	if r == 31 {
		return last
	}
	return fmt.Sprint(letter, int(r))
}

// x64, x32 and base return the text of a general register. The result of x64 names the whole register, and the result
// of x32 names its lower half. The function base is for operands in which register 31 is the stack pointer instead of
// zero.
func x64(r X) string  { return name("x", r, "xzr") }
func x32(r X) string  { return name("w", r, "wzr") }
func base(r X) string { return name("x", r, "sp") }

// assemble returns the bytes that the system's assembler produces for a text.
func assemble(t *testing.T, text string) []byte {
	t.Helper()
	if _, err := exec.LookPath("aarch64-linux-gnu-as"); err != nil {
		t.Skipf("%v: install the Debian package binutils-aarch64-linux-gnu", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.s"), []byte(".arch armv8.2-a+sha3\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"as -o a.o a.s", "objcopy -O binary -j .text a.o a.bin"} {
		out, err := testkit.TryOtherTool(t, dir, strings.Fields("aarch64-linux-gnu-"+command)...)
		if err != nil || out != "" {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	code, err := os.ReadFile(filepath.Join(dir, "a.bin"))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestInstructions compares every row of the table with the system's assembler. It tries every register as every
// operand, the smallest and the largest immediates, and random operands.
func TestInstructions(t *testing.T) {
	var a Asm
	var text []string
	for seed, row := range table() {
		r := rand.New(rand.NewPCG(uint64(seed), 28))
		for number := range cases {
			before := a.Len()
			line := row(&a, &draws{Rand: r, number: number})
			if a.Err() != nil {
				t.Fatalf("%s: %v", line, a.Err())
			}
			if a.Len() != before+wordSize {
				t.Fatalf("%s: %d bytes, want one instruction", line, a.Len()-before)
			}
			text = append(text, line)
		}
	}
	want := assemble(t, strings.Join(text, "\n")+"\n")
	if a.Len() != len(want) {
		t.Fatalf("%d bytes, of the assembler %d", a.Len(), len(want))
	}
	wrong := map[string]bool{}
	for i, line := range text {
		g, w := binary.LittleEndian.Uint32(a.Bytes()[4*i:]), binary.LittleEndian.Uint32(want[4*i:])
		if mnemonic, _, _ := strings.Cut(line, " "); g != w && !wrong[mnemonic] {
			wrong[mnemonic] = true // other rows with this mnemonic would be wrong in the same way
			t.Errorf("%s: %08x, of the assembler %08x", line, g, w)
		}
	}
	t.Logf("%d instructions of %d kinds", len(text), len(table()))
}

// BenchmarkEmit measures how fast instructions are written.
func BenchmarkEmit(b *testing.B) {
	const count = 1 << 16
	for b.Loop() {
		var a Asm
		for i := range count / 2 {
			a.LdrQ(V(i%registers), At(0, i%4096*16))
			a.Eor3(V(i%registers), V(i%7), V(i%11), V(i%13))
		}
		if a.Err() != nil {
			b.Fatal(a.Err())
		}
	}
	b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds(), "instructions/s")
}
