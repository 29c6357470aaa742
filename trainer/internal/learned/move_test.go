package learned

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// sumsFor returns empty sums for one feature with the given thresholds.
func sumsFor(bitsIn int, most uint32, thresholds ...uint16) *Sums {
	m := netgen.Model(netgen.ModelOptions{Features: 1, Bits: len(thresholds) + 1, BitsIn: bitsIn, Tau: 1})
	m.Encoder = encoding.Encoder{
		Bits: len(thresholds) + 1, BitsIn: bitsIn, Max: most, Thresholds: [][]uint16{slices.Clone(thresholds)},
	}
	return NewSums(m, 10)
}

// TestMove checks where thresholds go for given sums H of each bit and bin.
func TestMove(t *testing.T) {
	type sums map[int]map[int]int64
	for _, c := range []struct {
		name       string
		bitsIn     int
		max        uint32
		thresholds []uint16
		h          sums
		reach      uint64
		price      Price
		want       []uint16
	}{
		{"up to where the sum ends", 4, 15, []uint16{5}, sums{0: {6: 3, 7: 2, 8: -1}}, 8, nil, []uint16{7}},
		{"down to where the sum ends", 4, 15, []uint16{5}, sums{0: {5: -3, 4: -2, 3: 1}}, 8, nil, []uint16{3}},
		{"over a hill", 4, 15, []uint16{5}, sums{0: {6: -3, 7: 5}}, 8, nil, []uint16{7}},
		{"the better side", 4, 15, []uint16{5}, sums{0: {6: 3, 5: -4}}, 8, nil, []uint16{4}},
		{"of equals the lower", 4, 15, []uint16{5}, sums{0: {6: 3, 5: -3}}, 8, nil, []uint16{4}},
		{"of equals the nearer", 4, 15, []uint16{5}, sums{0: {6: 3}}, 8, nil, []uint16{6}},
		{"not without a gain", 4, 15, []uint16{5}, sums{0: {6: -3, 5: 3}}, 8, nil, []uint16{5}},
		{"not for nothing", 4, 15, []uint16{5}, sums{0: {}}, 8, nil, []uint16{5}},
		{"nobody reads it", 4, 15, []uint16{5}, nil, 8, nil, []uint16{5}},
		{"within reach", 4, 15, []uint16{5}, sums{0: {6: 1, 7: 1, 8: 1, 9: 9}}, 3, nil, []uint16{8}},
		{"below the largest value", 4, 11, []uint16{8}, sums{0: {9: 1, 10: 1, 11: 1}}, 8, nil, []uint16{10}},
		{"down to zero", 4, 11, []uint16{1}, sums{0: {1: -1, 0: -1}}, 8, nil, []uint16{0}},
		{"up to the next one", 4, 15, []uint16{3, 6}, sums{0: {4: 1, 5: 1, 6: 1, 7: 1}}, 8, nil, []uint16{6, 6}},
		{"down to the one before", 4, 15, []uint16{3, 6}, sums{1: {6: -1, 5: -1, 4: -1, 3: -1}}, 8, nil, []uint16{3, 3}},
		{
			"not past where the one before was", 4, 15,
			[]uint16{3, 6},
			sums{0: {3: -1, 2: -1}, 1: {6: -1, 5: -1, 4: -1, 3: -1}},
			8,
			nil,
			[]uint16{1, 3},
		},
		{
			"one is in the way of another", 4, 15,
			[]uint16{3, 6},
			sums{0: {4: 1, 5: 1, 6: 1}, 1: {6: -9, 5: -9, 4: -9}},
			8, nil,
			[]uint16{3, 3},
		},
		{"one value has no other place", 1, 1, []uint16{0, 0}, sums{0: {0: -1, 1: 1}, 1: {0: -1, 1: 1}}, 8, nil, []uint16{0, 0}},
		{"from the largest value", 4, 11, []uint16{11}, sums{0: {11: -1}}, 8, nil, []uint16{10}},
		{"by bins of four", 10, 1000, []uint16{403}, sums{0: {101: 3, 102: 2}}, 8, nil, []uint16{411}},
		{"from within a bin", 10, 1000, []uint16{401}, sums{0: {100: -3, 99: -1}}, 8, nil, []uint16{395}},
		{"the last bin but one", 10, 1000, []uint16{991}, sums{0: {248: 1, 249: 1, 250: 1}}, 8, nil, []uint16{999}},
		{"a neighbour in the same bin", 10, 1000, []uint16{401, 402}, sums{0: {101: 1}, 1: {101: 1}}, 8, nil, []uint16{401, 407}},
		{
			"where it is cheaper", 4, 15,
			[]uint16{5},
			sums{0: {}},
			8,
			func(_ int, at uint16) float64 { return math.Abs(float64(at) - 7) },
			[]uint16{7},
		},
		{
			"not where the loss grows by more", 4, 15,
			[]uint16{5},
			sums{0: {6: -1 << 40}},
			8,
			func(_ int, at uint16) float64 { return -float64(at) / 64 },
			[]uint16{5},
		},
		{
			"where the loss grows by less", 4, 15,
			[]uint16{5},
			sums{0: {6: -1 << 20}},
			1,
			func(_ int, at uint16) float64 { return -float64(at) / 64 },
			[]uint16{6},
		},
	} {
		s := sumsFor(c.bitsIn, c.max, c.thresholds...)
		for bit, h := range c.h {
			s.rows[bit] = new(row)
			for v, x := range h {
				s.rows[bit][v] = x
			}
		}
		for bin := range s.counts[0] { // one sample at each value, so a limit of n samples is a limit of n bins
			s.counts[0][bin] = 1
		}
		moved, wantMoved := s.Move(10, Limits{Samples: c.reach, Readers: readers(len(c.thresholds)), Flips: 1 << 40}, c.price), 0
		for j := range c.want {
			if c.want[j] != c.thresholds[j] {
				wantMoved++
			}
		}
		if diff := cmp.Diff(c.want, s.enc.Thresholds[0]); diff != "" || moved != wantMoved {
			t.Errorf("%s: %d moved, thresholds (-want +got):\n%s", c.name, moved, diff)
		}
	}
}

// readers returns a count of one reader for each bit.
func readers(bits int) (all []int32) {
	for range bits {
		all = append(all, 1)
	}
	return all
}

// TestFlips checks the order and the limit of moves. The thresholds with the largest gain per flipped bit move first,
// until the allowed number of bits has flipped.
func TestFlips(t *testing.T) {
	for _, c := range []struct {
		name    string
		readers []int32
		flips   uint64
		want    []uint16
	}{
		{"all", []int32{1, 1, 1}, 100, []uint16{3, 7, 12}},
		{"none", []int32{1, 1, 1}, 2, []uint16{2, 6, 10}},
		{"the best of them", []int32{1, 1, 1}, 5, []uint16{2, 7, 10}},
		{"the best two", []int32{1, 1, 1}, 9, []uint16{3, 7, 10}},
		{"what still has room", []int32{1, 1, 1}, 12, []uint16{3, 7, 10}},
		{"many readers", []int32{1, 9, 1}, 5, []uint16{3, 6, 10}},
		{"nobody reads them now", []int32{0, 0, 1}, 100, []uint16{2, 6, 12}},
	} {
		s := sumsFor(4, 15, 2, 6, 10)
		s.rows[0], s.rows[1], s.rows[2] = &row{3: 20}, &row{7: 30}, &row{11: 10, 12: 5}
		for bin := range s.counts[0] {
			s.counts[0][bin] = 4
		}
		moved, want := s.Move(10, Limits{Samples: 100, Readers: c.readers, Flips: c.flips}, nil), 0
		for j, at := range []uint16{2, 6, 10} {
			if c.want[j] != at {
				want++
			}
		}
		if !slices.Equal(s.enc.Thresholds[0], c.want) || moved != want {
			t.Errorf("%s: thresholds %v, %d moved, want %v", c.name, s.enc.Thresholds[0], moved, c.want)
		}
	}
}

// TestReaders checks the number of pins that read each input bit, for every form of network.
func TestReaders(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		readers := Readers(f)
		sum, pins := 0, 0
		for _, n := range readers {
			sum += int(n)
		}
		for l := range f.Layers {
			for _, pin := range f.Layers[l].Pins {
				if pin.Source == model.Input {
					pins += f.Layers[l].Width()
				}
			}
		}
		if sum != pins || len(readers) != f.Inputs() || readers[f.Layers[0].Pins[0].Index[0]] == 0 {
			t.Errorf("%s: %d readers, want %d", form.Name, sum, pins)
		}
	}
}

// FuzzMove draws sums and thresholds and compares the chosen places with a search through all places. The resulting
// thresholds must ascend and must not be above the largest value.
func FuzzMove(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 5))
		bitsIn := 1 + r.IntN(16)
		most := uint32(1 + r.IntN(1<<bitsIn-1))
		thresholds := make([]uint16, 1+r.IntN(9))
		for j := range thresholds {
			thresholds[j] = uint16(r.IntN(int(most)))
		}
		slices.Sort(thresholds)
		s := sumsFor(bitsIn, most, thresholds...)
		for j := range thresholds {
			if r.IntN(4) > 0 {
				s.rows[j] = new(row)
				for v := range s.rows[j] {
					s.rows[j][v] = r.Int64N(9) - 4
				}
			}
		}
		reach := Limits{
			Samples: uint64(r.IntN(40)), Readers: readers(len(thresholds)), Flips: 1 << 40,
		}
		for bin := range s.counts[0] {
			if r.IntN(3) > 0 {
				s.counts[0][bin] = uint32(r.IntN(9))
			}
		}
		s.Move(10, reach, nil)
		if err := s.enc.Check(); err != nil {
			t.Fatal(err)
		}
		got, low := s.enc.Thresholds[0], uint16(0)
		inTheWay := func(j int, t uint16) bool {
			return j > 0 && t < got[j-1] || j+1 < len(got) && t > got[j+1]
		}
		for j, at := range thresholds {
			high := uint16(most - 1)
			if j+1 < len(thresholds) {
				high = min(high, thresholds[j+1])
			}
			if want := slowBest(s, j, at, low, high, reach); got[j] != want && (got[j] != at || !inTheWay(j, want)) {
				t.Fatalf("%d bits up to %d: threshold %d of %v went to %d, want %d (reach %v)", bitsIn, most, j, thresholds, got[j],
					want, reach)
			}
			low = at
		}
	})
}

// slowBest returns the place to which a threshold goes. It computes the change of the loss at every value in turn.
// The whole sum of a bin is added at the last value of the bin.
func slowBest(s *Sums, j int, at, low, high uint16, reach Limits) uint16 {
	h, shift := s.rows[j], s.shift
	if h == nil {
		return at
	}
	bin := func(t uint16) int { return int(t) >> shift }
	best, least := at, 0.0
	for t := int(low); t <= int(high); t++ {
		if (t+1)%(1<<shift) != 0 || bin(uint16(t)) == bin(at) {
			continue
		}
		change, passed, values := 0.0, uint64(0), 0
		for v := range mostBins {
			was, is := v > bin(at), v > bin(uint16(t))
			if is && !was {
				change += float64(h[v])
			} else if was && !is {
				change -= float64(h[v])
			}
			if n := s.counts[0][v]; is != was && n > 0 {
				passed += uint64(n)
				values++
			}
		}
		if values > 1 && passed > reach.Samples {
			continue
		}
		distance := func(t uint16) int { return max(bin(t)-bin(at), bin(at)-bin(t)) }
		nearer := distance(uint16(t)) < distance(best)
		if change < least || (change == least && change < 0 && nearer) {
			best, least = uint16(t), change
		}
	}
	return best
}

// TestReach checks how far a threshold at 5 can go down and up, given the samples at each value.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		name            string
		counts          map[int]uint32
		most            uint64
		lowest, highest int
	}{
		{"no samples anywhere", nil, 0, 1, 12},
		{"up to the limit", map[int]uint32{5: 2, 4: 3, 3: 1, 6: 5, 7: 1}, 5, 3, 6},
		{"the next value in any case", map[int]uint32{5: 9, 4: 1, 7: 9, 9: 1}, 3, 4, 8},
		{"empty ones behind it too", map[int]uint32{4: 9, 2: 1, 8: 9}, 3, 2, 12},
		{"all", map[int]uint32{5: 1, 4: 1, 3: 1, 6: 1, 9: 1}, 100, 1, 12},
	} {
		of := choice{at: 5, low: 1, high: 12, counts: new([mostBins]uint32), most: c.most}
		for bin, n := range c.counts {
			of.counts[bin] = n
		}
		if lowest, highest := of.within(); lowest != c.lowest || highest != c.highest {
			t.Errorf("%s: %d to %d, want %d to %d", c.name, lowest, highest, c.lowest, c.highest)
		}
	}
}
