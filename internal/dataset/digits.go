package dataset

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// The digits are "Optical Recognition of Handwritten Digits" by E. Alpaydin and C. Kaynak, UCI Machine Learning
// Repository, CC BY 4.0. The file optdigits.names in the same folder describes their origin.
var (
	//go:embed optdigits/optdigits.tra
	digitsTrain []byte
	//go:embed optdigits/optdigits.tes
	digitsTest []byte
)

const (
	digitsFeatures = 64
	digitsMax      = 16
)

var digitsShape = imageOf("digits")

// digitsContent holds the digests of the embedded files.
var digitsContent = content{
	train: "d4049211a6773c1d4b36e474e0b44f93d7b05efe31bdb6b5a5de323ceba65f54",
	test:  "6be1151d842b00849340a5a2b638449091b4743591f9b155481616f297233b6c",
	note:  "the original digits of the UCI repository",
}

// digitsSource reads the digits from text. The text begins with a header. Each sample then has 64 pixel values from 0
// to 16, followed by the digit.
type digitsSource struct {
	files   [2]file
	samples [2]int
}

// embeddedDigits reads the digits that are embedded in the program.
var embeddedDigits = &digitsSource{
	files:   [2]file{inMemory("optdigits.tra", digitsTrain), inMemory("optdigits.tes", digitsTest)},
	samples: [2]int{3823, 1797},
}

// decodedDigits is the source of the embedded digits. It decodes the text of a part only once in a process, because a
// sweep or an experiment reads the digits for each of its runs.
type decodedDigits struct{}

// digitsOnce decodes a part of the embedded digits. A sample consists of its pixels, followed by its label.
var digitsOnce = [2]func() ([]uint16, error){
	sync.OnceValues(func() ([]uint16, error) { return embeddedDigits.decode(Train) }),
	sync.OnceValues(func() ([]uint16, error) { return embeddedDigits.decode(Test) }),
}

func (decodedDigits) read(part Part, emit func([]uint16, int) error) error {
	all, err := digitsOnce[part]()
	if err != nil {
		return err
	}
	values := make([]uint16, digitsFeatures) // a copy, because the caller may change it
	for sample := range slices.Chunk(all, digitsFeatures+1) {
		copy(values, sample)
		if err := emit(values, int(sample[digitsFeatures])); err != nil {
			return err
		}
	}
	return nil
}

func (s *digitsSource) decode(part Part) (all []uint16, err error) {
	all = make([]uint16, 0, s.samples[part]*(digitsFeatures+1))
	err = s.read(part, func(values []uint16, label int) error {
		all = append(append(all, values...), uint16(label))
		return nil
	})
	return all, err
}

func openDigits() *Set {
	return &Set{
		Name: "digits", Classes: strings.Fields("0 1 2 3 4 5 6 7 8 9"),
		Features: digitsFeatures, FeatureNames: numbered(nil, "pixel", digitsFeatures), BitsIn: 5, Max: digitsMax,
		Shape: digitsShape,
		Path:  "embedded", TrainSamples: embeddedDigits.samples[Train], TestSamples: embeddedDigits.samples[Test],
		source: decodedDigits{},
	}
}

func (s *digitsSource) read(part Part, emit func([]uint16, int) error) error {
	t, err := openTable(s.files[part], layout{header: "yes"})
	if err != nil {
		return err
	}
	defer t.Close()
	if t.features != digitsFeatures {
		return fmt.Errorf("%s: %d features, want %d", t.name, t.features, digitsFeatures)
	}
	values := make([]uint16, digitsFeatures)
	n := 0
	for ; ; n++ {
		if err := t.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		label, err := t.class()
		if err != nil {
			return err
		}
		if len(label) != 1 || label[0] < '0' || label[0] > '9' {
			return t.wrong("label %s, want a digit", shown(label))
		}
		if err := t.words(values, &scaling{max: digitsMax}); err != nil {
			return err
		}
		if err := emit(values, int(label[0]-'0')); err != nil {
			return err
		}
	}
	if n != s.samples[part] {
		return fmt.Errorf("%s: %d records, want %d", t.name, n, s.samples[part])
	}
	return nil
}
