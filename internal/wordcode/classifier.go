package wordcode

import (
	"fmt"
	"math/bits"

	"ialgn/netlist"
)

// Classifier describes the inputs and outputs of a classifier's program.
type Classifier struct {
	Features    int    // number of words in the input port x
	FeatureBits int    // bits in a feature's word, at most [MaxFeatureBits]
	Class       Rows   // output rows with the class index
	Uncertain   Rows   // output row that says whether the class is uncertain; Count is 0 if there is none
	Counts      []Rows // rows with the count of each class
}

// Rows describes consecutive outputs of a program that are the bits of a number. The lowest bit comes first.
type Rows struct{ First, Count int }

// MaxFeatureBits is the largest number of bits in a feature word that is read as a number.
const MaxFeatureBits = 32

// These are the names of the ports with the class index and with the bit that says whether the class is uncertain.
const (
	ClassPort     = netlist.ClassPort
	UncertainPort = netlist.UncertainPort
)

// CountName returns the name of the probe with a class's count.
func CountName(class int) string { return fmt.Sprintf("count_%d", class) }

// NewClassifier returns the description of n, or nil if n is not a classifier. A classifier has one input port and
// the output port class_index of at most 16 bits. It has one or more probes count_0, count_1 and so on, of at most 31
// bits each. Netlists of the scopes core and full have this form. In the scope core, a feature is one thermometer
// bit. An output port uncertain of one bit is optional.
func NewClassifier(n *netlist.Netlist) *Classifier {
	if len(n.InputPorts()) != 1 || n.InputPorts()[0].Word > MaxFeatureBits {
		return nil
	}
	rows, row := map[string]Rows{}, 0
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			rows[p.Name] = Rows{row, len(p.Nets)}
			row += len(p.Nets)
		}
	}
	x := n.InputPorts()[0]
	c := &Classifier{Features: len(x.Nets) / x.Word, FeatureBits: x.Word, Class: rows[ClassPort]}
	if r := rows[UncertainPort]; r.Count == 1 {
		c.Uncertain = r
	}
	for {
		count, found := rows[CountName(len(c.Counts))]
		if !found {
			break
		}
		if count.Count > 31 {
			return nil
		}
		c.Counts = append(c.Counts, count)
	}
	if len(c.Counts) == 0 || c.Class.Count == 0 || c.Class.Count > 16 {
		return nil
	}
	return c
}

// LargestCount returns a number that no class count exceeds.
func (c *Classifier) LargestCount() int {
	most := 0
	for _, r := range c.Counts {
		most = max(most, r.Count)
	}
	return 1<<most - 1
}

// FeatureType returns the width of the smallest unsigned integer type that holds a feature: 8, 16
// or 32.
func (c *Classifier) FeatureType() int {
	return max(8, 1<<bits.Len(uint(c.FeatureBits-1)))
}
