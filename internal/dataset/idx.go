package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"ialgn/internal/message"
)

// idx reads the IDX format of MNIST. A file consists of the following parts:
//   - two zero bytes;
//   - the element type (8 is unsigned byte);
//   - the number of dimensions;
//   - the size of each dimension as a big-endian uint32;
//   - the elements, big-endian.
//
// The first dimension is the number of records.
type idx struct {
	*stream
	code  string // element type, as NumPy's code
	count int    // number of records according to the header
	size  int    // number of elements in a record
	shape Shape
	done  int
}

// idxTypes maps the type numbers in IDX headers to NumPy's codes.
var idxTypes = map[byte]string{8: "u1", 9: "i1", 11: "i2", 12: "i4", 13: "f4", 14: "f8"}

// openIDX opens an IDX file of unsigned bytes.
func openIDX(f file) (*idx, error) {
	s, err := f.stream()
	if err != nil {
		return nil, err
	}
	return idxOf(s)
}

// idxOf reads the header of an IDX file of unsigned bytes. On an error, idxOf closes the stream.
func idxOf(s *stream) (*idx, error) {
	x := &idx{stream: s}
	if err := x.header("u1"); err != nil {
		s.Close()
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return x, nil
}

// header reads the header. If code is not empty, the elements must have this type.
func (x *idx) header(code string) error {
	var word [4]byte
	if _, err := io.ReadFull(x, word[:]); err != nil {
		return fmt.Errorf("header: %w", damaged(err))
	}
	x.code = idxTypes[word[2]]
	if word[0] != 0 || word[1] != 0 || x.code == "" || word[3] < 1 || word[3] > 4 {
		return fmt.Errorf("header: % x does not begin an IDX file (00 00, then the type, 08 for unsigned bytes, and 1 to 4 "+
			"dimensions); download it again", word)
	}
	if code != "" && x.code != code {
		return message.WithHint(fmt.Errorf("header: elements of type %s, not an IDX file of unsigned bytes", x.code),
			"data.set: arrays reads IDX files of all types")
	}
	x.size = 1
	var dims []int
	for d := range int(word[3]) {
		if _, err := io.ReadFull(x, word[:]); err != nil {
			return fmt.Errorf("header: %w", damaged(err))
		}
		n := int64(binary.BigEndian.Uint32(word[:]))
		if d == 0 {
			x.count = int(min(n, 1<<31-1))
			continue
		}
		if n == 0 || int64(x.size)*n > MaxFeatures {
			return fmt.Errorf("header: dimension %d is %d, want records of 1 to %d elements: the file is damaged or of another "+
				"kind; download it again", d, n, MaxFeatures)
		}
		x.size *= int(n)
		dims = append(dims, int(n))
	}
	if k := len(dims); k >= 2 {
		x.shape = Shape{x.size / (dims[k-2] * dims[k-1]), dims[k-2], dims[k-1]}
	}
	return nil
}

// next reads the next record, which has x.size bytes, into dst. After the last record, it returns io.EOF. It returns
// an error if more bytes follow the last record.
func (x *idx) next(dst []byte) error {
	if x.done == x.count {
		if err := x.end(x.count); err != nil {
			return err
		}
		return io.EOF
	}
	if _, err := io.ReadFull(x, dst); err != nil {
		return x.fault(x.done+1, "the header announces %d: %w", x.count, damaged(err))
	}
	x.done++
	return nil
}

// skipFirst skips the first record. If it succeeds, the file has enough bytes for one record of the size in the
// header.
func (x *idx) skipFirst() error {
	if x.count == 0 {
		return fmt.Errorf("%s: header: no records", x.name)
	}
	if _, err := x.Discard(x.size); err != nil {
		return x.fault(1, "the header announces %d: %w", x.count, damaged(err))
	}
	return nil
}

// idxPair names the two files of one part of an MNIST-like set.
type idxPair struct{ images, labels file }

// idxSource is an MNIST-like set.
type idxSource struct {
	parts    [2]idxPair
	features int
	classes  int
}

// open opens both files of a part. It checks that their headers agree with each other and with the set. If features
// is 0, any image size is accepted.
func (s *idxSource) open(part Part) (images, labels *idx, err error) {
	p := s.parts[part]
	if images, err = openIDX(p.images); err != nil {
		return nil, nil, err
	}
	if labels, err = openIDX(p.labels); err != nil {
		images.Close()
		return nil, nil, err
	}
	if err := s.compare(images, labels); err != nil {
		images.Close()
		labels.Close()
		return nil, nil, err
	}
	return images, labels, nil
}

func (s *idxSource) compare(images, labels *idx) error {
	switch {
	case labels.size != 1:
		return fmt.Errorf("%s: header: records of %d bytes, want one byte per label", labels.name, labels.size)
	case images.count != labels.count:
		return fmt.Errorf("%s: header: %d labels, but %d images in %s; the files do not belong together",
			labels.name, labels.count, images.count, images.name)
	case s.features != 0 && images.size != s.features:
		return fmt.Errorf("%s: header: images of %d pixels, want %d as in the training set", images.name, images.size,
			s.features)
	}
	return nil
}

func (s *idxSource) read(part Part, emit func([]uint16, int) error) error {
	images, labels, err := s.open(part)
	if err != nil {
		return err
	}
	defer images.Close()
	defer labels.Close()
	pixels, values, label := make([]byte, s.features), make([]uint16, s.features), make([]byte, 1)
	for {
		if err := images.next(pixels); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if err := labels.next(label); err != nil {
			return err
		}
		if int(label[0]) >= s.classes {
			return labels.fault(labels.done, "label %d, want 0..%d: the file is damaged or of another set; download it again",
				label[0], s.classes-1)
		}
		widen(values, pixels)
		if err := emit(values, int(label[0])); err != nil {
			return err
		}
	}
	return labels.end(labels.count)
}

func widen(dst []uint16, src []byte) {
	for i, v := range src {
		dst[i] = uint16(v)
	}
}

// openMNIST opens an MNIST-like set. The slice files holds the training images, the training labels, the test images
// and the test labels, in this order.
func openMNIST(k *kind, files []file) (*Set, error) {
	src := &idxSource{classes: len(k.classes), parts: [2]idxPair{{files[0], files[1]}, {files[2], files[3]}}}
	s := &Set{Name: k.name, Classes: slices.Clone(k.classes), BitsIn: 8, Max: 255, source: src}
	for _, part := range []Part{Train, Test} {
		images, labels, err := src.open(part)
		if err != nil {
			return nil, err
		}
		err = images.skipFirst()
		images.Close()
		labels.Close()
		if err != nil {
			return nil, err
		}
		src.features = images.size
		if part == Train {
			s.Shape = images.shape
		}
		*s.samples(part) = images.count
	}
	s.Features = src.features
	s.FeatureNames = numbered(nil, "pixel", s.Features)
	return s, nil
}

// numbered appends "what 0" .. "what n-1" to names.
func numbered(names []string, what string, n int) []string {
	for i := range n {
		names = append(names, fmt.Sprintf("%s %d", what, i))
	}
	return names
}
