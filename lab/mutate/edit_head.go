package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"

	"ialgn/netlist"
)

// counter breaks a cell that counts: its function, or one of its wires.
func (d *design) counter(r *rand.Rand) *change {
	n := d.out.Netlist
	c, ok := pick(r, d.cellsOf(counter, func(c netlist.Cell) bool { return len(n.Inputs(c)) > 1 }))
	if !ok {
		return nil
	}
	if n.Kind(c) == netlist.Popcount { // an input is counted twice, in place of another
		in := slices.Clone(n.Inputs(c))
		i, j := r.IntN(len(in)), r.IntN(len(in))
		in[i] = in[j]
		return d.edit(c, n.Param(c), in)
	}
	if n.Kind(c) == netlist.Function && r.IntN(2) == 0 {
		return d.edit(c, n.Param(c)^1<<r.IntN(1<<len(n.Inputs(c))), n.Inputs(c))
	}
	return d.move(r, c, func(v netlist.Net) bool {
		w, _, ok := n.Driver(v)
		return !ok && n.InputPorts()[0].Word == 1 || ok && (d.where[w] == counter || d.where[w] == gate)
	})
}

// classGroup has a chain counted for another class: bits of two classes change places, or
// one takes the place of the other.
func (d *design) classGroup(r *rand.Rand) *change {
	var bits []netlist.Net
	for v, class := range d.class {
		if class >= 0 && v > 1 {
			bits = append(bits, netlist.Net(v))
		}
	}
	for range moveTries {
		u, ok := pick(r, bits)
		v, _ := pick(r, bits)
		if !ok || d.class[u] == d.class[v] || d.stage[u] != d.stage[v] {
			continue
		}
		swap := r.IntN(2) == 0
		k := &change{
			what: fmt.Sprintf("%s counts for class %d in place of %s", d.names[v], d.class[u], d.names[u]),
			rename: func(w netlist.Net) netlist.Net {
				switch {
				case w == u:
					return v
				case w == v && swap:
					return u
				}
				return w
			},
		}
		if swap {
			k.what += ", and the other way round"
		}
		if k.netlist = d.renamed(k.rename); k.netlist != nil {
			return k
		}
	}
	return nil
}

// renamed has the counters, or the port h, read other nets. It returns nil if one would
// read what comes after it.
func (d *design) renamed(rename func(netlist.Net) netlist.Net) *netlist.Netlist {
	n := d.out.Netlist
	edits := map[netlist.Cell]cellEdit{}
	for c := range netlist.Cell(n.Cells()) {
		if d.where[c] != counter {
			continue
		}
		in := slices.Clone(n.Inputs(c))
		for j, v := range in {
			if in[j] = rename(v); in[j] >= n.Output(c) {
				return nil
			}
		}
		if !slices.Equal(in, n.Inputs(c)) {
			edits[c] = cellEdit{n.Param(c), in}
		}
	}
	if n.OutputPorts()[0].Name != "h" {
		return rebuild(n, edits)
	}
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	to := func(_ netlist.Port, v netlist.Net) netlist.Net { return k.To(rename(v)) }
	return k.FinishWith(to, func(_ netlist.Port, v netlist.Net) netlist.Net { return k.To(v) })
}

// tie has equal counts go to another class than the lowest.
func (d *design) tie(r *rand.Rand) *change {
	n := d.out.Netlist
	if c, ok := pick(r, d.cellsOf(argmax, d.kind(netlist.Argmax))); ok {
		return d.tieOperator(r, c)
	}
	type place struct {
		cell netlist.Cell
		edit cellEdit
	}
	var places []place
	for _, c := range d.cellsOf(argmax, func(netlist.Cell) bool { return true }) {
		in := n.Inputs(c)
		switch n.Kind(c) {
		case netlist.Carry: // the first of a chain: whether equal words carry
			if j := slices.IndexFunc(in, func(v netlist.Net) bool { return v <= netlist.True }); j >= 0 {
				other := slices.Clone(in)
				other[j] = netlist.True - in[j]
				places = append(places, place{c, cellEdit{0, other}})
			}
		case netlist.Function:
			if equal := d.equalEntries(in); equal != 0 {
				places = append(places, place{c, cellEdit{n.Param(c) ^ equal, in}})
			}
		}
	}
	p, ok := pick(r, places)
	if !ok {
		return nil
	}
	return d.edit(p.cell, p.edit.param, p.edit.in)
}

// digitName is a net of the argmax that is a digit of a count, delayed or not.
var digitName = regexp.MustCompile(`^count_(\d+)(?:_b|\[)(\d+)`)

// equalEntries returns the entries of a table for which the digits of two counts are equal,
// 0 if it reads anything else than digits in pairs.
func (d *design) equalEntries(in []netlist.Net) (entries uint64) {
	if len(in) == 0 || len(in)%2 == 1 {
		return 0
	}
	partner := make([]int, len(in))
	classes := map[string]bool{}
	for j, v := range in {
		partner[j] = -1
		a := digitName.FindStringSubmatch(d.name(v))
		if a == nil {
			return 0
		}
		classes[a[1]] = true
		for i, w := range in {
			if b := digitName.FindStringSubmatch(d.name(w)); b != nil && i != j && a[2] == b[2] {
				partner[j] = i
			}
		}
		if partner[j] < 0 {
			return 0
		}
	}
	if len(classes) != 2 {
		return 0
	}
	for i := range 1 << len(in) {
		equal := true
		for j, p := range partner {
			equal = equal && i>>j&1 == i>>p&1
		}
		if equal {
			entries |= 1 << i
		}
	}
	return entries
}

// tieOperator has two words of an argmax change places, and its result name them rightly:
// all that becomes wrong is which class wins where counts are equal.
func (d *design) tieOperator(r *rand.Rand, at netlist.Cell) *change {
	n := d.out.Netlist
	width := int(n.Param(at))
	classes := len(n.Inputs(at)) / width
	a, b := r.IntN(classes), r.IntN(classes)
	if a == b {
		return nil
	}
	swapped := func(i int) int {
		switch i {
		case a:
			return b
		case b:
			return a
		}
		return i
	}
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		if c != at {
			k.Copy(c)
			continue
		}
		old := slices.Clone(k.Inputs(c))
		in := slices.Clone(old)
		copy(in[a*width:][:width], old[b*width:][:width])
		copy(in[b*width:][:width], old[a*width:][:width])
		first := k.Cell(netlist.Argmax, n.Param(c), n.Origin(c), in...)
		index := netlist.Word(first, n.Outputs(c))
		for bit := range n.Outputs(c) {
			table := uint64(0)
			for i := range 1 << len(index) {
				table |= uint64(swapped(i)>>bit&1) << i
			}
			k.Set(n.Output(c)+netlist.Net(bit), k.Function(table, netlist.Origin{}, index...))
		}
	}
	return &change{netlist: k.Finish(), what: fmt.Sprintf("argmax compares class %d as %d and %d as %d", a, b, b, a)}
}

// registerData has a register hold another net of its stage.
func (d *design) registerData(r *rand.Rand) *change {
	n := d.out.Netlist
	c, ok := pick(r, d.cellsOf(register, func(netlist.Cell) bool { return true }))
	if !ok {
		return nil
	}
	in := slices.Clone(n.Inputs(c))
	for range moveTries {
		v := netlist.Net(2 + r.IntN(int(n.Output(c))-2))
		if v != in[0] && d.stage[v] == d.stage[in[0]] && !d.isEnable(v) {
			in[0] = v
			return d.edit(c, 0, in)
		}
	}
	return nil
}
