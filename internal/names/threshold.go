package names

import (
	"math/bits"

	"ialgn/netlist"
)

// widestWord is the largest width of words for which the thresholds of lowered comparators are found. The search
// evaluates the functions of these cells for every value of the word.
const widestWord = 10

// encoder finds the cells that compare a word with a threshold (word > threshold).
type encoder struct {
	n     *netlist.Netlist
	words []wordOf                 // words of the input ports, in order
	value map[netlist.Net][]uint64 // for each net that depends on one word, one bit for each value of the word
}

// wordOf is a word of an input port.
type wordOf struct {
	port, index int
	nets        []netlist.Net
}

func newEncoder(n *netlist.Netlist) *encoder {
	return &encoder{n, inputWords(n), map[netlist.Net][]uint64{}}
}

// inputWords returns the words of all input ports, numbered like [netlist.Netlist.Words].
func inputWords(n *netlist.Netlist) []wordOf {
	var words []wordOf
	for i, p := range n.InputPorts() {
		size := max(p.Word, 1)
		for low := 0; low < len(p.Nets); low += size {
			words = append(words, wordOf{i, low / size, p.Nets[low:min(low+size, len(p.Nets))]})
		}
	}
	return words
}

// threshold returns the threshold of cell c, which depends only on the given word. ok is false if the cell is not a
// comparison of the form word > threshold. The method must be called for all cells in order.
func (e *encoder) threshold(c netlist.Cell, word int) (_ uint64, ok bool) {
	w := e.words[word].nets
	if t, ok := e.compared(c, w); ok {
		e.tabulate(c, w, func(v uint64) bool { return v > t })
		return t, true
	}
	if len(w) > widestWord || e.n.Kind(c) != netlist.Function {
		return 0, false
	}
	value, ok := e.function(c, w)
	if !ok {
		return 0, false
	}
	e.value[e.n.Output(c)] = value
	return step(value, 1<<len(w))
}

// compared returns the threshold of a cell that compares a whole word. The cell may also compare only the word's
// highest bits, if the lower bits do not matter.
func (e *encoder) compared(c netlist.Cell, word []netlist.Net) (threshold uint64, ok bool) {
	in := e.n.Inputs(c)
	low := len(word) - len(in)
	if e.n.Kind(c) != netlist.Compare || low < 0 || len(word) > 63 || e.n.Param(c) > 1<<len(in) {
		return 0, false
	}
	for i, v := range in {
		if v != word[low+i] {
			return 0, false
		}
	}
	return (e.n.Param(c)+1)<<low - 1, true
}

// tabulate records the function of cell c, which later cells may need. It records nothing if the word is too wide.
func (e *encoder) tabulate(c netlist.Cell, word []netlist.Net, of func(value uint64) bool) {
	if len(word) > widestWord {
		return
	}
	value := make([]uint64, (1<<len(word)+63)/64)
	for v := range uint64(1) << len(word) {
		if of(v) {
			value[v>>6] |= 1 << (v & 63)
		}
	}
	e.value[e.n.Output(c)] = value
}

// function returns the value of cell c for every value of the word. ok is false if the function of an input is
// unknown.
func (e *encoder) function(c netlist.Cell, word []netlist.Net) (_ []uint64, ok bool) {
	in := make([][]uint64, len(e.n.Inputs(c)))
	for j, v := range e.n.Inputs(c) {
		if in[j], ok = e.net(v, word); !ok {
			return nil, false
		}
	}
	table := e.n.Param(c)
	value := make([]uint64, (1<<len(word)+63)/64)
	for k := range value {
		var rows [1 << netlist.MaxFunctionInputs]uint64
		for i := range uint64(1) << len(in) {
			rows[i] = -(table >> i & 1)
		}
		for j := range in { // each step decides one input
			for i := range 1 << (len(in) - 1 - j) {
				rows[i] = rows[2*i]&^in[j][k] | rows[2*i+1]&in[j][k]
			}
		}
		value[k] = rows[0]
	}
	return value, true
}

// net returns the function of a net. The net may be a constant, a bit of the word, or the output of a cell.
func (e *encoder) net(v netlist.Net, word []netlist.Net) ([]uint64, bool) {
	if value, ok := e.value[v]; ok {
		return value, true
	}
	value := make([]uint64, (1<<len(word)+63)/64)
	if v > netlist.True && (v < word[0] || v > word[len(word)-1]) {
		return nil, false
	}
	bit := -1
	if v > netlist.True {
		bit = int(v - word[0])
	}
	for k := range value {
		switch {
		case bit < 0:
			value[k] = -uint64(v)
		case bit < 6:
			value[k] = netlist.PinTable(bit)
		default:
			value[k] = -(uint64(k) >> (bit - 6) & 1)
		}
	}
	return value, true
}

// step returns the threshold t at which a function of a word changes. The argument value has one bit for each value
// of the word. This bit is the function's result. The boolean result is true if the function is 0 for words up to t
// and 1 for larger words.
func step(value []uint64, values int) (threshold uint64, ok bool) {
	ones, first := 0, -1
	for k, x := range value {
		if values < 64 {
			x &= 1<<values - 1
		}
		if x != 0 && first < 0 {
			first = 64*k + bits.TrailingZeros64(x)
		}
		ones += bits.OnesCount64(x)
	}
	return uint64(first - 1), first > 0 && first+ones == values
}
