package object

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/object/objecttest"
	"ialgn/internal/testkit"
)

// contents describes an object file as debug/elf reads it. It lists the sections of the program, the symbols, and the
// relocations. A relocation may refer to a place by a symbol or by a section. The list gives the place itself, so
// that both forms compare as equal. The list omits the additions of assemblers: empty sections, the symbols of
// sections, $x and $d on AArch64, and a symbol for the table of addresses.
func contents(t *testing.T, data []byte) []string {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{fmt.Sprintf("%v %v %v %v", f.Machine, f.Class, f.Data, f.Type)}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_RELA {
			lines = append(lines, relocations(t, f, s, symbols)...)
		}
		if s.Flags&elf.SHF_ALLOC != 0 && s.Size > 0 || s.Name == ".note.GNU-stack" {
			lines = append(lines, fmt.Sprintf("section %s %v %v align %d size %d", s.Name, s.Type, s.Flags, s.Addralign, s.Size))
		}
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 && s.Size > 0 {
			content, err := s.Data()
			lines = append(lines, fmt.Sprintf("data %s %x %v", s.Name, content, err))
		}
	}
	for _, s := range symbols {
		own := elf.ST_TYPE(s.Info) == elf.STT_SECTION || strings.HasPrefix(s.Name, "$") || s.Name == "_GLOBAL_OFFSET_TABLE_"
		if !own {
			lines = append(lines, fmt.Sprintf("symbol %s in %s %v %v %v value %d size %d", s.Name, home(f, s), elf.ST_BIND(s.Info),
				elf.ST_TYPE(s.Info), elf.ST_VISIBILITY(s.Other), s.Value, s.Size))
		}
	}
	slices.Sort(lines)
	return lines
}

// home returns the name of the section that a symbol is in.
func home(f *elf.File, s elf.Symbol) string {
	if s.Section == elf.SHN_UNDEF {
		return "none"
	}
	return f.Sections[s.Section].Name
}

// relocations describes the entries of a table of relocations.
func relocations(t *testing.T, f *elf.File, table *elf.Section, symbols []elf.Symbol) []string {
	t.Helper()
	data, err := table.Data()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for ; len(data) > 0; data = data[24:] {
		info, addend := f.ByteOrder.Uint64(data[8:]), int64(f.ByteOrder.Uint64(data[16:]))
		s := symbols[info>>32-1]
		to := s.Name
		if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
			to, addend = home(f, s), addend+int64(s.Value)
		}
		lines = append(lines, fmt.Sprintf("relocation %s+%d type %d to %s%+d", f.Sections[table.Info].Name,
			f.ByteOrder.Uint64(data), uint32(info), to, addend))
	}
	return lines
}

// TestSameAsAssembler compares object files with the files that the system's assemblers write.
func TestSameAsAssembler(t *testing.T) {
	for _, tt := range []struct {
		assembler, source string
		file              *File
	}{
		{"as", "probe_amd64.s", probeAMD64()},
		{"aarch64-linux-gnu-as", "probe_arm64.s", probeARM64()},
	} {
		t.Run(tt.source, func(t *testing.T) {
			if tt.assembler == "as" {
				objecttest.OnAMD64(t)
			}
			source, err := filepath.Abs(filepath.Join("testdata", tt.source))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if out, err := testkit.TryOtherTool(t, dir, tt.assembler, "-o", "want.o", source); err != nil {
				t.Fatal(out)
			}
			want, err := os.ReadFile(filepath.Join(dir, "want.o"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(contents(t, want), contents(t, objecttest.Bytes(t, tt.file))); diff != "" {
				t.Errorf("what the file holds (-%s +Bytes):\n%s", tt.assembler, diff)
			}
		})
	}
}

// TestTools checks that the tools of binutils read the object files without warnings.
func TestTools(t *testing.T) {
	dir := t.TempDir()
	objecttest.Write(t, dir, "amd64.o", objecttest.Bytes(t, probeAMD64()))
	objecttest.Write(t, dir, "arm64.o", objecttest.Bytes(t, probeARM64()))
	for _, name := range []string{"amd64.o", "arm64.o"} {
		out, err := testkit.TryOtherTool(t, dir, "readelf", "--all", "--wide", "--lint", name)
		out = strings.ReplaceAll(out, "Warning: Section '.note.GNU-stack': has a size of zero", "") // intended
		if err != nil || strings.Contains(out, "arning") || strings.Contains(out, "rror") {
			t.Errorf("readelf %s: %v\n%s", name, err, out)
		}
	}
	out, err := testkit.TryOtherTool(t, dir, "nm", "amd64.o")
	want := "                 w absent\n0000000000000000 r constant\n0000000000000000 b counter\n" +
		"                 U helper\n0000000000000000 D pointer\n0000000000000000 T probe\n"
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Errorf("nm: %v (-want +got)\n%s", err, diff)
	}
	out, err = testkit.TryOtherTool(t, dir, "readelf", "-p", ".comment", "amd64.o")
	if !strings.Contains(out, "[     0]  made by hand\n") || err != nil {
		t.Errorf("readelf -p .comment: %v\n%s", err, out)
	}
}

const probeC = `
#include <stdio.h>
int probe(void);
int helper(int x) { return x * 1000000; }
int main(void) {
    probe();
    printf("%d\n", probe());
    return 0;
}
`

// TestLink links object files with a C program in all possible ways and runs the result. Warnings are errors. The
// program prints the sum of 5 million and 6 million (from the helper), the two constants, and the number of the call.
func TestLink(t *testing.T) {
	objecttest.OnAMD64(t)
	dir := t.TempDir()
	objecttest.Write(t, dir, "probe.o", objecttest.Bytes(t, probeAMD64()))
	objecttest.Write(t, dir, "main.c", []byte(probeC))
	for _, way := range []string{"-static", "-static-pie", "-pie", "-no-pie", "-fuse-ld=gold"} {
		t.Run(way, func(t *testing.T) {
			testkit.TryOtherTool(t, dir, "ld.gold", "--version") // skips
			out, err := testkit.TryOtherTool(t, dir, "gcc", way, "-fPIE", "-Wl,--fatal-warnings", "-Wl,-z,noexecstack",
				"-o", "program", "main.c", "probe.o")
			if err != nil || out != "" {
				t.Fatalf("gcc: %v\n%s", err, out)
			}
			if out, err := testkit.TryOtherTool(t, dir, filepath.Join(dir, "program")); out != "11021002\n" || err != nil {
				t.Errorf("the program printed %q, %v", out, err)
			}
			checkStack(t, filepath.Join(dir, "program"))
		})
	}
}

// checkStack checks that a program's stack is not executable although no linker option asks for that.
func checkStack(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	i := slices.IndexFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_GNU_STACK })
	if i < 0 || f.Progs[i].Flags&elf.PF_X != 0 {
		t.Errorf("the stack of %s is executable", path)
	}
}

// TestLinkARM64 links two object files of this package to a program for AArch64 and runs the program in qemu. The
// exit status must be the sum of the two constants and the helper's result.
func TestLinkARM64(t *testing.T) {
	helper := Functions(elf.EM_AARCH64, Function{Name: "helper", Code: words(
		0x52800060, // mov w0, #3
		0xd65f03c0, // ret
	)})
	dir := t.TempDir()
	objecttest.Write(t, dir, "start.o", objecttest.Bytes(t, probeARM64()))
	objecttest.Write(t, dir, "helper.o", objecttest.Bytes(t, helper))
	for _, way := range []string{"-static", "-pie"} {
		out, err := testkit.TryOtherTool(t, dir, "aarch64-linux-gnu-ld", way, "--no-dynamic-linker", "--fatal-warnings", "-o",
			"program", "start.o", "helper.o")
		if err != nil || out != "" {
			t.Fatalf("ld %s: %v\n%s", way, err, out)
		}
		checkStack(t, filepath.Join(dir, "program"))
		if way == "-pie" {
			continue // without a loader, the pointer is not filled in
		}
		if _, err := testkit.TryOtherTool(t, dir, "qemu-aarch64", "program"); err == nil || !strings.Contains(err.Error(), "33") {
			t.Errorf("the program ended with %v, want status 33", err)
		}
	}
}

// TestFunctions checks that several functions begin at multiples of 64 bytes, and that the bytes between the
// functions are trapping instructions.
func TestFunctions(t *testing.T) {
	f := Functions(elf.EM_X86_64, Function{Name: "one", Code: []byte{0xc3}},
		Function{Name: "two", Code: []byte{0x90, 0xc3}, Hidden: true})
	want := append(append([]byte{0xc3}, bytes.Repeat([]byte{0xcc}, 63)...), 0x90, 0xc3)
	if diff := cmp.Diff(want, f.Sections[0].Data); diff != "" {
		t.Errorf("code (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Symbol{
		{Name: "one", Section: ".text", Size: 1, Binding: elf.STB_GLOBAL, Type: elf.STT_FUNC},
		{
			Name: "two", Section: ".text", Value: 64, Size: 2, Binding: elf.STB_GLOBAL, Visibility: elf.STV_HIDDEN,
			Type: elf.STT_FUNC,
		},
	}, f.Symbols); diff != "" {
		t.Errorf("symbols (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"probe", "pointer"}, probeAMD64().Defined()); diff != "" {
		t.Errorf("what the file offers (-want +got):\n%s", diff)
	}
}
