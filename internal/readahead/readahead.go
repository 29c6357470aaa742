// Package readahead hands out samples of a source in blocks, and reads the next block while one is in use.
//
// A sample is so many elements in a row, a block so many samples. Blocks are full but for the last one, unless the
// source is one that has to be waited for, such as a pipe: then a block holds what came within [Options.Patience] of
// its first sample. All blocks lie in memory that is allocated once.
package readahead

import (
	"context"
	"errors"
	"io"
	"time"
)

// Options say what blocks are.
type Options struct {
	Sample int // elements of a sample
	Block  int // samples of a block at most
	// Ahead reads in a goroutine of its own. Without it nothing is read while a block is in use.
	Ahead bool
	// Patience is how long after its first sample a block ends that is not full; 0: it waits for the source. It needs
	// Ahead.
	Patience time.Duration
}

// Source reads samples into dst, which has room for whole ones: at least one sample, and as many more as come without
// waiting. It returns how many, and with an error how many came before that, which is io.EOF after the last one.
type Source[T any] func(dst []T) (samples int, err error)

// Blocks calls use with each block of a source, in order. A block is valid until use returns. What ends it is the first
// error of use or of the source, or the end of ctx. The samples that come before an error of the source, but do not
// fill a block, are not used.
//
// The source is not read any more when Blocks has returned: it waits for the read that is under way.
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

// fill reads samples until dst is full or the source has an error.
func fill[T any](dst []T, size int, read Source[T]) (samples int, err error) {
	for samples*size < len(dst) && err == nil {
		var n int
		n, err = read(dst[samples*size:])
		samples += n
	}
	return samples, err
}
