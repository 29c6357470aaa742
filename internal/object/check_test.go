package object

import (
	"debug/elf"
	"math"
	"strings"
	"testing"
)

// TestWriteRefusesBrokenObjects breaks an object file in one place at a time and expects an error.
func TestWriteRefusesBrokenObjects(t *testing.T) {
	for _, tt := range []struct {
		name string
		bend func(f *File)
		want string
	}{
		{"machine", func(f *File) { f.Machine = elf.EM_RISCV }, "object: machine EM_RISCV is not known"},
		{
			"section twice", func(f *File) { f.Sections = append(f.Sections, Text(nil)) },
			`object: section ".text": the name is taken`,
		},
		{"section of ours", func(f *File) { f.Sections[1].Name = ".symtab" }, `object: section ".symtab": the name is taken`},
		{
			"note of ours", func(f *File) { f.Sections[1].Name = ".note.GNU-stack" },
			`object: section ".note.GNU-stack": the name is taken`,
		},
		{"no name", func(f *File) { f.Sections[1].Name = "" }, `object: section "": the name is empty`},
		{"section type", func(f *File) { f.Sections[0].Type = elf.SHT_REL }, `object: section ".text": type SHT_REL is not`},
		{"alignment", func(f *File) { f.Sections[0].Align = 48 }, `object: section ".text": alignment 48 is no power of two`},
		{"no alignment", func(f *File) { f.Sections[0].Align = 0 }, `object: section ".text": alignment 0 is no power of two`},
		{"data of none", func(f *File) { f.Sections[3].Data = []byte{1} }, `object: section ".bss": it has data although`},
		{"size of data", func(f *File) { f.Sections[0].Size = 1 }, `object: section ".text": its size is the size of its data`},
		{
			"symbol twice", func(f *File) { f.Symbols[4].Name = "probe" },
			`object: symbol "probe": the name occurs twice`,
		},
		{"symbol's name", func(f *File) { f.Symbols[0].Name = "a\x00b" }, `object: symbol "a\x00b": the name is empty or has`},
		{"binding", func(f *File) { f.Symbols[0].Binding = elf.STB_LOOS }, `object: symbol "probe": binding STB_LOOS is not`},
		{"type", func(f *File) { f.Symbols[0].Type = elf.STT_TLS }, `object: symbol "probe": type STT_TLS is not known`},
		{"visibility", func(f *File) { f.Symbols[0].Visibility = 9 }, `object: symbol "probe": visibility STV_PROTECTED+6 is not`},
		{"local, undefined", func(f *File) { f.Symbols[4].Binding = elf.STB_LOCAL }, `object: symbol "helper": it has no section`},
		{"size of nothing", func(f *File) { f.Symbols[4].Size = 4 }, `object: symbol "helper": it has no section`},
		{"home", func(f *File) { f.Symbols[0].Section = ".data" }, `object: symbol "probe": there is no section ".data"`},
		{
			"symbol in the note", func(f *File) { f.Symbols[0].Section = ".note.GNU-stack" },
			`object: symbol "probe": there is no section ".note.GNU-stack"`,
		},
		{"symbol too long", func(f *File) { f.Symbols[0].Size++ }, `object: symbol "probe": 71 bytes at 0x0 reach beyond`},
		{"symbol beyond", func(f *File) { f.Symbols[3].Value = 5 }, `object: symbol "counter": 4 bytes at 0x5 reach beyond`},
		{
			"section of a relocation", func(f *File) { f.Relocations[0].Section = ".data" },
			`object: relocation at .data+0x3: there is no section ".data"`,
		},
		{
			"nothing to fill in", func(f *File) { f.Relocations[0].Section = ".bss" },
			"object: relocation at .bss+0x3: .bss has no bytes in the file",
		},
		{
			"symbol of a relocation", func(f *File) { f.Relocations[0].Symbol = "constants" },
			`object: relocation at .text+0x3: there is no symbol "constants"`,
		},
		{
			"type of a relocation", func(f *File) { f.Relocations[0].Type = uint32(elf.R_AARCH64_CALL26) },
			"object: relocation at .text+0x3: type 283 is none that is known for EM_X86_64",
		},
		{
			"beyond the section", func(f *File) { f.Relocations[0].Offset = 67 },
			"object: relocation at .text+0x43: a field of 4 bytes reaches beyond the 70 bytes",
		},
		{
			"far beyond", func(f *File) { f.Relocations[0].Offset = math.MaxUint64 },
			"object: relocation at .text+0xffffffffffffffff: a field of 4 bytes reaches beyond",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := probeAMD64()
			tt.bend(f)
			if b, err := f.Bytes(); err == nil || b != nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that begins %q", err, tt.want)
			}
		})
	}
	f := probeAMD64()
	f.Relocations[0].Offset = 66
	f.Symbols[3] = Symbol{Name: "counter", Section: ".bss", Value: 4}
	if _, err := f.Bytes(); err != nil {
		t.Errorf("what ends where its section does: %v", err)
	}
}
