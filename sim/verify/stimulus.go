package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ialgn/netlist"
	"ialgn/sim"
)

// A stimulus is samples of an input port, a word of 64 samples at a time: bit i of
// words[w][r] is input bit r of sample 64 w + i.
type stimulus struct {
	words   [][]uint64
	samples int
}

// fromRows takes the stimulus out of bit rows, (samples+63)/64 words a row.
func fromRows(x []uint64, samples int) stimulus {
	s := stimulus{words: make([][]uint64, (samples+63)/64), samples: samples}
	for w := range s.words {
		s.words[w] = make([]uint64, 0, len(x)/len(s.words))
		for r := w; r < len(x); r += len(s.words) {
			s.words[w] = append(s.words[w], x[r])
		}
	}
	return s
}

// randomWords is how many words of random samples tell nets apart.
const randomWords = 20

// fewInputs is up to how many input bits all combinations are tried.
const fewInputs = 12

// all returns every combination of a number of input bits.
func all(inputs int) stimulus {
	s := stimulus{samples: 1 << inputs}
	for w := range max(1, s.samples/64) {
		word := make([]uint64, inputs)
		for i := range word {
			for lane := range uint64(64) {
				word[i] |= (64*uint64(w) + lane) >> i & 1 << lane
			}
		}
		s.words = append(s.words, word)
	}
	return s
}

// random returns random samples of the given number of input bits, or all there are of a
// few. In turn a half, a quarter, three quarters, a sixteenth and fifteen sixteenths of the
// bits are 1, for a conjunction of many inputs is hardly ever 1 among even ones.
func random(inputs int) stimulus {
	if inputs <= fewInputs {
		return all(inputs)
	}
	r := rand.New(rand.NewPCG(1, 1))
	s := stimulus{samples: 64 * randomWords}
	for w := range randomWords {
		word := make([]uint64, inputs)
		for i := range word {
			sparse := r.Uint64() & r.Uint64()
			switch w % 5 {
			case 0:
				word[i] = r.Uint64()
			case 1, 2:
				word[i] = sparse
			default:
				word[i] = sparse & r.Uint64() & r.Uint64()
			}
			if w%5 == 2 || w%5 == 4 {
				word[i] = ^word[i]
			}
		}
		s.words = append(s.words, word)
	}
	return s
}

// sample returns the bits of one sample.
func (s stimulus) sample(i int) []uint64 {
	x := make([]uint64, len(s.words[i/64]))
	for r, v := range s.words[i/64] {
		x[r] = v >> (i % 64) & 1
	}
	return x
}

// project makes the samples thermometer codes, of features with so many bits each: a bit
// stays 1 only with all lower ones.
func (s stimulus) project(bits int) {
	for _, word := range s.words {
		for i := range word {
			if i%bits > 0 {
				word[i] &= word[i-1]
			}
		}
	}
}

// around adds one sample and 63 in which each input is flipped with a probability of
// 1/16.
func (s *stimulus) around(x []uint64) {
	r := rand.New(rand.NewPCG(2, uint64(len(s.words))))
	word := make([]uint64, len(x))
	for i, v := range x {
		flips := r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64()
		word[i] = -(v & 1) ^ flips&^1
	}
	s.words = append(s.words, word)
	s.samples = 64 * len(s.words)
}

// each runs a simulator of each netlist over the words in order and calls f after
// each, with the mask of the samples in it.
func (s stimulus) each(ctx context.Context, f func(w int, mask uint64, sims []*sim.Simulator) error,
	netlists ...*netlist.Netlist,
) error {
	var sims []*sim.Simulator
	for _, n := range netlists {
		one, err := sim.NewBlock(n, 1)
		if err != nil {
			return err
		}
		sims = append(sims, one)
	}
	for w, x := range s.words {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, one := range sims {
			if err := one.Run(1, x); err != nil {
				return err
			}
		}
		if err := f(w, valid(s.samples-64*w), sims); err != nil {
			return err
		}
	}
	return nil
}

// signature is a net's values over a stimulus.
type signature []uint64

// inverse returns the signature of the complement.
func (s stimulus) inverse(g signature) signature {
	inverse := make(signature, len(g))
	for w := range g {
		inverse[w] = ^g[w] & valid(s.samples-64*w)
	}
	return inverse
}

// key returns the signature as a key of maps.
func (s signature) key() string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b)
}

func (s signature) isZero() bool {
	return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 })
}

// signatures returns the signatures of the given nets of n.
func (s stimulus) signatures(ctx context.Context, n *netlist.Netlist, nets []netlist.Net) ([]signature, error) {
	all := make([]signature, len(nets))
	err := s.each(ctx, func(_ int, mask uint64, sims []*sim.Simulator) error {
		for i, v := range nets {
			all[i] = append(all[i], sims[0].Net(v)[0]&mask)
		}
		return nil
	}, n)
	return all, err
}

// deviation is where two netlists first differ: a sample and a bit of a port or probe.
type deviation struct {
	sample int
	port   string
	bit    int
	got    uint64 // of the product
}

// String returns a line for a person.
func (d deviation) String() string {
	return fmt.Sprintf("%s[%d] is %d, in the raw netlist %d", d.port, d.bit, d.got, 1-d.got)
}

// compare returns the first difference between the outputs and probes of two
// netlists, nil if there is none. It returns an error if they have not the same.
func (s stimulus) compare(ctx context.Context, raw, product *netlist.Netlist) (*deviation, error) {
	want, got := buses(raw), buses(product)
	same := func(a, b netlist.Port) bool { return a.Name == b.Name && len(a.Nets) == len(b.Nets) }
	if !slices.EqualFunc(want, got, same) {
		return nil, fmt.Errorf("verify: the raw and the optimised netlist have different outputs or probes")
	}
	var first *deviation
	err := s.each(ctx, func(w int, mask uint64, sims []*sim.Simulator) error {
		for i, p := range want {
			for bit, v := range p.Nets {
				a, b := sims[0].Net(v)[0], sims[1].Net(got[i].Nets[bit])[0]
				if wrong := (a ^ b) & mask; wrong != 0 && first == nil {
					at := bits.TrailingZeros64(wrong)
					first = &deviation{64*w + at, p.Name, bit, b >> at & 1}
				}
			}
		}
		return nil
	}, raw, product)
	return first, err
}

// buses returns the output ports and the probes of n.
func buses(n *netlist.Netlist) []netlist.Port {
	return slices.Concat(n.OutputPorts(), n.Probes())
}
