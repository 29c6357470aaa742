package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ialgn/internal/progress"
	"ialgn/trainer/encoding"
)

// MostTargets is how many classes a search goes for, each by itself, beside whichever class is nearest.
const mostTargets = 3

// mostLanes is how many candidates are simulated at a time.
const mostLanes = 64 * 64

// column is what is changed as a whole: a feature, or all of a category.
type column struct {
	first    int       // first of its features
	features int       // how many there are
	category *Category // nil: it is a feature of its own
}

// columns returns the columns of an encoder's features, in their order.
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

// isWord reports whether a feature is one of a category.
func (n *Network) isWord(f int) bool {
	at, found := slices.BinarySearchFunc(n.columns, f, func(c column, f int) int { return cmp.Compare(c.first, f) })
	if !found {
		at-- // the column that begins before it
	}
	return n.columns[at].category != nil
}

// candidate is what a column may be changed to.
type candidate struct {
	column int
	words  []uint16 // of its features
	steps  int      // thresholds that are read between them and the sample's own; 1 of a category
	up     bool     // the word is greater than the sample's own
}

// flip searches for the changes that have another class come out.
func (n *Network) flip(ctx context.Context, e *Explanation, most int) error {
	s := &search{Network: n, class: e.Index, from: e.Words, most: most}
	s.candidates = n.candidates(e.Words)
	e.Search = Search{Candidates: len(s.candidates), Changes: most}
	if len(n.f.Classes) < 2 || len(s.candidates) == 0 {
		return nil
	}
	best, err := s.run(ctx, targets(e.Counts, e.Index))
	if err != nil || best == nil {
		return err
	}
	e.Changed = n.apply(e.Words, best)
	counts, err := n.counts(ctx, e.Changed)
	if err != nil {
		return err
	}
	class := winner(counts)
	if class == e.Index {
		return errDisagree
	}
	// All single changes were tried, and none alone did where the search went on to two.
	e.Flipped = &Flipped{Class: n.f.Classes[class], Counts: counts, Least: len(best) <= 2}
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

// change describes a change for people.
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
				return nil // it would not come back as this word
			}
			return &x
		}
		v.FromValue, v.ToValue = value(v.From), value(v.To)
	}
	return v
}

// rangeOf returns the values that have a word by cuts, nil where none has.
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

// candidates returns for each column what the network can tell apart from the sample's own: of a feature the values
// nearest to it beyond each threshold that is read, of a category the other words that it can have.
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

// levels returns the candidates of a feature.
func (n *Network) levels(col int, v uint16) (all []candidate) {
	enc, f := &n.f.Encoder, n.columns[col].first
	read, steps, last := n.read(f), 0, v
	for j := enc.Bits - 2; j >= 0; j-- { // downwards: the value is at most the threshold
		if t := enc.Thresholds[f][j]; read[j] && t < last {
			steps++
			last = below(enc, f, t)
			all = append(all, candidate{col, []uint16{last}, steps, false})
		}
	}
	steps, last = 0, v
	for j, t := range enc.Thresholds[f] { // upwards: it is greater
		if read[j] && t >= last && uint32(t) < enc.Max {
			steps++
			last = above(enc, f, t)
			all = append(all, candidate{col, []uint16{last}, steps, true})
		}
	}
	return all
}

// below returns the largest word of a feature that is at most a threshold, and above the least that is greater. By cuts
// no value has a word that stands between equal ones.
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

// read returns which thresholds of a feature are read.
func (n *Network) read(f int) []bool {
	width := n.f.Encoder.Bits - 1
	return n.live.Inputs[f*width : (f+1)*width]
}

// words returns the candidates of a category: all words of it but its own, if the network reads the one or the other.
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

// anyClass is the target of a search for whichever class is nearest.
const anyClass = -1

// targets returns what a search goes for: whichever class, and some with the largest counts.
func targets(counts []int32, class int) []int {
	var order []int
	for c := range counts {
		if c != class {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	return append([]int{anyClass}, order[:min(len(order), mostTargets)]...)
}

// search looks for changes of one sample.
type search struct {
	*Network
	class      int
	from       []uint16
	candidates []candidate
	most       int
}

// run returns the fewest changes that were found for any of the targets, nil if there were none.
func (s *search) run(ctx context.Context, targets []int) (best []candidate, err error) {
	if s.most < 1 {
		return nil, nil
	}
	bound := s.most
	for _, target := range targets {
		set, err := s.greedy(ctx, target, bound)
		if err != nil {
			return nil, err
		}
		if set == nil {
			continue
		}
		bound = min(bound, len(set))
		if set, err = s.reduce(ctx, set); err != nil {
			return nil, err
		}
		if best == nil || len(set) < len(best) || len(set) == len(best) && steps(set) < steps(best) {
			best = set
		}
		if len(best) == 1 {
			break
		}
	}
	slices.SortFunc(best, func(a, b candidate) int { return a.column - b.column })
	return best, nil
}

func steps(set []candidate) (sum int) {
	for _, c := range set {
		sum += c.steps
	}
	return sum
}

// greedy makes the change that brings the target nearest, then the next one with that, until the class is another; nil
// where so many changes are not enough. A column that was changed is changed again only where that brings it nearer,
// so that it ends.
func (s *search) greedy(ctx context.Context, target, most int) ([]candidate, error) {
	var set []candidate
	now := int32(math.MaxInt32)
	for {
		progress.Say(ctx, "searching changes, %d made", len(set))
		scores, err := s.try(ctx, set, s.candidates, target)
		if err != nil {
			return nil, err
		}
		best := -1
		for i := range scores {
			again := has(set, s.candidates[i].column)
			if again && scores[i].rank >= now || !again && len(set) == most {
				continue
			}
			if best < 0 || s.before(scores, i, best) {
				best = i
			}
		}
		if best < 0 {
			return nil, nil
		}
		set = with(set, s.candidates[best])
		now = scores[best].rank
		if scores[best].flips {
			return set, nil
		}
	}
}

// before reports whether candidate i is better than candidate j: it flips the class, comes nearer, or is as near with
// a smaller change.
func (s *search) before(scores []score, i, j int) bool {
	switch a, b := scores[i], scores[j]; {
	case a.flips != b.flips:
		return a.flips
	case a.rank != b.rank:
		return a.rank < b.rank
	}
	return s.candidates[i].steps < s.candidates[j].steps
}

// reduce takes changes back, and makes them smaller, until no single one can be left out or be smaller.
func (s *search) reduce(ctx context.Context, set []candidate) ([]candidate, error) {
	for {
		progress.Say(ctx, "taking back changes, %d left", len(set))
		lanes := s.smaller(set)
		scores, err := s.try(ctx, set, lanes, anyClass)
		if err != nil {
			return nil, err
		}
		best := -1
		for i, c := range lanes {
			if !scores[i].flips {
				continue
			}
			if best < 0 || c.steps < lanes[best].steps ||
				c.steps == lanes[best].steps && scores[i].rank < scores[best].rank {
				best = i
			}
		}
		if best < 0 {
			return set, nil
		}
		set = with(set, lanes[best])
	}
}

// smaller returns all smaller changes of the columns of a set; one of no steps is none.
func (s *search) smaller(set []candidate) (all []candidate) {
	for _, c := range set {
		col := &s.columns[c.column]
		all = append(all, candidate{column: c.column, words: s.from[col.first:][:col.features]})
		for _, d := range s.candidates {
			if d.column == c.column && d.steps < c.steps && d.up == c.up {
				all = append(all, d)
			}
		}
	}
	return all
}

func has(set []candidate, column int) bool {
	return slices.ContainsFunc(set, func(c candidate) bool { return c.column == column })
}

// with returns a set with one column changed in another way.
func with(set []candidate, c candidate) []candidate {
	out := make([]candidate, 0, len(set)+1)
	for _, d := range set {
		if d.column != c.column {
			out = append(out, d)
		}
	}
	if c.steps == 0 {
		return out
	}
	return append(out, c)
}

// score is what comes of a candidate: how far the target is from being the class, below 0 where it is before the
// sample's class, and whether another class comes out.
type score struct {
	rank  int32
	flips bool
}

// try simulates the changes of a set together with each of the candidates, a lane each.
func (s *search) try(ctx context.Context, set, lanes []candidate, target int) ([]score, error) {
	words := s.apply(s.from, set)
	scores := make([]score, 0, len(lanes))
	for part := range slices.Chunk(lanes, mostLanes) {
		r, err := s.sim.Classify(ctx, s.rows(words, part), len(part))
		if err != nil {
			return nil, err
		}
		for i := range part {
			counts := r.Counts[i*r.Classes:][:r.Classes]
			scores = append(scores, score{s.rank(counts, target), int(r.Class[i]) != s.class})
		}
	}
	return scores, nil
}

// rows returns the bit rows of a sample with each of the candidates, a lane each.
func (s *search) rows(words []uint16, lanes []candidate) []uint64 {
	wide, width := (len(lanes)+63)/64, s.f.Encoder.Bits-1
	rows := make([]uint64, s.f.Inputs()*wide)
	for i, b := range s.bits(words) {
		for w := range wide {
			rows[i*wide+w] = -b
		}
	}
	for lane, c := range lanes {
		for i, v := range c.words {
			f := s.columns[c.column].first + i
			for j, t := range s.f.Encoder.Thresholds[f] {
				word := &rows[(f*width+j)*wide+lane/64]
				*word = *word&^(1<<(lane%64)) | one(v > t)<<(lane%64)
			}
		}
	}
	return rows
}

// rank returns how far the target is from being before the sample's class. Votes count twice, so that the one by which
// a tie is decided, by the lower number, has room between them.
func (s *search) rank(counts []int32, target int) int32 {
	least := int32(math.MaxInt32)
	for c, n := range counts {
		if c == s.class || target != anyClass && c != target {
			continue
		}
		tie := int32(1)
		if c < s.class {
			tie = -1
		}
		least = min(least, 2*(counts[s.class]-n)+tie)
	}
	return least
}
