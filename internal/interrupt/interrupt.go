// Package interrupt reads files whose reads may block, such as pipes and terminals, so that a blocked read can be
// ended.
//
// Go can end a read by a deadline if Go's runtime waits for the file. The runtime does not wait for standard input in
// blocking mode, and cannot change the mode, because other programs share that file. For such files, this package
// polls the file together with a pipe. Closing the pipe ends the poll. The file itself is not changed.
package interrupt

import (
	"errors"
	"os"
	"sync"
	"time"
)

// ErrInterrupted is the error of interrupted reads and of later reads. Such reads may also return
// [os.ErrDeadlineExceeded] instead.
var ErrInterrupted = errors.New("reading was interrupted")

// File is a file whose reads can be interrupted. One goroutine may read while other goroutines call [File.Interrupt].
type File struct {
	*os.File
	owned bool
	waker waker
	timed bool // whether the file accepts deadlines

	mu     sync.Mutex
	closed bool
}

// New returns an interruptible File for f. If owned is set, Close also closes f. Otherwise f stays open and
// unchanged.
func New(f *os.File, owned bool) *File {
	i := &File{File: f, owned: owned}
	if info, err := f.Stat(); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
		return i // reads of f do not block
	}
	if i.timed = f.SetReadDeadline(time.Time{}) == nil; !i.timed {
		i.waker = newWaker()
	}
	return i
}

// Read reads the available bytes. It blocks until some bytes are available, the file ends, or the read is
// interrupted.
func (f *File) Read(b []byte) (int, error) {
	if err := f.waker.wait(f.File); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

// Interrupt ends a blocked read and all later reads. It does nothing after Close, or if the system has no way to
// interrupt reads.
func (f *File) Interrupt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.timed {
		_ = f.SetReadDeadline(time.Unix(1, 0)) // the file accepted a deadline before
	}
	f.waker.wake()
}

// Close ends the use of the file. No read may be in progress.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.waker.close()
	if f.owned {
		return f.File.Close()
	}
	if f.timed {
		return f.SetReadDeadline(time.Time{})
	}
	return nil
}
