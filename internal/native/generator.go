package native

import (
	"slices"

	"ialgn/internal/wordcode"
)

// encoder writes instructions of an instruction set. Registers are vector registers, and rows are in memory.
type encoder interface {
	begin() (offset int) // begins a segment
	end()
	load(dst int, from row)
	store(to row, src int)
	not(dst, src int)
	zero(dst int)
	op(g *generator, op *wordcode.Op) (result int)
	text() ([]byte, error) // the code of all segments
}

// generator turns a program into code, operation by operation in the program's order.
type generator struct {
	encoder
	p    *wordcode.Program
	uses *uses
	mem  *memory
	cost Cost

	holds []wordcode.Value // [register]: the value in the register; 0 if the register is free
	in    []int8           // [value]: the register that holds the value, or -1
	at    int              // the current operation
	end   int              // end of the current segment

	outputs [][]output // [operation]: the outputs that the operation computes
}

// output is a bit of an output port.
type output struct {
	row      int32
	inverted bool
}

// generate returns the code of a program, in segments of the given number of operations. If arrange is not nil, it
// chooses the places of the input rows. generate returns an error if distances are too large for instructions.
func generate(p *wordcode.Program, isa *ISA, segment int, arrange func(m *memory)) (*Code, error) {
	g := &generator{
		p: p, uses: findUses(p), mem: newMemory(p), holds: make([]wordcode.Value, isa.registers),
		in: make([]int8, 1+p.Inputs+len(p.Ops)), outputs: make([][]output, len(p.Ops)),
	}
	for v := range g.in {
		g.in[v] = -1
	}
	if arrange != nil {
		arrange(g.mem)
	}
	g.encoder = isa.encoder(g.mem.inputRows())
	c := &Code{ISA: isa, Outputs: len(p.Outputs)}
	rest := g.assignOutputs()
	for first := 0; first < max(1, len(p.Ops)); first += segment {
		g.segment(c, first, min(len(p.Ops), first+segment), rest)
	}
	c.Rows, c.Last, c.State, c.Local = g.mem.inputs, len(g.mem.inputs), g.mem.state, g.mem.local
	g.cost.Operations = len(p.Ops)
	c.Cost = g.cost
	var err error
	c.Text, err = g.text()
	return c, err
}

// assignOutputs assigns each output to the operation that computes it. It returns the outputs that
// no operation computes.
func (g *generator) assignOutputs() (rest []int) {
	for i, o := range g.p.Outputs {
		op := int(o.Value()) - g.p.Inputs - 1
		if op < 0 {
			rest = append(rest, i)
			continue
		}
		g.outputs[op] = append(g.outputs[op], output{int32(i), o.Inverted()})
		if !o.Inverted() {
			g.mem.home[o.Value()] = row{stateArea, int32(i)}
		}
	}
	return rest
}

// segment writes the function for the operations in the range [first, end). The function of the last segment also
// writes the outputs that no operation computes.
func (g *generator) segment(c *Code, first, end int, rest []int) {
	c.Segments = append(c.Segments, Segment{Offset: g.begin(), Ops: end - first})
	g.end = end
	for g.at = first; g.at < end; g.at++ {
		g.operation(&g.p.Ops[g.at])
	}
	g.flush()
	if end == len(g.p.Ops) {
		for _, i := range rest {
			g.plainOutput(i)
		}
	}
	g.encoder.end()
	g.mem.endSegment()
}

// operation writes an operation and stores its result if it is an output.
func (g *generator) operation(op *wordcode.Op) {
	result := g.op(g, op)
	v := wordcode.Value(g.p.Inputs + 1 + g.at)
	for _, w := range operands(op) {
		g.drop(w, g.at+1)
	}
	g.holds[result], g.in[v] = v, int8(result)
	for _, o := range g.outputs[g.at] {
		g.storeOutput(result, o)
	}
	g.drop(v, g.at+1)
}

func (g *generator) storeOutput(src int, o output) {
	if o.inverted {
		dst := g.free(g.holds[src : src+1])
		g.not(dst, src)
		g.cost.Compute++
		src = dst
	}
	g.save(row{stateArea, o.row}, src)
}

// plainOutput writes an output that is a constant or an input bit. It may use any register.
func (g *generator) plainOutput(i int) {
	o := g.p.Outputs[i]
	if o.Value() == 0 {
		g.zero(0)
		g.cost.Compute++
	} else {
		g.load(0, g.mem.home[o.Value()])
		g.cost.Loads++
	}
	g.storeOutput(0, output{int32(i), o.Inverted()})
}

// drop frees the register and the row of a value if no operation from i on reads it.
func (g *generator) drop(v wordcode.Value, i int) {
	if g.uses.after(v, i) != never {
		return
	}
	if r := g.in[v]; r >= 0 {
		g.holds[r], g.in[v] = 0, -1
	}
	if int(v) > g.p.Inputs {
		g.mem.release(v)
	}
}

// flush stores the values that later segments read, and empties the registers.
func (g *generator) flush() {
	for r, v := range g.holds {
		if v == 0 {
			continue
		}
		if g.mem.home[v].area == nowhere {
			g.save(g.mem.place(v, false), r)
		}
		g.holds[r], g.in[v] = 0, -1
	}
}

func (g *generator) save(to row, src int) {
	g.store(to, src)
	g.cost.Stores++
}

// dies reports whether the current operation is the last that reads v.
func (g *generator) dies(v wordcode.Value) bool { return g.uses.last(v) <= int32(g.at) }

// register returns the register that holds v, or -1.
func (g *generator) register(v wordcode.Value) int { return int(g.in[v]) }

// free returns a register that holds no value. If all registers hold values, free first moves a value to memory. It
// chooses the value whose next read is furthest away, but never a value in keep.
func (g *generator) free(keep []wordcode.Value) int {
	victim, latest := -1, int32(-1)
	for r, v := range g.holds {
		if v == 0 {
			return r
		}
		if slices.Contains(keep, v) {
			continue
		}
		if next := g.uses.after(v, g.at); next > latest {
			victim, latest = r, next
		}
	}
	v := g.holds[victim]
	if g.mem.home[v].area == nowhere {
		g.save(g.mem.place(v, g.uses.last(v) < int32(g.end)), victim)
	}
	g.holds[victim], g.in[v] = 0, -1
	return victim
}

// pair holds the operands of an instruction that combines two values. The second operand is in the register with the
// number second or, if second is negative, in memory. For wordcode.AndNot, the first operand is complemented.
type pair struct {
	result, first, second int
	memory                row
}

// two finds registers for an operation on two values. The machine's instructions do not overwrite operands and can
// read the second operand from memory.
func (g *generator) two(op *wordcode.Op) pair {
	first, second := op.A, op.B
	if op.Operator == wordcode.AndNot {
		first, second = second, first
	} else if g.register(first) < 0 && g.register(second) >= 0 {
		first, second = second, first
	}
	keep := []wordcode.Value{first, second}
	if g.register(second) < 0 && g.worth(second) {
		g.fetch(second, keep)
	}
	if g.register(first) < 0 {
		g.fetch(first, keep)
	}
	o := pair{first: g.register(first), second: g.register(second), memory: g.mem.home[second]}
	if o.second < 0 {
		g.cost.Operands++
	}
	o.result = g.result(keep)
	g.cost.Compute++
	return o
}

// complement writes the code of a Not.
func (g *generator) complement(op *wordcode.Op) (result int) {
	read := []wordcode.Value{op.A}
	src := g.register(op.A)
	if src < 0 {
		src = g.fetch(op.A, read)
	}
	dst := g.result(read)
	g.not(dst, src)
	g.cost.Compute++
	return dst
}

// result returns a register for the result of an operation that may overwrite its operands. This is the register of
// an operand that is read for the last time, or a free register.
func (g *generator) result(read []wordcode.Value) int {
	for _, v := range read {
		if r := g.register(v); r >= 0 && g.dies(v) {
			return r
		}
	}
	return g.free(read)
}

// fetch loads v into a register and keeps it there.
func (g *generator) fetch(v wordcode.Value, keep []wordcode.Value) int {
	r := g.spare(v, keep)
	g.holds[r], g.in[v] = v, int8(r)
	return r
}

// spare loads v into a register that counts as free, so that an operation can overwrite it.
func (g *generator) spare(v wordcode.Value, keep []wordcode.Value) int {
	r := g.free(keep)
	g.load(r, g.mem.home[v])
	g.cost.Loads++
	return r
}

// worth reports whether v should be loaded from memory into a register instead of being read as an operand in memory.
// This is the case if v is read again soon.
func (g *generator) worth(v wordcode.Value) bool {
	next := g.uses.after(v, g.at+1)
	return next < int32(g.end) && next < int32(g.at+window)
}

// window is the number of operations for which a value loaded from memory is kept in a register.
const window = 40
