package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// Samples streams the samples of a file for prediction, see [OpenSamples].
type Samples struct {
	scaling
	features int

	table *table // set if the samples stand in a CSV file
	array *array // set if they stand in an array
	row   []float64

	values []uint16 // of one sample, for [ReadWords]
}

// StandardInput is the path that means the standard input.
const StandardInput = "-"

// OpenSamples opens a CSV file, an array of NumPy or an IDX file, gzip or not, whose samples are to be
// classified by a model of that encoder, which was trained on that data. It is read once, from its beginning on, so
// that it may be a pipe, too; if ctx ends while it waits for the first samples, its error is the result. Real values
// become integers by the encoder's quantiser; without one they must be integers of 0..Max already.
//
// A CSV file may have a header: a first line without numbers, or of the features'
// names; its separator is found in its first lines. One column more than the features is a label and is
// skipped: the one named data.Label, if the header has it, else the last one. Where
// there is a quantiser, so that the model came from a CSV file itself, and both sides have
// names, the header must name the features in the model's order.
//
// A model that knows the columns of its table finds them by their names, in any order and beside others, or without a
// header by their places: all of them, all but the label, or those of features alone.
func OpenSamples(ctx context.Context, path string, enc *encoding.Encoder, data config.Data) (*Samples, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := arrayFile(path)
	if path == StandardInput {
		f = standardInput()
	}
	f, stop := f.during(ctx)
	defer stop()
	return openUntil(ctx, f, enc, data)
}

// ReadSamples is [OpenSamples] of what a reader has, which errors call by the name. Closing the samples does not
// close the reader.
func ReadSamples(ctx context.Context, name string, r io.Reader, enc *encoding.Encoder, data config.Data) (
	*Samples, error,
) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return openUntil(ctx, file{name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}, enc, data)
}

// openUntil is openSamples, whose error is that of ctx where that has ended.
func openUntil(ctx context.Context, f file, enc *encoding.Encoder, data config.Data) (*Samples, error) {
	s, err := openSamples(f, enc, data)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s, err
}

func openSamples(f file, enc *encoding.Encoder, data config.Data) (*Samples, error) {
	q, features := enc.Quantiser, enc.Features()
	if q != nil && q.Features() != features {
		return nil, fmt.Errorf("quantiser of %d features for a model of %d", q.Features(), features)
	}
	s := &Samples{scaling: scaling{q: q, max: enc.Max}, features: features}
	in, err := f.stream()
	if err != nil {
		return nil, err
	}
	if in.isArray() {
		return s, s.openArray(in, data.Plain)
	}
	lay, err := layoutOf(&data)
	if err != nil {
		in.Close()
		return nil, err
	}
	var classes []string
	if data.Classes != nil {
		classes = *data.Classes
	}
	s.table, err = tableOf(in, layout{
		label: data.Label, notation: lay.notation, words: lay.words, features: features, names: enc.Names,
		columns: enc.Columns, classes: classes,
	})
	if err != nil {
		return nil, err
	}
	ordered := enc.Columns != nil || q == nil || len(enc.Names) == 0 || s.table.header == nil
	if !ordered && !slices.Equal(s.table.names(), enc.Names) {
		s.Close()
		return nil, fmt.Errorf("%s: header: the columns differ from the model's features or their order, want %s", f.name,
			abridged(enc.Names))
	}
	return s, nil
}

// openArray reads the header of an array of samples, which it closes if they are not the model's.
func (s *Samples) openArray(in *stream, plain bool) (err error) {
	if s.array, err = arrayOf(in); err != nil {
		return err
	}
	if plain {
		s.array.places = nil
	}
	if s.array.features != s.features {
		s.Close()
		return fmt.Errorf("%s: header: samples of %d numbers, but the model has %d features", in.name, s.array.features,
			s.features)
	}
	s.row = make([]float64, s.features)
	return nil
}

// Next reads the next sample into values, one element a feature. It returns io.EOF
// after the last. It panics if values has another length.
func (s *Samples) Next(values []uint16) error {
	if len(values) != s.features {
		panic(fmt.Sprintf("dataset: %d values for %d features", len(values), s.features))
	}
	if s.table != nil {
		if err := s.table.next(); err != nil {
			return err
		}
		return s.table.words(values, &s.scaling)
	}
	if err := s.array.next(s.row); err != nil {
		return err
	}
	for f, x := range s.row {
		var ok bool
		if values[f], ok = s.word(f, x); !ok {
			return s.noWord(s.array.done, f, x)
		}
	}
	return nil
}

// noWord is the error that an element of an array is no feature word.
func (s *Samples) noWord(record, feature int, x float64) error {
	return s.array.fault(record, "feature %d is %g, want an integer of 0..%d", feature, x, s.max)
}

// Interrupt ends the reading of samples, with an error, where it waits for somebody who writes them, such as at a pipe.
// What it reads then, or from a reader, is not touched. It can be called at any time.
func (s *Samples) Interrupt() {
	if s.table != nil {
		s.table.interrupt()
	} else {
		s.array.interrupt()
	}
}

// Close closes the file.
func (s *Samples) Close() error {
	if s.table != nil {
		return s.table.Close()
	}
	return s.array.Close()
}
