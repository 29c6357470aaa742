package qonnx

import (
	"errors"
	"fmt"
	"math"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/onnx"
)

// maxDigits is the largest number of bits of a table's entry.
const maxDigits = 16

// tables holds the entries of look-up tables, one digit at a time. Digit d of the entry in line l of table i is bit
// i*lines+l of digits[d].
type tables struct {
	lines  int // number of lines in each table, a power of two
	digits [][]uint64
}

// readTables reads tables with the given number of lines. The memory of the tables counts against the limit until
// freeTables is called.
func (r *reader) readTables(t *onnx.Tensor, lines int) (*tables, error) {
	count, err := t.Len()
	if err != nil {
		return nil, err
	}
	s, words := &tables{lines: lines}, (count+63)/64
	err = t.Integers(func(i int, v int64) error {
		if v < 0 || v >= 1<<maxDigits {
			return fmt.Errorf("a table has the entry %d: from 0 to %d are read", v, 1<<maxDigits-1)
		}
		for d := 0; v>>d != 0 || d == 0; d++ {
			if d == len(s.digits) {
				if err := r.take(8 * int64(words)); err != nil {
					return err
				}
				s.digits = append(s.digits, make([]uint64, words))
			}
			s.digits[d][i/64] |= uint64(v>>d&1) << (i % 64)
		}
		return nil
	})
	return s, err
}

func (r *reader) freeTables(s *tables) {
	for _, d := range s.digits {
		r.free(8 * int64(len(d)))
	}
}

// table returns one digit of the entries of table i.
func (s *tables) table(digit, i int) []uint64 {
	if at := i * s.lines; s.lines < 64 {
		return []uint64{s.digits[digit][at/64] >> (at % 64) & (1<<s.lines - 1)}
	}
	words := s.lines / 64
	return s.digits[digit][i*words : (i+1)*words]
}

// readIndices reads numbers, each of which must be less than the parameter limit. The memory of the result counts
// against the reader's memory limit until the caller frees it.
func (r *reader) readIndices(t *onnx.Tensor, limit int) ([]int32, error) {
	count, err := t.Len()
	if err != nil {
		return nil, err
	}
	if t.Type != onnx.Int32 && t.Type != onnx.Int64 {
		return nil, fmt.Errorf("its indices are %v: give int32 or int64", t.Type)
	}
	if err := r.take(4 * int64(count)); err != nil {
		return nil, err
	}
	list := make([]int32, 0, count)
	return list, t.Integers(func(_ int, v int64) error {
		if v < 0 || v >= int64(limit) {
			return fmt.Errorf("it has the index %d among %d elements", v, limit)
		}
		list = append(list, int32(v))
		return nil
	})
}

// add adds a node. If the node is unrolled, it counts against the limit on unrolled nodes. Otherwise its memory
// counts against the memory limit.
func (r *reader) add(unrolled bool, table uint64, pins ...graph.Ref) (graph.Ref, error) {
	if unrolled {
		if r.unrolled--; r.unrolled < 0 {
			return 0, fmt.Errorf("unrolled it has more than %d nodes", maxUnrolled)
		}
	} else if err := r.take(2 * int64(12+4*len(pins))); err != nil { // a growing slice takes twice the memory
		return 0, err
	}
	if c := r.circuit; c.Nodes() >= graph.MaxNodes || len(c.Pins) > math.MaxUint32-graph.MaxPins {
		return 0, fmt.Errorf("it has more than %d nodes", graph.MaxNodes)
	}
	return r.circuit.Add(table, pins...), nil
}

// function adds nodes that compute a function of any number of pins. The first pin is the highest digit of a line's
// number.
func (r *reader) function(unrolled bool, table []uint64, pins []graph.Ref) (graph.Ref, error) {
	if len(pins) <= graph.MaxPins {
		return r.add(unrolled, table[0], pins...)
	}
	if err := r.look(len(table)); err != nil {
		return 0, err
	}
	if t, p := reduced(table, pins); len(p) < len(pins) {
		if len(p) == 0 {
			return map[uint64]graph.Ref{0: graph.False, 1: graph.True}[t[0]&1], nil
		}
		return r.function(unrolled, t, p)
	}
	choosers := min(2, len(pins)-graph.MaxPins)
	parts, part := 1<<choosers, len(table)>>choosers
	in := make([]graph.Ref, choosers+parts)
	copy(in, pins[:choosers])
	for i := range parts {
		out, err := r.function(unrolled, table[i*part:(i+1)*part], pins[choosers:])
		if err != nil {
			return 0, err
		}
		in[choosers+parts-1-i] = out // the pin for part i; the lowest digit belongs to part 0
	}
	return r.add(unrolled, chooser(choosers), in...)
}

// chooser returns the table of a node that passes on one of its lower pins. The highest pins give the number of this
// pin, counted from the lowest pin.
func chooser(choosers int) (table uint64) {
	parts := 1 << choosers
	for line := range 1 << (choosers + parts) {
		table |= uint64(line>>(line>>parts)&1) << line
	}
	return table
}

// reduced returns a function without the pins on which it does not depend.
func reduced(table []uint64, pins []graph.Ref) ([]uint64, []graph.Ref) {
	var kept []graph.Ref
	var digits []int // the remaining digits of the old line numbers, with the lowest digit last
	for i, p := range pins {
		if digit := len(pins) - 1 - i; depends(table, digit) {
			kept, digits = append(kept, p), append(digits, digit)
		}
	}
	if len(kept) == len(pins) {
		return table, pins
	}
	lines := 1 << len(kept)
	less := make([]uint64, (lines+63)/64)
	for line := range lines {
		old := 0
		for k, digit := range digits {
			old |= line >> (len(digits) - 1 - k) & 1 << digit
		}
		less[line/64] |= table[old/64] >> (old % 64) & 1 << (line % 64)
	}
	return less, kept
}

// depends reports whether a function of more than six pins depends on a digit of its line numbers.
func depends(table []uint64, digit int) bool {
	if digit >= 6 {
		far := 1 << (digit - 6)
		for i, w := range table {
			if i&far == 0 && w != table[i+far] {
				return true
			}
		}
		return false
	}
	mask := [...]uint64{
		0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff,
		0x00000000ffffffff,
	}[digit]
	for _, w := range table {
		if w&mask != w>>(1<<digit)&mask {
			return true
		}
	}
	return false
}

// attributes returns the whole-number attributes of a QONNX operator. known holds the known attributes with their
// defaults. Any other attribute is an error.
func attributes(n *onnx.Node, known map[string]int64) (map[string]int64, error) {
	for i := range n.Attributes {
		a := &n.Attributes[i]
		if _, ok := known[a.Name]; !ok {
			return nil, fmt.Errorf("its attribute %.80q is not known", a.Name)
		}
		known[a.Name] = a.Int
	}
	return known, nil
}

// lookupTable adds the nodes of a layer, once for each position along the input's axes, except the last axis.
func lookupTable(r *reader, n *onnx.Node) (*value, error) {
	a, err := attributes(n, map[string]int64{"input_bits": 1, "out_bits": 0})
	if err != nil {
		return nil, err
	}
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	in, out := a["input_bits"], a["out_bits"]
	if in < 1 || in > 32 || out < 0 || out > 32 {
		return nil, fmt.Errorf("its input_bits are %d and its out_bits %d, from 1 to 32 are read", in, out)
	}
	if v, err = r.bits(v, int(in)); err != nil {
		return nil, err
	}
	l, err := r.readLookup(n, v, int(in))
	if err != nil {
		return nil, err
	}
	defer r.freeTables(l.tables)
	defer r.free(4 * int64(len(l.indices)))
	if out > 0 && len(l.digits) > int(out) {
		return nil, fmt.Errorf("its out_bits are %d, and its tables have entries of %d bits", out, len(l.digits))
	}
	return r.layer(v, l)
}

// lookup holds the operands of a LookupTable.
type lookup struct {
	*tables
	indices     []int32
	width, pins int // number of tables, and number of slots of each table
	elem        onnx.DataType
}

func (r *reader) readLookup(n *onnx.Node, v *value, in int) (*lookup, error) {
	if len(n.Inputs) != 3 {
		return nil, fmt.Errorf("it has %d operands, not X, indices and table", len(n.Inputs))
	}
	indices, err := r.tensor(n, 1)
	if err != nil {
		return nil, err
	}
	table, err := r.tensor(n, 2)
	if err != nil {
		return nil, err
	}
	i, t := indices.Dims, table.Dims
	if len(i) != 2 || len(t) != 2 || i[0] != t[0] || i[0] < 1 || i[1] < 1 || i[1]*int64(in) > 30 ||
		t[1] != 1<<(i[1]*int64(in)) {
		return nil, fmt.Errorf("indices of shape %v and tables of shape %v do not go together with %d input_bits", i, t, in)
	}
	l := &lookup{width: int(i[0]), pins: int(i[1]), elem: table.Type}
	if l.indices, err = r.readIndices(indices, v.shape[len(v.shape)-1]); err != nil {
		return nil, err
	}
	l.tables, err = r.readTables(table, int(t[1]))
	return l, err
}

// layer adds the nodes of a layer for each row of a value.
func (r *reader) layer(v *value, l *lookup) (*value, error) {
	last := len(v.shape) - 1
	columns, rows := v.shape[last], size(v.shape[:last])
	shape := append(append([]int{}, v.shape[:last]...), l.width)
	total := product(shape)
	if total < 0 {
		return nil, fmt.Errorf("shape %v is too large", shape)
	}
	if err := errors.Join(r.room(total*len(l.digits)), r.look(total*(l.pins*v.digits+len(l.digits)))); err != nil {
		return nil, err
	}
	w := &value{shape: shape, elem: l.elem, digits: len(l.digits), refs: make([]graph.Ref, 0, total*len(l.digits))}
	first, pins := r.circuit.Nodes(), make([]graph.Ref, l.pins*v.digits)
	for row := range rows {
		for i := range l.width {
			for k, at := range l.indices[i*l.pins : (i+1)*l.pins] {
				for d := range v.digits {
					pins[len(pins)-1-k*v.digits-d] = v.refs[(row*columns+int(at))*v.digits+d]
				}
			}
			for d := range l.digits {
				ref, err := r.function(rows > 1, l.table(d, i), pins)
				if err != nil {
					return nil, err
				}
				w.refs = append(w.refs, ref)
			}
		}
	}
	r.lookups++
	if rows == 1 && v.digits == 1 && w.digits == 1 && r.circuit.Nodes()-first == l.width {
		r.layers = append(r.layers, layer{l.width, l.pins})
	}
	return w, nil
}
