package model

import "slices"

// A layer of a frozen network reads only the layer before it and the input. A pin with the source [Base] reads an
// earlier layer. The layers between therefore get additional nodes that pass the bits of the earlier layer on.

// shared reports whether the network has nodes that positions share.
func (m *Model) shared() bool { return len(m.Sections) > 0 && m.Sections[0].Grid != nil }

// finish completes a frozen network that was made from the model's layers. It adds nodes that pass bits on to pins
// with the source Base.
func (m *Model) finish(f *Frozen) {
	if !m.shared() {
		return
	}
	var bases, last []int
	for i := range m.Sections {
		base := -1
		if b := m.Base(i); b >= 0 {
			base = last[b]
		}
		for range m.Sections[i].frozenLayers() {
			bases = append(bases, base)
		}
		last = append(last, len(bases)-1)
	}
	f.carry(bases)
}

// carry adds nodes that pass bits on, so that pins with the source Base can get the source Previous instead. bases[l]
// is the number of the layer that the Base pins of layer l read.
func (f *Frozen) carry(bases []int) {
	needed := make([]map[uint32]bool, len(f.Layers)) // for each layer, the bits of its base that are needed after it
	for l := len(f.Layers) - 1; l >= 0; l-- {
		bits := f.Layers[l].baseBits()
		for at := l - 1; len(bits) > 0 && at > bases[l]; at-- {
			if needed[at] == nil {
				needed[at] = map[uint32]bool{}
			}
			for _, b := range bits {
				needed[at][b] = true
			}
		}
	}
	place := map[uint32]uint32{} // for each bit of the base, its number in the layer before
	for l := range f.Layers {
		layer := &f.Layers[l]
		direct := l == 0 || needed[l-1] == nil // the layer before is the base itself
		at := func(bit uint32) uint32 {
			if direct {
				return bit
			}
			return place[bit]
		}
		layer.readBase(at)
		if needed[l] == nil {
			continue
		}
		bits := make([]uint32, 0, len(needed[l]))
		for b := range needed[l] {
			bits = append(bits, b)
		}
		slices.Sort(bits)
		next := map[uint32]uint32{}
		for _, b := range bits {
			next[b] = uint32(layer.Width())
			layer.pass(at(b))
		}
		place = next
	}
}

// baseBits returns the bits that pins with the source Base read.
func (l *FrozenLayer) baseBits() (bits []uint32) {
	for k := range l.Pins {
		if l.Pins[k].Source == Base {
			bits = append(bits, l.Pins[k].Index...)
		}
	}
	return bits
}

// readBase replaces the source Base of pins with Previous. The function at returns the number that a bit's copy has
// in the layer before.
func (l *FrozenLayer) readBase(at func(bit uint32) uint32) {
	for k := range l.Pins {
		if p := &l.Pins[k]; p.Source == Base {
			p.Source = Previous
			for i, bit := range p.Index {
				p.Index[i] = at(bit)
			}
		}
	}
}

// pass adds a node that passes a bit on. If some pin of the layer reads the previous layer, the bit belongs to the
// previous layer. Otherwise all pins read the input, and the bit belongs to the input.
func (l *FrozenLayer) pass(bit uint32) {
	l.Rows, l.Columns = 0, 0 // the nodes no longer form an image
	own := max(0, slices.IndexFunc(l.Pins, func(p FrozenPin) bool { return p.Source == Previous }))
	if table := PinTable(len(l.Pins), own); l.Op.Wide != nil {
		l.Op.Wide = append(l.Op.Wide, table)
	} else {
		l.Op.Narrow = append(l.Op.Narrow, uint8(table))
	}
	for k := range l.Pins {
		index := uint32(0)
		if k == own {
			index = bit
		}
		l.Pins[k].Index = append(l.Pins[k].Index, index)
	}
}

// clone returns a copy of the layer.
func (l *FrozenLayer) clone() FrozenLayer {
	c := FrozenLayer{Op: Tables{slices.Clone(l.Op.Narrow), slices.Clone(l.Op.Wide)}}
	for _, p := range l.Pins {
		c.Pins = append(c.Pins, FrozenPin{p.Source, slices.Clone(p.Index)})
	}
	return c
}

func cloneLayers(layers []FrozenLayer) (clones []FrozenLayer) {
	for l := range layers {
		clones = append(clones, layers[l].clone())
	}
	return clones
}
