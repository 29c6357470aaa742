package syntax

import (
	"bytes"
	"hash/maphash"
)

// symbol is what is known of a declared name.
type symbol struct {
	begin, end int // where the text declares it
	width      int32
	driven     int32 // bits that have a driver, from the lowest
	role       role
}

// role says where a name may stand.
type role uint8

const (
	input    role = iota
	output        // read inside, too
	wire          // of the module
	reserved      // an instance, the control of a pipeline: its own statements alone read it
)

// scalar is the width of a name without bits; bus[0:0] has the width 1.
const scalar = 0

// bits returns how many bits the name has.
func (s *symbol) bits() int { return max(1, int(s.width)) }

// names holds the names of a file in a table with open addresses.
type names struct {
	source []byte
	seed   maphash.Seed
	slots  []Name // None: free; a power of two of them
	list   []symbol
}

func newNames(source []byte) *names {
	n := &names{source: source, seed: maphash.MakeSeed()}
	n.grow(1 << 10)
	return n
}

// grow makes room for twice as many names.
func (n *names) grow(slots int) {
	n.slots = make([]Name, slots)
	for i := range n.slots {
		n.slots[i] = None
	}
	for i := range n.list {
		n.slots[n.slot(n.spelled(Name(i)))] = Name(i)
	}
}

// slot returns the slot of a name, or that which it would have.
func (n *names) slot(name []byte) int {
	mask := len(n.slots) - 1
	at := int(maphash.Bytes(n.seed, name)) & mask
	for n.slots[at] != None && !bytes.Equal(n.spelled(n.slots[at]), name) {
		at = (at + 1) & mask
	}
	return at
}

// spelled returns a name.
func (n *names) spelled(i Name) []byte { return n.source[n.list[i].begin:n.list[i].end] }

// find returns the number of a name, None if it is not declared.
func (n *names) find(name []byte) Name { return n.slots[n.slot(name)] }

// add declares the name that ends at a place of the text. It reports false if there is one already.
func (n *names) add(name []byte, end int, width int, r role) (_ Name, ok bool) {
	if 2*len(n.list) >= len(n.slots) {
		n.grow(2 * len(n.slots))
	}
	at := n.slot(name)
	if n.slots[at] != None {
		return None, false
	}
	number := Name(len(n.list))
	n.slots[at] = number
	n.list = append(n.list, symbol{begin: end - len(name), end: end, width: int32(width), role: r})
	return number, true
}
