package syntax

import (
	"bytes"
	"hash/maphash"
)

// symbol is a declared name.
type symbol struct {
	begin, end int // range of the name in the text, at its declaration
	width      int32
	driven     int32 // number of bits that already have a driver, from the lowest bit on
	role       role
}

// role says where a name may be used.
type role uint8

const (
	input    role = iota
	output        // can also be read inside the module
	wire          // a wire of the module
	reserved      // an instance, or a pipeline's control signal, which ordinary statements cannot read
)

// scalar is the width of a name that is declared without a range. A name declared as bus[0:0] has the width 1.
const scalar = 0

// bits returns the number of bits of the name.
func (s *symbol) bits() int { return max(1, int(s.width)) }

// symbols holds the names of a file in a hash table with open addressing.
type symbols struct {
	source []byte
	seed   maphash.Seed
	slots  []slot // the number of slots is a power of two
	list   []symbol
}

// slot is a slot of the hash table.
type slot struct {
	hash   uint32 // hash of the name; names are compared only if their hashes are equal
	number int32  // the name's number plus one; 0: the slot is free
}

func newSymbols(source []byte) *symbols {
	return &symbols{source: source, seed: maphash.MakeSeed(), slots: make([]slot, 1<<10)}
}

// grow doubles the hash table.
func (n *symbols) grow() {
	old := n.slots
	n.slots = make([]slot, 2*len(old))
	mask := uint32(len(n.slots) - 1)
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		at := s.hash & mask
		for n.slots[at].number != 0 {
			at = (at + 1) & mask
		}
		n.slots[at] = s
	}
}

// slot returns the slot of a name, or the free slot where it would be added.
func (n *symbols) slot(name []byte, hash uint32) *slot {
	mask := uint32(len(n.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := &n.slots[at]
		if s.number == 0 || s.hash == hash && bytes.Equal(n.spelled(Name(s.number-1)), name) {
			return s
		}
	}
}

func (n *symbols) hash(name []byte) uint32 { return uint32(maphash.Bytes(n.seed, name)) }

// spelled returns the text of a name.
func (n *symbols) spelled(i Name) []byte { return n.source[n.list[i].begin:n.list[i].end] }

// find returns the number of a name, or None if it is not declared.
func (n *symbols) find(name []byte) Name { return Name(n.slot(name, n.hash(name)).number - 1) }

// add declares a name. The argument end is the offset in the text at which the name ends. add returns false if the
// name is declared already.
func (n *symbols) add(name []byte, end int, width int, r role) (_ Name, ok bool) {
	if 2*len(n.list) >= len(n.slots) {
		n.grow()
	}
	hash := n.hash(name)
	s := n.slot(name, hash)
	if s.number != 0 {
		return None, false
	}
	n.list = append(n.list, symbol{begin: end - len(name), end: end, width: int32(width), role: r})
	*s = slot{hash, int32(len(n.list))}
	return Name(len(n.list) - 1), true
}
