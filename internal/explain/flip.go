package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ialgn/internal/encoding"
	"ialgn/internal/ties"
)

// column is one numeric feature, or all features that encode one column of words. A single change affects only one
// column.
type column struct {
	first    int       // number of the column's first feature
	features int       // number of the column's features
	category *Category // nil for a feature outside any category
}

// columns returns the columns to which the features of an encoder belong, in the order of the features.
func columns(features int, categories []Category) (all []column) {
	starts := map[int]*Category{}
	for i := range categories {
		starts[categories[i].First] = &categories[i]
	}
	for f := 0; f < features; {
		c := column{first: f, features: 1, category: starts[f]}
		if c.category != nil {
			c.features = len(c.category.Words)
		}
		all = append(all, c)
		f += c.features
	}
	return all
}

// isWord reports whether a feature is a word of a category.
func (n *Network) isWord(f int) bool {
	at, found := slices.BinarySearchFunc(n.columns, f, func(c column, f int) int { return cmp.Compare(c.first, f) })
	if !found {
		at-- // the last column that begins at f or before
	}
	return n.columns[at].category != nil
}

// candidate is a new value of a column. The network reads a feature only through its thresholds. Therefore the
// nearest value between two thresholds represents all values between them.
type candidate struct {
	column int
	words  []uint16 // words of the column's features
	steps  int      // number of thresholds between the old and the new value that the network reads; 1 for a category
	up     bool     // whether the new word is greater than the sample's word
}

// flip searches for changes that change the class, and adds the changes to e.
func (n *Network) flip(ctx context.Context, e *Explanation, most int) error {
	s := newSearch(n, e, most)
	e.Search = Search{Candidates: len(s.candidates), Changes: most}
	if len(n.f.Classes) < 2 || len(s.candidates) == 0 {
		return nil
	}
	best, err := s.run(ctx, targets(e.Counts, e.Ties, e.Index))
	e.Search.AllUpTo = s.allUpTo
	if err != nil || best == nil {
		return err
	}
	e.Changed = n.apply(e.Words, best)
	counts, err := n.counts(ctx, e.Changed)
	if err != nil {
		return err
	}
	class := ties.Winner(counts, n.f.Ties)
	if class == e.Index {
		return errDisagree
	}
	e.Flipped = &Flipped{
		Class: n.f.Classes[class], Counts: counts, Least: len(best) <= s.allUpTo+1, Irreducible: s.irreducible,
	}
	for _, c := range best {
		e.Flips = append(e.Flips, n.change(c, e.Words))
	}
	return nil
}

// apply returns the words of a sample with some changes.
func (n *Network) apply(words []uint16, changes []candidate) []uint16 {
	out := slices.Clone(words)
	for _, c := range changes {
		copy(out[n.columns[c.column].first:], c.words)
	}
	return out
}

// change describes a change.
func (n *Network) change(c candidate, words []uint16) Change {
	enc, col := &n.f.Encoder, &n.columns[c.column]
	if col.category != nil {
		set := slices.Index(c.words, uint16(enc.Max))
		v := Change{Place: Place{Feature: col.first + set, Name: col.category.Name}, To: c.words[set]}
		v.From, v.ToCategory = words[v.Feature], col.category.Words[set]
		if was := slices.Index(words[col.first:][:col.features], uint16(enc.Max)); was >= 0 {
			v.FromCategory = col.category.Words[was]
		}
		return v
	}
	f := col.first
	v := Change{Place: PlaceOf(enc, n.shape, f), From: words[f], To: c.words[0]}
	if enc.ByCuts() {
		v.FromRange, v.ToRange = rangeOf(enc.Quantiser.Cuts[f], v.From), rangeOf(enc.Quantiser.Cuts[f], v.To)
	} else if q := enc.Quantiser; q != nil && q.Scale[f] != 0 {
		value := func(word uint16) *float64 {
			x := q.Offset[f] + float64(word)/q.Scale[f]
			if q.Apply(f, x, enc.Max) != word {
				return nil // leaves out the value, because it would not be converted back to this word
			}
			return &x
		}
		v.FromValue, v.ToValue = value(v.From), value(v.To)
	}
	return v
}

// rangeOf returns the range of values that cuts turn into a word, or nil if no value has this word.
func rangeOf(cuts []float64, word uint16) *Range {
	r, w := &Range{}, int(word)
	if w > 0 {
		r.Above = &cuts[w-1]
	}
	if w < len(cuts) {
		r.AtMost = &cuts[w]
	}
	if r.Above != nil && r.AtMost != nil && *r.Above == *r.AtMost {
		return nil
	}
	return r
}

// candidates returns, for each column, the values that the network can distinguish from the sample's value. For a
// feature, these are the nearest values beyond each threshold that the network reads. For a category, these are all
// words other than the sample's word.
func (n *Network) candidates(words []uint16) (all []candidate) {
	for i, c := range n.columns {
		if c.category != nil {
			all = append(all, n.words(i, words)...)
		} else {
			all = append(all, n.levels(i, words[c.first])...)
		}
	}
	return all
}

// levels returns the candidates for a feature.
func (n *Network) levels(col int, v uint16) (all []candidate) {
	enc, f := &n.f.Encoder, n.columns[col].first
	read, steps, last := n.read(f), 0, v
	for j := enc.Bits - 2; j >= 0; j-- { // smaller values, which are at most the threshold
		if t := enc.Thresholds[f][j]; read[j] && t < last {
			steps++
			last = below(enc, f, t)
			all = append(all, candidate{col, []uint16{last}, steps, false})
		}
	}
	steps, last = 0, v
	for j, t := range enc.Thresholds[f] { // larger values, which are above the threshold
		if read[j] && t >= last && uint32(t) < enc.Max {
			steps++
			last = above(enc, f, t)
			all = append(all, candidate{col, []uint16{last}, steps, true})
		}
	}
	return all
}

// below returns the largest word of a feature that is at most a threshold. above returns the smallest word that is
// above the threshold. If cuts are equal, no value has a word between them, so such words are skipped.
func below(enc *encoding.Encoder, f int, threshold uint16) uint16 {
	if !enc.ByCuts() {
		return threshold
	}
	return enc.Quantiser.Apply(f, enc.Quantiser.Cuts[f][threshold], enc.Max)
}

func above(enc *encoding.Encoder, f int, threshold uint16) uint16 {
	if !enc.ByCuts() {
		return threshold + 1
	}
	cut := enc.Quantiser.Cuts[f][threshold]
	return enc.Quantiser.Apply(f, math.Nextafter(cut, math.Inf(1)), enc.Max)
}

// read reports for each threshold of a feature whether it is read.
func (n *Network) read(f int) []bool {
	width := n.f.Encoder.Bits - 1
	return n.live.Inputs[f*width : (f+1)*width]
}

// words returns the candidates for a category. These are all words except the sample's word. A word is left out if
// the network reads neither the word's feature nor the feature of the sample's word.
func (n *Network) words(col int, words []uint16) (all []candidate) {
	c := &n.columns[col]
	own := words[c.first:][:c.features]
	reads := func(k int) bool { return slices.Contains(n.read(c.first+k), true) }
	was := slices.Index(own, uint16(n.f.Encoder.Max))
	for k := range own {
		if k == was || !reads(k) && (was < 0 || !reads(was)) {
			continue
		}
		set := make([]uint16, c.features)
		set[k] = uint16(n.f.Encoder.Max)
		all = append(all, candidate{col, set, 1, true})
	}
	return all
}
