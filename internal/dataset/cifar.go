package dataset

import (
	"errors"
	"io"
	"slices"
)

const (
	cifarPlane  = 32 * 32
	cifarPixels = 3 * cifarPlane
)

var cifarShape = imageOf("cifar10")

// cifarSource is CIFAR-10 or CIFAR-100 in its binary form. A record begins with one or two label bytes. The last
// label byte is the class. The rest of a record is 3,072 pixels in three planes, which are red, green and blue.
type cifarSource struct {
	files  [2][]file
	labels []int // number of values of each label byte
}

func (s *cifarSource) read(part Part, emit func([]uint16, int) error) error {
	for _, f := range s.files[part] {
		if err := s.readFile(f, emit); err != nil {
			return err
		}
	}
	return nil
}

func (s *cifarSource) readFile(f file, emit func([]uint16, int) error) error {
	in, err := f.stream()
	if err != nil {
		return err
	}
	defer in.Close()
	head := len(s.labels)
	record, values := make([]byte, head+cifarPixels), make([]uint16, cifarPixels)
	for n := 1; ; n++ {
		if k, err := io.ReadFull(in, record); k == 0 && errors.Is(err, io.EOF) && n > 1 {
			return nil
		} else if err != nil {
			return in.fault(n, "%d of %d bytes: %w", k, len(record), damaged(err))
		}
		for i, limit := range s.labels {
			if int(record[i]) >= limit {
				return in.fault(n,
					"label %d, want 0..%d: the file is damaged or not in the binary format of this set; download it again",
					record[i], limit-1)
			}
		}
		widen(values, record[head:])
		if err := emit(values, int(record[head-1])); err != nil {
			return err
		}
	}
}

func openCIFAR10(k *kind, files []file) (*Set, error) {
	return cifarSet(k, &cifarSource{files: [2][]file{files[:5], files[5:]}, labels: []int{10}}), nil
}

func openCIFAR100(k *kind, files []file) (*Set, error) {
	return cifarSet(k, &cifarSource{files: [2][]file{files[:1], files[1:]}, labels: []int{20, 100}}), nil
}

func cifarSet(k *kind, src *cifarSource) *Set {
	names := numbered(nil, "red", cifarPlane)
	names = numbered(names, "green", cifarPlane)
	names = numbered(names, "blue", cifarPlane)
	return &Set{
		Name: k.name, Classes: slices.Clone(k.classes),
		Features: cifarPixels, FeatureNames: names, BitsIn: 8, Max: 255, source: src,
		Shape: cifarShape,
	}
}
