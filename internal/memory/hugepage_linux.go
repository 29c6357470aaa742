package memory

import "syscall"

// The kernel's numbers (Linux 6.1 for the second).
const (
	madvHugepage = 14
	madvCollapse = 25
)

// advise asks for large pages. The second request is for memory that an earlier array
// has touched in small ones.
func advise(pages []byte) {
	if syscall.Madvise(pages, madvHugepage) == nil {
		_ = syscall.Madvise(pages, madvCollapse) // needs Linux 6.1; earlier kernels do the same later
	}
}
