package encoding

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// These are the limits of an encoder's widths. A level fits into a byte. A feature word fits into 16 bits, and so
// does a threshold.
const (
	MinBits   = 2
	MaxBits   = 256
	MinBitsIn = 1
	MaxBitsIn = 16
)

// Check returns an error if this package could not have made the encoder, for example because the encoder was read
// from a damaged file. The widths must be in range. Each feature must have Bits-1 ascending thresholds of at most
// Max. Names and quantiser must be complete or absent. Names with control characters are refused, because they are
// written into comments of generated source.
func (e *Encoder) Check() error {
	if err := checkWidths(e.Bits, e.BitsIn, e.Max); err != nil {
		return err
	}
	if len(e.Thresholds) == 0 {
		return errors.New("encoder has no features")
	}
	if err := checkNames(e.Names, len(e.Thresholds)); err != nil {
		return err
	}
	for f, row := range e.Thresholds {
		if err := e.checkRow(f, row); err != nil {
			return err
		}
	}
	if err := checkColumns(e.Columns, len(e.Thresholds)); err != nil {
		return err
	}
	if e.Quantiser == nil && e.Columns != nil {
		return errors.New("columns of a table without the ranges of their values")
	}
	if e.Quantiser != nil {
		return e.Quantiser.check(e)
	}
	return nil
}

func (e *Encoder) checkRow(f int, row []uint16) error {
	if len(row) != e.Bits-1 {
		return fmt.Errorf("feature %d has %d thresholds, want %d (encoder bits - 1)", f, len(row), e.Bits-1)
	}
	for j, t := range row {
		switch {
		case j > 0 && t < row[j-1]:
			return fmt.Errorf("feature %d: threshold %d (%d) is below the one before it (%d)", f, j+1, t, row[j-1])
		case uint32(t) > e.Max:
			return fmt.Errorf("feature %d: threshold %d (%d) is above the largest value %d", f, j+1, t, e.Max)
		}
	}
	return nil
}

// checkWidths returns an error if the widths of an encoder are out of range.
func checkWidths(bits, bitsIn int, max uint32) error {
	switch {
	case bits < MinBits || bits > MaxBits:
		return fmt.Errorf("encoder bits: %d is outside %d..%d", bits, MinBits, MaxBits)
	case bitsIn < MinBitsIn || bitsIn > MaxBitsIn:
		return fmt.Errorf("feature width: %d bits is outside %d..%d", bitsIn, MinBitsIn, MaxBitsIn)
	case max < 1 || max >= 1<<bitsIn:
		return fmt.Errorf("largest feature value: %d is outside 1..%d, what %d bits hold", max, 1<<bitsIn-1, bitsIn)
	}
	return nil
}

func checkNames(names []string, features int) error {
	if len(names) != 0 && len(names) != features {
		return fmt.Errorf("%d feature names for %d features", len(names), features)
	}
	for f, name := range names {
		if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			return fmt.Errorf("feature %d: name %q holds control characters or is not UTF-8, rename it", f, name)
		}
	}
	return nil
}
