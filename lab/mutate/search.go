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

// samples makes samples for a network.
type samples struct {
	enc *encoding.Encoder
	set verify.Samples // the test set
}

// of returns samples with the given values of features.
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

// values returns the features of a sample of the test set.
func (e samples) values(i int) []uint16 {
	v := make([]uint16, e.enc.Features())
	e.set.Words.Values(v, i)
	return v
}

// any returns the features of some sample of the test set.
func (e samples) any(r *rand.Rand) []uint16 { return e.values(r.IntN(e.set.Levels.Len())) }

// drift changes a few features of a sample, to a value next to a threshold or to any.
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

// witness is what shows that a mutant matters.
type witness struct {
	values []uint16 // features of a sample for which outputs differ; nil: none was found
	seen   int      // test samples in which classes or counts differ
}

// The bounds of a search: how often it draws samples at random, how often it goes on from the best, and how many
// samples it tries at a time.
const (
	randomRounds = 12
	climbRounds  = 150
	atATime      = 256
)

// search looks for a sample for which a mutant's outputs differ: in the test set, near it, and by climbing from samples
// for which counts differ to one where the class depends on them.
func (d *design) search(ctx context.Context, r *rand.Rand, n *netlist.Netlist) (w witness, err error) {
	got, err := d.classify(ctx, n, d.encoder.set)
	if err != nil {
		return w, err
	}
	outer, inner, _ := d.compare(d.want, got)
	if w.seen = len(inner); len(outer) > 0 {
		w.values = d.encoder.values(outer[r.IntN(len(outer))])
		return w, nil
	}
	var start [][]uint16
	for _, i := range inner {
		start = append(start, d.encoder.values(i))
	}
	gap := 1 << 30
	for round := range randomRounds + climbRounds {
		if len(start) == 0 && round >= randomRounds {
			break
		}
		batch := make([][]uint16, atATime)
		for i := range batch {
			if v, ok := pick(r, start); ok {
				batch[i] = d.encoder.drift(r, v)
				continue
			}
			batch[i] = d.encoder.any(r)
			for range round + 1 {
				batch[i] = d.encoder.drift(r, batch[i])
			}
		}
		s := d.encoder.of(batch)
		a, err := d.classify(ctx, d.out.Netlist, s)
		if err != nil {
			return w, err
		}
		b, err := d.classify(ctx, n, s)
		if err != nil {
			return w, err
		}
		outer, inner, nearest := d.compare(a, b)
		if len(outer) > 0 {
			w.values = batch[outer[0]]
			return w, nil
		}
		if len(inner) > 0 && nearest <= gap {
			start, gap = nil, nearest
			for _, i := range inner {
				if d.gap(a, b, i) == nearest {
					start = append(start, batch[i])
				}
			}
		}
	}
	return w, nil
}

// compare returns the samples in which outputs differ, and those in which counts or classes do, with the smallest gap
// of these.
func (d *design) compare(a, b *sim.Result) (outer, inner []int, nearest int) {
	nearest = 1 << 30
	for i := range a.Class {
		counts := !slices.Equal(a.Counts[i*a.Classes:][:a.Classes], b.Counts[i*a.Classes:][:a.Classes])
		other := a.Class[i] != b.Class[i]
		if other || counts && d.out.Netlist.OutputPorts()[0].Name == "h" {
			outer = append(outer, i)
		}
		if other || counts {
			inner = append(inner, i)
			nearest = min(nearest, d.gap(a, b, i))
		}
	}
	return outer, inner, nearest
}

// gap is the distance of the counts that differ from the largest of the others.
func (d *design) gap(a, b *sim.Result, sample int) int {
	was, is := a.Counts[sample*a.Classes:][:a.Classes], b.Counts[sample*a.Classes:][:a.Classes]
	gap := 1 << 29
	for i := range was {
		if was[i] != is[i] {
			distance := int(was[i] - slices.Max(slices.Concat(was[:i], was[i+1:])))
			gap = min(gap, max(distance, -distance))
		}
	}
	return gap
}
