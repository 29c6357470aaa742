package object

import (
	"debug/elf"
	"encoding/binary"
)

// probeAMD64 returns an object file with every kind of section, symbol and relocation of x86-64 except GOTPCREL. It
// corresponds to testdata/probe_amd64.s, but also has a comment section.
func probeAMD64() *File {
	code := []byte{
		0x53,                   //                               push rbx
		0x8b, 0x1d, 0, 0, 0, 0, //             mov ebx,[rip+constant]
		0x48, 0x8b, 0x05, 0, 0, 0, 0, //       mov rax,[rip+pointer]
		0x03, 0x18, //                         add ebx,[rax]
		0xff, 0x05, 0, 0, 0, 0, //             inc [rip+counter]
		0x03, 0x1d, 0, 0, 0, 0, //             add ebx,[rip+counter]
		0xbf, 5, 0, 0, 0, //                   mov edi,5
		0xe8, 0, 0, 0, 0, //                   call helper
		0x01, 0xc3, //                         add ebx,eax
		0x48, 0x8b, 0x0d, 0, 0, 0, 0, //       mov rcx,[rip+address of helper]
		0xbf, 6, 0, 0, 0, //                   mov edi,6
		0xff, 0xd1, //                         call rcx
		0x01, 0xc3, //                         add ebx,eax
		0x48, 0x8b, 0x0d, 0, 0, 0, 0, //       mov rcx,[rip+address of absent]
		0x48, 0x01, 0xcb, //                   add rbx,rcx
		0x89, 0xd8, //                         mov eax,ebx
		0x5b, //                               pop rbx
		0xc3, //                               ret
	}
	return &File{
		Machine: elf.EM_X86_64,
		Sections: []Section{
			Text(code), ReadOnly(words(1000, 20000), 4), RelocatedReadOnly(make([]byte, 8), 8), Zeroed(4, 4),
			Comment("made by hand"),
		},
		Symbols: []Symbol{
			{Name: "probe", Section: ".text", Size: uint64(len(code)), Binding: elf.STB_GLOBAL, Type: elf.STT_FUNC},
			{Name: "constant", Section: ".rodata", Size: 8, Binding: elf.STB_LOCAL, Type: elf.STT_OBJECT},
			pointer,
			{Name: "counter", Section: ".bss", Size: 4, Binding: elf.STB_LOCAL, Type: elf.STT_OBJECT},
			{Name: "helper", Binding: elf.STB_GLOBAL},
			{Name: "absent", Binding: elf.STB_WEAK},
		},
		Relocations: []Relocation{
			{".text", 3, "constant", uint32(elf.R_X86_64_PC32), -4},
			{".text", 10, "pointer", uint32(elf.R_X86_64_PC32), -4},
			{".text", 0x12, "counter", uint32(elf.R_X86_64_PC32), -4},
			{".text", 0x18, "counter", uint32(elf.R_X86_64_PC32), -4},
			{".text", 0x22, "helper", uint32(elf.R_X86_64_PLT32), -4},
			{".text", 0x2b, "helper", uint32(elf.R_X86_64_REX_GOTPCRELX), -4},
			{".text", 0x3b, "absent", uint32(elf.R_X86_64_REX_GOTPCRELX), -4},
			{".data.rel.ro", 0, "constant", uint32(elf.R_X86_64_64), 4},
		},
	}
}

var pointer = Symbol{
	Name: "pointer", Section: ".data.rel.ro", Size: 8, Binding: elf.STB_GLOBAL, Visibility: elf.STV_HIDDEN,
	Type: elf.STT_OBJECT,
}

// probeARM64 returns a program with the relocations of AArch64. It corresponds to testdata/probe_arm64.s.
func probeARM64() *File {
	code := words(
		0x90000001, // adrp x1, constant
		0x91000021, // add x1, x1, #constant
		0xb9400033, // ldr w19, [x1]
		0x90000001, // adrp x1, pointer
		0x91000021, // add x1, x1, #pointer
		0xf9400021, // ldr x1, [x1]
		0xb9400022, // ldr w2, [x1]
		0x0b020273, // add w19, w19, w2
		0x94000000, // bl helper
		0x0b130000, // add w0, w0, w19
		0xd2800ba8, // mov x8, #93, the number of exit
		0xd4000001, // svc #0
	)
	return &File{
		Machine:  elf.EM_AARCH64,
		Sections: []Section{Text(code), ReadOnly(words(10, 20), 4), RelocatedReadOnly(make([]byte, 8), 8)},
		Symbols: []Symbol{
			{Name: "_start", Section: ".text", Size: uint64(len(code)), Binding: elf.STB_GLOBAL, Type: elf.STT_FUNC},
			pointer,
			{Name: "helper", Binding: elf.STB_GLOBAL},
			{Name: "constant", Section: ".rodata", Size: 8, Binding: elf.STB_LOCAL, Type: elf.STT_OBJECT},
		},
		Relocations: []Relocation{
			{".text", 0, "constant", uint32(elf.R_AARCH64_ADR_PREL_PG_HI21), 0},
			{".text", 4, "constant", uint32(elf.R_AARCH64_ADD_ABS_LO12_NC), 0},
			{".text", 12, "pointer", uint32(elf.R_AARCH64_ADR_PREL_PG_HI21), 0},
			{".text", 16, "pointer", uint32(elf.R_AARCH64_ADD_ABS_LO12_NC), 0},
			{".text", 32, "helper", uint32(elf.R_AARCH64_CALL26), 0},
			{".data.rel.ro", 0, "constant", uint32(elf.R_AARCH64_ABS64), 4},
		},
	}
}

// words returns 32-bit numbers as bytes.
func words(numbers ...uint32) []byte {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}
