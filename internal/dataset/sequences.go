package dataset

import (
	"cmp"
	"fmt"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/draw"
)

// sequences lists the sets that the program generates. A sample of these sets is a sequence of steps, and its
// features are in the order of the steps. A sample depends only on the number of steps and on the number of the
// sample.
var sequences = []*sequenceKind{
	{
		name: "parity", title: "made by the program: strings of bits and their parity, 4,000 + 2,000",
		classes: "even odd", features: 1, sample: paritySample,
		known: content{
			train: "6b0316021bc46d43e38f97fdc61988adc95eace57902097d6146e072d0550cf9",
			test:  "9ce628cf11bad761b9b6ea036aac1c960d26298d090c93067f224d7165961f23",
			note:  "the strings of 16 bits that every ialgn makes",
		},
	},
	{
		name: "copy", title: "made by the program: strings of 4 symbols, and the one at their middle, 4,000 + 2,000",
		classes: "0 1 2 3", features: copyBits, sample: copySample,
		known: content{
			train: "e558034b09728d1caa414f458f00d853dcb5c408e9e5b14d9491a48bdb161c1c",
			test:  "fdb10022fae81e51d88d79d8537c395aec517a2d3c6c1cda0c92f6208950d720",
			note:  "the strings of 16 symbols that every ialgn makes",
		},
	},
}

// sequenceSamples is the number of samples of each part.
var sequenceSamples = [2]int{Train: 4000, Test: 2000}

// sequenceKind is a generated set.
type sequenceKind struct {
	name, title, classes string
	features             int // number of features of a step; each feature is a bit
	sample               func(s *draw.Stream, part Part, values []uint16) (label int)
	known                content // the known content for the default number of steps
}

// findSequences returns the generated set with the given name, or nil if there is none.
func findSequences(name string) *sequenceKind {
	for _, k := range sequences {
		if k.name == name {
			return k
		}
	}
	return nil
}

// open returns the set. The parameter length is the number of steps of its sequences, or 0 for the default number.
func (k *sequenceKind) open(length int) (*Set, error) {
	length = cmp.Or(length, config.StandardLength)
	if length < config.MinLength || length > config.MaxLength {
		return nil, fmt.Errorf("data set %s: %d steps, want %d to %d", k.name, length, config.MinLength, config.MaxLength)
	}
	var names []string
	for step := range length {
		for f := range k.features {
			names = append(names, fmt.Sprintf("step%d.%d", step, f))
		}
	}
	return &Set{
		Name: k.name, Classes: strings.Fields(k.classes), Features: length * k.features, FeatureNames: names, BitsIn: 1,
		Max: 1, Path: "made", TrainSamples: sequenceSamples[Train], TestSamples: sequenceSamples[Test],
		source: &sequenceSource{k, length},
	}, nil
}

// sequenceSource generates the samples.
type sequenceSource struct {
	*sequenceKind
	length int
}

func (s *sequenceSource) read(part Part, emit func(values []uint16, label int) error) error {
	values := make([]uint16, s.length*s.features)
	for i := range sequenceSamples[part] {
		clear(values)
		label := s.sample(draw.New(0, draw.Sequences, int(part), i), part, values)
		if err := emit(values, label); err != nil {
			return err
		}
	}
	return nil
}

// paritySample makes a string of bits. The label is the parity of the string. Training strings have uniformly
// distributed lengths and begin with zeros, so that there are short strings to learn from. Test strings have the full
// length. A quarter of all patterns occurs only in the test part.
func paritySample(s *draw.Stream, part Part, values []uint16) (label int) {
	for {
		label = 0
		length := len(values)
		if part == Train {
			length = 1 + s.Below(len(values))
		}
		hash := uint64(0)
		for i := range values {
			if values[i] = 0; i >= len(values)-length {
				values[i] = uint16(s.Below(2))
			}
			label ^= int(values[i])
			hash = (hash ^ uint64(values[i]+1)) * 0x9e3779b97f4a7c15
		}
		if forTest := hash>>62 == 0; forTest == (part == Test) {
			return label
		}
	}
}

// copyBits is the number of bits of a symbol. Each bit is a feature.
const copyBits = 2

// copySample makes a string of symbols. The label is the symbol in the middle of the string, so it is half the length
// away from the end.
func copySample(s *draw.Stream, _ Part, values []uint16) (label int) {
	middle := (len(values)/copyBits - 1) / 2
	for i := range len(values) / copyBits {
		symbol := s.Below(1 << copyBits)
		for b := range copyBits {
			values[i*copyBits+b] = uint16(symbol >> b & 1)
		}
		if i == middle {
			label = symbol
		}
	}
	return label
}
