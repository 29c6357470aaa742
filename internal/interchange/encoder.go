package interchange

import (
	"fmt"
	"math"
	"slices"

	"github.com/chewxy/math32"

	"ialgn/internal/encoding"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// maxBits is the largest number of thresholds of a feature.
const maxBits = encoding.MaxBits - 1

// maxInputs is the largest number of input bits.
const maxInputs = 1 << 24

// inputs describes the inputs of a network. It has an encoder, and says where each of the network's input bits comes
// from.
type inputs struct {
	encoder encoding.Encoder
	// bits holds the network's input bits. Each input bit is one of the following:
	//   - a bit of the encoder, by its number;
	//   - the constant 1, if a threshold is below every word;
	//   - a digit that nodes compute from bits of the encoder.
	bits []graph.Ref
	// plain says that every element of bits is a bit of the encoder.
	plain bool
	nodes *graph.Circuit // the nodes that compute digits; nil if there are none
}

// newInputs returns the inputs of a network. The parameter words says whether the features are whole numbers that are
// divided before the network reads them.
func newInputs(in *graph.Input, words given.InputNumbers) (*inputs, error) {
	if err := checkInput(in); err != nil {
		return nil, err
	}
	switch {
	case in.Thresholds != nil && words.Bits > 0:
		return wordInputs(in, in.Thresholds, words)
	case in.Thresholds != nil:
		return realInputs(in)
	case in.Digits == 1 && words.Bits > 0: // each bit is a word that was divided and rounded
		return wordInputs(in, slices.Repeat([][]float32{{0.5}}, in.Features()), words)
	case words.Bits > 0:
		return nil, fmt.Errorf("input.bits: the network takes whole numbers of %d bits by itself: leave it out", in.Digits)
	}
	return digitInputs(in), nil
}

// checkInput returns an error for an input that no encoder can have, or that a reader should have refused.
func checkInput(in *graph.Input) error {
	if len(in.Shape) == 0 {
		return fmt.Errorf("an input without a shape")
	}
	features := 1
	for _, d := range in.Shape {
		if d < 1 || features > maxInputs/d {
			return fmt.Errorf("an input of shape %v, want 1 to %d features", in.Shape, maxInputs)
		}
		features *= d
	}
	per := in.PerFeature()
	limit := maxBits
	if in.Thresholds == nil {
		limit = 8
	}
	switch {
	case in.Thresholds != nil && len(in.Thresholds) != features:
		return fmt.Errorf("thresholds of %d features, the network has %d", len(in.Thresholds), features)
	case per < 1 || per > limit || in.Bits() > maxInputs:
		return fmt.Errorf("features of %d bits, %d in all; want 1 to %d, and at most %d", per, in.Bits(), limit, maxInputs)
	}
	for f, row := range in.Thresholds {
		if len(row) != per {
			return fmt.Errorf("feature %d has %d thresholds, feature 0 %d", f, len(row), per)
		}
		for j, t := range row {
			if math32.IsNaN(t) {
				return fmt.Errorf("feature %d: threshold %d is no number", f, j)
			}
		}
	}
	for i, b := range in.Order {
		if b.Feature < 0 || int(b.Feature) >= features || b.Index < 0 || int(b.Index) >= per {
			return fmt.Errorf("input bit %d is bit %d of feature %d, which there is none of", i, b.Index, b.Feature)
		}
	}
	return nil
}

// ascending returns the indices of the thresholds of a row in ascending order, and the rank of each threshold.
func ascending(row []float32) (order, rank []int) {
	for j := range row {
		order = append(order, j)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case row[a] < row[b]:
			return -1
		case row[a] > row[b]:
			return 1
		}
		return 0
	})
	rank = make([]int, len(row))
	for i, j := range order {
		rank[j] = i
	}
	return order, rank
}

// realInputs returns an encoder of real values. Its comparisons have the same results as the network's comparisons.
func realInputs(in *graph.Input) (*inputs, error) {
	cuts, ranks := make([][]float64, len(in.Thresholds)), make([][]int, len(in.Thresholds))
	for f, row := range in.Thresholds {
		var order []int
		order, ranks[f] = ascending(row)
		for _, j := range order {
			cuts[f] = append(cuts[f], cut(row[j]))
		}
	}
	e, err := encoding.NewCuts(cuts, nil)
	if err != nil {
		return nil, err
	}
	x := &inputs{encoder: *e, plain: true}
	for i := range in.Bits() {
		b := in.Bit(i)
		x.bits = append(x.bits, graph.Ref(int(b.Feature)*in.PerFeature()+ranks[b.Feature][b.Index]))
	}
	return x, nil
}

// cut returns the threshold for values in double precision that matches the threshold t in single precision. A value
// exceeds the cut exactly if the value exceeds t after rounding to single precision. The cut is half way from t to
// the next number in single precision. If the half way point is rounded up, the cut is just below this point.
func cut(t float32) float64 {
	if math32.IsInf(t, 1) {
		return math.MaxFloat64
	}
	const beyond = 1 << 128 // used instead of infinity as the number after the largest float32
	here, next := max(float64(t), -beyond), min(float64(math32.Nextafter(t, math32.Inf(1))), beyond)
	half := (here + next) / 2
	if math.Float32bits(t)&1 == 1 { // a value half way is rounded to the even number
		return math.Nextafter(half, math.Inf(-1))
	}
	return half
}

// wordInputs returns an encoder of whole numbers. Each threshold becomes the largest word that does not exceed the
// threshold.
func wordInputs(in *graph.Input, thresholds [][]float32, words given.InputNumbers) (*inputs, error) {
	largest, per := uint32(1)<<words.Bits-1, len(thresholds[0])
	x := &inputs{encoder: encoding.Encoder{Bits: per + 1, BitsIn: words.Bits, Max: largest}, plain: true}
	divisor := float32(words.Divisor)
	if divisor == 0 {
		divisor = 1
	}
	refs := make([][]graph.Ref, len(thresholds))
	for f, row := range thresholds {
		order, _ := ascending(row)
		line := make([]uint16, 0, per)
		refs[f] = make([]graph.Ref, per)
		var always []int
		for _, j := range order {
			least := leastAbove(row[j], divisor, largest)
			if least == 0 {
				always = append(always, j)
				continue
			}
			refs[f][j] = graph.Ref(f*per + len(line))
			line = append(line, uint16(least-1))
		}
		for _, j := range always { // nothing reads the bit of this comparison
			refs[f][j], x.plain = graph.True, false
			line = append(line, uint16(largest))
		}
		x.encoder.Thresholds = append(x.encoder.Thresholds, line)
	}
	for i := range in.Bits() {
		b := in.Bit(i)
		x.bits = append(x.bits, refs[b.Feature][b.Index])
	}
	return x, x.encoder.Check()
}

// leastAbove returns the least word that exceeds t after division by divisor, or largest+1 if there is no such word.
func leastAbove(t, divisor float32, largest uint32) uint32 {
	low, high := uint32(0), largest+1
	for low < high {
		middle := (low + high) / 2
		if float32(middle)/divisor > t {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// digitInputs returns an encoder of words of a few bits. It also returns nodes that compute the digits that the
// network reads.
func digitInputs(in *graph.Input) *inputs {
	levels := 1<<in.Digits - 1
	x := &inputs{
		encoder: encoding.Encoder{Bits: levels + 1, BitsIn: in.Digits, Max: uint32(levels)}, plain: in.Digits == 1,
	}
	row := make([]uint16, levels)
	for j := range row {
		row[j] = uint16(j)
	}
	for range in.Features() {
		x.encoder.Thresholds = append(x.encoder.Thresholds, slices.Clone(row))
	}
	x.nodes = graph.NewCircuit(in.Features() * levels)
	made := make([]graph.Ref, in.Features()*in.Digits)
	for i := range made {
		made[i] = digit(x.nodes, i/in.Digits*levels, levels, i%in.Digits)
	}
	for i := range in.Bits() {
		b := in.Bit(i)
		x.bits = append(x.bits, made[int(b.Feature)*in.Digits+int(b.Index)])
	}
	return x
}

// digit returns one binary digit of a word. Input first of the circuit compares the word with 0, the next input
// compares it with 1, and so on. The digit is 1 if the word has reached an odd number of multiples of the digit's
// weight.
func digit(c *graph.Circuit, first, levels, place int) graph.Ref {
	var multiples []graph.Ref
	for m := 1 << place; m <= levels; m += 1 << place {
		multiples = append(multiples, graph.Ref(first+m-1))
	}
	return c.Xor(multiples...)
}
