package object

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// code is machine code that is being written. Each instruction is given as bytes and as text. The text has the syntax
// of objdump -M intel, which the tests use to compare the bytes with the text.
type code struct {
	bytes       []byte
	listing     []instruction
	labels      map[string]int // offset of each label
	jumps       []jump         // jumps to labels; the method end fills in the distances
	relocations []Relocation
	functions   []Symbol
}

// instruction is a line of the listing.
type instruction struct {
	offset int
	text   string
}

// jump is an instruction that jumps to a label. The 4 bytes before end are the distance from end to
// the label.
type jump struct {
	end, line int
	label     string
}

// add appends an instruction.
func (c *code) add(text string, bytes ...byte) {
	c.listing = append(c.listing, instruction{len(c.bytes), text})
	c.bytes = append(c.bytes, bytes...)
}

// constant appends an instruction that ends with a 32-bit number. The number also replaces %#x in the instruction's
// text.
func (c *code) constant(text string, number uint32, bytes ...byte) {
	c.add(fmt.Sprintf(text, number), binary.LittleEndian.AppendUint32(bytes, number)...)
}

// jump appends a jump or call. Its distance is filled in later.
func (c *code) jump(mnemonic, label string, bytes ...byte) {
	c.add(mnemonic, append(bytes, 0, 0, 0, 0)...)
	c.jumps = append(c.jumps, jump{len(c.bytes), len(c.listing) - 1, label})
}

// reference appends an instruction that ends with the distance to a symbol, which the linker fills
// in.
func (c *code) reference(text, symbol string, kind elf.R_X86_64, bytes ...byte) {
	c.add(text, append(bytes, 0, 0, 0, 0)...)
	c.relocations = append(c.relocations, Relocation{
		Section: ".text", Offset: uint64(len(c.bytes) - 4), Symbol: symbol, Type: uint32(kind), Addend: -4,
	})
}

// label puts a label at the current offset.
func (c *code) label(name string) { c.labels[name] = len(c.bytes) }

// begin begins a function, aligned to 16 bytes.
func (c *code) begin(name string, binding elf.SymBind) {
	for len(c.bytes)%16 != 0 {
		c.add("int3", 0xcc)
	}
	c.labels = map[string]int{name: len(c.bytes)}
	c.jumps = nil
	c.functions = append(c.functions, Symbol{Name: name, Value: uint64(len(c.bytes)), Binding: binding})
}

// end ends a function and fills in the distances of the function's jumps. Jumps may go to labels in the function and
// to the function shared.
func (c *code) end(shared Symbol) {
	for _, j := range c.jumps {
		to, ok := c.labels[j.label]
		if !ok && j.label == shared.Name {
			to, ok = int(shared.Value), true
		}
		if !ok {
			panic("dispatch: no label " + j.label)
		}
		binary.LittleEndian.PutUint32(c.bytes[j.end-4:], uint32(to-j.end))
		c.listing[j.line].text += fmt.Sprintf(" %x", to)
	}
	f := &c.functions[len(c.functions)-1]
	f.Size = uint64(len(c.bytes)) - f.Value
}
