// Package learned moves the thresholds of thermometer bits to places where the loss is lower. It estimates the loss
// to first order, from gradients.
//
// A thermometer bit is value > threshold. If the threshold moves up, the bit turns off for the samples whose values
// the threshold passes. If the threshold moves down, the bit turns on for such samples. The effect on the loss is the
// straight-through gradient of the loss with respect to the bit, summed over the pins that read the bit. The package
// sums these gradients separately for each value that a sample can have. These sums give the change of the loss for
// every possible new threshold:
//
//	H[v]  sum over samples s of value v, and over the pins that read the bit in s's step, of n beta_s
//	t up to t'    changes the loss by  -(H[t+1] + ... + H[t'])
//	t down to t'  changes the loss by    H[t'+1] + ... + H[t]
//
// beta_s is the gradient that a [kernel.Sink] receives. It is the gradient of the mean loss over the n samples of a
// batch, so n beta_s is the gradient of the sample's own loss. [Sums] gathers H over some batches, and [Sums.Move]
// moves thresholds, within [Limits]. H is summed in integers, so the result does not depend on the order, the number
// of threads or interruptions.
//
// Values of more than 8 bits are binned by their highest 8 bits. Their thresholds move only to the last values of
// bins. A threshold inside a bin counts as if it were at the bin's end.
package learned

import (
	"fmt"
	"slices"
	"sync"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// mostBins is the largest number of bins. A feature with few values has one bin for each value. binBits is the binary
// logarithm of mostBins.
const (
	binBits  = 8
	mostBins = 1 << binBits
)

// binShift returns the number of bits by which words of bitsIn bits are shifted right to get their bins.
func binShift(bitsIn int) int { return max(0, bitsIn-binBits) }

// row holds H of one bit, in units of 1/[Sums.unit].
type row [mostBins]int64

// Sums holds the sums H for all bits that some pin has read since the Sums was made. It is a [kernel.Sink].
type Sums struct {
	enc   *encoding.Encoder
	reads [][]bool // whether the pin reads input bits, [layer][pin]
	tau   float64
	shift int    // shift from a value to its bin
	rows  []*row // sums of each input bit; nil if no pin has read the bit
	locks [64]sync.Mutex

	counts [][mostBins]uint32 // number of samples in each bin of each feature

	// The current batch.
	values  []uint16 // values of a sample
	bin     []uint8  // bins of the samples' values, [feature][most]
	most    int      // largest number of samples in a batch
	samples int
	scale   float64
}

// NewSums returns empty sums of a model, for batches of at most maxBatch samples. The encoder is the model's own.
func NewSums(m *model.Model, maxBatch int) *Sums {
	e := &m.Encoder
	s := &Sums{
		enc: e, tau: m.Config.Model.Tau, shift: binShift(e.BitsIn), rows: make([]*row, e.Inputs()),
		counts: make([][mostBins]uint32, e.Features()),
		values: make([]uint16, e.Features()), bin: make([]uint8, e.Features()*maxBatch), most: maxBatch,
	}
	for i := range m.Sections {
		section := &m.Sections[i]
		var pins []bool
		for k := range section.Pins {
			pins = append(pins, section.Pins[k].Source == model.Input)
		}
		for range section.Layers {
			s.reads = append(s.reads, pins)
		}
	}
	return s
}

// Bytes returns the largest number of bytes that the sums of a network can take. The arrays of the sections need not
// be allocated.
func Bytes(sections []model.Section, features, inputs, maxBatch int) uint64 {
	pins := 0
	for i := range sections {
		s := &sections[i]
		for k := range s.Pins {
			if s.Pins[k].Source == model.Input {
				pins += s.Width * s.Layers
			}
		}
	}
	return uint64(min(pins, inputs))*8*mostBins + uint64(inputs)*8 + uint64(features)*(4*mostBins+uint64(maxBatch))
}

// Begin sets the samples of the next batch, given by their feature words. It panics if there are more than maxBatch
// samples.
func (s *Sums) Begin(words *encoding.Packed, index []int32) {
	if len(index) > s.most || words.Features != len(s.values) {
		panic(fmt.Sprintf("learned: %d samples of %d features, want at most %d of %d", len(index), words.Features, s.most,
			len(s.values)))
	}
	s.samples = len(index)
	s.scale = float64(s.samples) * s.unit()
	for i, sample := range index {
		words.Values(s.values, int(sample))
		for f, v := range s.values {
			bin := uint8(v >> s.shift)
			s.bin[f*s.most+i] = bin
			s.counts[f][bin]++
		}
	}
}

// unit is the integer that represents the gradient 1 of a sample's own loss. If a single node of the last layer reads
// the bit, gradients are at most 1/tau. In this case, the integers keep all 24 significant bits of a float32.
func (s *Sums) unit() float64 { return s.tau * (1 << 24) }

// Wants implements [kernel.Sink].
func (s *Sums) Wants(layer, _, pin int) bool { return s.reads[layer][pin] }

// Take implements [kernel.Sink].
func (s *Sums) Take(_, _, _, _ int, wire uint32, beta []float32) {
	f := int(wire) / (s.enc.Bits - 1)
	bins := s.bin[f*s.most:][:s.samples]
	beta = beta[:s.samples]
	lock := &s.locks[int(wire)%len(s.locks)]
	lock.Lock()
	defer lock.Unlock()
	h := s.rows[wire]
	if h == nil {
		h = new(row)
		s.rows[wire] = h
	}
	for i, b := range bins {
		h[b] += whole(float64(beta[i]) * s.scale)
	}
}

// whole returns x without its fraction. The result is limited to a range that is small enough for sums not to
// overflow. For NaN, whole returns the lower limit.
func whole(x float64) int64 {
	const most = 1 << 40
	switch {
	case x >= most:
		return most
	case !(x > -most):
		return -most
	}
	return int64(x)
}

// Together returns the sums of all ranks. Every rank must have passed the same samples to Begin and the gradients of
// its own pins to Take. The function sum replaces numbers by their sums over all ranks. If sum is nil, there is only
// one rank, and Together returns s.
func (s *Sums) Together(sum func([]int32) error) (*Sums, error) {
	if sum == nil {
		return s, nil
	}
	read := make([]int32, len(s.rows))
	for i, h := range s.rows {
		if h != nil {
			read[i] = 1
		}
	}
	if err := sum(read); err != nil {
		return nil, err
	}
	all := &Sums{enc: s.enc, tau: s.tau, shift: s.shift, rows: make([]*row, len(s.rows)), counts: s.counts}
	var bits []int
	for i, n := range read {
		if n > 0 {
			bits = append(bits, i)
		}
	}
	for some := range slices.Chunk(bits, rowsTogether) {
		if err := s.addRows(all, some, sum); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// rowsTogether is the number of rows that ranks sum at a time. Each element of a row is split into parts of limbBits
// bits. The constant limbs is the number of parts. The sum of a part over up to 2^15 ranks fits in an int32.
const (
	rowsTogether = 64
	limbs        = 4
	limbBits     = 16
)

// addRows sums rows over all ranks and adds the results to the rows of the argument all. The argument some lists the
// input bits whose rows are summed.
func (s *Sums) addRows(all *Sums, some []int, sum func([]int32) error) error {
	parts := make([]int32, len(some)*mostBins*limbs)
	for n, i := range some {
		if s.rows[i] == nil {
			continue
		}
		for v, h := range s.rows[i] {
			for k := range limbs {
				parts[(n*mostBins+v)*limbs+k] = int32(uint64(h) >> (k * limbBits) & (1<<limbBits - 1))
			}
		}
	}
	if err := sum(parts); err != nil {
		return err
	}
	for n, i := range some {
		h := new(row)
		for v := range h {
			for k := range limbs { // negative numbers and their sums are represented modulo 2^64
				h[v] += int64(uint64(parts[(n*mostBins+v)*limbs+k]) << (k * limbBits))
			}
		}
		all.rows[i] = h
	}
	return nil
}

// State is the content of sums that a checkpoint stores.
type State struct {
	Bits []uint32 // the input bits that were read, in ascending order
	H    []int64  // H of each bit in Bits, one after another

	Counts []uint32 // number of samples in each bin of each feature
}

// NewState returns a state whose H and Counts have the given shapes. A checkpoint is read into this state, and
// [Sums.Restore] then uses it. For impossible shapes NewState returns an empty state.
func NewState(h, counts []int64) State {
	for _, shape := range [][]int64{h, counts} {
		if len(shape) != 2 || shape[1] != mostBins {
			return State{}
		}
	}
	return State{make([]uint32, h[0]), make([]int64, h[0]*mostBins), make([]uint32, counts[0]*mostBins)}
}

// Shapes returns the shapes of H and Counts.
func (s State) Shapes() (h, counts []int) {
	return []int{len(s.Bits), mostBins}, []int{len(s.Counts) / mostBins, mostBins}
}

// State returns a copy of the sums.
func (s *Sums) State() (state State) {
	for i, h := range s.rows {
		if h != nil {
			state.Bits, state.H = append(state.Bits, uint32(i)), append(state.H, h[:]...)
		}
	}
	for f := range s.counts {
		state.Counts = append(state.Counts, s.counts[f][:]...)
	}
	return state
}

// Restore adds a state to empty sums. It returns an error if the state does not fit them.
func (s *Sums) Restore(state State) error {
	if len(state.Counts) != len(s.counts)*mostBins {
		return fmt.Errorf("the sums for thresholds are of %d features, want %d", len(state.Counts)/mostBins, len(s.counts))
	}
	for f := range s.counts {
		copy(s.counts[f][:], state.Counts[f*mostBins:])
	}
	for n, i := range state.Bits {
		if int(i) >= len(s.rows) || s.rows[i] != nil || n > 0 && i < state.Bits[n-1] {
			return fmt.Errorf("input bit %d of %d in the sums for thresholds, after %d others", i, len(s.rows), n)
		}
		s.rows[i] = (*row)(slices.Clone(state.H[n*mostBins:][:mostBins]))
	}
	return nil
}
