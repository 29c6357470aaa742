package memory

import "syscall"

// These are constants of the Linux kernel. The second constant needs Linux 6.1.
const (
	madvHugepage = 14
	madvCollapse = 25
)

// advise asks for large pages. The second request is for memory that an earlier array has already touched in small
// pages.
func advise(pages []byte) {
	if syscall.Madvise(pages, madvHugepage) == nil {
		_ = syscall.Madvise(pages, madvCollapse) // needs Linux 6.1; earlier kernels collapse pages later
	}
}
