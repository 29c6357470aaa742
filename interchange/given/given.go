// Package given holds what a reader of another framework's file is given: the file, and what the user says of it where
// the file does not.
package given

import (
	"errors"
	"fmt"
	"io"

	"ialgn/interchange/facts"
)

// Source is a file with what the user says of it.
type Source struct {
	Name string // of the file, for messages
	File io.ReaderAt
	Size int64

	Facts  *facts.Facts // never nil
	Wiring *File        // nil: not given
	// Seed replays the wiring that a seed drew; nil: not given.
	Seed *int64
	// Thresholds are real thresholds, [feature][bit], one row for all features, or one for each channel; nil: not given.
	Thresholds [][]float32
}

// File is another file of the user's, whole.
type File struct {
	Name string
	Data []byte
}

// Bytes reads the whole file. It returns an error if it is larger than limit.
func (s *Source) Bytes(limit int64) ([]byte, error) {
	if s.Size > limit {
		return nil, fmt.Errorf("%d bytes, more than the %d of the largest file of that form that is read", s.Size, limit)
	}
	data := make([]byte, s.Size)
	if _, err := s.File.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

// Missing says that a file does not hold something that the network cannot be known without.
type Missing struct {
	What string // such as "tau", "wiring", "thresholds", "classes"
	Why  string // why the file does not say it
}

func (m *Missing) Error() string { return fmt.Sprintf("%s is not known: %s", m.What, m.Why) }
