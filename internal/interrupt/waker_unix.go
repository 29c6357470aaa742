//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package interrupt

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// waker waits for a file or for the closing of its own pipe. The zero value does not wait.
type waker struct{ read, write *os.File }

func newWaker() waker {
	r, w, err := os.Pipe()
	if err != nil {
		return waker{} // without a pipe, for example if too many files are open, reads cannot be interrupted
	}
	return waker{r, w}
}

// wait returns nil when reading f would not block. It returns an error if the pipe was closed.
func (w waker) wait(f *os.File) error {
	if w.read == nil {
		return nil
	}
	for {
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}, {Fd: int32(w.read.Fd()), Events: unix.POLLIN}}
		switch _, err := unix.Poll(fds, -1); {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		case err != nil:
			return nil // the read reports the error
		case fds[1].Revents != 0:
			return ErrInterrupted
		default:
			return nil
		}
	}
}

func (w waker) wake() {
	if w.write != nil {
		_ = w.write.Close() // it may be closed already
	}
}

func (w waker) close() {
	w.wake()
	if w.read != nil {
		_ = w.read.Close()
	}
}
