package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// Split says how samples are divided into two parts: the test part or the validation part, and the rest. Without
// groups and order, samples are drawn from each class.
type Split struct {
	Share      float64 // of the chosen part; no meaning with folds
	Folds      int     // the samples are divided into this number of folds; 0: there are no folds
	Fold       int     // the fold that is chosen, from 1
	Seed       uint64
	Classes    []string
	Groups     *Groups // the samples of a group stay in one part; nil: there are no groups
	Ordered    bool    // the last samples are chosen
	Validation bool    // the chosen samples are the validation part of a training part
}

// testSplit returns the split that a configuration describes for the test part.
func testSplit(cfg config.Data, classes []string, groups *Groups) Split {
	return Split{
		Share: cfg.TestShare, Folds: cfg.Folds, Fold: cfg.Fold, Seed: cfg.SplitSeed, Classes: classes, Groups: groups,
		Ordered: cfg.Ordered(),
	}
}

// These are the streams of random numbers for splits. Other uses of a seed have other streams.
const (
	splitStream      = 0x69616c676e2f7370 // "ialgn/sp"
	validationStream = 0x69616c676e2f7661 // "ialgn/va"
	foldStream       = 0x69616c676e2f666f // "ialgn/fo"
)

// Choose returns which samples are chosen, and their number. The choice depends only on the split and on the labels.
// Without folds, at least one sample of each class is not chosen. If this is impossible, or if no sample can be chosen,
// Choose returns an error.
//
// With folds, Choose chooses one of them. Each sample is in exactly one fold, and no fold is empty.
func (s Split) Choose(labels []uint8) (chosen []bool, n int, err error) {
	if s.Folds > 0 {
		return s.chooseFold(labels)
	}
	if !(s.Share > 0 && s.Share < 1) {
		return nil, 0, fmt.Errorf("%s: %g is not between 0 and 1; give a share, or name a test file with data.test", s.key(),
			s.Share)
	}
	switch {
	case s.Ordered:
		chosen, err = s.last(labels)
	case s.Groups != nil:
		chosen, err = s.grouped(labels)
	default:
		chosen = s.stratified(labels)
	}
	for _, c := range chosen {
		if c {
			n++
		}
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %g of %d samples gives no %s sample; use a larger share", s.key(), s.Share, len(labels),
			s.part())
	}
	return chosen, n, err
}

// key returns the configuration key of the share.
func (s Split) key() string {
	if s.Validation {
		return "train.validation.share"
	}
	return "data.test_share"
}

// part returns the name of the chosen part.
func (s Split) part() string {
	if s.Validation {
		return "validation"
	}
	return "test"
}

// source returns the random numbers of the split.
func (s Split) source() rand.Source {
	if s.Validation {
		return rand.NewPCG(s.Seed, validationStream)
	}
	return rand.NewPCG(s.Seed, splitStream)
}

// of returns the share of n samples, rounded half up.
func (s Split) of(n int) int { return int(math.Floor(float64(s.Share*float64(n)) + 0.5)) }

// stratified chooses the share of each class, rounded half up, but never all samples of a class.
//
// Classes are processed in the order 0, 1 and so on. The samples of a class are shuffled by Fisher and Yates' method
// (Knuth, The Art of Computer Programming 2, algorithm 3.4.2P), and the first samples are chosen. All classes use one
// PCG stream.
func (s Split) stratified(labels []uint8) []bool {
	members := make([][]int, len(s.Classes))
	for i, c := range labels {
		members[c] = append(members[c], i)
	}
	chosen, src := make([]bool, len(labels)), s.source()
	for _, m := range members {
		shuffle(src, m)
		for _, i := range m[:max(min(s.of(len(m)), len(m)-1), 0)] {
			chosen[i] = true
		}
	}
	return chosen
}

// last chooses the last samples.
func (s Split) last(labels []uint8) ([]bool, error) {
	chosen, rest := make([]bool, len(labels)), len(labels)-s.of(len(labels))
	known := make([]bool, len(s.Classes))
	for i, c := range labels {
		if chosen[i] = i >= rest; !chosen[i] {
			known[c] = true
		} else if !known[c] {
			return nil, message.WithHint(fmt.Errorf("data.order: class %s occurs only in the last %d of %d samples, which are "+
				"the %s part", shown(s.Classes[c]), len(labels)-rest, len(labels), s.part()),
				"use a smaller %s, or omit data.order", s.key())
		}
	}
	return chosen, nil
}

// Groups divides samples into groups, such as the samples of one person.
type Groups struct {
	Names []string // names of the groups
	Of    []int32  // for each sample, the index of its group

	known map[string]int32
}

// add adds a sample of the group with the given name.
func (g *Groups) add(name string) {
	at, known := g.known[name]
	if !known {
		if g.known == nil {
			g.known = map[string]int32{}
		}
		name = strings.Clone(name)
		at = int32(len(g.Names))
		g.Names, g.known[name] = append(g.Names, name), at
	}
	g.Of = append(g.Of, at)
}

// Groups returns the groups of the samples in the training part, in the order of Read. It returns nil if there is no
// data.group.
func (s *Set) Groups() *Groups {
	if s.files == nil || s.files.groups == nil {
		return nil
	}
	g := &Groups{}
	for i, of := range s.files.groups.Of {
		if s.files.split == nil || !s.files.split[i] {
			g.add(s.files.groups.Names[of])
		}
	}
	return g
}

// ofClass is a number of samples of one class.
type ofClass struct {
	class uint8
	n     int
}

// leastGain is the least decrease of the error for which a group moves. Smaller decreases may be rounding errors.
const leastGain = 1e-9

// attempts is the number of orders in which grouped tries the groups.
const attempts = 10

// grouped chooses whole groups so that about the share of each class is chosen. The error of a choice is the sum, over
// the classes, of the squared difference between the chosen share of the class and s.Share.
//
// An attempt shuffles the groups like the samples in stratified, and at first chooses none. Then it goes through the
// groups repeatedly. It chooses a group, or takes a choice back, if this decreases the error and leaves a sample of
// each class. It ends when no single group decreases the error. If it has then chosen no group, it chooses the group
// with the least error that leaves a sample of each class, if there is one. All attempts use one PCG stream, and the
// first attempt with the least error counts.
func (s Split) grouped(labels []uint8) ([]bool, error) {
	members, totals := s.count(labels)
	order, src := make([]int, len(members)), s.source()
	for g := range order {
		order[g] = g
	}
	var taken []bool
	var in []int
	least := math.Inf(1)
	for range attempts {
		shuffle(src, order)
		t, n := s.attempt(order, members, totals)
		miss := 0.0
		for c, total := range totals {
			miss += s.miss(n[c], total)
		}
		if miss < least-leastGain {
			taken, in, least = t, n, miss
		}
	}
	chosen := make([]bool, len(labels))
	for i, g := range s.Groups.Of {
		chosen[i] = taken[g]
	}
	return chosen, s.checkGroups(members, in, len(labels))
}

// attempt chooses groups in the given order. It returns the chosen groups, and the number of their samples in each
// class.
func (s Split) attempt(order []int, members [][]ofClass, totals []int) (taken []bool, in []int) {
	taken, in = make([]bool, len(members)), make([]int, len(totals))
	// change returns the change of the error if group g moves, which is infinite if a class loses all samples.
	change := func(g, sign int) (sum float64) {
		for _, m := range members[g] {
			total, after := totals[m.class], in[m.class]+sign*m.n
			if after == total {
				return math.Inf(1)
			}
			sum += s.miss(after, total) - s.miss(in[m.class], total)
		}
		return sum
	}
	move := func(g, sign int) {
		taken[g] = sign > 0
		for _, m := range members[g] {
			in[m.class] += sign * m.n
		}
	}
	for moved := true; moved; {
		moved = false
		for _, g := range order {
			sign := 1
			if taken[g] {
				sign = -1
			}
			if change(g, sign) < -leastGain {
				move(g, sign)
				moved = true
			}
		}
	}
	if !slices.Contains(taken, true) {
		best, least := -1, math.Inf(1)
		for _, g := range order {
			if c := change(g, 1); c < least-leastGain {
				best, least = g, c
			}
		}
		if best >= 0 {
			move(best, 1)
		}
	}
	return taken, in
}

// count returns the samples of each class in each group, and in all groups.
func (s Split) count(labels []uint8) (members [][]ofClass, totals []int) {
	members, totals = make([][]ofClass, len(s.Groups.Names)), make([]int, len(s.Classes))
	for i, g := range s.Groups.Of {
		c := labels[i]
		totals[c]++
		at := slices.IndexFunc(members[g], func(m ofClass) bool { return m.class == c })
		if at < 0 {
			at, members[g] = len(members[g]), append(members[g], ofClass{class: c})
		}
		members[g][at].n++
	}
	return members, totals
}

// miss returns the squared difference between the share n/total and s.Share. It is 0 if there are no samples.
func (s Split) miss(n, total int) float64 {
	if total == 0 {
		return 0
	}
	d := float64(n)/float64(total) - s.Share
	return float64(d * d)
}

// checkGroups returns an error if the chosen groups have less than half of the samples that they should have, or more
// than twice as many and more than half of all samples.
func (s Split) checkGroups(members [][]ofClass, in []int, samples int) error {
	n, largest, most := 0, 0, 0
	for _, k := range in {
		n += k
	}
	should := float64(s.Share * float64(samples))
	few, many := float64(2*n) < should, float64(n) > 2*should && 2*n > samples
	if n > 0 && !few && !many {
		return nil
	}
	for g, all := range members {
		size := 0
		for _, m := range all {
			size += m.n
		}
		if size > most {
			largest, most = g, size
		}
	}
	remedy := fmt.Sprintf("use another %s, or omit data.group", s.key())
	if !s.Validation {
		remedy = "use another data.test_share, name a test file with data.test, or omit data.group"
	}
	return message.WithHint(fmt.Errorf("data.group: whole groups give %d of %d samples to the %s part, but %s is %g; the "+
		"largest of %s, %s, has %d samples", n, samples, s.part(), s.key(), s.Share,
		message.Plural(len(members), "group", "groups"), shown(s.Groups.Names[largest]), most), "%s", remedy)
}

// shuffle permutes s. It does not use rand.Shuffle, because the stream of rand.Shuffle is not specified and a split
// must never change.
func shuffle(src rand.Source, s []int) {
	for i := len(s) - 1; i > 0; i-- {
		j := below(src, uint64(i+1))
		s[i], s[j] = s[j], s[i]
	}
}

// below returns a uniform random number below n, for n > 0. It rejects the lowest 2^64 mod n words, so that all
// remainders are equally likely.
func below(src rand.Source, n uint64) uint64 {
	for reject := -n % n; ; {
		if x := src.Uint64(); x >= reject {
			return x % n
		}
	}
}
