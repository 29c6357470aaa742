// Package object writes ELF64 relocatable files for x86-64 and AArch64. It needs no compiler or assembler.
//
// A [File] is plain data. It consists of sections with their bytes, symbols that name places in sections, and
// relocations. A relocation is a place that the linker fills in with an address. [File.Bytes] checks the data and
// returns the file. The same File gives the same bytes on every machine.
//
// Every file has an empty section .note.GNU-stack, which says that its code needs no executable
// stack. Without this section, linkers make the stack of the whole program executable.
//
// [Functions] is a shortcut for self-contained code. [Bytes] writes archives of several files.
package object

import (
	"debug/elf"
	"slices"
)

// File is an ELF64 relocatable file, little-endian.
type File struct {
	Machine     elf.Machine // elf.EM_X86_64 or elf.EM_AARCH64
	Sections    []Section
	Symbols     []Symbol
	Relocations []Relocation
}

// Section is a section whose bytes belong to the program, or the comment section.
type Section struct {
	Name  string // unique; .note.GNU-stack and the tables of symbols and relocations are added automatically
	Type  elf.SectionType
	Flags elf.SectionFlag
	Align uint64 // a power of two
	Data  []byte // nil for elf.SHT_NOBITS
	Size  uint64 // size in bytes, only for elf.SHT_NOBITS; otherwise 0
}

// CodeAlign is the alignment of code in bytes. It is the size of a cache line and of the widest vector.
const CodeAlign = 64

// Text returns the section .text with machine code.
func Text(code []byte) Section {
	return Section{
		Name: ".text", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, Align: CodeAlign, Data: code,
	}
}

// ReadOnly returns the section .rodata with constants. Use [RelocatedReadOnly] for constants that
// hold addresses.
func ReadOnly(data []byte, align uint64) Section {
	return Section{Name: ".rodata", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC, Align: align, Data: data}
}

// RelocatedReadOnly returns the section .data.rel.ro with constants that hold addresses. If the addresses of a
// program are chosen when it starts, the section is writable until the addresses are filled in.
func RelocatedReadOnly(data []byte, align uint64) Section {
	return Section{
		Name: ".data.rel.ro", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE, Align: align, Data: data,
	}
}

// Zeroed returns the section .bss. It holds variables that are zero at the start of the program and take no space in
// the file.
func Zeroed(size, align uint64) Section {
	return Section{
		Name: ".bss", Type: elf.SHT_NOBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE, Align: align, Size: size,
	}
}

// Comment returns the section .comment, which names the program that made a file. If several files have the same
// text, the linker keeps one copy. The texts are not loaded into memory.
func Comment(text string) Section {
	return Section{
		Name: ".comment", Type: elf.SHT_PROGBITS, Flags: elf.SHF_MERGE | elf.SHF_STRINGS, Align: 1,
		Data: append([]byte(text), 0),
	}
}

// size returns the section's size in the program's memory.
func (s *Section) size() uint64 {
	if s.Type == elf.SHT_NOBITS {
		return s.Size
	}
	return uint64(len(s.Data))
}

// Symbol is the name of a place in a section, or a name that another file defines.
type Symbol struct {
	Name        string
	Section     string // name of its section; empty if another file defines the symbol
	Value, Size uint64 // offset in the section and length, in bytes
	Binding     elf.SymBind
	Visibility  elf.SymVis
	Type        elf.SymType
}

// Relocation is a place in a section that the linker fills in. The linker fills in the address of a symbol or the
// distance to the symbol, depending on the field Type.
type Relocation struct {
	Section string // name of the section that contains the place
	Offset  uint64 // offset of the place, in bytes
	Symbol  string
	Type    uint32 // an elf.R_X86_64 or elf.R_AARCH64 that [File.Bytes] knows
	Addend  int64  // added to the symbol's address; -4 for a 4-byte field at the end of an x86-64 instruction
}

// Defined returns the symbols that other files can use, in the order of f.Symbols. The index of an archive lists
// these symbols.
func (f *File) Defined() []string {
	var names []string
	for _, s := range f.Symbols {
		if s.Section != "" && s.Binding != elf.STB_LOCAL {
			names = append(names, s.Name)
		}
	}
	return names
}

// Function is self-contained machine code. It refers to no address outside of Code.
type Function struct {
	Name   string
	Code   []byte
	Entry  int  // offset in Code of the first instruction
	Hidden bool // callable only from within the same program or shared library

	Others []Entry // other functions in the same code
}

// Entry is the name of a function and the offset of its first instruction in code.
type Entry struct {
	Name   string
	Offset int
}

// Functions returns a file with functions in one section. Each function is aligned to [CodeAlign]. The bytes between
// the functions are instructions that stop the program.
func Functions(machine elf.Machine, functions ...Function) *File {
	var code []byte
	f := &File{Machine: machine}
	for _, function := range functions {
		code = pad(code, machine)
		visibility := elf.STV_DEFAULT
		if function.Hidden {
			visibility = elf.STV_HIDDEN
		}
		for _, e := range append([]Entry{{function.Name, function.Entry}}, function.Others...) {
			f.Symbols = append(f.Symbols, Symbol{
				Name: e.Name, Section: ".text", Value: uint64(len(code) + e.Offset),
				Size:    uint64(len(function.Code) - e.Offset),
				Binding: elf.STB_GLOBAL, Visibility: visibility, Type: elf.STT_FUNC,
			})
		}
		code = append(code, function.Code...)
	}
	f.Sections = []Section{Text(code)}
	return f
}

// pad pads code to a multiple of CodeAlign. It uses int3 on x86-64 and udf on AArch64.
func pad(code []byte, machine elf.Machine) []byte {
	filler := byte(0)
	if machine == elf.EM_X86_64 {
		filler = 0xcc
	}
	return append(code, slices.Repeat([]byte{filler}, -len(code)&(CodeAlign-1))...)
}
