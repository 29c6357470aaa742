package main

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"ialgn/internal/encoding"
	"ialgn/internal/verify"
	"ialgn/netlist"
	"ialgn/sim"
)

// samplesOf makes samples for a network.
type samplesOf struct {
	enc *encoding.Encoder
	set verify.Samples // the test set
}

// words returns the number of words of 64 samples.
func words(s verify.Samples) int { return (s.Levels.Len() + 63) / 64 }

// of returns samples with the given values of features.
func (e samplesOf) of(values [][]uint16) verify.Samples {
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

// values returns the features of sample i of the test set.
func (e samplesOf) values(i int) []uint16 {
	v := make([]uint16, e.enc.Features())
	e.set.Words.Values(v, i)
	return v
}

// drift changes a few features of a sample, to a value beside a threshold, or to any.
func (e samplesOf) drift(r *rand.Rand, v []uint16) []uint16 {
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

// respond returns the rows of all output ports and probes of a netlist without registers,
// words(s) words a row.
func (d *design) respond(n *netlist.Netlist, s verify.Samples) ([]uint64, error) {
	simulator, err := sim.New(n)
	if err != nil {
		return nil, err
	}
	return d.run(simulator, s)
}

// run is respond in a simulator that is there.
func (d *design) run(simulator *sim.Simulator, s verify.Samples) ([]uint64, error) {
	n := simulator.Netlist()
	buses := buses(n)
	total := words(s)
	rows := make([]uint64, len(buses)*total)
	x, err := s.Rows(d.encoder.enc, n.InputPorts()[0])
	if err != nil {
		return nil, err
	}
	block := simulator.Block()
	in := make([]uint64, len(n.InputPorts()[0].Nets)*block)
	for from := 0; from < total; from += block {
		w := min(block, total-from)
		for i := range n.InputPorts()[0].Nets {
			copy(in[i*w:][:w], x[i*total+from:][:w])
		}
		if err := simulator.Run(w, in[:len(n.InputPorts()[0].Nets)*w]); err != nil {
			return nil, err
		}
		for i, v := range buses {
			copy(rows[i*total+from:][:w], simulator.Net(v))
		}
	}
	return rows, nil
}

// buses returns the nets of the output ports, then those of the probes.
func buses(n *netlist.Netlist) (nets []netlist.Net) {
	for _, p := range slices.Concat(n.OutputPorts(), n.Probes()) {
		nets = append(nets, p.Nets...)
	}
	return nets
}

// outputBits returns how many of the buses' bits are of output ports.
func (d *design) outputBits() (bits int) {
	for _, p := range d.out.Netlist.OutputPorts() {
		bits += len(p.Nets)
	}
	return bits
}

// differing returns the samples in which rows from to to-1 differ.
func differing(a, b []uint64, from, to, samples int) (index []int) {
	w := (samples + 63) / 64
	for k := range w {
		diff := uint64(0)
		for row := from; row < to; row++ {
			diff |= a[row*w+k] ^ b[row*w+k]
		}
		for ; diff != 0; diff &= diff - 1 {
			if i := k*64 + bits.TrailingZeros64(diff); i < samples {
				index = append(index, i)
			}
		}
	}
	return index
}

// witness is what a search found: values of features for which outputs differ, and in how
// many test samples outputs or counts do.
type witness struct {
	values []uint16
	seen   int // test samples in which outputs or counts differ
}

// The bounds of a search: how often it draws samples at random, how often it goes on from
// the best, and how many samples it tries at a time.
const (
	randomRounds = 12
	climbRounds  = 150
	atATime      = 256
)

// search looks for an input for which a mutant's outputs differ: in the test set, near it,
// and by climbing from an input for which counts differ to one where that decides.
func (d *design) search(r *rand.Rand, mutant *netlist.Netlist) (w witness, found bool, err error) {
	flat, _, err := netlist.Transparent(mutant)
	if err != nil {
		return w, false, err
	}
	c := climber{d: d, r: r}
	if c.mutant, err = sim.New(flat); err != nil {
		return w, false, err
	}
	got, err := d.run(c.mutant, d.encoder.set)
	if err != nil {
		return w, false, err
	}
	n := d.encoder.set.Levels.Len()
	inner := differing(d.want, got, 0, len(buses(flat)), n)
	w.seen = len(inner)
	if outer := differing(d.want, got, 0, d.outputBits(), n); len(outer) > 0 {
		w.values = d.encoder.values(outer[r.IntN(len(outer))])
		return w, true, nil
	}
	if c.original, err = sim.New(d.flat); err != nil {
		return w, false, err
	}
	for _, i := range inner[:min(len(inner), 8)] {
		c.keep(d.encoder.values(i))
	}
	w.values, err = c.climb(n)
	return w, w.values != nil, err
}

// climber goes from inputs for which counts differ to one for which outputs do.
type climber struct {
	d                *design
	r                *rand.Rand
	original, mutant *sim.Simulator
	start            [][]uint16 // counts differ
}

func (c *climber) keep(v []uint16) { c.start = append(c.start, v) }

// climb returns nil if it finds nothing.
func (c *climber) climb(samples int) ([]uint16, error) {
	for round := 0; round < randomRounds && len(c.start) == 0; round++ {
		batch := make([][]uint16, atATime)
		for i := range batch {
			batch[i] = c.d.encoder.drift(c.r, c.d.encoder.values(c.r.IntN(samples)))
			for range round {
				batch[i] = c.d.encoder.drift(c.r, batch[i])
			}
		}
		if v, _, err := c.try(batch); v != nil || err != nil {
			return v, err
		}
	}
	if len(c.start) == 0 {
		return nil, nil
	}
	best, gap := c.start, 1<<30
	for range climbRounds {
		batch := make([][]uint16, atATime)
		for i := range batch {
			batch[i] = c.d.encoder.drift(c.r, best[c.r.IntN(len(best))])
		}
		c.start = nil
		v, nearest, err := c.try(batch)
		if v != nil || err != nil {
			return v, err
		}
		if len(c.start) > 0 && nearest <= gap {
			best, gap = c.start, nearest
		}
	}
	return nil, nil
}

// try runs inputs through both netlists. It returns one for which outputs differ, or else
// keeps those for which counts do, of them the ones where these are nearest to deciding.
func (c *climber) try(batch [][]uint16) (v []uint16, nearest int, err error) {
	s := c.d.encoder.of(batch)
	a, err := c.d.run(c.original, s)
	if err != nil {
		return nil, 0, err
	}
	b, err := c.d.run(c.mutant, s)
	if err != nil {
		return nil, 0, err
	}
	if outer := differing(a, b, 0, c.d.outputBits(), len(batch)); len(outer) > 0 {
		return batch[outer[0]], 0, nil
	}
	nearest = 1 << 30
	for _, i := range differing(a, b, 0, len(buses(c.d.flat)), len(batch)) {
		switch g := c.gap(a, b, i, words(s)); {
		case g < nearest:
			c.start, nearest = [][]uint16{batch[i]}, g
		case g == nearest:
			c.start = append(c.start, batch[i])
		}
	}
	return nil, nearest, nil
}

// gap says how far the counts that differ are from the largest of the others.
func (c *climber) gap(a, b []uint64, sample, w int) int {
	was, is := c.d.counts(a, sample, w), c.d.counts(b, sample, w)
	best := 1 << 29
	for i := range was {
		if was[i] == is[i] {
			continue
		}
		best = min(best, abs(was[i]-slices.Max(slices.Concat(was[:i], was[i+1:]))))
	}
	return best
}

// closeSamples is how many close samples a design keeps, at most.
const closeSamples = 200

// findClose finds samples in which one bit decides the class: in the test set, and near it.
// Of a design without counts it takes any.
func (d *design) findClose() error {
	r := rand.New(rand.NewPCG(1, 0x636c6f7365))
	var list [][]uint16
	for round := 0; round < 20 && len(list) < closeSamples; round++ {
		batch := make([][]uint16, atATime)
		for i := range batch {
			batch[i] = d.encoder.values(r.IntN(d.encoder.set.Levels.Len()))
			if round > 0 {
				batch[i] = d.encoder.drift(r, batch[i])
			}
		}
		s := d.encoder.of(batch)
		rows, err := d.respond(d.flat, s)
		if err != nil {
			return err
		}
		for i, v := range batch {
			counts := d.counts(rows, i, words(s))
			slices.Sort(counts)
			if n := len(counts); n < 2 || counts[n-1]-counts[n-2] <= 1 {
				list = append(list, v)
			}
		}
	}
	d.close = d.encoder.of(list[:min(len(list), closeSamples)])
	return nil
}

// counts returns the class counts of a sample in rows of w words.
func (d *design) counts(rows []uint64, sample, w int) (list []int) {
	row := d.outputBits()
	for _, p := range d.flat.Probes() {
		v := 0
		for k := range p.Nets {
			v |= int(rows[(row+k)*w+sample/64]>>(sample%64)&1) << k
		}
		list = append(list, v)
		row += len(p.Nets)
	}
	return list
}

func abs(v int) int { return max(v, -v) }
