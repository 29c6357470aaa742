//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package interrupt

import "os"

// waker does not wait, because this system has no mechanism that works for all files.
type waker struct{}

func newWaker() waker             { return waker{} }
func (waker) wait(*os.File) error { return nil }
func (waker) wake()               {}
func (waker) close()              {}
