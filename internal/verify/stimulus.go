// This file makes samples of input bits that show whether functions differ, and computes the values of nets on these
// samples.

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

// Stimuli holds samples of an input port, 64 in each word. Bit i of Words[w][r] is input bit r of sample 64 w + i.
type Stimuli struct {
	Words   [][]uint64
	Samples int
}

// StimuliFromRows converts bit rows, with (samples+63)/64 words per row, to stimuli.
func StimuliFromRows(x []uint64, samples int) Stimuli {
	s := Stimuli{Words: make([][]uint64, (samples+63)/64), Samples: samples}
	for w := range s.Words {
		s.Words[w] = make([]uint64, 0, len(x)/len(s.Words))
		for r := w; r < len(x); r += len(s.Words) {
			s.Words[w] = append(s.Words[w], x[r])
		}
	}
	return s
}

// randomWords is the number of words of random samples.
const randomWords = 20

// fewInputs is the largest number of input bits for which all combinations are tried.
const fewInputs = 12

// AllInputs returns every combination of a number of input bits.
func AllInputs(inputs int) Stimuli {
	s := Stimuli{Samples: 1 << inputs}
	for w := range max(1, s.Samples/64) {
		word := make([]uint64, inputs)
		for i := range word {
			for lane := range uint64(64) {
				word[i] |= (64*uint64(w) + lane) >> i & 1 << lane
			}
		}
		s.Words = append(s.Words, word)
	}
	return s
}

// RandomStimuli returns random samples of the given number of input bits, or all combinations if there are at most
// 12 bits. The share of ones cycles through 1/2, 1/4, 3/4, 1/16 and 15/16 from word to word. If the share were
// always 1/2, a conjunction of many inputs would hardly ever be 1.
func RandomStimuli(inputs int) Stimuli {
	if inputs <= fewInputs {
		return AllInputs(inputs)
	}
	r := rand.New(rand.NewPCG(1, 1))
	s := Stimuli{Samples: 64 * randomWords}
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
		s.Words = append(s.Words, word)
	}
	return s
}

// Sample returns the bits of one sample.
func (s Stimuli) Sample(i int) []uint64 {
	x := make([]uint64, len(s.Words[i/64]))
	for r, v := range s.Words[i/64] {
		x[r] = v >> (i % 64) & 1
	}
	return x
}

// Project turns the samples into thermometer codes with the given number of bits per feature. A bit stays 1 only if
// all lower bits of its feature are 1.
func (s Stimuli) Project(bits int) {
	for _, word := range s.Words {
		for i := range word {
			if i%bits > 0 {
				word[i] &= word[i-1]
			}
		}
	}
}

// Around adds a word of samples to s. The word has the sample x and 63 changed copies of x. In a changed copy, each
// input is flipped with a probability of 1/16.
func (s *Stimuli) Around(x []uint64) {
	r := rand.New(rand.NewPCG(2, uint64(len(s.Words))))
	word := make([]uint64, len(x))
	for i, v := range x {
		flips := r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64()
		word[i] = -(v & 1) ^ flips&^1
	}
	s.Words = append(s.Words, word)
	s.Samples = 64 * len(s.Words)
}

// Each simulates the netlists on one word of samples after another. After word w, it calls f with w, with a mask of
// the bits of the word that are samples, and with one simulator for each netlist.
func (s Stimuli) Each(ctx context.Context, f func(w int, mask uint64, sims []*sim.Simulator) error,
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
	for w, x := range s.Words {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, one := range sims {
			if err := one.Run(1, x); err != nil {
				return err
			}
		}
		if err := f(w, Mask(s.Samples-64*w), sims); err != nil {
			return err
		}
	}
	return nil
}

// Signature holds the values of a net on all samples of a [Stimuli], with 64 samples per word.
type Signature []uint64

// Inverse returns the signature of the complement of the net with signature g.
func (s Stimuli) Inverse(g Signature) Signature {
	inverse := make(Signature, len(g))
	for w := range g {
		inverse[w] = ^g[w] & Mask(s.Samples-64*w)
	}
	return inverse
}

// Key returns the signature as a string, for use as the key of a map.
func (s Signature) Key() string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b)
}

// IsZero reports whether the net is 0 in all samples.
func (s Signature) IsZero() bool {
	return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 })
}

// Signatures returns the signatures of the given nets of n.
func (s Stimuli) Signatures(ctx context.Context, n *netlist.Netlist, nets []netlist.Net) ([]Signature, error) {
	all := make([]Signature, len(nets))
	err := s.Each(ctx, func(_ int, mask uint64, sims []*sim.Simulator) error {
		for i, v := range nets {
			all[i] = append(all[i], sims[0].Net(v)[0]&mask)
		}
		return nil
	}, n)
	return all, err
}

// Deviation is the first difference between two netlists. It has a sample, and a bit of a port or probe.
type Deviation struct {
	Sample int
	port   string
	bit    int
	got    uint64 // value in the product
}

// String describes the deviation on one line.
func (d Deviation) String() string {
	return fmt.Sprintf("%s[%d] is %d, in the raw netlist %d", d.port, d.bit, d.got, 1-d.got)
}

// Compare returns the first difference between the outputs and probes of two netlists, or nil if there is none.
// It returns an error if the two have different outputs or probes.
func (s Stimuli) Compare(ctx context.Context, raw, product *netlist.Netlist) (*Deviation, error) {
	want, got := Buses(raw), Buses(product)
	same := func(a, b netlist.Port) bool { return a.Name == b.Name && len(a.Nets) == len(b.Nets) }
	if !slices.EqualFunc(want, got, same) {
		return nil, fmt.Errorf("verify: the raw and the optimised netlist have different outputs or probes")
	}
	var first *Deviation
	err := s.Each(ctx, func(w int, mask uint64, sims []*sim.Simulator) error {
		for i, p := range want {
			for bit, v := range p.Nets {
				a, b := sims[0].Net(v)[0], sims[1].Net(got[i].Nets[bit])[0]
				if wrong := (a ^ b) & mask; wrong != 0 && first == nil {
					at := bits.TrailingZeros64(wrong)
					first = &Deviation{64*w + at, p.Name, bit, b >> at & 1}
				}
			}
		}
		return nil
	}, raw, product)
	return first, err
}

// Buses returns the output ports and the probes of n.
func Buses(n *netlist.Netlist) []netlist.Port {
	return slices.Concat(n.OutputPorts(), n.Probes())
}

// StimuliFor returns random samples for d's input port. The samples are thermometer codes if the product only has to
// be right for such codes.
func StimuliFor(d Design) Stimuli {
	s := RandomStimuli(len(d.Raw.InputPorts()[0].Nets))
	if bits := d.Project(); bits > 0 {
		s.Project(bits)
	}
	return s
}
