package verify

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// Roots are the bits that are counted for each class.
type Roots struct {
	Bits  [][]Root // [class]
	Pairs []int    // [class]: number of pairs of complementary bits, which are not in Bits

	// Ports says that the roots are the bits of the output port h. In this case, Bits has a single row with all bits
	// in the order of the port. Otherwise, the order of the bits in a row does not matter.
	Ports bool

	// Argmax is the tournament that computes the class. It is nil if an argmax operator computes the class.
	Argmax *counts.Index
}

// FindRoots returns the bits that are counted for each class. It also checks the head. Each probe count_c must be the
// whole count of its class. class_index must be the argmax of the counts. If there is an output port of the counts,
// it must carry the counts. If the margin is not 0, there must be an output uncertain for this margin, and otherwise
// there must be none. For a lowered head, the hint h names the counted bits, and FindRoots proves the counts. If raw is
// not nil, it has the roots of the raw netlist. A class of n then has at most as many bits as in raw. If [Roots.Argmax]
// is not nil, the caller has to prove it.
func FindRoots(n *netlist.Netlist, h *counts.Hint, margin int, raw *Roots) (*Roots, error) {
	if i := slices.IndexFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == "h" }); i >= 0 {
		return &Roots{Bits: [][]Root{copies(n.OutputPorts()[i].Nets)}, Pairs: []int{0}, Ports: true}, nil
	}
	if h == nil {
		h = &counts.Hint{}
	}
	if err := h.Check(n); err != nil {
		return nil, err
	}
	r := &Roots{}
	var numbers [][]netlist.Net
	used := make([]bool, len(h.Counts))
	for _, p := range n.Probes() {
		if p.Name != fmt.Sprintf("count_%d", len(numbers)) {
			continue
		}
		bits, pairs, err := counted(n, p, h.Counts, used, raw.most(len(numbers)))
		if err != nil {
			return nil, err
		}
		numbers, r.Bits, r.Pairs = append(numbers, p.Nets), append(r.Bits, bits), append(r.Pairs, pairs)
	}
	if err := r.checkArgmax(n, numbers, h, margin); err != nil {
		return nil, err
	}
	return r, CheckCounts(n)
}

// most returns the largest number of bits that a netlist can count for a class, if r has the roots of the raw netlist.
func (r *Roots) most(class int) int {
	if r == nil || class >= len(r.Bits) {
		return math.MaxInt
	}
	return len(r.Bits[class])
}

func copies(nets []netlist.Net) []Root {
	bits := make([]Root, len(nets))
	for i, v := range nets {
		bits[i] = Root{TableCopy, []netlist.Net{v}}
	}
	return bits
}

// Significant removes the highest digits of a word as long as they are the constant 0.
func Significant(digits []netlist.Net) []netlist.Net {
	for len(digits) > 0 && digits[len(digits)-1] == netlist.False {
		digits = digits[:len(digits)-1]
	}
	return digits
}

// counted returns the bits whose count is the probe p. These are the inputs of a popcount or, for a lowered popcount,
// the bits that the hint names, if they are not more than most. The probe may also be a single bit. If it is a constant
// n, counted returns n constant ones.
func counted(
	n *netlist.Netlist, p netlist.Port, numbers []counts.Count, used []bool, most int,
) (bits []Root, pairs int, err error) {
	digits := Significant(p.Nets)
	if c := FindCount(numbers, used, digits, most); c != nil {
		return lowered(n, p.Name, c)
	}
	if !slices.ContainsFunc(digits, func(v netlist.Net) bool { return v > netlist.True }) {
		ones := 0
		for i, v := range digits {
			ones |= int(v) << i
		}
		return copies(slices.Repeat([]netlist.Net{netlist.True}, ones)), 0, nil
	}
	c, pin, ok := n.Driver(digits[0])
	isPopcount := ok && n.Kind(c) == netlist.Popcount
	switch {
	case len(digits) == 1 && !isPopcount:
		return copies(digits), 0, nil
	case isPopcount && pin == 0 && slices.Equal(digits, netlist.Word(digits[0], n.Outputs(c))):
		return copies(n.Inputs(c)), 0, nil
	}
	return nil, 0, fmt.Errorf("%s is not the result of a popcount", p.Name)
}

// FindCount returns the count with the given digits and at most the given number of bits, and marks it as used. Classes
// whose counts are always equal have the same digits, and may share a count. So FindCount prefers a count that was not
// used before. With class offsets, the count of another class may have more bits than the raw netlist has for the
// class.
func FindCount(numbers []counts.Count, used []bool, digits []netlist.Net, most int) *counts.Count {
	found := -1
	for i, c := range numbers {
		if len(c.Bits) <= most && slices.Equal(Significant(c.Digits), digits) && (found < 0 || used[found] && !used[i]) {
			found = i
		}
	}
	if found < 0 {
		return nil
	}
	used[found] = true
	return &numbers[found]
}

// lowered proves the count of a lowered popcount. It returns the bits of the popcount and the number of pairs among
// these bits.
func lowered(n *netlist.Netlist, name string, c *counts.Count) (bits []Root, pairs int, err error) {
	if err := counts.Prove(n, c); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	for i, b := range c.Bits {
		switch {
		case b.Pair == nil:
			bits = append(bits, Root{b.Table, b.Nets})
		case i < *b.Pair:
			pairs++
		}
	}
	return bits, pairs, nil
}

// checkArgmax checks that the output class_index is the argmax of the counts, and that the output uncertain is the
// argmax's for the given margin. The argmax need not read a digit in which all counts have the same net.
func (r *Roots) checkArgmax(n *netlist.Netlist, numbers [][]netlist.Net, h *counts.Hint, margin int) error {
	out, uncertain, err := headPorts(n, margin)
	if err != nil || len(numbers) == 0 {
		return cmp.Or(err, errors.New("there is no count_0"))
	}
	a := counts.Index{Words: make([][]netlist.Net, len(numbers))}
	if i := slices.IndexFunc(h.Argmaxs, func(x counts.Index) bool { return slices.Equal(x.Index, out) }); i >= 0 {
		r.Argmax = &h.Argmaxs[i]
		a = *r.Argmax
	} else if c, pin, ok := n.Driver(out[0]); ok && n.Kind(c) == netlist.Argmax && pin == 0 {
		size, in := n.ArgmaxWidth(c), n.Inputs(c)
		if len(in) != size*len(numbers) || !slices.Equal(out, netlist.Word(out[0], n.IndexBits(c))) {
			return fmt.Errorf("class_index is not the argmax of %d counts", len(numbers))
		}
		for w := range a.Words {
			a.Words[w] = in[w*size : (w+1)*size]
		}
		a.Margin, a.Uncertain = n.Margin(c), out[0]+netlist.Net(len(out))
	} else if !isNumber(out, n.Contender(0)) { // if all counts are equal, the class is a constant
		return fmt.Errorf("class_index is not the result of an argmax")
	}
	if err := checkWords(numbers, a.Words); err != nil || margin == 0 {
		return err
	}
	return checkMargin(numbers, &a, uncertain, margin)
}

// isNumber reports whether a word is a constant number.
func isNumber(word []netlist.Net, number int) bool {
	for i, v := range word {
		if v != netlist.Net(number>>i&1) {
			return false
		}
	}
	return true
}

// headPorts returns the nets of the output class_index and, if the margin is not 0, the net of the output uncertain.
func headPorts(n *netlist.Netlist, margin int) (index []netlist.Net, uncertain netlist.Net, err error) {
	found := false
	for _, p := range n.OutputPorts() {
		switch p.Name {
		case netlist.ClassPort:
			index = p.Nets
		case netlist.UncertainPort:
			uncertain, found = p.Nets[0], len(p.Nets) == 1
		}
	}
	switch {
	case index == nil:
		return nil, 0, fmt.Errorf("there is no %s", netlist.ClassPort)
	case found && margin == 0:
		return nil, 0, fmt.Errorf("there is an output %s, but no margin", netlist.UncertainPort)
	case margin > 0 && !found:
		return nil, 0, fmt.Errorf("there is no output %s of one bit", netlist.UncertainPort)
	}
	return index, uncertain, nil
}

// checkMargin checks that the argmax a finds out whether the lead of the largest count is less than the margin. If all
// counts share their lowest digits, the leads are multiples of a power of two, and the argmax has a smaller margin. If
// no lead is as large as the margin, the output uncertain may be the constant 1.
func checkMargin(numbers [][]netlist.Net, a *counts.Index, uncertain netlist.Net, margin int) error {
	if low, high := ownDigits(numbers); len(numbers) > 1 && uncertain == netlist.True &&
		bits.Len(uint((margin-1)>>low+1)) > high-low {
		return nil
	}
	size := len(a.Words[0])
	for low := 0; low+size <= len(numbers[0]); low++ {
		if readsDigits(numbers, a.Words, low) && a.Margin == (margin-1)>>low+1 && a.Uncertain == uncertain {
			return nil
		}
	}
	return fmt.Errorf("%s is not the result of an argmax with the margin %d", netlist.UncertainPort, margin)
}

// ownDigits returns the range of digits that not all numbers share: the lowest of them, and the first digit above them.
// If the numbers share all digits, the range is empty.
func ownDigits(numbers [][]netlist.Net) (low, high int) {
	for d := range numbers[0] {
		if !slices.ContainsFunc(numbers, func(digits []netlist.Net) bool { return digits[d] != numbers[0][d] }) {
			continue
		}
		if high == 0 {
			low = d
		}
		high = d + 1
	}
	return low, high
}

// readsDigits reports whether the words are the digits of the numbers from digit low on, and all numbers share the
// other digits.
func readsDigits(numbers, words [][]netlist.Net, low int) bool {
	for c, digits := range numbers {
		high := low + len(words[c])
		if high > len(digits) || !slices.Equal(digits[low:high], words[c]) ||
			!slices.Equal(digits[:low], numbers[0][:low]) || !slices.Equal(digits[high:], numbers[0][high:]) {
			return false
		}
	}
	return true
}

// checkWords checks that the argmax reads the counts. The argmax need not read digits that all counts share.
func checkWords(numbers, words [][]netlist.Net) error {
	if len(words) != len(numbers) {
		return fmt.Errorf("the argmax has %d words, there are %d counts", len(words), len(numbers))
	}
	size, next := len(words[0]), 0
	for d := range numbers[0] {
		shared, taken := true, next < size
		for c, digits := range numbers {
			if len(digits) != len(numbers[0]) || len(words[c]) != size {
				return fmt.Errorf("count_%d has %d digits, count_0 has %d", c, len(digits), len(numbers[0]))
			}
			shared = shared && digits[d] == numbers[0][d]
			taken = taken && digits[d] == words[c][next]
		}
		switch {
		case taken:
			next++
		case !shared:
			return fmt.Errorf("the argmax does not read digit %d of the counts", d)
		}
	}
	if next < size {
		return fmt.Errorf("the argmax reads %d digits of each count, there are %d", size, len(numbers[0]))
	}
	return nil
}
