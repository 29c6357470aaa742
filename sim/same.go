package sim

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"ialgn/netlist"
)

// Random says on which random samples [Same] compares netlists. The share of ones in a word is 1/2, 1/4, 3/4, 1/16 or
// 15/16, and changes from word to word. If the share were always 1/2, a conjunction of many inputs would hardly ever
// be 1.
type Random struct {
	Words int // number of words of 64 samples
	Seed  uint64
	// Codes makes the inputs thermometer codes. It applies to bits with labels of the form "FEATURE > THRESHOLD",
	// which package internal/freeze makes. Such a bit is 1 only if the preceding bit of the same feature is 1.
	Codes bool
}

// Same compares two netlists on random samples. It returns an error that names the first bit of an output port or
// probe in which they differ. The netlists must have the same ports. If both have registers, each word is one clock
// for 64 samples. If only the second netlist has registers, it must be a pipeline ([netlist.Pipeline]). Each word is
// then held at the inputs of the second netlist until the word has passed all stages.
//
// Same also returns an error if a netlist is invalid, if the ports differ, or if ctx ends.
func Same(ctx context.Context, before, after *netlist.Netlist, r Random) error {
	a, err := New(before)
	if err != nil {
		return err
	}
	b, err := New(after)
	if err != nil {
		return err
	}
	run := b.Step
	if len(a.regs) == 0 {
		run = b.Settle
	}
	source := rand.New(rand.NewPCG(r.Seed, 0))
	for first := 0; first < r.Words; {
		if err := ctx.Err(); err != nil {
			return err
		}
		words := min(a.block, b.block, r.Words-first)
		in := r.rows(source, before.InputPorts(), first, words)
		if err := a.Step(words, in...); err != nil {
			return err
		}
		if err := run(words, in...); err != nil {
			return err
		}
		if err := differ(a, b); err != nil {
			return err
		}
		first += words
	}
	return nil
}

// rows returns random bit rows for each port. Each row consists of the given number of words. The argument first is
// the number of the first word.
func (r Random) rows(source *rand.Rand, ports []netlist.Port, first, words int) [][]uint64 {
	var in [][]uint64
	for _, p := range ports {
		rows := make([]uint64, len(p.Nets)*words)
		for i := range rows {
			rows[i] = randomWord(source, first+i%words)
		}
		if r.Codes && len(p.Labels) == len(p.Nets) {
			for i := 1; i < len(p.Nets); i++ {
				if f, ok := feature(p.Labels[i]); ok && strings.HasPrefix(p.Labels[i-1], f) {
					for w := range words {
						rows[i*words+w] &= rows[(i-1)*words+w]
					}
				}
			}
		}
		in = append(in, rows)
	}
	return in
}

// randomWord returns a random word. The share of ones in the word depends on the argument place.
func randomWord(source *rand.Rand, place int) uint64 {
	word := source.Uint64()
	if place%5 > 0 {
		word &= source.Uint64()
	}
	if place%5 > 2 {
		word &= source.Uint64() & source.Uint64()
	}
	if place%5 == 2 || place%5 == 4 {
		return ^word
	}
	return word
}

// feature returns the part of a thermometer bit's label before the threshold.
func feature(label string) (string, bool) {
	at := strings.LastIndex(label, " > ")
	if at < 0 {
		return "", false
	}
	return label[:at+len(" > ")], true
}

// differ returns an error that names the first bit of an output port or probe in which two simulators differ.
func differ(a, b *Simulator) error {
	got := slices.Concat(b.n.OutputPorts(), b.n.Probes())
	for i, p := range slices.Concat(a.n.OutputPorts(), a.n.Probes()) {
		if i == len(got) || got[i].Name != p.Name || len(got[i].Nets) != len(p.Nets) {
			return fmt.Errorf("simulator: no bus %s of %d bits to compare", p.Name, len(p.Nets))
		}
		for bit, v := range p.Nets {
			want, have := a.Net(v), b.Net(got[i].Nets[bit])
			for w := range want {
				if wrong := want[w] ^ have[w]; wrong != 0 {
					value := have[w] >> bits.TrailingZeros64(wrong) & 1
					return fmt.Errorf("%s[%d] is %d on a random sample, where it was %d", p.Name, bit, value, 1-value)
				}
			}
		}
	}
	return nil
}
