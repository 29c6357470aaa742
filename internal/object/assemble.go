package object

import (
	"debug/elf"
	"fmt"
)

// These are the local names of the object file.
const (
	cache  = "level_plus_one" // variable that holds the processor's level plus 1, or 0 while the level is not known
	detect = "detect_level"   // function that determines the level and stores it
)

// assemble writes the code of all functions.
func (d *Dispatcher) assemble() *code {
	c := &code{}
	d.detect(c)
	shared := c.functions[0]
	c.begin(d.Module+"_level", elf.STB_GLOBAL)
	levelPlusOne(c)
	c.add("dec eax", 0xff, 0xc8)
	c.add("ret", 0xc3)
	c.end(shared)
	for _, f := range d.Functions {
		c.begin(d.Module+"_"+f.Name, elf.STB_GLOBAL)
		d.choose(c, f)
		c.end(shared)
	}
	return c
}

// levelPlusOne writes code that puts the level plus 1 into eax. The code reads the level from memory. At the first
// call, it determines the level instead.
func levelPlusOne(c *code) {
	c.reference("mov eax,DWORD PTR [rip+0x0]", cache, elf.R_X86_64_PC32, 0x8b, 0x05)
	c.add("test eax,eax", 0x85, 0xc0)
	c.jump("jne", "known", 0x0f, 0x85)
	c.jump("call", detect, 0xe8)
	c.label("known")
}

// choose writes the jump to the version of the function that suits the processor.
func (d *Dispatcher) choose(c *code, f DispatchedFunction) {
	levelPlusOne(c)
	for i := len(d.Variants) - 1; i >= 0; i-- {
		symbol, number := SymbolName(d.Module, d.Variants[i].Name, f.Name), byte(i+2)
		c.add(fmt.Sprintf("cmp eax,%#x", number), 0x83, 0xf8, number)
		c.reference("je", symbol, elf.R_X86_64_PLT32, 0x0f, 0x84)
	}
	portable(c, SymbolName(d.Module, Portable, f.Name), f.Void)
	c.label("unsupported")
	unsupported := Unsupported
	c.constant("mov eax,%#x", uint32(unsupported), 0xb8)
	c.add("ret", 0xc3)
}

// portable writes the jump to a portable function. If the program does not contain the function, the linker sets the
// function's address to 0, and the code jumps to the label unsupported.
func portable(c *code, symbol string, void bool) {
	c.reference("mov rax,QWORD PTR [rip+0x0]", symbol, elf.R_X86_64_REX_GOTPCRELX, 0x48, 0x8b, 0x05)
	c.add("test rax,rax", 0x48, 0x85, 0xc0)
	c.jump("je", "unsupported", 0x0f, 0x84)
	if !void {
		c.add("jmp rax", 0xff, 0xe0)
		return
	}
	c.add("push rax", 0x50) // the stack pointer must be a multiple of 16 at a call
	c.add("call rax", 0xff, 0xd0)
	c.add("pop rcx", 0x59)
	c.add("xor eax,eax", 0x31, 0xc0)
	c.add("ret", 0xc3)
}

// detect writes the function that determines the processor's features, stores the level plus 1 in the cache and
// returns it in eax. It only changes rax, r10 and r11, since the other registers may hold the arguments of the
// dispatched function.
func (d *Dispatcher) detect(c *code) {
	c.begin(detect, elf.STB_LOCAL)
	d.ask(c)
	c.reference("mov DWORD PTR [rip+0x0],r11d", cache, elf.R_X86_64_PC32, 0x44, 0x89, 0x1d)
	c.add("mov eax,r11d", 0x44, 0x89, 0xd8)
	c.add("ret", 0xc3)
	c.end(c.functions[0])
}

// ask writes code that queries the processor's features and puts the level plus 1 into r11d.
//
// The instruction cpuid overwrites eax, ebx, ecx and edx. Register r10d holds the features of leaf 1, with XCR0 in
// the lowest byte. Register r11d holds the best level so far, plus 1.
func (d *Dispatcher) ask(c *code) {
	c.add("push rbx", 0x53)
	c.add("push rcx", 0x51)
	c.add("push rdx", 0x52)
	c.constant("mov r11d,%#x", 1, 0x41, 0xbb)

	c.add("xor eax,eax", 0x31, 0xc0)
	c.add("cpuid", 0x0f, 0xa2)
	c.add("cmp eax,0x7", 0x83, 0xf8, 7) // eax is the highest leaf that cpuid has
	c.jump("jb", "done", 0x0f, 0x82)

	c.constant("mov eax,%#x", 1, 0xb8)
	c.add("cpuid", 0x0f, 0xa2)
	c.add("mov r10d,ecx", 0x41, 0x89, 0xca)
	c.add(fmt.Sprintf("bt ecx,%#x", osxsaveBit), 0x0f, 0xba, 0xe1, osxsaveBit)
	c.jump("jae", "done", 0x0f, 0x83) // xgetbv is invalid without the bit OSXSAVE
	c.add("xor ecx,ecx", 0x31, 0xc9)
	c.add("xgetbv", 0x0f, 0x01, 0xd0)
	c.add("mov r10b,al", 0x41, 0x88, 0xc2)

	c.constant("mov eax,%#x", 7, 0xb8)
	c.add("xor ecx,ecx", 0x31, 0xc9)
	c.add("cpuid", 0x0f, 0xa2)
	for i, v := range d.Variants {
		compare(c, v.Needs.mask(), fmt.Sprint("variant ", i+1))
		c.constant("mov r11d,%#x", uint32(i+2), 0x41, 0xbb)
		c.label(fmt.Sprint("variant ", i+1))
	}

	c.label("done")
	c.add("pop rdx", 0x5a)
	c.add("pop rcx", 0x59)
	c.add("pop rbx", 0x5b)
}

// compare writes code that jumps to a label if the processor lacks any bit of the mask.
func compare(c *code, m mask, otherwise string) {
	for _, part := range []struct {
		bits uint32
		text string
		move []byte
	}{
		{m.leaf1, "mov eax,r10d", []byte{0x44, 0x89, 0xd0}},
		{m.leaf7ebx, "mov eax,ebx", []byte{0x89, 0xd8}},
		{m.leaf7ecx, "mov eax,ecx", []byte{0x89, 0xc8}},
	} {
		if part.bits == 0 {
			continue
		}
		c.add(part.text, part.move...)
		c.constant("and eax,%#x", part.bits, 0x25)
		c.constant("cmp eax,%#x", part.bits, 0x3d)
		c.jump("jne", otherwise, 0x0f, 0x85)
	}
}
