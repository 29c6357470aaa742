package rows

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Pair is a thermometer bit. The bit is 1 if the value of a feature exceeds a threshold, unsigned.
type Pair struct {
	Feature   int
	Threshold uint16
}

// Input describes the computation of the rows of pairs from feature words.
type Input struct {
	features int
	size     int // bytes of a feature word
	pairs    []Pair
	order    []int // [row]: index of the row's pair in pairs
	places   []int // [row]: number of the row in memory; if nil, both numbers are equal
}

// NewInput plans the rows of pairs. Samples have the given number of features, in words of 16 bits if wide is true,
// and of 8 bits otherwise. NewInput panics if a pair's feature or threshold is out of range.
func NewInput(features int, wide bool, pairs []Pair) *Input {
	in := &Input{features: features, size: 1, pairs: slices.Clone(pairs), order: make([]int, len(pairs))}
	if wide {
		in.size = 2
	}
	for i, p := range pairs {
		if p.Feature < 0 || p.Feature >= features {
			panic("rows: a pair has a feature that samples do not have")
		}
		if !wide && p.Threshold > math.MaxUint8 {
			panic("rows: the threshold of a byte does not fit in a byte")
		}
		in.order[i] = i
	}
	slices.SortFunc(in.order, func(i, j int) int {
		p, q := pairs[i], pairs[j]
		return cmp.Or(cmp.Compare(p.Feature, q.Feature), cmp.Compare(p.Threshold, q.Threshold))
	})
	return in
}

// Order returns the index of each row's pair. The rows are sorted by feature, then by threshold.
func (in *Input) Order() []int { return slices.Clone(in.order) }

// Place sets the rows' places in memory. The row of pair i is written as row rows[i]. Without a call of Place, rows
// are written one after another.
func (in *Input) Place(rows []int) {
	in.places = make([]int, len(in.order))
	for i, pair := range in.order {
		in.places[i] = rows[pair]
	}
}

// place returns a row's number in memory.
func (in *Input) place(row int) int {
	if in.places == nil {
		return row
	}
	return in.places[row]
}

// maxPlanes is the maximum number of bits of a unit's level. With at most this many bits, the planes of eight rows
// and the results computed from these planes fit in registers.
const maxPlanes = 3

// unit describes the work on a window of neighbouring features. Each feature of the window is in an element of a
// vector and has up to 7 thresholds. The level of a feature is the number of its thresholds that the value exceeds.
// There is a plane for each bit of the level.
type unit struct {
	start  int // the window's first feature
	planes int
	lanes  []lane // [feature of the window]
}

// lane is a feature of a unit. The thresholds are in ascending order and are numbered from 1. If the value exceeds
// thresholds[j], the feature's level is at least j. The row of the bit value > thresholds[j] is row[j], or -1 if the
// bit is not needed.
type lane struct {
	thresholds [1 << maxPlanes]uint16
	row        [1 << maxPlanes]int
}

// units returns the units for all rows, with vectors of the given number of elements. The windows cover the features
// that have rows, in ascending order. A window reaches beyond the features only if there are fewer features than
// elements.
func (in *Input) units(elements int) (all []unit) {
	for row := 0; row < len(in.order); {
		start := in.pairs[in.order[row]].Feature
		end := row
		for end < len(in.order) && in.pairs[in.order[end]].Feature < start+elements {
			end++
		}
		all = append(all, in.window(max(0, min(start, in.features-elements)), elements, row, end)...)
		row = end
	}
	return all
}

// window returns the units of a window for the rows in the range [row, end).
func (in *Input) window(start, elements, row, end int) (all []unit) {
	rows := make([][]int, elements)
	most := 0
	for ; row < end; row++ {
		f := in.pairs[in.order[row]].Feature - start
		rows[f] = append(rows[f], row)
		most = max(most, len(rows[f]))
	}
	const batch = 1<<maxPlanes - 1
	for from := 0; from < most; from += batch {
		u := unit{start, bits.Len(uint(min(most-from, batch))), make([]lane, elements)}
		for f := range u.lanes {
			u.lanes[f] = in.lane(rows[f][min(from, len(rows[f])):min(from+batch, len(rows[f]))], u.planes)
		}
		all = append(all, u)
	}
	return all
}

// lane assigns the rows of one feature to levels. If there are few rows, it uses levels with many trailing zeros. The
// thermometer bits of such levels take the fewest operations. A level without a row gets the threshold of a
// neighbouring level.
func (in *Input) lane(rows []int, planes int) (l lane) {
	levels := make([]int, 0, 1<<maxPlanes)
	for zeros := planes - 1; zeros >= 0; zeros-- {
		for j := 1 << zeros; j < 1<<planes; j += 2 << zeros {
			levels = append(levels, j)
		}
	}
	levels = levels[:len(rows)]
	slices.Sort(levels)
	for j := range l.row {
		l.row[j] = -1
	}
	for i, j := range levels {
		l.row[j] = rows[i]
	}
	next := 0
	for j := 1; j < 1<<planes; j++ {
		if l.row[j] >= 0 {
			next++
		}
		if len(rows) > 0 {
			l.thresholds[j] = in.pairs[in.order[rows[max(0, next-1)]]].Threshold
		}
	}
	return l
}

// reach returns the number of words between the beginning of a sample and the end of the last word read.
func reach(units []unit) (words int) {
	for _, u := range units {
		words = max(words, u.start+len(u.lanes))
	}
	return words
}
