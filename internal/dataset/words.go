package dataset

import (
	"fmt"
	"math"
)

// ReadWords reads the next samples into dst, [sample][feature], which must have room for at least one sample. It
// waits for only one sample. It may also read further samples that are available without waiting. It returns the
// number of samples that were read, or after an error, the number of samples before the error. It returns the same
// errors as [Samples.Next], such as io.EOF after the last sample.
//
// If the bytes of an array already are feature words, ReadWords takes only the time for copying. It panics if dst has
// no room for a sample, or if the elements of dst are too small for the encoder's largest feature word.
func ReadWords[T uint8 | uint16](s *Samples, dst []T) (samples int, err error) {
	if len(dst) < s.features || uint64(s.max) > uint64(^T(0)) {
		panic(fmt.Sprintf("dataset: room for %d words of at most %d, the samples have %d of at most %d", len(dst), ^T(0),
			s.features, s.max))
	}
	if narrow, ok := any(dst).([]uint8); ok && s.array != nil && s.q == nil && s.array.plainBytes() {
		return s.readBytes(narrow)
	}
	if s.values == nil {
		s.values = make([]uint16, s.features)
	}
	if err := s.Next(s.values); err != nil {
		return 0, err
	}
	for f, v := range s.values {
		dst[f] = T(v)
	}
	return 1, nil
}

// readBytes is [ReadWords] for an array of bytes. The bytes are the feature words. Each byte must be at most the
// encoder's largest feature word.
func (s *Samples) readBytes(dst []uint8) (samples int, err error) {
	before := s.array.done
	samples, err = s.array.nextBytes(dst)
	if s.max >= math.MaxUint8 {
		return samples, err
	}
	for i, x := range dst[:samples*s.features] {
		if uint32(x) > s.max {
			samples = i / s.features
			return samples, s.noWord(before+samples+1, i%s.features, float64(x))
		}
	}
	return samples, err
}

// Waits reports whether a read may have to wait for a writer. This is the case if the samples are not in a regular
// file.
func (s *Samples) Waits() bool {
	if s.table != nil {
		return s.table.waits()
	}
	return s.array.waits()
}
