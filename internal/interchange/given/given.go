// Package given holds the input for a reader of another framework's file. The input is the file and the user's facts,
// which say what the file does not.
package given

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ialgn/internal/message"
)

// Source is a file together with the user's facts about it.
type Source struct {
	Name string // name of the file, for messages
	Path string // path as the user gave it, for hints; if empty, Name is used
	File io.ReaderAt
	Size int64

	Facts  *Facts // never nil
	Wiring *File  // nil if the user gave no wiring file
	// Thresholds holds real thresholds, [feature][bit]. It has a row for each feature, one row for all features, or a
	// row for each channel. Thresholds is nil if the user gave none.
	Thresholds [][]float32
}

// File is another file that the user gave. Its content has been read completely.
type File struct {
	Name string
	Data []byte
}

// Said returns the source that findings name for the user's facts.
func (s *Source) Said() string {
	if s.Facts.Name == "" {
		return "the options"
	}
	return s.Facts.Name
}

// Bytes reads the whole file. It returns an error if the file is larger than limit.
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

// Missing is the error for a file that lacks data without which the network is not defined.
type Missing struct {
	What string // such as "tau", "wiring", "thresholds", "classes"
	Why  string // why the file does not have the data
}

func (m *Missing) Error() string { return fmt.Sprintf("%s is not known: %s", m.What, m.Why) }

// maxFile is the size of the largest file that is read completely.
const maxFile = 1 << 28

// ReadFile reads a file completely.
func ReadFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: more than %d bytes", path, maxFile)
	}
	return &File{Name: filepath.Base(path), Data: data}, err
}

// SHA256 returns the checksum of the bytes that were read, in hexadecimal digits.
func (f *File) SHA256() string {
	sum := sha256.Sum256(f.Data)
	return hex.EncodeToString(sum[:])
}

// SHA256 returns the checksum of the opened file, in hexadecimal digits.
func (s *Source) SHA256() (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(s.File, 0, s.Size)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Rows returns the rows of an array of two dimensions, or an array of one dimension as a single row. The numbers are
// thresholds. Rows returns an error if a number is not exactly a float32. Rounding would move a threshold, and the
// value of a feature may lie between the old and the new threshold.
func Rows(shape []int, values []float64) ([][]float32, error) {
	var width int
	switch {
	case len(shape) == 1:
		width = shape[0]
	case len(shape) == 2:
		width = shape[1]
	default:
		return nil, fmt.Errorf("thresholds of %d dimensions, want one row for each feature, or one for all", len(shape))
	}
	if width < 1 || len(values) == 0 {
		return nil, fmt.Errorf("an array of shape %v has no thresholds", shape)
	}
	var rows [][]float32
	for ; len(values) >= width; values = values[width:] {
		row := make([]float32, width)
		for i, v := range values[:width] {
			if row[i] = float32(v); float64(row[i]) != v {
				return nil, message.WithHint(fmt.Errorf("threshold %d of row %d is %v, which float32 does not have: features are "+
					"compared in float32, as the frameworks do", i, len(rows), v),
					"save the thresholds that the network was trained with, or round them by x.astype('float32')")
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
