package x86

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is an instruction with operands, and its text for the assembler.
type sample struct {
	text string
	emit func(a *Asm)
}

// source draws operands.
type source struct{ *rand.Rand }

func (s source) reg() Reg      { return Reg(s.IntN(16)) }
func (s source) vec(n int) Vec { return Vec(s.IntN(n)) }
func (s source) mask() Mask    { return Mask(1 + s.IntN(7)) }
func (s source) displace() int32 {
	return [...]int32{0, 64, -64, 8128, -8192, 8192, 1, 127, 128, -129, 1 << 20}[s.IntN(11)]
}

// mem draws a memory operand with its text.
func (s source) mem() (Mem, string) {
	base, disp := s.reg(), s.displace()
	if s.IntN(2) == 0 {
		return At(base, disp), fmt.Sprintf("[%s%+d]", names[base], disp)
	}
	index, scale := s.reg(), uint8(1)<<s.IntN(4)
	if index == RSP {
		index = RAX
	}
	return Indexed(base, index, scale, disp), fmt.Sprintf("[%s+%s*%d%+d]", names[base], names[index], scale, disp)
}

var names = [...]string{
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
}

// families lists functions. Each function draws an instruction of one family.
var families = []func(s source) sample{
	func(s source) sample {
		op, d, x, y := s.IntN(4), s.vec(32), s.vec(32), s.vec(32)
		name := [...]string{"vpandq", "vpandnq", "vporq", "vpxorq"}[op]
		return sample{fmt.Sprintf("%s zmm%d, zmm%d, zmm%d", name, d, x, y), func(a *Asm) { a.Bitwise512(Bitwise(op), d, x, y) }}
	},
	func(s source) sample {
		op, d, x := s.IntN(4), s.vec(32), s.vec(32)
		m, text := s.mem()
		name := [...]string{"vpandq", "vpandnq", "vporq", "vpxorq"}[op]
		return sample{
			fmt.Sprintf("%s zmm%d, zmm%d, zmmword ptr %s", name, d, x, text),
			func(a *Asm) { a.Bitwise512Mem(Bitwise(op), d, x, m) },
		}
	},
	func(s source) sample {
		op, d, x, y := s.IntN(4), s.vec(16), s.vec(16), s.vec(16)
		name := [...]string{"vpand", "vpandn", "vpor", "vpxor"}[op]
		return sample{fmt.Sprintf("%s ymm%d, ymm%d, ymm%d", name, d, x, y), func(a *Asm) { a.Bitwise256(Bitwise(op), d, x, y) }}
	},
	func(s source) sample {
		op, d, x := s.IntN(4), s.vec(16), s.vec(16)
		m, text := s.mem()
		name := [...]string{"vpand", "vpandn", "vpor", "vpxor"}[op]
		return sample{
			fmt.Sprintf("%s ymm%d, ymm%d, ymmword ptr %s", name, d, x, text),
			func(a *Asm) { a.Bitwise256Mem(Bitwise(op), d, x, m) },
		}
	},
	func(s source) sample {
		d, x, y, t := s.vec(32), s.vec(32), s.vec(32), uint8(s.Uint32())
		return sample{
			fmt.Sprintf("vpternlogq zmm%d, zmm%d, zmm%d, %d", d, x, y, t),
			func(a *Asm) { a.Ternary512(d, x, y, t) },
		}
	},
	func(s source) sample {
		d, x, t := s.vec(32), s.vec(32), uint8(s.Uint32())
		m, text := s.mem()
		return sample{
			fmt.Sprintf("vpternlogq zmm%d, zmm%d, zmmword ptr %s, %d", d, x, text, t),
			func(a *Asm) { a.Ternary512Mem(d, x, m, t) },
		}
	},
	func(s source) sample {
		d, x := s.vec(32), s.vec(32)
		return sample{fmt.Sprintf("vmovdqa64 zmm%d, zmm%d", d, x), func(a *Asm) { a.Move512(d, x) }}
	},
	func(s source) sample {
		d := s.vec(32)
		m, text := s.mem()
		return sample{fmt.Sprintf("vmovdqu64 zmm%d, zmmword ptr %s", d, text), func(a *Asm) { a.Load512(d, m) }}
	},
	func(s source) sample {
		d := s.vec(32)
		m, text := s.mem()
		return sample{fmt.Sprintf("vmovdqu64 zmmword ptr %s, zmm%d", text, d), func(a *Asm) { a.Store512(m, d) }}
	},
	func(s source) sample {
		d := s.vec(16)
		m, text := s.mem()
		return sample{fmt.Sprintf("vmovdqu ymm%d, ymmword ptr %s", d, text), func(a *Asm) { a.Load256(d, m) }}
	},
	func(s source) sample {
		d := s.vec(16)
		m, text := s.mem()
		return sample{fmt.Sprintf("vmovdqu ymmword ptr %s, ymm%d", text, d), func(a *Asm) { a.Store256(m, d) }}
	},
	func(source) sample { return sample{"vzeroupper", (*Asm).ZeroUpper} },
	func(s source) sample {
		d := s.vec(16)
		return sample{fmt.Sprintf("vpcmpeqd ymm%d, ymm%d, ymm%d", d, d, d), func(a *Asm) { a.Ones256(d) }}
	},
	func(s source) sample {
		d, x := s.reg(), s.reg()
		return sample{fmt.Sprintf("mov %s, %s", names[d], names[x]), func(a *Asm) { a.Mov(d, x) }}
	},
	func(s source) sample {
		d, v := s.reg(), s.Uint64()>>s.IntN(64)
		if v == uint64(int64(int32(v))) {
			return sample{fmt.Sprintf("mov %s, %d", names[d], int32(v)), func(a *Asm) { a.MovImm(d, v) }}
		}
		return sample{fmt.Sprintf("movabs %s, %#x", names[d], v), func(a *Asm) { a.MovImm(d, v) }}
	},
	func(s source) sample {
		d := s.reg()
		m, text := s.mem()
		return sample{fmt.Sprintf("mov %s, %s", names[d], text), func(a *Asm) { a.Load(d, m) }}
	},
	func(s source) sample {
		d := s.reg()
		m, text := s.mem()
		return sample{fmt.Sprintf("mov %s, %s", text, names[d]), func(a *Asm) { a.Store(m, d) }}
	},
	func(s source) sample {
		d := s.reg()
		m, text := s.mem()
		return sample{fmt.Sprintf("lea %s, %s", names[d], text), func(a *Asm) { a.Lea(d, m) }}
	},
	func(s source) sample {
		op, d, x := s.IntN(len(arithmetic)), s.reg(), s.reg()
		return sample{
			fmt.Sprintf("%s %s, %s", arithmetic[op].name, names[d], names[x]),
			func(a *Asm) { a.Op(arithmetic[op].op, d, x) },
		}
	},
	func(s source) sample {
		op, d, v := s.IntN(len(arithmetic)), s.reg(), s.displace()
		return sample{
			fmt.Sprintf("%s %s, %d", arithmetic[op].name, names[d], v),
			func(a *Asm) { a.OpImm(arithmetic[op].op, d, v) },
		}
	},
	func(s source) sample {
		r := s.reg()
		return sample{"push " + names[r], func(a *Asm) { a.Push(r) }}
	},
	func(s source) sample {
		r := s.reg()
		return sample{"pop " + names[r], func(a *Asm) { a.Pop(r) }}
	},
	func(source) sample { return sample{"ret", (*Asm).Return} },
	func(s source) sample {
		d := s.reg()
		m, text := s.mem()
		return sample{fmt.Sprintf("or %s, %s", names[d], text), func(a *Asm) { a.OrMem(d, m) }}
	},
	func(s source) sample {
		d := s.reg()
		m, text := s.mem()
		return sample{fmt.Sprintf("add %s, %s", text, names[d]), func(a *Asm) { a.AddMem(m, d) }}
	},
	func(s source) sample {
		d := s.reg()
		m, text := s.mem()
		return sample{fmt.Sprintf("movzx %s, byte ptr %s", names[d], text), func(a *Asm) { a.LoadByte(d, m) }}
	},
	func(s source) sample {
		d := s.reg()
		m, text := s.mem()
		return sample{fmt.Sprintf("movzx %s, word ptr %s", names[d], text), func(a *Asm) { a.LoadWord(d, m) }}
	},
	func(s source) sample {
		d, x, v := s.reg(), s.reg(), 1000+s.Int32N(1<<20)
		return sample{fmt.Sprintf("imul %s, %s, %d", names[d], names[x], v), func(a *Asm) { a.MulImm(d, x, v) }}
	},
}

var arithmetic = []struct {
	name string
	op   Arithmetic
}{{"add", Add}, {"or", OrGPR}, {"and", AndGPR}, {"sub", Subtract}, {"cmp", Compare}}

// TestEncoding compares random instructions of each family with the assembler. The encoding of this package and the
// assembler's encoding of the text must disassemble to the same text. The bytes may differ if an instruction has two
// encodings.
func TestEncoding(t *testing.T) {
	var a Asm
	var text strings.Builder
	text.WriteString(".intel_syntax noprefix\n")
	s := source{rand.New(rand.NewPCG(1, 2))}
	for range 200 {
		for _, family := range slices.Concat(families, elementFamilies) {
			i := family(s)
			text.WriteString(i.text + "\n")
			i.emit(&a)
		}
	}
	compareCode(t, text.String(), a.Bytes())
}

// TestLabels encodes jumps, calls and operands that refer to earlier labels and to later labels.
func TestLabels(t *testing.T) {
	var a Asm
	first, last := a.Here(), a.NewLabel()
	a.JumpIf(NotZero, first)
	a.JumpIf(Below, last)
	a.Jump(last)
	a.Call(first)
	a.Ternary512Mem(3, 17, AtLabel(last), 0x96)
	a.Bitwise256Mem(Xor, 1, 2, AtLabel(first))
	a.Lea(R9, AtLabel(last))
	a.Bind(last)
	a.Return()
	compareCode(t, `.intel_syntax noprefix
first: {disp32} jne first
{disp32} jb last
{disp32} jmp last
call first
vpternlogq zmm3, zmm17, zmmword ptr [rip+last], 0x96
vpxor ymm1, ymm2, ymmword ptr [rip+first]
lea r9, [rip+last]
last: ret
`, a.Bytes())
}

func TestUnbound(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a label that is bound nowhere passed")
		}
	}()
	var a Asm
	a.Jump(a.NewLabel())
	a.Bytes()
}

func compareCode(t *testing.T, text string, code []byte) {
	t.Helper()
	for _, program := range []string{"as", "objcopy", "objdump"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is missing: install binutils", program)
		}
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("want.s"), []byte(text))
	write(t, path("got.bin"), code)
	run(t, "as", "--64", "-o", path("want.o"), path("want.s"))
	run(t, "objcopy", "-O", "binary", "-j", ".text", path("want.o"), path("want.bin"))
	want, got := disassembled(t, path("want.bin")), disassembled(t, path("got.bin"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the assembler's code and ours (-want +got):\n%.3000s", diff)
	}
}

// place matches the address and the bytes of a line of objdump.
var place = regexp.MustCompile(`^\s*[0-9a-f]+:\t(?:[0-9a-f]{2} )+\s*`)

func disassembled(t *testing.T, path string) (lines []string) {
	t.Helper()
	out := run(t, "objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--insn-width=16", path)
	for line := range strings.Lines(out) {
		if place.MatchString(line) {
			lines = append(lines, strings.TrimSpace(place.ReplaceAllString(line, "")))
		}
	}
	if len(lines) == 0 {
		t.Fatalf("objdump reads nothing in:\n%.1000s", out)
	}
	return lines
}

func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", program, err, out)
	}
	return string(out)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
