package wordcode

import (
	"ialgn/internal/softmax"
	"ialgn/netlist"
	"ialgn/sim"
)

// Vectors holds test vectors for a netlist, in a form that is small enough for a test program. A formula gives the
// inputs, and a hash checks the outputs.
//
// There are [Blocks] blocks of 64 samples. Row r of the inputs of a block is InputWord(block, r). [Hash] checks the
// rows of the outputs. For a classifier, Vectors also lists the results for the first [Samples] samples.
type Vectors struct {
	Hashes []uint64 // hash of each block of samples
	Class  []uint16
	Counts []uint32 // [sample][class]

	Uncertain []uint16 // 0 or 1 for each sample; empty if the classifier does not say whether a class is uncertain
}

// Probabilities returns the probabilities that [softmax.Fixed] computes from the counts, indexed [sample][class].
func (v *Vectors) Probabilities(t *softmax.Table) []uint16 {
	all := make([]uint16, len(v.Counts))
	for classes, i := len(v.Counts)/len(v.Class), 0; i < len(all); i += classes {
		softmax.Fixed(t, all[i:][:classes], v.Counts[i:][:classes])
	}
	return all
}

// Blocks is the number of blocks of 64 samples.
const Blocks = 8

// Samples is the number of samples whose classes are listed. It is not a multiple of 64, so that tests also classify
// fewer samples than a word holds.
const Samples = 100

// NewVectors computes the vectors of n with the simulator. The argument c is nil if n is not a classifier.
func NewVectors(n *netlist.Netlist, c *Classifier) (*Vectors, error) {
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		return nil, err
	}
	v := &Vectors{}
	for block := range uint64(Blocks) {
		out, err := outputs(s, block)
		if err != nil {
			return nil, err
		}
		v.Hashes = append(v.Hashes, Hash(out))
		if c != nil {
			v.classes(c, out)
		}
	}
	return v, nil
}

// outputs simulates a block and returns the rows of the output ports and the probes.
func outputs(s *sim.Simulator, block uint64) ([]uint64, error) {
	n, row := s.Netlist(), uint64(0)
	var in [][]uint64
	for _, p := range n.InputPorts() {
		rows := make([]uint64, len(p.Nets))
		for i := range rows {
			rows[i] = InputWord(block, row)
			row++
		}
		in = append(in, rows)
	}
	if err := s.Run(1, in...); err != nil {
		return nil, err
	}
	var out []uint64
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			for _, v := range p.Nets {
				out = append(out, s.Net(v)[0])
			}
		}
	}
	return out, nil
}

// classes appends the class and the counts of each sample of a block, until [Samples] samples are listed.
func (v *Vectors) classes(c *Classifier, out []uint64) {
	for s := 0; s < 64 && len(v.Class) < Samples; s++ {
		number := func(r Rows) (x uint32) {
			for i, row := range out[r.First:][:r.Count] {
				x |= uint32(row>>s&1) << i
			}
			return x
		}
		v.Class = append(v.Class, uint16(number(c.Class)))
		if c.Uncertain.Count > 0 {
			v.Uncertain = append(v.Uncertain, uint16(number(c.Uncertain)))
		}
		for _, r := range c.Counts {
			v.Counts = append(v.Counts, number(r))
		}
	}
}

// InputWord returns row r of a block's inputs. In blocks 1, 5, 9 and so on, a quarter of the bits are ones. In blocks
// 2, 6, 10 and so on, three quarters are ones. In all other blocks, half of the bits are ones.
func InputWord(block, r uint64) uint64 {
	key := block<<32 | r
	switch block & 3 {
	case 1:
		return mix(key) & mix(^key)
	case 2:
		return mix(key) | mix(^key)
	}
	return mix(key)
}

// mix computes a step of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Hash returns the FNV-1a hash of words. It processes one word in each step instead of one byte.
func Hash(words []uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, w := range words {
		h = (h ^ w) * 0x100000001b3
	}
	return h
}
