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

// Random says on what random samples [Same] compares netlists. In turn a half, a quarter, three quarters, a
// sixteenth and fifteen sixteenths of the bits of a word are 1, for a conjunction of many inputs is hardly ever 1 among
// even ones.
type Random struct {
	Words int // words of 64 samples
	Seed  uint64
	// Codes has thermometer codes at the inputs: a bit whose label is "FEATURE > THRESHOLD", as package internal/freeze
	// makes them, is 1 only where the bit before it is, if that is of the same feature.
	Codes bool
}

// Same returns an error that names the first bit of an output port or probe in which two netlists differ on random
// samples. They have the same ports; where both have registers, each word is a clock of 64 samples. A netlist without
// registers may be compared with a pipeline ([netlist.Pipeline]), whose words are held until they are through.
//
// It returns an error, too, if a netlist breaks an invariant or the ports are not the same, and ctx's.
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

// rows returns random bit rows for each port, the words from first on.
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

// randomWord returns the word of a place, which decides how many of its bits are 1.
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

// feature returns what the label of a thermometer bit begins with, up to the threshold.
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
