// Package object writes ELF64 relocatable files for x86-64 and AArch64: what a compiler and an assembler would leave
// for the linker, made without either.
//
// A [File] is plain data: sections with their bytes, symbols that name places in them, and relocations, the places
// that the linker fills in with addresses. [File.Bytes] checks it and gives the file. The same File gives the same
// bytes, on every machine.
//
// Every file says, by an empty section .note.GNU-stack, that its code needs no executable stack: a linker that does
// not find that section makes the stack of the whole program executable.
//
// [Functions] is the short way for code that is complete in itself. Archives of several files are in package
// [ialgn/internal/object].
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

// Section is a section that is part of the program, or its comment.
type Section struct {
	Name  string // each once; .note.GNU-stack and the tables of symbols and relocations are added by themselves
	Type  elf.SectionType
	Flags elf.SectionFlag
	Align uint64 // a power of two
	Data  []byte // nil for elf.SHT_NOBITS
	Size  uint64 // of elf.SHT_NOBITS, in bytes; otherwise 0
}

// CodeAlign is the alignment of code, in bytes: that of a line of the caches, and of the widest vector.
const CodeAlign = 64

// Text returns the section .text with machine code.
func Text(code []byte) Section {
	return Section{
		Name: ".text", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, Align: CodeAlign, Data: code,
	}
}

// ReadOnly returns the section .rodata with constants. A constant that holds an address belongs in
// [RelocatedReadOnly].
func ReadOnly(data []byte, align uint64) Section {
	return Section{Name: ".rodata", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC, Align: align, Data: data}
}

// RelocatedReadOnly returns the section .data.rel.ro with constants that hold addresses: it is writable until a
// program whose addresses are chosen when it starts has filled them in.
func RelocatedReadOnly(data []byte, align uint64) Section {
	return Section{
		Name: ".data.rel.ro", Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE, Align: align, Data: data,
	}
}

// Zeroed returns the section .bss: variables that are zero when the program starts and take no room in the file.
func Zeroed(size, align uint64) Section {
	return Section{
		Name: ".bss", Type: elf.SHT_NOBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE, Align: align, Size: size,
	}
}

// Comment returns the section .comment, by which a file says what made it. The linker keeps one copy of equal texts,
// and loads none.
func Comment(text string) Section {
	return Section{
		Name: ".comment", Type: elf.SHT_PROGBITS, Flags: elf.SHF_MERGE | elf.SHF_STRINGS, Align: 1,
		Data: append([]byte(text), 0),
	}
}

// size returns the bytes that the section takes in the program.
func (s *Section) size() uint64 {
	if s.Type == elf.SHT_NOBITS {
		return s.Size
	}
	return uint64(len(s.Data))
}

// Symbol is a name for a place in a section, or a name that another file defines.
type Symbol struct {
	Name        string
	Section     string // name of its section; empty: undefined, another file has it
	Value, Size uint64 // offset in the section and length, in bytes
	Binding     elf.SymBind
	Visibility  elf.SymVis
	Type        elf.SymType
}

// Relocation is a place in a section that the linker fills in with the address of a symbol, or with the distance to
// it, as the type says.
type Relocation struct {
	Section string // name of the section with the place
	Offset  uint64 // of the place, in bytes
	Symbol  string
	Type    uint32 // an elf.R_X86_64 or elf.R_AARCH64 of those that [File.Bytes] knows
	Addend  int64  // added to the symbol's address; -4 for a field of 4 bytes that ends an x86-64 instruction
}

// Defined returns the symbols that the file offers to others, in their order: the index of an archive has them.
func (f *File) Defined() []string {
	var names []string
	for _, s := range f.Symbols {
		if s.Section != "" && s.Binding != elf.STB_LOCAL {
			names = append(names, s.Name)
		}
	}
	return names
}

// Function is machine code that needs nothing but itself: it refers to no address outside of Code.
type Function struct {
	Name   string
	Code   []byte
	Entry  int  // offset in Code of the instruction that a call begins with
	Hidden bool // to be called from within the same program or shared library alone
}

// Functions returns a file of functions, in one section, each at a multiple of [CodeAlign]. What lies between them
// stops a program that gets there.
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

// pad fills code up to a multiple of CodeAlign: by int3 on x86-64, by udf on AArch64.
func pad(code []byte, machine elf.Machine) []byte {
	filler := byte(0)
	if machine == elf.EM_X86_64 {
		filler = 0xcc
	}
	return append(code, slices.Repeat([]byte{filler}, -len(code)&(CodeAlign-1))...)
}
