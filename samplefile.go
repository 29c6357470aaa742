package ialgn

import (
	"context"
	"io"
	"time"

	"ialgn/internal/dataset"
	"ialgn/internal/readahead"
)

// patience is the longest time for which samples from a pipe wait until further samples fill their block.
const patience = 20 * time.Millisecond

// SampleFile is an open file of samples to classify.
type SampleFile struct {
	classifier *Classifier
	in         *dataset.Samples
}

// OpenFile opens a file of samples: CSV with or without header and labels, a NumPy array, or IDX images. The file
// may be compressed with gzip. The path "-" means the standard input. The caller must close the file.
func (c *Classifier) OpenFile(ctx context.Context, path string) (*SampleFile, error) {
	enc := &c.frozen.Encoder
	in, err := dataset.OpenSamples(ctx, path, enc, c.data)
	return &SampleFile{c, in}, err
}

// OpenReader is like [Classifier.OpenFile], but reads from r, for example the body of a request. Error messages call
// the input by the given name. Closing the SampleFile does not close r.
func (c *Classifier) OpenReader(ctx context.Context, name string, r io.Reader) (*SampleFile, error) {
	in, err := dataset.ReadSamples(ctx, name, r, &c.frozen.Encoder, c.data)
	return &SampleFile{c, in}, err
}

// Close closes the file.
func (f *SampleFile) Close() error { return f.in.Close() }

// Classify passes the samples, block by block, to the callback function each. A block has hundreds to thousands of
// samples. The arguments of the callback are the number of the block's first sample, the classes of the samples, and
// their counts as [sample][class]. The slices are valid until the callback returns. If the callback returns an error,
// Classify stops and returns the error. Classify can be called only once. Samples that arrive slowly, for example
// from a pipe, wait for further samples for at most 20 ms.
//
// Classify may read the next block while the callback runs. If Classify ends early because of an error, it waits for
// the current read to finish. The end of ctx interrupts a read from a pipe or a terminal, but not from another
// reader.
func (f *SampleFile) Classify(ctx context.Context, each func(first int, classes []uint16, counts []int32) error,
) error {
	if wordBytes(&f.classifier.frozen.Encoder) == 1 {
		return classifyBlocks(ctx, f, func(block []uint8) words { return words{narrow: block} }, each)
	}
	return classifyBlocks(ctx, f, func(block []uint16) words { return words{wide: block} }, each)
}

// classifyBlocks does the work of [SampleFile.Classify] for one type of feature words.
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
			return n, ctx.Err() // the reason for the interruption
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
