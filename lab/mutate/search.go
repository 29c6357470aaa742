package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"ialgn/internal/encoding"
	"ialgn/internal/verify"
	"ialgn/netlist"
	"ialgn/sim"
)

// samples makes samples for a network, from the test set and at random.
type samples struct {
	enc *encoding.Encoder
	set verify.Samples // the test set
}

// of returns samples with the given feature values.
func (e samples) of(values [][]uint16) verify.Samples {
	s := verify.Samples{
		Levels: encoding.NewPacked(e.enc.Features(), e.enc.LevelBits()),
		Words:  encoding.NewPacked(e.enc.Features(), e.enc.BitsIn),
	}
	level := make([]uint16, e.enc.Features())
	for _, v := range values {
		e.enc.Levels(level, v)
		s.Words.Append(v, 0)
		s.Levels.Append(level, 0)
	}
	return s
}

// values returns the features of a sample in the test set.
func (e samples) values(i int) []uint16 {
	v := make([]uint16, e.enc.Features())
	e.set.Words.Values(v, i)
	return v
}

// any returns the features of a random sample in the test set.
func (e samples) any(r *rand.Rand) []uint16 { return e.values(r.IntN(e.set.Levels.Len())) }

// drift changes a few features of a sample, to values next to a threshold or to random values.
func (e samples) drift(r *rand.Rand, v []uint16) []uint16 {
	v = slices.Clone(v)
	for range 1 + r.IntN(1<<r.IntN(6)) {
		f := r.IntN(len(v))
		v[f] = uint16(r.IntN(int(e.enc.Max) + 1))
		if r.IntN(2) == 0 {
			t := e.enc.Thresholds[f]
			v[f] = uint16(min(int(t[r.IntN(len(t))])+r.IntN(2), int(e.enc.Max)))
		}
	}
	return v
}

// classify returns classes and counts of samples.
func (d *design) classify(ctx context.Context, n *netlist.Netlist, s verify.Samples) (*sim.Result, error) {
	c, err := sim.NewClassifier(n, 1)
	if err != nil {
		return nil, err
	}
	x, err := s.Rows(d.encoder.enc, n.DataInputs()[0])
	if err != nil {
		return nil, err
	}
	return c.Classify(ctx, x, s.Levels.Len())
}

// differing is a sample for which the classes or counts of a mutant differ from the original's.
type differing struct {
	values []uint16 // features of the sample
	gap    int      // smallest distance between a differing count and the largest other count, or -1 if outputs differ
}

// These constants limit a search. For randomRounds rounds, samples are drawn at random. If counts differ for some
// sample, there are up to mostRounds rounds. Each round tries atATime samples. Each further round starts from the
// best samples, at most mostBest of them.
const (
	randomRounds = 12
	mostRounds   = 150
	atATime      = 256
	mostBest     = 16
)

// search looks for a sample for which a mutant's outputs differ from the original's. It tries the samples of the test
// set, and then samples near them. It then tries samples near the samples with different counts, until a difference
// affects the class. If it finds no sample with different outputs, the result values is nil. The result seen is the
// number of test samples with different classes or counts.
func (d *design) search(ctx context.Context, r *rand.Rand, n *netlist.Netlist) (values []uint16, seen int, err error) {
	got, err := d.classify(ctx, n, d.encoder.set)
	if err != nil {
		return nil, 0, err
	}
	best := d.compare(d.want, got, d.encoder.values)
	seen = len(best)
	for round := range mostRounds {
		slices.SortStableFunc(best, func(a, b differing) int { return a.gap - b.gap })
		if len(best) > 0 && best[0].gap < 0 {
			return best[0].values, seen, nil
		}
		if len(best) == 0 && round == randomRounds {
			break
		}
		best = best[:min(len(best), mostBest)]
		batch := d.encoder.near(r, best, round)
		s := d.encoder.of(batch)
		a, err := d.classify(ctx, d.out.Netlist, s)
		if err != nil {
			return nil, 0, err
		}
		b, err := d.classify(ctx, n, s)
		if err != nil {
			return nil, 0, err
		}
		best = append(best, d.compare(a, b, func(i int) []uint16 { return batch[i] })...)
	}
	return nil, seen, nil
}

// near returns samples near the samples in best. If best is empty, it returns samples that differ more from the test
// set in each round.
func (e samples) near(r *rand.Rand, best []differing, round int) [][]uint16 {
	batch := make([][]uint16, atATime)
	for i := range batch {
		if b, ok := pick(r, best); ok {
			batch[i] = e.drift(r, b.values)
			continue
		}
		batch[i] = e.any(r)
		for range round + 1 {
			batch[i] = e.drift(r, batch[i])
		}
	}
	return batch
}

// compare returns the samples for which two results differ. Counts are outputs only if the netlist has no head.
func (d *design) compare(a, b *sim.Result, values func(int) []uint16) (list []differing) {
	outputs := d.out.Netlist.OutputPorts()[0].Name == "h"
	for i := range a.Class {
		was, is := a.Counts[i*a.Classes:][:a.Classes], b.Counts[i*a.Classes:][:a.Classes]
		same := slices.Equal(was, is)
		switch {
		case a.Class[i] != b.Class[i] || outputs && !same:
			list = append(list, differing{values(i), -1})
		case !same:
			list = append(list, differing{values(i), gap(was, is)})
		}
	}
	return list
}

// gap compares the counts of a sample before and after a change. It returns the smallest distance between a count
// that differs and the largest other count.
func gap(was, is []int32) int {
	smallest := 1 << 30
	for i := range was {
		if was[i] != is[i] {
			distance := int(was[i] - slices.Max(slices.Concat(was[:i], was[i+1:])))
			smallest = min(smallest, max(distance, -distance))
		}
	}
	return smallest
}
