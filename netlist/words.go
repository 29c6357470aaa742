package netlist

// These are the results of [Netlist.Words] for nets that depend on no word, or on more than one.
const (
	AnyWord = -1 // a constant
	NoWord  = -2 // the net depends on several words, or on a bit that belongs to no word
)

// Words returns for every net, indexed by [Net], the single word of an input port that the net depends on, such as
// the feature that a comparator reads. Words are numbered through all input ports in order. Bits of a port with
// one-bit words belong to no word: they are thermometer bits, which are already encoded. Outputs of gates of the
// model, popcounts and argmax belong to no word either.
//
// The netlist must be valid. The result has 4 bytes for each net.
func (n *Netlist) Words() []int32 {
	word := make([]int32, n.Nets())
	word[False], word[True] = AnyWord, AnyWord
	first := int32(0)
	for _, p := range n.inputs {
		size := max(p.Word, 1)
		for i, v := range p.Nets {
			if word[v] = NoWord; size > 1 {
				word[v] = first + int32(i/size)
			}
		}
		first += int32((len(p.Nets) + size - 1) / size)
	}
	for c := range n.kind {
		w := n.wordOf(Cell(c), word)
		for v := n.outStart[c]; v < n.outStart[c+1]; v++ {
			word[v] = w
		}
	}
	return word
}

// wordOf returns the word for the nets that cell c drives. The words for nets with lower numbers are known.
func (n *Netlist) wordOf(c Cell, word []int32) int32 {
	k := n.kind[c]
	if k != Register && (n.layer[c] > 0 || k == Popcount || k == Argmax) {
		return NoWord
	}
	w := int32(AnyWord)
	for _, v := range n.dataInputs(c) {
		switch of := word[v]; {
		case of == AnyWord || of == w:
		case w == AnyWord:
			w = of
		default:
			return NoWord
		}
	}
	return w
}
