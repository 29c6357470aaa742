package syntax

import (
	"bytes"
	"hash/maphash"
)

// symbol is what is known of a declared name.
type symbol struct {
	begin, end int // range of the text in which it is declared
	width      int32
	driven     int32 // bits that have a driver, from the lowest
	role       role
}

// role says where a name may stand.
type role uint8

const (
	input    role = iota
	output        // read inside, too
	wire          // a wire of the module
	reserved      // an instance, the control of a pipeline: its own statements alone read it
)

// scalar is the width of a name without bits; bus[0:0] has the width 1.
const scalar = 0

// bits returns how many bits the name has.
func (s *symbol) bits() int { return max(1, int(s.width)) }

// symbols holds the names of a file in a table with open addresses.
type symbols struct {
	source []byte
	seed   maphash.Seed
	slots  []slot // a power of two of them
	list   []symbol
}

// slot is a place for a name.
type slot struct {
	hash   uint32 // hash of the name: only names with equal hashes are compared
	number int32  // the name's number plus one; 0: free
}

func newSymbols(source []byte) *symbols {
	return &symbols{source: source, seed: maphash.MakeSeed(), slots: make([]slot, 1<<10)}
}

// grow makes room for twice as many names.
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

// slot returns the slot of a name, or the free one that it would have.
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

// spelled returns a name.
func (n *symbols) spelled(i Name) []byte { return n.source[n.list[i].begin:n.list[i].end] }

// find returns the number of a name, None if it is not declared.
func (n *symbols) find(name []byte) Name { return Name(n.slot(name, n.hash(name)).number - 1) }

// add declares the name that ends at a place of the text. It reports false if there is one already.
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
