package wordcode

// Local marks a value that needs no slot, because only the section that computes the value reads it.
const Local = ^uint32(0)

// Placement assigns slots of an array to the results of a program's operations.
type Placement struct {
	Section int      // number of operations in a section
	Slots   int      // number of slots in the array
	Slot    []uint32 // [operation]: slot of the operation's result, or [Local]
}

// Place gives a slot in an array to each value that is an output or is read outside the section that computes it.
// Operation i is in section i / section. A slot becomes free at the end of the section that reads its value last.
// Therefore a section never writes a slot that it reads. If sections have only one operation, every value gets a
// slot.
func (p *Program) Place(section int) *Placement {
	l := &Placement{Section: section, Slot: make([]uint32, len(p.Ops))}
	last := p.lastReaders(section)
	sections := (len(p.Ops) + section - 1) / section
	dying := make([][]uint32, sections+1) // [section]: slots whose last reader is the section
	var free []uint32
	for s := range sections {
		for i := s * section; i < min(len(p.Ops), (s+1)*section); i++ {
			if int(last[i]) == s {
				l.Slot[i] = Local
				continue
			}
			slot := uint32(l.Slots)
			if n := len(free); n > 0 {
				slot, free = free[n-1], free[:n-1]
			} else {
				l.Slots++
			}
			l.Slot[i] = slot
			dying[last[i]] = append(dying[last[i]], slot)
		}
		free = append(free, dying[s]...)
		dying[s] = nil
	}
	return l
}

// lastReaders returns the last section that reads each result. Outputs count as read after the last section.
func (p *Program) lastReaders(section int) []uint32 {
	first := Value(p.Inputs + 1)
	last := make([]uint32, len(p.Ops))
	for i, op := range p.Ops {
		for _, v := range [3]Value{op.A, op.B, op.C} {
			if v >= first {
				last[v-first] = uint32(i / section)
			}
		}
	}
	for _, o := range p.Outputs {
		if v := o.Value(); v >= first {
			last[v-first] = uint32((len(p.Ops) + section - 1) / section)
		}
	}
	return last
}
