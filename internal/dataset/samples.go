package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// Samples streams the samples of a file for prediction (see [OpenSamples]).
type Samples struct {
	scaling
	features int

	table *table // set if the samples are in a CSV file
	array *array // set if the samples are in an array
	row   []float64

	values []uint16 // one sample, used by [ReadWords]
}

// StandardInput is the path of the standard input.
const StandardInput = "-"

// OpenSamples opens samples for classification by a model. enc is the model's encoder, and data describes the set on
// which the model was trained. path is a CSV file, a NumPy array or an IDX file, and may be compressed by gzip. The
// file is read once from the beginning, so it may be a pipe. If ctx ends while OpenSamples waits for the first
// samples, OpenSamples returns the error of ctx. The encoder's quantiser turns real values into integers. Without a
// quantiser, values must already be integers of 0..Max.
//
// A CSV file may have a header. It is a first line without numbers, or a first line with the features' names. The
// separator is determined from the first lines. If there is one column more than features, this column is a label and
// is skipped. The label is the column named data.Label, if the header has it, or else the last column. If there is a
// quantiser, the model was itself trained on a CSV file. If both files then have names, the header must name the
// features in the model's order.
//
// If the model knows the columns of its table, it finds them by name. They may be in any order, and the file may have
// other columns. Without a header, the columns are found by place. The file must then have all columns, all except
// the label, or only the feature columns.
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

// ReadSamples is [OpenSamples] for the content of a reader. name is the file's name in errors. Samples.Close does not
// close the reader.
func ReadSamples(ctx context.Context, name string, r io.Reader, enc *encoding.Encoder, data config.Data) (
	*Samples, error,
) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return openUntil(ctx, file{name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}, enc, data)
}

// openUntil is openSamples with a context. It returns the error of ctx if ctx has ended.
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

// openArray reads the header of an array of samples. It closes the array if its samples do not fit the model.
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

// Next reads the next sample into values, which has one element for each feature. After the last sample, it returns
// io.EOF. It panics if values has the wrong length.
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

// noWord returns the error for an element of an array that is not a feature word.
func (s *Samples) noWord(record, feature int, x float64) error {
	return s.array.fault(record, "feature %d is %g, want an integer of 0..%d", feature, x, s.max)
}

// Interrupt ends a read that is waiting for a writer, for example at a pipe. The read then returns an error.
// Interrupt has no effect on other reads, or on a reader that the caller passed. It may be called at any time.
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
