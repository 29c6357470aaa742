package gocode

import (
	"fmt"
	"strings"
)

const classifyTop = `
// Features is the number of features of a sample, FeatureBits the width of each, and Classes
// the number of classes.
const (
	Features    = FEATURES
	FeatureBits = FEATUREBITS
	Classes     = CLASSES
)

// Feature is an unsigned number of FeatureBits bits.
type Feature = uintFEATURETYPE

// Classify classifies len(class) samples. Feature f of sample s is x[s*Features+f].
//
// class[s] becomes the class of sample s, TIES where several counts are the largest.
// counts[s*Classes+c] becomes the count of class c; counts may be nil.
//
// It returns an error if the lengths do not fit, or if a feature has more than FeatureBits
// bits: then class and counts hold nothing of use.
func (n *Network) Classify(x []Feature, class []uint16, counts []uint32) error {
UNCERTAINHEAD	samples := len(class)
	if len(x) != samples*Features || counts != nil && len(counts) != samples*Classes {
		return errors.New("PACKAGE: Classify: slices of the wrong length: give Features features, a class and Classes counts a sample")
	}
	for first := 0; first < samples; first += 64 * Words {
		for w := 0; w < Words; w++ {
			from, to := bounds(first+64*w, samples)
			if all := n.pack(x[from*Features:to*Features], w); all>>FeatureBits != 0 {
				return errors.New("PACKAGE: Classify: a feature does not fit its bits: it must be below 1 << FeatureBits")
			}
		}
		n.run(&n.in, &n.out)
		for w := 0; w < Words; w++ {
			from, to := bounds(first+64*w, samples)
			n.unpack(w, from, class[from:to], counts)
UNCERTAINREAD		}
	}
	return nil
}

// bounds returns the samples of the word that begins with the given one.
func bounds(from, samples int) (int, int) {
	if from > samples {
		from = samples
	}
	if from+64 > samples {
		return from, samples
	}
	return from, from + 64
}

// group is the number of features that a word holds.
const group = 64 / FeatureBits

// pack turns up to 64 samples into word w of the input rows. It returns the OR of all
// features.
func (n *Network) pack(x []Feature, w int) (all uint64) {
	for f := 0; f < Features; f += group {
		var m [64]uint64
		count := group
		if Features-f < group {
			count = Features - f
		}
		for s := 0; s*Features < len(x); s++ {
			p := x[s*Features+f:]
GATHER		}
		transpose(&m)
		for i, word := range m[:count*FeatureBits] {
			n.in[(f*FeatureBits+i)*Words+w] = word
		}
	}
	return all
}

// unpack reads class and counts of the samples from the given one on off word w of the
// output rows.
func (n *Network) unpack(w, from int, class []uint16, counts []uint32) {
	if len(class) == 0 {
		return
	}
	m := n.number(w, classRows)
	for s := range class {
		class[s] = uint16(m[s])
	}
	if counts == nil {
		return
	}
	for c, rows := range countRows {
		m := n.number(w, rows)
		for s := range class {
			counts[(from+s)*Classes+c] = uint32(m[s])
		}
	}
}

// number returns a number of each of 64 samples.
func (n *Network) number(w int, rows [2]int) (m [64]uint64) {
	for i := 0; i < rows[1]; i++ {
		m[i] = n.out[(rows[0]+i)*Words+w]
	}
	transpose(&m)
	return m
}

// transpose transposes a 64 x 64 bit matrix: bit j of word i becomes bit i of word j.
func transpose(m *[64]uint64) {
	mask := uint64(0x00000000ffffffff)
	for j := 32; j != 0; j, mask = j>>1, mask^mask<<(uint(j)>>1) {
		for i := 0; i < 64; i = (i + j + 1) &^ j {
			t := (m[i]>>uint(j) ^ m[i+j]) & mask
			m[i+j] ^= t
			m[i] ^= t << uint(j)
		}
	}
}

// classRows and countRows have the first output row and the number of rows of the class and
// of each count.
var (
	classRows = [2]int{CLASSROWS}
	countRows = [Classes][2]int{COUNTROWS}
)
`

// These constants are the parts of classifyTop for a network that says whether a class is uncertain.
const (
	uncertainHead = `	return n.ClassifyUncertain(x, class, counts, nil)
}

// ClassifyUncertain does what Classify does, and also stores for each sample whether its class is
// uncertain. uncertain[s] becomes true if the largest count of sample s leads the second largest by
// less than the margin in the package's documentation, else false. uncertain may be nil.
func (n *Network) ClassifyUncertain(x []Feature, class []uint16, counts []uint32, uncertain []bool) error {
	if uncertain != nil && len(uncertain) != len(class) {
		return errors.New("PACKAGE: ClassifyUncertain: uncertain of the wrong length: give an element a sample")
	}
`
	uncertainRead = `			for s := from; s < to && uncertain != nil; s++ {
				uncertain[s] = n.out[ROW*Words+w]>>(uint(s-from))&1 == 1
			}
`
)

// classify writes the function that converts features to a class and counts.
func (f *file) classify() {
	c := f.classifier
	var rows []string
	for _, r := range c.Counts {
		rows = append(rows, fmt.Sprintf("{%d, %d}", r.First, r.Count))
	}
	head, read := "", ""
	if c.Uncertain.Count > 0 {
		head = strings.Replace(uncertainHead, "PACKAGE", f.opt.Package, 1)
		read = strings.Replace(uncertainRead, "ROW", fmt.Sprint(c.Uncertain.First), 1)
	}
	which := "the lowest"
	if f.n.Ties() != nil {
		which = "the first in the tie order of the package's documentation"
	}
	f.fill(classifyTop, "TIES", which, "UNCERTAINHEAD", head, "UNCERTAINREAD", read,
		"FEATURETYPE", fmt.Sprint(c.FeatureType()), "FEATURES", fmt.Sprint(c.Features),
		"FEATUREBITS", fmt.Sprint(c.FeatureBits), "CLASSES", fmt.Sprint(len(c.Counts)), "PACKAGE", f.opt.Package,
		"CLASSROWS", fmt.Sprintf("%d, %d", c.Class.First, c.Class.Count), "COUNTROWS", strings.Join(rows, ", "),
		"GATHER", f.gather())
}

// gather returns the statements that pack a group of features into word s. If the group is full, the packing is a
// single expression, which the compiler recognises as a load of several bytes.
func (f *file) gather() string {
	bits := f.classifier.FeatureBits
	group := 64 / bits
	simple := "for k, v := range p[:count] {\n\tall |= uint64(v)\n\tm[s] |= uint64(v) << (k * FeatureBits)\n}\n"
	if bits != 8 {
		return indent(simple, 3)
	}
	var word []string
	for k := range group {
		word = append(word, fmt.Sprintf("uint64(p[%d])<<%d", k, k*bits))
	}
	word[0] = "uint64(p[0])"
	return indent("if count == group {\n\tp = p[:group]\n\tm[s] = "+strings.Join(word, " |\n\t\t")+
		"\n\tcontinue\n}\n"+simple, 3)
}

// indent inserts tabs at the start of every line.
func indent(s string, tabs int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.Repeat("\t", tabs) + line)
	}
	return b.String()
}
