package compiler

import (
	"fmt"
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// Hash merges cells of the same kind that have the same parameter and the same inputs. The order of inputs is ignored
// if the function does not depend on it. Functions with at least two inputs are also merged if one is the complement
// of the other. The later cell then becomes an inverter. The first of several equal cells is unchanged and keeps its
// origin.
//
// Requires: [Inverters], so that equal functions have an equal form.
// Ensures:  no two cells of a kind have the same inputs and function, except for the inverters that Hash makes and
//
//	that [Inverters] absorbs in the next sweep.
//
// Cost:     O(cells + pins) expected; 8 to 11 bytes for each cell in a hash table.
//
// Hash runs before [Dead], which removes cells that only fed merged cells.
func Hash(n *netlist.Netlist) *netlist.Netlist {
	h := newHasher(n)
	for i := range netlist.Cell(n.Cells()) {
		h.now.set(h.Copier, i)
		first, found := h.find(i)
		switch {
		case !found:
			h.Copy(i)
		case h.now.complement != h.then.complement:
			h.Set(n.Output(i), h.Function(tableNot, n.Origin(i), h.To(n.Output(first))))
		default:
			for k := range netlist.Net(n.Outputs(i)) {
				h.Set(n.Output(i)+k, h.To(n.Output(first)+k))
			}
		}
	}
	return h.Finish()
}

// hasher finds equal cells with a hash table (open addressing, linear probing). A slot holds 32 bits of the hash, and
// the number of an old cell plus 1. The forms of cells are not stored. If hashes agree, the form of the old cell is
// computed again from the old netlist.
type hasher struct {
	*netlist.Copier
	slots     []slot
	now, then form
}

type slot struct {
	hash uint32
	cell uint32 // number of the cell plus 1; 0: empty
}

func newHasher(n *netlist.Netlist) *hasher {
	slots := 1 << bits.Len(uint(n.Cells()+n.Cells()/2))
	return &hasher{Copier: copier(n, sizeOf(n)), slots: make([]slot, slots)}
}

// find returns the first cell whose form equals h.now. The form of this cell is then in h.then. If there is no such
// cell, it adds cell i to the table.
func (h *hasher) find(i netlist.Cell) (netlist.Cell, bool) {
	sum := h.now.hash()
	mask := uint64(len(h.slots) - 1)
	for at := sum & mask; ; at = (at + 1) & mask {
		s := &h.slots[at]
		if s.cell == 0 {
			*s = slot{uint32(sum >> 32), uint32(i) + 1}
			return 0, false
		}
		if s.hash != uint32(sum>>32) {
			continue
		}
		first := netlist.Cell(s.cell - 1)
		h.then.set(h.Copier, first)
		if h.now.equal(&h.then) {
			return first, true
		}
	}
}

// form is the normal form of a cell. Cells with equal forms compute the same values. Inputs are sorted if their order
// does not matter. A function is complemented if its output is 1 when all inputs are 0.
type form struct {
	kind       netlist.Kind
	param      uint64
	pins       []netlist.Net
	complement bool // the cell's function is the complement of the form's function
}

// set computes the form of cell i of the old netlist. The form contains nets of the new netlist.
func (f *form) set(c *netlist.Copier, i netlist.Cell) {
	f.kind, f.param, f.complement = c.Old.Kind(i), c.Old.Param(i), false
	f.pins = append(f.pins[:0], c.Inputs(i)...)
	switch f.kind {
	case netlist.Function:
		f.normalise()
	case netlist.Popcount, netlist.Counter, netlist.Carry:
		slices.Sort(f.pins)
	}
}

// normalise sorts the inputs of a function and complements the function if necessary.
func (f *form) normalise() {
	for p := 1; p < len(f.pins); p++ {
		for q := p; q > 0 && f.pins[q] < f.pins[q-1]; q-- {
			f.pins[q], f.pins[q-1] = f.pins[q-1], f.pins[q]
			f.param = netlist.SwapPins(f.param, q-1, q)
		}
	}
	if len(f.pins) > 1 && f.param&1 == 1 {
		f.complement = true
		f.param = ^f.param
	}
	f.param &= netlist.TableMask(len(f.pins))
}

func (f *form) equal(g *form) bool {
	return f.kind == g.kind && f.param == g.param && slices.Equal(f.pins, g.pins)
}

// hash returns a hash of the form. It mixes words by 128-bit products, as in Wang Yi's wyhash. The hash is the same
// in every run, so different runs give the same order of cells.
func (f *form) hash() uint64 {
	h := mix(uint64(f.kind)<<32|uint64(len(f.pins)), f.param)
	for _, v := range f.pins {
		h = mix(h, uint64(v))
	}
	return h
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

// noTwins returns an error for the first cell that [Hash] should have merged with an earlier one.
func noTwins(n *netlist.Netlist) error {
	h := newHasher(n)
	for i := range netlist.Cell(n.Cells()) {
		h.now.set(h.Copier, i)
		if first, found := h.find(i); found && !isUnary(n, i, tableNot) {
			return fmt.Errorf("cell %d is equal to cell %d", i, first)
		}
		h.Copy(i)
	}
	return nil
}
