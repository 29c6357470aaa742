package counts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ialgn/netlist"
)

// MaxLeaves is the largest number of nets that a counter may depend on, because all their values are tried.
const MaxLeaves = 12

// Cone evaluates nets for all values of its leaves at once. The value of a net has one bit for each combination of
// the leaves' values, with 64 bits in each word. In combination i, leaf j has the value of bit j of i.
type Cone struct {
	n      *netlist.Netlist
	leaves int
	known  map[netlist.Net][]uint64
	cells  int // number of cells evaluated
}

// maxCells limits the number of cells evaluated in a cone.
const maxCells = 1000

// NewCone returns a cone over the given leaves, at most [MaxLeaves] nets of n.
func NewCone(n *netlist.Netlist, leaves []netlist.Net) (*Cone, error) {
	if len(leaves) > MaxLeaves {
		return nil, fmt.Errorf("%d leaves are too many to try out, want at most %d", len(leaves), MaxLeaves)
	}
	e := &Cone{n: n, leaves: len(leaves), known: map[netlist.Net][]uint64{}}
	for j, v := range leaves {
		if int(v) >= n.Nets() || v <= netlist.True || e.known[v] != nil {
			return nil, fmt.Errorf("leaf %d, net %d, is a constant, no net, or there twice", j, v)
		}
		e.known[v] = e.fill(func(i int) bool { return i>>j&1 == 1 })
	}
	e.known[netlist.False] = e.fill(func(int) bool { return false })
	e.known[netlist.True] = e.fill(func(int) bool { return true })
	return e, nil
}

// fill returns a value with bit i equal to f(i) for each combination i of the leaves.
func (e *Cone) fill(f func(i int) bool) []uint64 {
	value := make([]uint64, (1<<e.leaves+63)/64)
	for i := range 1 << e.leaves {
		if f(i) {
			value[i/64] |= 1 << (i % 64)
		}
	}
	return value
}

// Value returns the value of a net, which must depend only on the leaves.
func (e *Cone) Value(v netlist.Net) ([]uint64, error) {
	if value, ok := e.known[v]; ok {
		return value, nil
	}
	c, pin, ok := e.n.Driver(v)
	if !ok {
		return nil, fmt.Errorf("net %d is reached, which is no leaf", v)
	}
	if e.cells++; e.cells > maxCells {
		return nil, fmt.Errorf("more than %d cells depend on the leaves", maxCells)
	}
	bit, err := e.meaning(c, pin)
	if err != nil {
		return nil, err
	}
	var in [][]uint64
	needed := ^uint8(0)
	if e.n.Kind(c) == netlist.Function { // inputs that the table does not depend on may have any value
		table := netlist.Effective(e.n.Param(c), e.n.Inputs(c))
		needed = netlist.Support(table)
		bit = func(in uint64) bool { return table>>in&1 == 1 }
	}
	for j, w := range e.n.Inputs(c) {
		if needed>>min(j, 7)&1 == 0 {
			w = netlist.False
		}
		value, err := e.Value(w)
		if err != nil {
			return nil, err
		}
		in = append(in, value)
	}
	e.known[v] = e.fill(func(i int) bool { return bit(assemble(in, i)) })
	return e.known[v], nil
}

// meaning returns the cell's output with the index pin, as a function of the cell's inputs. Bit j of the function's
// argument is input j.
func (e *Cone) meaning(c netlist.Cell, pin int) (func(in uint64) bool, error) {
	param := e.n.Param(c)
	switch k := e.n.Kind(c); k {
	case netlist.Function: // Value handles these cells
		return nil, nil
	case netlist.Primitive:
		param = e.n.Primitives()[param].Table
		return func(in uint64) bool { return param>>in&1 == 1 }, nil
	case netlist.Carry:
		return func(in uint64) bool { return in == 3 || in >= 5 }, nil
	case netlist.Counter:
		return func(in uint64) bool {
			ones := 0
			for ; in != 0; in &= in - 1 {
				ones++
			}
			return ones>>pin&1 == 1
		}, nil
	default:
		return nil, fmt.Errorf("cell %d, a %v, is reached, whose outputs are no leaves", c, k)
	}
}

// assemble returns a number that consists of bit i of each given value.
func assemble(in [][]uint64, i int) (bits uint64) {
	for j, value := range in {
		bits |= value[i/64] >> (i % 64) & 1 << j
	}
	return bits
}

// term returns the values of a function of nets for all combinations of the leaves' values.
func (e *Cone) term(table uint64, nets []netlist.Net) ([]uint64, error) {
	if len(nets) > netlist.MaxFunctionInputs {
		return nil, fmt.Errorf("a function of %d nets, want at most %d", len(nets), netlist.MaxFunctionInputs)
	}
	var in [][]uint64
	for _, v := range nets {
		value, err := e.Value(v)
		if err != nil {
			return nil, err
		}
		in = append(in, value)
	}
	return e.fill(func(i int) bool { return table>>assemble(in, i)&1 == 1 }), nil
}

// linear is a constant plus a sum of functions of nets with coefficients, all modulo 2^64. A function f and its
// complement 1 - f share one term.
type linear struct {
	coefficient map[termKey]uint64
	constant    uint64
}

// termKey is a function of nets that is 0 if all the nets are 0.
type termKey struct {
	table uint64 // extended to 64 lines, over the nets in ascending order
	nets  [netlist.MaxFunctionInputs]netlist.Net
}

// add adds the term t, multiplied by the argument times.
func (l *linear) add(t Term, times int) {
	weight := t.Weight * uint64(times)
	table := netlist.Effective(t.Table, t.Nets)
	var nets []netlist.Net // nets that the function depends on
	for j, v := range t.Nets {
		if netlist.Support(table)>>j&1 == 1 {
			nets = append(nets, v)
		}
	}
	slices.Sort(nets)
	key := termKey{}
	copy(key.nets[:], nets)
	for i := range 64 {
		at := 0
		for j, v := range t.Nets {
			if k := slices.Index(nets, v); k >= 0 {
				at |= i >> k & 1 << j
			}
		}
		key.table |= table >> at & 1 << i
	}
	if key.table&1 == 1 {
		l.constant += weight
		weight, key.table = -weight, ^key.table
	}
	if key.table != 0 {
		l.coefficient[key] += weight
	}
}

// largest returns the largest value that the sum can have if its terms can have any values.
func (l *linear) largest() uint64 {
	sum := int64(l.constant)
	for c := range maps.Values(l.coefficient) {
		sum += max(0, int64(c))
	}
	return uint64(sum)
}

// least returns the smallest value that the sum can have.
func (l *linear) least() int64 {
	least := int64(l.constant)
	for c := range maps.Values(l.coefficient) {
		least += min(0, int64(c))
	}
	return least
}

// congruent returns an error unless all coefficients of two sums are equal modulo a power of two.
func (l *linear) congruent(m *linear, modulus uint64) error {
	difference := maps.Clone(l.coefficient)
	for key, c := range m.coefficient {
		difference[key] -= c
	}
	maps.DeleteFunc(difference, func(_ termKey, c uint64) bool { return c%modulus == 0 })
	if len(difference) > 0 {
		worst := slices.MinFunc(slices.Collect(maps.Keys(difference)), func(a, b termKey) int {
			return cmp.Or(slices.Compare(a.nets[:], b.nets[:]), cmp.Compare(a.table, b.table))
		})
		return fmt.Errorf("the counters leave %d terms, the first of net %d", len(difference), worst.nets[0])
	}
	if c := (l.constant - m.constant) % modulus; c != 0 {
		return fmt.Errorf("the counters leave the constant %d", c)
	}
	return nil
}
