package arm64test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// These are the addresses of a program's parts: the file's headers with the code, the stack, and the data. The parts
// are far apart, so that code that accesses memory outside its data hits unmapped memory.
const (
	codeBase  = 0x0040_0000
	stackBase = 0x2000_0000
	stackSize = 0x10_0000
	dataBase  = 0x4000_0000
	pageSize  = 0x1_0000 // the largest page size of Linux on AArch64
)

// These are the sizes of the ELF header, of a program header, and of all headers. There is a program header for each
// part.
const (
	elfSize  = 64
	progSize = 56
	headers  = elfSize + 3*progSize
)

// program returns a static ELF executable. It calls the function with the address of the data plus offset, and writes
// all data to the standard output. It ends with status 0, or with another status if a register was not kept.
func program(function, data []byte, offset int) ([]byte, error) {
	code, err := caller(len(data), offset)
	if err != nil {
		return nil, err
	}
	code = append(code, function...)
	codeSize := uint64(headers + len(code))
	dataAt := (codeSize + pageSize - 1) / pageSize * pageSize // offset of the data in the file
	var file bytes.Buffer
	put := func(v any) { _ = binary.Write(&file, binary.LittleEndian, v) } // writing to memory cannot fail
	put(elf.Header64{
		Ident: [elf.EI_NIDENT]byte{
			0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT),
		},
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_AARCH64), Version: uint32(elf.EV_CURRENT),
		Entry: codeBase + headers, Phoff: elfSize, Ehsize: elfSize, Phentsize: progSize, Phnum: 3,
	})
	for _, p := range []elf.Prog64{
		{Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: codeBase, Filesz: codeSize, Memsz: codeSize},
		{Flags: uint32(elf.PF_R | elf.PF_W), Vaddr: stackBase, Memsz: stackSize},
		{
			Flags: uint32(elf.PF_R | elf.PF_W), Vaddr: dataBase,
			Off: dataAt, Filesz: uint64(len(data)), Memsz: uint64(len(data)),
		},
	} {
		p.Type, p.Paddr, p.Align = uint32(elf.PT_LOAD), p.Vaddr, pageSize
		put(p)
	}
	file.Write(code)
	file.Write(make([]byte, dataAt-codeSize))
	file.Write(data)
	return file.Bytes(), nil
}
