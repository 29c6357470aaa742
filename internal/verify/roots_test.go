package verify

import (
	"fmt"
	"math/bits"
	"testing"

	"ialgn/internal/counts"
	"ialgn/netlist"
	"ialgn/sim"
)

// TestCheckMargin gives an argmax some digits of two numbers, a margin, and an output uncertain, in all ways. The check
// of the head must refuse an output that is wrong for some numbers. It must accept the output that the compiler makes.
func TestCheckMargin(t *testing.T) {
	const digits = 3
	accepted := 0
	for shared := range 1 << digits { // the digits in which both numbers have the same net
		for low := range digits {
			for size := 1; low+size <= digits; size++ {
				for cell := range 1 << size {
					for margin := range 1<<digits + 1 {
						for _, from := range []string{"argmax", "1", "0", "nothing"} {
							if from == "argmax" && cell == 0 {
								continue
							}
							n, numbers := marginHead(shared, low, size, cell, from)
							err := new(Roots).checkArgmax(n, numbers, &counts.Hint{}, margin)
							if err == nil {
								accepted++
							}
							at := fmt.Sprintf("shared %03b, digits %d to %d, margin %d of %d, uncertain from %s", shared, low,
								low+size-1, cell, margin, from)
							if err == nil && !rightHead(t, n, margin) {
								t.Errorf("%s: the check accepts it, but it is wrong", at)
							}
							if err != nil && folded(shared, low, size, cell, margin, from) {
								t.Errorf("%s: %v, want no error", at, err)
							}
						}
					}
				}
			}
		}
	}
	if accepted == 0 {
		t.Error("the check accepts nothing")
	}
}

// TestMarginOfSharedDigits has two numbers of four digits that share the digits 1 and 3, and an argmax that reads only
// the other digits. The output uncertain may be the constant 1 only if no lead is as large as the margin.
func TestMarginOfSharedDigits(t *testing.T) {
	b := netlist.NewBuilder("head")
	x := b.Input("x", 6, 1, nil)
	numbers := [][]netlist.Net{{x[0], x[1], x[2], x[3]}, {x[4], x[1], x[5], x[3]}}
	index := b.Cell(netlist.Argmax, netlist.ArgmaxParam(2, 0), netlist.Origin{}, x[0], x[2], x[4], x[5])
	b.Output(netlist.ClassPort, 1, nil, []netlist.Net{index})
	b.Output(netlist.UncertainPort, 1, nil, []netlist.Net{netlist.True})
	for margin, want := range map[int]bool{7: false, 8: true} {
		if err := new(Roots).checkArgmax(b.Netlist(), numbers, &counts.Hint{}, margin); (err == nil) != want {
			t.Errorf("margin %d: error %v", margin, err)
		}
	}
}

// marginHead returns a netlist of two numbers of three digits, and the nets of the numbers. An argmax with the margin
// cell reads the digits from low on. If cell is 0, the argmax has no margin.
func marginHead(shared, low, size, cell int, from string) (*netlist.Netlist, [][]netlist.Net) {
	const digits = 3
	b := netlist.NewBuilder("head")
	x := b.Input("x", 2*digits, 1, nil)
	numbers := [][]netlist.Net{x[:digits], append([]netlist.Net{}, x[digits:]...)}
	for d := range digits {
		if shared>>d&1 == 1 {
			numbers[1][d] = numbers[0][d]
		}
	}
	words := append(append([]netlist.Net{}, numbers[0][low:low+size]...), numbers[1][low:low+size]...)
	index := b.Cell(netlist.Argmax, netlist.ArgmaxParam(size, cell), netlist.Origin{}, words...)
	b.Output(netlist.ClassPort, 1, nil, []netlist.Net{index})
	switch from {
	case "argmax":
		b.Output(netlist.UncertainPort, 1, nil, []netlist.Net{index + 1})
	case "1":
		b.Output(netlist.UncertainPort, 1, nil, []netlist.Net{netlist.True})
	case "0":
		b.Output(netlist.UncertainPort, 1, nil, []netlist.Net{netlist.False})
	}
	b.Probe("numbers", append(append([]netlist.Net{}, numbers[0]...), numbers[1]...))
	return b.Netlist(), numbers
}

// folded reports whether the compiler makes a head with these arguments for the margin.
func folded(shared, low, size, cell, margin int, from string) bool {
	own := uint(^shared & 0b111)
	if own == 0 || low != bits.TrailingZeros(own) || low+size != bits.Len(own) {
		return false
	}
	least := (margin + 1<<low - 1) >> low // the margin in units of the lowest digit
	switch {
	case margin == 0:
		return cell == 0 && from == "nothing"
	case least >= 1<<size:
		return cell == 0 && from == "1"
	}
	return cell == least && from == "argmax"
}

// rightHead reports whether the outputs of [marginHead] are right for all numbers.
func rightHead(t *testing.T, n *netlist.Netlist, margin int) bool {
	t.Helper()
	s, err := sim.New(n)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]uint64, len(n.InputPorts()[0].Nets))
	for sample := range 1 << len(x) {
		for i := range x {
			x[i] |= uint64(sample>>i&1) << sample
		}
	}
	if err := s.Run(1, x); err != nil {
		t.Fatal(err)
	}
	outputs, numbers := n.OutputPorts(), s.Port(n.Probes()[0], nil)
	if (len(outputs) == 2) != (margin > 0) {
		return false
	}
	for sample := range 1 << len(x) {
		var value [2]int
		for i, row := range numbers {
			value[i/3] |= int(row>>sample&1) << (i % 3)
		}
		if got := s.Port(outputs[0], nil)[0]>>sample&1 == 1; got != (value[1] > value[0]) {
			return false
		}
		lead := max(value[0]-value[1], value[1]-value[0])
		if margin > 0 && (s.Port(outputs[1], nil)[0]>>sample&1 == 1) != (lead < margin) {
			return false
		}
	}
	return true
}
