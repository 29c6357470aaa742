package ialgn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"ialgn/trainer/config"
	"ialgn/trainer/dataset"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// Classifier classifies samples by the frozen network, bit-parallel. It may be used by several goroutines at once.
type Classifier struct {
	frozen *model.Frozen
	data   config.Data // of the model's training
	single sync.Pool   // holds values of type *single
}

// single is what the classification of one sample needs.
type single struct {
	evaluator *model.Evaluator
	values    []uint16
	rows      []uint64
	counts    []int32
}

// Classifier reads the network of the model for classification.
func (m *Model) Classifier() (*Classifier, error) {
	f, err := m.Frozen(context.Background())
	if err != nil {
		return nil, err
	}
	return &Classifier{frozen: f, data: m.info.Model.Config.Data}, nil
}

// Classes returns the names of the classes.
func (c *Classifier) Classes() []string { return append([]string{}, c.frozen.Classes...) }

// quantise is [quantise] of a sample, which it panics about if that has not the model's features.
func (c *Classifier) quantise(dst []uint16, features []float64) {
	if enc := &c.frozen.Encoder; len(features) != enc.Features() {
		panic(fmt.Sprintf("ialgn: a sample of %d features, the model has %d", len(features), enc.Features()))
	}
	quantise(&c.frozen.Encoder, dst, features)
}

// quantise writes the feature words of real values: by the encoder's quantiser or, where features are integers, rounded
// to the nearest one that there can be. A value that is no number counts as the least.
func quantise(enc *encoding.Encoder, dst []uint16, features []float64) {
	for f, x := range features {
		switch {
		case enc.Quantiser != nil:
			dst[f] = enc.Quantiser.Apply(f, x, enc.Max)
		case x > 0:
			dst[f] = uint16(math.Round(min(x, float64(enc.Max))))
		default:
			dst[f] = 0
		}
	}
}

// Classify returns the class of a sample and the count of each class, of which the class has the largest, the first of
// equal ones. It panics if the sample has not as many features as the model. The feature of a word ([Model.Columns]) is
// 1 where the column has it, else 0.
func (c *Classifier) Classify(features []float64) (class int, counts []int) {
	enc := &c.frozen.Encoder
	s, ok := c.single.Get().(*single)
	if !ok {
		s = &single{
			evaluator: model.NewEvaluator(c.frozen), values: make([]uint16, enc.Features()),
			rows: make([]uint64, enc.Inputs()), counts: make([]int32, len(c.frozen.Classes)),
		}
	}
	defer c.single.Put(s)
	c.quantise(s.values, features)
	width := enc.Bits - 1
	for f, v := range s.values {
		level := int(enc.Level(f, v))
		for j := range width {
			s.rows[f*width+j] = 0
			if level > j {
				s.rows[f*width+j] = 1
			}
		}
	}
	s.evaluator.Run(s.rows, 1, nil)
	s.evaluator.Counts(s.counts, 1)
	counts = make([]int, len(s.counts))
	for i, n := range s.counts {
		if counts[i] = int(n); counts[i] > counts[class] {
			class = i
		}
	}
	return class, counts
}

// ClassifyAll is [Classifier.Classify] of many samples at once, [sample][feature], on all processors: much faster than
// one by one. counts is [sample][class].
func (c *Classifier) ClassifyAll(features [][]float64) (classes []int, counts [][]int) {
	block := c.packed()
	values := make([]uint16, c.frozen.Encoder.Features())
	for _, sample := range features {
		c.quantise(values, sample)
		c.frozen.Encoder.Levels(values, values)
		block.Append(values, 0)
	}
	classes, counts = make([]int, len(features)), make([][]int, len(features))
	if len(features) == 0 {
		return classes, counts
	}
	s, err := c.frozen.Evaluate(context.Background(), block, 0)
	if err != nil {
		panic("ialgn: " + err.Error()) // the only other error is that of an ended context, and this one does not end
	}
	for i, class := range s.Predicted {
		classes[i], counts[i] = int(class), make([]int, s.Classes)
		for k, n := range s.Counts[i*s.Classes:][:s.Classes] {
			counts[i][k] = int(n)
		}
	}
	return classes, counts
}

func (c *Classifier) packed() *encoding.Packed {
	return encoding.NewPacked(c.frozen.Encoder.Features(), c.frozen.Encoder.LevelBits())
}

// fileBlock is how many samples of a file are read and classified at a time.
const fileBlock = 4096

// SampleFile is a file of samples to classify.
type SampleFile struct {
	classifier *Classifier
	in         *dataset.Samples
}

// OpenFile opens a file of samples: CSV with or without a header and labels, an array of NumPy's or IDX images, gzip or
// not, or "-" for the standard input. The caller closes it.
func (c *Classifier) OpenFile(ctx context.Context, path string) (*SampleFile, error) {
	enc := &c.frozen.Encoder
	in, err := dataset.OpenSamples(ctx, path, enc, c.data)
	return &SampleFile{c, in}, err
}

// OpenReader is [Classifier.OpenFile] of what a reader has, such as the body of a request; errors call it by the name.
// Closing the file does not close the reader.
func (c *Classifier) OpenReader(ctx context.Context, name string, r io.Reader) (*SampleFile, error) {
	in, err := dataset.ReadSamples(ctx, name, r, &c.frozen.Encoder, c.data)
	return &SampleFile{c, in}, err
}

// Close closes the file.
func (f *SampleFile) Close() error { return f.in.Close() }

// Classify calls each with the class and the counts of every sample, in order. counts holds until each returns, whose
// error ends it.
func (f *SampleFile) Classify(ctx context.Context, each func(sample, class int, counts []int32) error) error {
	c, in := f.classifier, f.in
	for first, end := 0, false; !end; {
		block, last, err := c.readBlock(in)
		if err != nil {
			return err
		}
		end = last
		s, err := c.frozen.Evaluate(ctx, block, 0)
		if err != nil {
			return err
		}
		for i, class := range s.Predicted {
			if err := each(first+i, int(class), s.Counts[i*s.Classes:][:s.Classes]); err != nil {
				return err
			}
		}
		first += block.Len()
	}
	return nil
}

// readBlock reads the next samples, and says whether they are the last.
func (c *Classifier) readBlock(in *dataset.Samples) (block *encoding.Packed, end bool, err error) {
	block = c.packed()
	values := make([]uint16, c.frozen.Encoder.Features())
	for block.Len() < fileBlock {
		if err := in.Next(values); errors.Is(err, io.EOF) {
			return block, true, nil
		} else if err != nil {
			return nil, false, err
		}
		c.frozen.Encoder.Levels(values, values)
		block.Append(values, 0)
	}
	return block, false, nil
}
