package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ialgn/netlist"
)

// change is a netlist with a fault.
type change struct {
	netlist *netlist.Netlist
	what    string
	// rename maps each net to the net that replaced it, so that the hint about the counts can get the same fault. It
	// is nil if no net was replaced.
	rename func(netlist.Net) netlist.Net
}

// rewrite copies a netlist. For each cell, f returns the new parameter and the new inputs, and whether they differ
// from the old parameter and inputs.
func rewrite(n *netlist.Netlist, f func(netlist.Cell) (param uint64, in []netlist.Net, other bool)) *netlist.Copier {
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		param, in, other := f(c)
		if !other {
			k.Copy(c)
			continue
		}
		to := make([]netlist.Net, len(in))
		for j, v := range in {
			to[j] = k.To(v)
		}
		first := k.Cell(n.Kind(c), param, n.Origin(c), to...)
		for i := range netlist.Net(n.Outputs(c)) {
			k.Set(n.Output(c)+i, first+i)
		}
	}
	return k
}

// edit changes one cell. It returns nil if nothing changes.
func (d *design) edit(at netlist.Cell, param uint64, in []netlist.Net) *change {
	n := d.out.Netlist
	if param == n.Param(at) && slices.Equal(in, n.Inputs(at)) {
		return nil
	}
	what := fmt.Sprintf("%s %s: %#x becomes %#x", n.Kind(at), d.names[n.Output(at)], n.Param(at), param)
	for j, v := range n.Inputs(at) {
		if v != in[j] {
			what += fmt.Sprintf(": input %d, %s, becomes %s", j, d.names[v], d.names[in[j]])
		}
	}
	k := rewrite(n, func(c netlist.Cell) (uint64, []netlist.Net, bool) { return param, in, c == at })
	return &change{netlist: k.Finish(), what: what}
}

// pick draws one element of a list.
func pick[T any](r *rand.Rand, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[r.IntN(len(list))], true
}

// cell draws a cell of a region. The cell has more inputs than the given number.
func (d *design) cell(r *rand.Rand, in region, inputs int) (netlist.Cell, bool) {
	var list []netlist.Cell
	for c := range netlist.Cell(d.out.Netlist.Cells()) {
		if d.region[c] == in && len(d.out.Netlist.Inputs(c)) > inputs {
			list = append(list, c)
		}
	}
	return pick(r, list)
}

// mostMoves is the number of nets that are drawn before move gives up.
const mostMoves = 200

// move makes an input of a cell read another net of the same stage.
func (d *design) move(r *rand.Rand, in region) *change {
	n := d.out.Netlist
	c, ok := d.cell(r, in, 0)
	if !ok {
		return nil
	}
	nets := slices.Clone(n.Inputs(c))
	j := r.IntN(len(nets))
	if in == register {
		j = 0 // the other inputs are enables
	}
	for range mostMoves {
		v, old := netlist.Net(2+r.IntN(int(n.Output(c))-2)), nets[j]
		if slices.Contains(nets, v) || d.stage[v] != d.stage[old] || !d.isData(v) {
			continue
		}
		nets[j] = v
		k := d.edit(c, n.Param(c), nets)
		k.rename = func(w netlist.Net) netlist.Net {
			if w == old {
				return v
			}
			return w
		}
		return k
	}
	return nil
}

// isData reports whether a net may replace an input of a cell. The net must be a bit of a thermometer code, or the
// output of a cell.
func (d *design) isData(v netlist.Net) bool {
	n := d.out.Netlist
	if _, _, driven := n.Driver(v); driven {
		return true
	}
	x := n.DataInputs()[0]
	return x.Word == 1 && slices.Contains(x.Nets, v)
}

// flip inverts one bit in the table of a cell. The cell has more inputs than the given number.
func (d *design) flip(r *rand.Rand, in region, inputs int) *change {
	n := d.out.Netlist
	c, ok := d.cell(r, in, inputs)
	if !ok || n.Kind(c) != netlist.Function {
		return nil
	}
	return d.edit(c, n.Param(c)^1<<r.IntN(1<<len(n.Inputs(c))), n.Inputs(c))
}

// threshold changes the threshold of a comparison, or breaks a LUT that belongs to comparators.
func (d *design) threshold(r *rand.Rand) *change {
	n := d.out.Netlist
	c, ok := d.cell(r, encoder, 0)
	if !ok || n.Kind(c) != netlist.Compare {
		return d.flip(r, encoder, 0)
	}
	t := int(n.Param(c)) + []int{-2, -1, 1, 2}[r.IntN(4)]
	if t < 0 || t >= 1<<len(n.Inputs(c))-1 {
		return nil
	}
	return d.edit(c, uint64(t), n.Inputs(c))
}

// counter breaks a cell that counts. It changes the cell's function or one of its inputs, or makes a popcount count
// one input twice.
func (d *design) counter(r *rand.Rand) *change {
	n := d.out.Netlist
	if c, ok := d.cell(r, counter, 1); ok && n.Kind(c) == netlist.Popcount {
		in := slices.Clone(n.Inputs(c))
		in[r.IntN(len(in))] = in[r.IntN(len(in))]
		return d.edit(c, n.Param(c), in)
	}
	if r.IntN(2) == 0 {
		return d.flip(r, counter, 1)
	}
	return d.move(r, counter)
}

// class swaps a bit of one class and a bit of another class, so that each of them is counted for the wrong class.
func (d *design) class(r *rand.Rand) *change {
	bits := d.counted()
	for range mostMoves {
		u, ok := pick(r, bits)
		v, _ := pick(r, bits)
		if !ok || d.classOf(u) == d.classOf(v) || d.stage[u] != d.stage[v] {
			continue
		}
		k := &change{what: fmt.Sprintf("%s and %s change places", d.names[u], d.names[v]), rename: swap(u, v)}
		if k.netlist = d.renamed(k.rename); k.netlist != nil {
			return k
		}
	}
	return nil
}

// swap returns the permutation that swaps u and v.
func swap[T comparable](u, v T) func(T) T {
	return func(w T) T {
		switch w {
		case u:
			return v
		case v:
			return u
		}
		return w
	}
}

// classOf returns the class in the name of a gate's output, or "" if the net is not the output of a gate.
func (d *design) classOf(v netlist.Net) string {
	if m := gateName.FindStringSubmatch(d.names[v]); m != nil {
		return m[1]
	}
	return ""
}

// counted returns the gate outputs that counters or the port h read.
func (d *design) counted() (bits []netlist.Net) {
	n := d.out.Netlist
	read := slices.Clone(n.OutputPorts()[0].Nets)
	for c := range netlist.Cell(n.Cells()) {
		if d.region[c] == counter {
			read = append(read, n.Inputs(c)...)
		}
	}
	slices.Sort(read)
	return slices.DeleteFunc(slices.Compact(read), func(v netlist.Net) bool { return d.classOf(v) == "" })
}

// renamed makes the counters, or the port h, read other nets. It returns nil if a cell would read a later net.
func (d *design) renamed(rename func(netlist.Net) netlist.Net) *netlist.Netlist {
	n, late := d.out.Netlist, false
	k := rewrite(n, func(c netlist.Cell) (uint64, []netlist.Net, bool) {
		if late || d.region[c] != counter {
			return 0, nil, false
		}
		in := slices.Clone(n.Inputs(c))
		for j, v := range in {
			in[j] = rename(v)
			late = late || in[j] >= n.Output(c)
		}
		return n.Param(c), in, !late && !slices.Equal(in, n.Inputs(c))
	})
	if late {
		return nil
	}
	port := func(p netlist.Port, v netlist.Net) netlist.Net {
		if p.Name == "h" {
			v = rename(v)
		}
		return k.To(v)
	}
	return k.FinishWith(port, func(_ netlist.Port, v netlist.Net) netlist.Net { return k.To(v) })
}

// tie makes a class win that is not the first one in the tie order if counts are equal, or breaks a LUT that compares
// counts.
func (d *design) tie(r *rand.Rand) *change {
	n := d.out.Netlist
	c, ok := d.cell(r, argmax, 0)
	if !ok {
		return nil
	}
	in := slices.Clone(n.Inputs(c))
	switch n.Kind(c) {
	case netlist.Argmax:
		return d.swapWords(r, c)
	case netlist.Carry: // the first carry of a chain has a constant input that decides between equal counts
		j := slices.IndexFunc(in, func(v netlist.Net) bool { return v <= netlist.True })
		if j < 0 {
			return nil
		}
		in[j] = netlist.True - in[j]
		return d.edit(c, n.Param(c), in)
	}
	return d.flip(r, argmax, 0)
}

// swapWords swaps two words of an argmax and translates the result back. This only changes the winner of equal
// counts.
func (d *design) swapWords(r *rand.Rand, at netlist.Cell) *change {
	n := d.out.Netlist
	width, digits := n.ArgmaxWidth(at), n.IndexBits(at)
	classes := len(n.Inputs(at)) / width
	order := r.Perm(classes)
	swapped := swap(order[0], order[1])
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		if c != at {
			k.Copy(c)
			continue
		}
		var in []netlist.Net
		old := k.Inputs(c)
		for class := range classes {
			in = append(in, old[swapped(class)*width:][:width]...)
		}
		first := k.Cell(netlist.Argmax, n.Param(c), n.Origin(c), in...)
		index := netlist.Word(first, digits)
		for bit := digits; bit < n.Outputs(c); bit++ { // the bit for uncertain results
			k.Set(n.Output(c)+netlist.Net(bit), first+netlist.Net(bit))
		}
		for bit := range digits {
			table := uint64(0)
			for i := range 1 << len(index) {
				table |= uint64(swapped(i)>>bit&1) << i
			}
			k.Set(n.Output(c)+netlist.Net(bit), k.Function(table, netlist.Origin{}, index...))
		}
	}
	return &change{netlist: k.Finish(), what: fmt.Sprintf("the argmax swaps the classes %v if they are equal", order[:2])}
}
