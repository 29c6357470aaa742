// Package interrupt reads files that have to be waited for, such as pipes and terminals, so that a read which waits can
// be ended.
//
// Go ends the reads of files that its runtime waits for, by a deadline. It does not wait so for a standard input that
// was not made for it, which it must leave as other programs know it: there poll waits for the file and for a pipe that
// wakes it, and the file itself is not changed.
package interrupt

import (
	"errors"
	"os"
	"sync"
	"time"
)

// ErrInterrupted is the error of reads that were ended and of those after them, or [os.ErrDeadlineExceeded] is.
var ErrInterrupted = errors.New("reading was interrupted")

// File is a file that is read. One goroutine may read while others interrupt.
type File struct {
	*os.File
	owned bool
	waker waker
	timed bool // it takes deadlines

	mu     sync.Mutex
	closed bool
}

// New returns the file. Close closes it if it is owned; one that is not stays open, and as it was.
func New(f *os.File, owned bool) *File {
	i := &File{File: f, owned: owned}
	if info, err := f.Stat(); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
		return i // no read waits
	}
	if i.timed = f.SetReadDeadline(time.Time{}) == nil; !i.timed {
		i.waker = newWaker()
	}
	return i
}

// Read reads what there is, and waits until there is something, the end, or an interruption.
func (f *File) Read(b []byte) (int, error) {
	if err := f.waker.wait(f.File); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

// Interrupt ends the read that waits and those to come. Where the system has no means for it, and after Close, it does
// nothing.
func (f *File) Interrupt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.timed {
		_ = f.SetReadDeadline(time.Unix(1, 0)) // it took one before
	}
	f.waker.wake()
}

// Close ends the use of the file. No read may be under way.
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
