package object

import (
	"bytes"
	"debug/elf"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/object/objecttest"
	"ialgn/internal/testkit"
)

// chooser returns a dispatcher of two variants, in a module called m.
func chooser() *Dispatcher {
	return &Dispatcher{
		Module:    "m",
		Variants:  []Variant{{"avx2", AVX2}, {"avx512", AVX512F | AVX512BW}},
		Functions: []DispatchedFunction{{Name: "classify"}, {Name: "run", Void: true}},
	}
}

func mustObject(t *testing.T, d *Dispatcher) *File {
	t.Helper()
	f, err := d.Object()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDisassembly compares the bytes of each instruction with the instruction's text.
func TestDisassembly(t *testing.T) {
	d := chooser()
	d.Variants[1].Needs |= end - 1
	if diff := cmp.Diff(d.assemble().lines(), disassembled(t, mustObject(t, d))); diff != "" {
		t.Errorf("listing (-written +objdump):\n%s", diff)
	}
}

// lines returns the listing. It adds the targets of jumps to other files, whose distances the linker will fill in.
func (c *code) lines() []string {
	placed := map[int]bool{}
	for _, r := range c.relocations {
		placed[int(r.Offset)] = true
	}
	var lines []string
	for _, i := range c.listing {
		text := fmt.Sprintf("%x %s", i.offset, i.text)
		if i.text == "je" && placed[i.offset+2] {
			text += fmt.Sprintf(" %x", i.offset+6) // the linker has not filled in the distance, so it is 0
		}
		lines = append(lines, text)
	}
	return lines
}

// disassembled returns objdump's disassembly of a file.
func disassembled(t *testing.T, f *File) []string {
	t.Helper()
	dir := t.TempDir()
	objecttest.Write(t, dir, "m.o", objecttest.Bytes(t, f))
	out, err := testkit.TryOtherTool(t, dir, "objdump", "-d", "-M", "intel", "--no-show-raw-insn", "m.o")
	if err != nil {
		t.Fatal(out)
	}
	line := regexp.MustCompile(`^ +([0-9a-f]+):\s+([^#<]*)`)
	var lines []string
	for text := range strings.Lines(out) {
		if m := line.FindStringSubmatch(text); m != nil {
			lines = append(lines, m[1]+" "+strings.Join(strings.Fields(m[2]), " "))
		}
	}
	return lines
}

// archive returns an archive of the dispatcher and two variants. The functions of the variants add 1000 and 2000 to
// the class.
func archive(t *testing.T) []byte {
	t.Helper()
	var members []Member
	add := func(name string, f *File) {
		members = append(members, Member{Name: name, Data: objecttest.Bytes(t, f), Symbols: f.Defined()})
	}
	add("m_dispatch.o", mustObject(t, chooser()))
	for i, variant := range []string{"avx2", "avx512"} {
		code := objecttest.Classifier(elf.EM_X86_64, uint16(1000*(i+1)))
		add("m_code_of_"+variant+".o", Functions(elf.EM_X86_64,
			Function{Name: "m_" + variant + "_classify", Code: code, Hidden: true},
			Function{Name: "m_" + variant + "_run", Code: []byte{0xc3}, Hidden: true}))
	}
	b, err := Bytes(members)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// link compiles a program of testdata and links it with m.a. The compiler must print nothing.
func link(t *testing.T, dir, source string, flags ...string) {
	t.Helper()
	objecttest.OnAMD64(t)
	source, err := filepath.Abs(filepath.Join("testdata", source))
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"gcc", "-O1", "-Wall", "-Wextra", "-Wl,--fatal-warnings", "-Wl,-z,noexecstack"}, flags...)
	if out, err := testkit.TryOtherTool(t, dir, append(args, "-o", "program", source, "m.a")...); err != nil || out != "" {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// outputs holds the output of testdata/choose.c for each level, with and without portable code.
var outputs = []map[bool]string{
	0: {
		true:  "level 0 of 0, again 0: classify 0, class 6; run 0, out 41\n",
		false: "level 0 of 0, again 0: classify -2, class 9; run -2, out 0\n",
	},
	1: {
		true:  "level 1 of 1, again 1: classify 0, class 1006; out 0\n",
		false: "level 1 of 1, again 1: classify 0, class 1006; out 0\n",
	},
	2: {
		true:  "level 2 of 2, again 2: classify 0, class 2006; out 0\n",
		false: "level 2 of 2, again 2: classify 0, class 2006; out 0\n",
	},
}

// TestChoose links the archive in all possible ways, with and without portable code. It runs the programs on this
// processor and on processors that qemu emulates.
func TestChoose(t *testing.T) {
	for _, way := range []string{"-static", "-static-pie", "-pie", "-no-pie", "-fuse-ld=gold"} {
		for _, portable := range []bool{true, false} {
			t.Run(fmt.Sprint(way, " ", portable), func(t *testing.T) {
				dir := t.TempDir()
				objecttest.Write(t, dir, "m.a", archive(t))
				flags := []string{way, "-fPIE"}
				if portable {
					flags = append(flags, "-DWITH_PORTABLE")
				}
				link(t, dir, "choose.c", flags...)
				program := filepath.Join(dir, "program")
				out, err := testkit.TryOtherTool(t, dir, program)
				level := slices.IndexFunc(outputs, func(o map[bool]string) bool { return o[portable] == out })
				if err != nil || level < 0 {
					t.Errorf("on this processor: %v, %q", err, out)
				}
				if way != "-static" {
					return
				}
				for cpu, level := range map[string]int{"qemu64": 0, "Nehalem": 0, "Haswell": 1} {
					out, _ := testkit.TryOtherTool(t, dir, "qemu-x86_64", "-cpu", cpu, program)
					out, _, _ = strings.Cut(out, "qemu-x86_64: warning:") // a warning about missing features
					if diff := cmp.Diff(outputs[level][portable], out); diff != "" {
						t.Errorf("on %s (-want +got):\n%s", cpu, diff)
					}
				}
			})
		}
	}
}

// TestShared links the archive into a shared library. The library must export the chosen functions but not the
// functions of the variants.
func TestShared(t *testing.T) {
	objecttest.OnAMD64(t)
	dir := t.TempDir()
	objecttest.Write(t, dir, "m.a", archive(t))
	out, err := testkit.TryOtherTool(t, dir, "gcc", "-shared", "-Wl,--fatal-warnings", "-o", "libm.so", "-Wl,--whole-archive",
		"m.a", "-Wl,--no-whole-archive")
	if err != nil || out != "" {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(filepath.Join(dir, "libm.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "m_") && s.Section != elf.SHN_UNDEF {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"m_classify", "m_level", "m_run"}, names); diff != "" {
		t.Errorf("symbols (-want +got):\n%s", diff)
	}
}

// TestFeatures makes up 20,000 processors. It compares the levels that the dispatcher finds for these processors with
// the levels that testdata/features.c computes.
func TestFeatures(t *testing.T) {
	f := mustObject(t, &Dispatcher{Module: "m", Variants: []Variant{
		{"old", AVX2},
		{"new", AVX2 | BMI1 | BMI2 | POPCNT},
		{"newest", AVX512F | AVX512BW | AVX512DQ | AVX512VL | AVX512VBMI | AVX512VBMI2 | AVX512BITALG | AVX512VPOPCNTDQ | GFNI},
	}})
	f.Symbols[0].Binding = elf.STB_GLOBAL // the cached level, which the test program clears
	code := bytes.ReplaceAll(f.Sections[0].Data, []byte{0x0f, 0xa2}, []byte{0x0f, 0x0b})
	f.Sections[0].Data = bytes.ReplaceAll(code, []byte{0x0f, 0x01, 0xd0}, []byte{0x0f, 0x0b, 0x90})
	b, err := Bytes([]Member{{Name: "m.o", Data: objecttest.Bytes(t, f), Symbols: f.Defined()}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	objecttest.Write(t, dir, "m.a", b)
	link(t, dir, "features.c")
	out, err := testkit.TryOtherTool(t, dir, filepath.Join(dir, "program"))
	if out != "0 faults, levels all\n" || err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestWriteRefusesBrokenDispatchers(t *testing.T) {
	for _, tt := range []struct {
		name string
		bend func(d *Dispatcher)
		want string
	}{
		{"module", func(d *Dispatcher) { d.Module = "a b" }, `dispatch: module "a b" is no beginning of names in C`},
		{"none", func(d *Dispatcher) { d.Variants = nil }, "dispatch: 0 variants, give 1 to 126"},
		{"many", func(d *Dispatcher) { d.Variants = make([]Variant, 127) }, "dispatch: 127 variants, give 1 to 126"},
		{"needs", func(d *Dispatcher) { d.Variants[0].Needs = 0 }, `dispatch: variant "avx2" needs nothing`},
		{"unknown", func(d *Dispatcher) { d.Variants[0].Needs = end }, `dispatch: variant "avx2" needs nothing or what is not`},
		{"twice", func(d *Dispatcher) { d.Variants[1].Name = "avx2" }, `dispatch: variant "avx2": the name is taken`},
		{"reserved", func(d *Dispatcher) { d.Variants[1].Name = "portable" }, `dispatch: variant "portable": the name is taken`},
		{"function", func(d *Dispatcher) { d.Functions[0].Name = "level" }, `dispatch: function "level": the name is taken`},
		{"empty", func(d *Dispatcher) { d.Functions[0].Name = "" }, `dispatch: function "": the name is taken`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := chooser()
			tt.bend(d)
			_, err := d.Object()
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that begins %q", err, tt.want)
			}
		})
	}
}

// TestMasks checks that masks has a row for each feature.
func TestMasks(t *testing.T) {
	if want := Feature(1) << len(masks); end != want {
		t.Errorf("there are features up to %#x and bits of features up to %#x", end, want)
	}
}
