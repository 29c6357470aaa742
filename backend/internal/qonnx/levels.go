package qonnx

import (
	"fmt"
	"slices"

	"ialgn/internal/onnx"
	"ialgn/netlist"
)

// majority is the table of a carry.
const majority = 0b11101000

// function is a function of nets that are not constant. In the line number of its table, input 0 is the lowest digit.
type function struct {
	out   netlist.Net
	table uint64
	in    []netlist.Net
}

// functionOf returns the function that computes a net. The map known holds the cell outputs that are constant.
func (f *file) functionOf(v netlist.Net, known map[netlist.Net]netlist.Net) function {
	c, _, driven := f.n.Driver(v)
	if !driven || f.n.Kind(c) == netlist.Compare {
		if v <= netlist.True {
			return function{v, uint64(v), nil}
		}
		return function{v, 0b10, []netlist.Net{v}}
	}
	in, table := slices.Clone(f.n.Inputs(c)), f.n.Param(c)
	switch f.n.Kind(c) {
	case netlist.Carry:
		table = majority
	case netlist.Primitive:
		table = f.n.Primitives()[table].Table
	}
	kept, rest := uint8(0), []netlist.Net(nil)
	for i, w := range in {
		if k, ok := known[w]; ok {
			in[i] = k
		}
		if in[i] > netlist.True {
			kept |= 1 << i
			rest = append(rest, in[i])
		}
	}
	extended := netlist.Effective(table, in)
	if kept == 0 {
		return function{v, extended & 1, nil}
	}
	return function{v, netlist.Project(extended, kept), rest}
}

// levels adds the LookupTables of all levels, and a last LookupTable that outputs the wanted bits in order.
func (f *file) levels() {
	known := map[netlist.Net]netlist.Net{} // cell outputs that are constant
	depth := make([]int32, f.n.Nets())
	var levels [][]function
	for c := range netlist.Cell(f.n.Cells()) {
		if !f.needed[c] || f.n.Kind(c) == netlist.Compare {
			continue
		}
		fn := f.functionOf(f.n.Output(c), known)
		if len(fn.in) == 0 {
			known[fn.out] = netlist.Net(fn.table & 1)
			continue
		}
		level := int32(0)
		for _, v := range fn.in {
			level = max(level, depth[v])
		}
		depth[fn.out] = level + 1
		if int(level) == len(levels) {
			levels = append(levels, nil)
		}
		levels[level] = append(levels[level], fn)
	}
	for i, list := range levels {
		f.level(fmt.Sprintf("level%d", i+1), list)
	}
	last := make([]function, len(f.wanted))
	for i, v := range f.wanted {
		if k, ok := known[v]; ok {
			v = k
		}
		last[i] = f.functionOf(v, known)
	}
	f.layer(bitsName, last, f.join(bitsName, last))
}

// level adds the LookupTables of a level, one for each fan-in.
func (f *file) level(name string, list []function) {
	from := f.join(name, list)
	var split [netlist.MaxFunctionInputs + 1][]function
	fanIns := 0
	for _, fn := range list {
		if split[len(fn.in)] == nil {
			fanIns++
		}
		split[len(fn.in)] = append(split[len(fn.in)], fn)
	}
	for k, part := range split {
		if len(part) == 0 {
			continue
		}
		own := name
		if fanIns > 1 {
			own = fmt.Sprintf("%s_fanin%d", name, k)
		}
		f.layer(own, part, from)
		nets := make([]netlist.Net, len(part))
		for i, fn := range part {
			nets[i] = fn.out
		}
		f.add(own, nets)
	}
}

// joined is the input of a level. It consists of a value of the graph and the offset of each block in this value.
type joined struct {
	name  string
	begin map[int32]int
}

// join concatenates the blocks that the given functions read.
func (f *file) join(name string, list []function) joined {
	begin := map[int32]int{}
	for _, fn := range list {
		for _, v := range fn.in {
			begin[f.at[v].block] = 0
		}
	}
	if len(begin) == 0 { // the functions read only constants
		begin[0] = 0
	}
	var names []string
	total := 0
	for i, b := range f.blocks {
		if _, ok := begin[int32(i)]; ok {
			begin[int32(i)] = total
			total += b.width
			names = append(names, b.name)
		}
	}
	if len(names) == 1 {
		return joined{names[0], begin}
	}
	f.node(onnx.Node{
		Name: name + "_join", Op: "Concat", Inputs: names, Outputs: []string{name + "_inputs"},
		Attributes: []onnx.Attribute{onnx.Int("axis", -1)},
	})
	return joined{name + "_inputs", begin}
}

// layer adds a LookupTable of functions. A function with fewer inputs than others reads its last input several
// times; its table ignores the repetitions.
func (f *file) layer(name string, list []function, from joined) {
	slots := 1
	for _, fn := range list {
		slots = max(slots, len(fn.in))
	}
	indices, table := make([]int64, 0, len(list)*slots), make([]byte, 0, len(list)<<slots)
	for _, fn := range list {
		for k := range slots {
			index := 0
			if len(fn.in) > 0 {
				p := f.at[fn.in[min(k, len(fn.in)-1)]]
				index = from.begin[p.block] + int(p.offset)
			}
			indices = append(indices, int64(index))
		}
		lines := 1 << len(fn.in)
		for line := range 1 << slots {
			table = append(table, byte(fn.table>>(line%lines)&1))
		}
	}
	f.lookup(name, from.name, len(list), 1, indices, table)
}
