// Package object writes ELF64 relocatable files for x86-64 and AArch64, as a compiler and an
// assembler would, but without either.
//
// A [File] is plain data: sections with their bytes, symbols that name places in sections, and
// relocations, which are places that the linker fills in with addresses. [File.Bytes] checks the
// data and returns the file. The same File gives the same bytes on every machine.
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

// Section is a section of the program, or its comment.
type Section struct {
	Name  string // unique; .note.GNU-stack and the tables of symbols and relocations are added automatically
	Type  elf.SectionType
	Flags elf.SectionFlag
	Align uint64 // a power of two
	Data  []byte // nil for elf.SHT_NOBITS
	Size  uint64 // for elf.SHT_NOBITS, in bytes; otherwise 0
}

// CodeAlign is the alignment of code in bytes: the size of a cache line, and of the widest vector.
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

// RelocatedReadOnly returns the section .data.rel.ro with constants that hold addresses. In a
// program whose addresses are chosen at its start, it is writable until they are filled in.
func RelocatedReadOnly(data []byte, align uint64) Section {
	return Section{
		Name: ".data.rel.ro", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE, Align: align, Data: data,
	}
}

// Zeroed returns the section .bss: variables that are zero at the start of the program and take no
// space in the file.
func Zeroed(size, align uint64) Section {
	return Section{
		Name: ".bss", Type: elf.SHT_NOBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE, Align: align, Size: size,
	}
}

// Comment returns the section .comment, which says what made a file. The linker keeps one copy of
// equal texts and does not load them.
func Comment(text string) Section {
	return Section{
		Name: ".comment", Type: elf.SHT_PROGBITS, Flags: elf.SHF_MERGE | elf.SHF_STRINGS, Align: 1,
		Data: append([]byte(text), 0),
	}
}

// size returns the size of the section in the program.
func (s *Section) size() uint64 {
	if s.Type == elf.SHT_NOBITS {
		return s.Size
	}
	return uint64(len(s.Data))
}

// Symbol is a name for a place in a section, or a name that another file defines.
type Symbol struct {
	Name        string
	Section     string // name of its section; empty: undefined, another file defines it
	Value, Size uint64 // offset in the section and length, in bytes
	Binding     elf.SymBind
	Visibility  elf.SymVis
	Type        elf.SymType
}

// Relocation is a place in a section that the linker fills in: with the address of a symbol, or
// with the distance to it, depending on the type.
type Relocation struct {
	Section string // name of the section with the place
	Offset  uint64 // offset of the place, in bytes
	Symbol  string
	Type    uint32 // an elf.R_X86_64 or elf.R_AARCH64 that [File.Bytes] knows
	Addend  int64  // added to the symbol's address; -4 for a field of 4 bytes that ends an x86-64 instruction
}

// Defined returns the symbols that the file offers to others, in their order, for the index of an
// archive.
func (f *File) Defined() []string {
	var names []string
	for _, s := range f.Symbols {
		if s.Section != "" && s.Binding != elf.STB_LOCAL {
			names = append(names, s.Name)
		}
	}
	return names
}

// Function is self-contained machine code: it refers to no address outside of Code.
type Function struct {
	Name   string
	Code   []byte
	Entry  int  // offset in Code of the first instruction
	Hidden bool // callable only from within the same program or shared library
}

// Functions returns a file of functions in one section, each aligned to [CodeAlign]. The bytes
// between them stop a program that executes them.
func Functions(machine elf.Machine, functions ...Function) *File {
	var code []byte
	f := &File{Machine: machine}
	for _, function := range functions {
		code = pad(code, machine)
		visibility := elf.STV_DEFAULT
		if function.Hidden {
			visibility = elf.STV_HIDDEN
		}
		f.Symbols = append(f.Symbols, Symbol{
			Name: function.Name, Section: ".text", Value: uint64(len(code) + function.Entry),
			Size:    uint64(len(function.Code) - function.Entry),
			Binding: elf.STB_GLOBAL, Visibility: visibility, Type: elf.STT_FUNC,
		})
		code = append(code, function.Code...)
	}
	f.Sections = []Section{Text(code)}
	return f
}

// pad pads code to a multiple of CodeAlign: with int3 on x86-64, with udf on AArch64.
func pad(code []byte, machine elf.Machine) []byte {
	filler := byte(0)
	if machine == elf.EM_X86_64 {
		filler = 0xcc
	}
	return append(code, slices.Repeat([]byte{filler}, -len(code)&(CodeAlign-1))...)
}
