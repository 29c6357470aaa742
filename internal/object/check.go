package object

import (
	"debug/elf"
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// fields lists the known relocations of each machine. The value is the number of bytes that the linker fills in.
var fields = map[elf.Machine]map[uint32]uint64{
	elf.EM_X86_64: {
		uint32(elf.R_X86_64_64):            8,
		uint32(elf.R_X86_64_PC32):          4,
		uint32(elf.R_X86_64_PLT32):         4,
		uint32(elf.R_X86_64_GOTPCREL):      4,
		uint32(elf.R_X86_64_REX_GOTPCRELX): 4,
	},
	elf.EM_AARCH64: {
		uint32(elf.R_AARCH64_ABS64):            8,
		uint32(elf.R_AARCH64_CALL26):           4,
		uint32(elf.R_AARCH64_ADR_PREL_PG_HI21): 4,
		uint32(elf.R_AARCH64_ADD_ABS_LO12_NC):  4,
	},
}

// check returns an error if a linker would refuse or misunderstand the file.
func (f *File) check() error {
	if fields[f.Machine] == nil {
		return fmt.Errorf("object: machine %v is not known, use EM_X86_64 or EM_AARCH64", f.Machine)
	}
	sections := map[string]*Section{stackNote: nil}
	for i := range f.Sections {
		s := &f.Sections[i]
		if err := s.check(sections); err != nil {
			return fmt.Errorf("object: section %q: %w", s.Name, err)
		}
		sections[s.Name] = s
	}
	symbols := map[string]bool{}
	for _, s := range f.Symbols {
		if err := s.check(sections, symbols); err != nil {
			return fmt.Errorf("object: symbol %q: %w", s.Name, err)
		}
		symbols[s.Name] = true
	}
	for _, r := range f.Relocations {
		if err := r.check(f.Machine, sections, symbols); err != nil {
			return fmt.Errorf("object: relocation at %s+%#x: %w", r.Section, r.Offset, err)
		}
	}
	return nil
}

// check returns an error for an invalid section. The map before holds all earlier sections.
func (s *Section) check(before map[string]*Section) error {
	_, twice := before[s.Name]
	switch {
	case !printable(s.Name):
		return errors.New("the name is empty or has a character that does not print, give it another")
	case twice || strings.HasPrefix(s.Name, relocationPrefix) || isTable(s.Name):
		return errors.New("the name is taken, each section has its own, and those with tables write themselves")
	case s.Type != elf.SHT_PROGBITS && s.Type != elf.SHT_NOBITS:
		return fmt.Errorf("type %v is not known, use SHT_PROGBITS or SHT_NOBITS", s.Type)
	case bits.OnesCount64(s.Align) != 1:
		return fmt.Errorf("alignment %d is no power of two, use one", s.Align)
	case s.Type == elf.SHT_NOBITS && s.Data != nil:
		return errors.New("it has data although its type is SHT_NOBITS, give its size alone")
	case s.Type != elf.SHT_NOBITS && s.Size != 0:
		return errors.New("its size is the size of its data; leave Size 0")
	}
	return nil
}

// isTable reports whether [File.Bytes] adds a section of this name.
func isTable(name string) bool {
	return name == symbolTable || name == stringTable || name == sectionNames
}

// check returns an error for an invalid symbol. The map before holds all earlier symbols.
func (s *Symbol) check(sections map[string]*Section, before map[string]bool) error {
	switch {
	case !printable(s.Name):
		return errors.New("the name is empty or has a character that does not print, give it another")
	case before[s.Name]:
		return errors.New("the name occurs twice; give each symbol its own name")
	case s.Binding > elf.STB_WEAK:
		return fmt.Errorf("binding %v is not known, use STB_LOCAL, STB_GLOBAL or STB_WEAK", s.Binding)
	case s.Type > elf.STT_FUNC:
		return fmt.Errorf("type %v is not known, use STT_NOTYPE, STT_OBJECT or STT_FUNC", s.Type)
	case s.Visibility > elf.STV_PROTECTED:
		return fmt.Errorf("visibility %v is not known, use one of debug/elf", s.Visibility)
	}
	if s.Section == "" {
		if s.Binding == elf.STB_LOCAL || s.Value != 0 || s.Size != 0 {
			return errors.New("it has no section, and so is neither local nor has it a value or size: name its section")
		}
		return nil
	}
	section := sections[s.Section]
	switch {
	case section == nil:
		return fmt.Errorf("there is no section %q, add it", s.Section)
	case !inside(s.Value, s.Size, section.size()):
		return fmt.Errorf("%d bytes at %#x reach beyond the %d bytes of %s; correct offset or size", s.Size, s.Value,
			section.size(), s.Section)
	}
	return nil
}

// check returns an error for an invalid relocation.
func (r *Relocation) check(m elf.Machine, sections map[string]*Section, symbols map[string]bool) error {
	section, size := sections[r.Section], fields[m][r.Type]
	switch {
	case section == nil:
		return fmt.Errorf("there is no section %q, add it", r.Section)
	case section.Type == elf.SHT_NOBITS:
		return fmt.Errorf("%s has no bytes in the file to fill in, use a section with data", r.Section)
	case !symbols[r.Symbol]:
		return fmt.Errorf("there is no symbol %q, add it, undefined if another file has it", r.Symbol)
	case size == 0:
		return fmt.Errorf("type %d is none that is known for %v, use another", r.Type, m)
	case !inside(r.Offset, size, section.size()):
		return fmt.Errorf("a field of %d bytes reaches beyond the %d bytes of the section; correct the offset", size,
			section.size())
	}
	return nil
}

// inside reports whether a range, given by offset and size, is within a section of the given length.
func inside(offset, size, length uint64) bool { return offset <= length && size <= length-offset }

// printable reports whether a name consists of printable ASCII characters without spaces. Other characters would
// break tables of names and listings.
func printable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
}
