package object

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// Every file contains these sections, in addition to the sections in the field Sections.
const (
	stackNote    = ".note.GNU-stack"
	symbolTable  = ".symtab"
	stringTable  = ".strtab"
	sectionNames = ".shstrtab"

	relocationPrefix = ".rela" // followed by the name of the relocated section
)

// Bytes returns the contents of the file. It returns an error if the name of a section or symbol occurs twice, or if
// a type is unknown. It also returns an error if a symbol or relocation is outside its section, or refers to a
// missing section or symbol. The known relocations suffice for code with constants and calls (R_X86_64_64, PC32,
// PLT32, GOTPCREL and REX_GOTPCRELX; R_AARCH64_ABS64, CALL26, ADR_PREL_PG_HI21 and ADD_ABS_LO12_NC).
func (f *File) Bytes() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	i := image{out: make([]byte, binary.Size(elf.Header64{})), number: map[string]uint32{}}
	i.names.add("")
	i.headers = make([]elf.Section64, 1) // number 0 means no section
	for _, s := range f.Sections {
		i.number[s.Name] = i.add(s, elf.Section64{})
	}
	i.add(Section{Name: stackNote, Type: elf.SHT_PROGBITS, Align: 1}, elf.Section64{})
	symbols, locals := ordered(f.Symbols)
	i.relocations(f, symbols)
	i.symbols(symbols, locals)
	i.finish(f.Machine)
	return i.out, nil
}

// ordered returns the symbols and the number of local symbols. Local symbols come first, as ELF demands.
func ordered(symbols []Symbol) ([]Symbol, int) {
	var local, other []Symbol
	for _, s := range symbols {
		if s.Binding == elf.STB_LOCAL {
			local = append(local, s)
		} else {
			other = append(other, s)
		}
	}
	return append(local, other...), len(local)
}

// image is a file that is being built. It holds the bytes so far, and the headers of the sections.
type image struct {
	out     []byte
	headers []elf.Section64
	names   nameTable         // names of the sections
	number  map[string]uint32 // [name of a section of the File]: index of the section among the headers
}

// add appends a section and returns its number. The argument rest holds the header fields that the type Section
// lacks.
func (i *image) add(s Section, rest elf.Section64) uint32 {
	i.align(s.Align)
	rest.Name, rest.Type, rest.Flags = i.names.add(s.Name), uint32(s.Type), uint64(s.Flags)
	rest.Off, rest.Size, rest.Addralign = uint64(len(i.out)), s.size(), s.Align
	if s.Flags&elf.SHF_STRINGS != 0 {
		rest.Entsize = 1
	}
	i.out = append(i.out, s.Data...)
	i.headers = append(i.headers, rest)
	return uint32(len(i.headers) - 1)
}

// align appends zeros up to a multiple of n.
func (i *image) align(n uint64) {
	i.out = append(i.out, make([]byte, -uint64(len(i.out))&(n-1))...)
}

// relocations appends a table of relocations for each section that has relocations. The tables refer to the table of
// symbols by its number. Therefore the table of symbols must be appended next.
func (i *image) relocations(f *File, symbols []Symbol) {
	index := map[string]uint32{}
	for k, s := range symbols {
		index[s.Name] = uint32(k + 1)
	}
	tables := map[string][]elf.Rela64{}
	for _, r := range f.Relocations {
		tables[r.Section] = append(tables[r.Section], elf.Rela64{
			Off: r.Offset, Info: elf.R_INFO(index[r.Symbol], r.Type), Addend: r.Addend,
		})
	}
	symtab := uint32(len(i.headers) + len(tables))
	for _, s := range f.Sections {
		if table := tables[s.Name]; table != nil {
			i.add(Section{
				Name: relocationPrefix + s.Name, Type: elf.SHT_RELA, Flags: elf.SHF_INFO_LINK, Align: 8, Data: encode(table),
			}, elf.Section64{Link: symtab, Info: i.number[s.Name], Entsize: uint64(binary.Size(elf.Rela64{}))})
		}
	}
}

// symbols appends the table of symbols and the table of their names. The argument locals is the number of local
// symbols, which come first.
func (i *image) symbols(symbols []Symbol, locals int) {
	var names nameTable
	names.add("")
	table := make([]elf.Sym64, 1) // number 0 means no symbol
	for _, s := range symbols {
		table = append(table, elf.Sym64{
			Name: names.add(s.Name), Info: elf.ST_INFO(s.Binding, s.Type), Other: byte(s.Visibility),
			Shndx: uint16(i.number[s.Section]), Value: s.Value, Size: s.Size,
		})
	}
	i.add(Section{Name: symbolTable, Type: elf.SHT_SYMTAB, Align: 8, Data: encode(table)}, elf.Section64{
		Link: uint32(len(i.headers) + 1), Info: uint32(locals + 1), Entsize: elf.Sym64Size,
	})
	i.add(Section{Name: stringTable, Type: elf.SHT_STRTAB, Align: 1, Data: names.data}, elf.Section64{})
}

// finish appends the names and headers of the sections, and fills in the header of the file.
func (i *image) finish(machine elf.Machine) {
	i.names.add(sectionNames)
	names := i.add(Section{Name: sectionNames, Type: elf.SHT_STRTAB, Align: 1, Data: i.names.data}, elf.Section64{})
	i.align(8)
	header := elf.Header64{
		Type: uint16(elf.ET_REL), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Shoff: uint64(len(i.out)),
		Ehsize: uint16(binary.Size(elf.Header64{})), Shentsize: uint16(binary.Size(elf.Section64{})),
		Shnum: uint16(len(i.headers)), Shstrndx: uint16(names),
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	header.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	i.out = append(i.out, encode(i.headers)...)
	copy(i.out, encode(header))
}

// encode returns the bytes of an ELF structure, or of a slice of ELF structures.
func encode(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic("object: " + err.Error()) // happens only for a type without a fixed size
	}
	return b.Bytes()
}

// nameTable is a table of zero-terminated strings.
type nameTable struct {
	data    []byte
	offsets map[string]uint32
}

// add returns the offset of a string in the table. It appends new strings.
func (t *nameTable) add(s string) uint32 {
	if offset, ok := t.offsets[s]; ok {
		return offset
	}
	if t.offsets == nil {
		t.offsets = map[string]uint32{}
	}
	t.offsets[s] = uint32(len(t.data))
	t.data = append(append(t.data, s...), 0)
	return t.offsets[s]
}
