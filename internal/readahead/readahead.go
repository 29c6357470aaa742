// Package readahead delivers the samples of a source in blocks, and reads the next block while the current block is
// in use.
//
// A sample is a fixed number of elements in a row, and a block is a number of samples. All blocks except the last are
// full, unless samples arrive slowly, for example from a pipe. In this case, a block ends when [Options.Patience] has
// passed since its first sample. The memory of all blocks is allocated once.
package readahead

import (
	"context"
	"errors"
	"io"
	"time"
)

// Options describe the blocks.
type Options struct {
	Sample int // elements in a sample
	Block  int // largest number of samples in a block
	// Ahead reads in a separate goroutine. Without it, nothing is read while a block is in use.
	Ahead bool
	// Patience is the time after which a block ends even if it is not full, counted from the block's first sample. 0
	// means no limit. Patience requires Ahead.
	Patience time.Duration
}

// Source reads samples into dst, which has room for at least one sample. It waits for at least one sample, and then
// also reads further samples that are available. If it returns an error, the result samples is the number of samples
// before the error. The error after the last sample is io.EOF.
type Source[T any] func(dst []T) (samples int, err error)

// Blocks calls use with each block of a source, in order. A block is valid until use returns. Blocks returns the
// first error of use or of the source, or the error of ctx when ctx ends. If the source returns an error, samples
// before the error that do not fill a block are not used.
//
// When Blocks has returned, the source is no longer being read, because Blocks waits for a read that is in progress.
func Blocks[T any](ctx context.Context, o Options, read Source[T], use func(block []T) error) error {
	if o.Ahead {
		return ahead(ctx, o, read, use)
	}
	buf := make([]T, o.Block*o.Sample)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		samples, err := fill(buf, o.Sample, read)
		ended := errors.Is(err, io.EOF)
		if samples == o.Block || ended && samples > 0 {
			if err := use(buf[:samples*o.Sample]); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// fill reads samples until dst is full or the source returns an error.
func fill[T any](dst []T, size int, read Source[T]) (samples int, err error) {
	for samples*size < len(dst) && err == nil {
		var n int
		n, err = read(dst[samples*size:])
		samples += n
	}
	return samples, err
}
