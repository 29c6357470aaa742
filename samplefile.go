package ialgn

import (
	"context"
	"io"
	"time"

	"ialgn/internal/dataset"
	"ialgn/internal/readahead"
)

// patience is how long samples of a pipe wait for others to be classified with.
const patience = 20 * time.Millisecond

// SampleFile is a file of samples to classify.
type SampleFile struct {
	classifier *Classifier
	in         *dataset.Samples
}

// OpenFile opens a file of samples: CSV with or without a header and labels, an array of NumPy's or IDX images, gzip
// or not, or "-" for the standard input. The caller closes it.
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

// Classify calls each with the classes and the counts, [sample][class], of some hundreds to thousands of samples at a
// time, in order; first is the number of the first one. The slices are valid until each returns, and its error ends
// Classify, which can be called once for a file. Samples that come slowly, as from a pipe, wait for others for at most
// 20 ms.
//
// It may read while each is called. If it ends early, by an error, it waits for the read that is under way. The end of
// ctx ends a read of a pipe or a terminal, but not one of another reader.
func (f *SampleFile) Classify(ctx context.Context, each func(first int, classes []uint16, counts []int32) error,
) error {
	if wordBytes(&f.classifier.frozen.Encoder) == 1 {
		return classifyBlocks(ctx, f, func(block []uint8) words { return words{narrow: block} }, each)
	}
	return classifyBlocks(ctx, f, func(block []uint16) words { return words{wide: block} }, each)
}

// classifyBlocks is [SampleFile.Classify] with blocks of feature words of a type.
func classifyBlocks[T uint8 | uint16](ctx context.Context, f *SampleFile, wordsOf func(block []T) words,
	each func(first int, classes []uint16, counts []int32) error,
) error {
	c, done := f.classifier, 0
	o := readahead.Options{Sample: c.frozen.Encoder.Features(), Block: c.block(), Ahead: parallel() > 1}
	if f.in.Waits() {
		o.Ahead, o.Patience = true, patience
	}
	out := newResult(len(c.frozen.Classes), o.Block)
	defer context.AfterFunc(ctx, f.in.Interrupt)()
	read := func(dst []T) (int, error) {
		n, err := dataset.ReadWords(f.in, dst)
		if err != nil && ctx.Err() != nil {
			return n, ctx.Err() // why it was interrupted
		}
		return n, err
	}
	return readahead.Blocks(ctx, o, read, func(block []T) error {
		r := resultOf(out, len(block)/o.Sample)
		if err := c.engine.classify(ctx, wordsOf(block), r); err != nil {
			return err
		}
		first := done
		done += len(r.Class)
		return each(first, r.Class, r.Counts)
	})
}
