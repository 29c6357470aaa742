package readahead

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"ialgn/internal/crew"
)

// ring has room for two blocks. A goroutine fills one block while the other is in use. In this file, a place is the
// number of a sample, counted from the beginning of the source. A block begins at a multiple of its size, or at the
// end of a block that was not full.
type ring[T any] struct {
	o    Options
	buf  []T
	news chan struct{} // signals a first sample, a full block or an error to the goroutine that uses blocks
	room chan struct{} // signals free room to the goroutine that reads

	mu    sync.Mutex
	put   int       // place after the last sample that was read
	done  int       // place after the last sample that was used
	since time.Time // arrival of the first unused sample, if there is one
	err   error     // error of the source after the last sample
}

// ahead is like [Blocks], but reads in a separate goroutine.
func ahead[T any](ctx context.Context, o Options, read Source[T], use func(block []T) error) error {
	r := &ring[T]{
		o: o, buf: make([]T, 2*o.Block*o.Sample), news: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
	ctx, cancel := context.WithCancel(ctx)
	reader, ctx := crew.NewGroup(ctx)
	defer func() {
		cancel()
		_ = reader.Wait() // returns no error, but panics if read panicked
	}()
	reader.Go(func() error { r.fill(ctx, read); return nil })
	return r.drain(ctx, use)
}

// fill reads samples into the ring until the source returns an error or ctx ends.
func (r *ring[T]) fill(ctx context.Context, read Source[T]) {
	for {
		dst, err := r.space(ctx)
		if err != nil {
			return
		}
		if samples, err := read(dst); r.add(samples, err) {
			return
		}
	}
}

// space waits for free room, and returns the free part of the ring up to the end of a block.
func (r *ring[T]) space(ctx context.Context) ([]T, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.mu.Lock()
		from, to := r.put, min(r.end(r.put), r.done+2*r.o.Block)
		r.mu.Unlock()
		if from < to {
			return r.samples(from, to), nil
		}
		select {
		case <-r.room:
		case <-ctx.Done():
		}
	}
}

// add records samples that were read. It reports whether the source has ended.
func (r *ring[T]) add(samples int, err error) (ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.put == r.done && samples > 0
	if first && r.o.Patience > 0 {
		r.since = time.Now()
	}
	r.put += samples
	r.err = err
	if first || r.put%r.o.Block == 0 || err != nil {
		tell(r.news)
	}
	return err != nil
}

// drain uses the blocks of the ring until the source has ended.
func (r *ring[T]) drain(ctx context.Context, use func(block []T) error) error {
	for {
		from, to, err := r.next(ctx)
		if err != nil {
			return err
		}
		if from == to {
			return nil
		}
		if err := use(r.samples(from, to)); err != nil {
			return err
		}
		r.release(to)
	}
}

// next waits for a block, and returns the block's first place and the place after its end. After the last block, it
// returns two equal places.
func (r *ring[T]) next(ctx context.Context) (from, to int, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		r.mu.Lock()
		from, to, err = r.done, min(r.put, r.end(r.done)), r.err
		since := r.since
		r.mu.Unlock()
		if to == r.end(from) || errors.Is(err, io.EOF) {
			return from, to, nil
		}
		if err != nil {
			return 0, 0, err
		}
		var late <-chan time.Time
		if r.o.Patience > 0 && to > from {
			left := r.o.Patience - time.Since(since)
			if left <= 0 {
				return from, to, nil
			}
			late = time.After(left)
		}
		select {
		case <-r.news:
		case <-late:
		case <-ctx.Done():
		}
	}
}

// release frees the room of a block.
func (r *ring[T]) release(to int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = to
	if r.o.Patience > 0 {
		r.since = time.Now() // arrival of the samples that were read meanwhile
	}
	tell(r.room)
}

// end returns the place at which the block that contains a given place ends if the block becomes full.
func (r *ring[T]) end(place int) int { return (place/r.o.Block + 1) * r.o.Block }

// samples returns the samples of one block at the places from, from+1, ..., to-1.
func (r *ring[T]) samples(from, to int) []T {
	at := from % (2 * r.o.Block)
	return r.buf[at*r.o.Sample:][:(to-from)*r.o.Sample]
}

// tell wakes up a waiting goroutine.
func tell(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
