package tool

import (
	"syscall"

	"golang.org/x/sys/unix"

	"ialgn/internal/memory"
)

// Bounded says that programs end with this process and have a bound on their memory.
const Bounded = true

// endWithParent has the system kill the program when this process is killed, which cannot do so itself
// then: a yosys that has lost its way would take all memory there is.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// boundMemory lets a program that was just started, and each that it starts, have three quarters of the
// memory that this process may have. It fails for want of memory then, and the machine goes on.
func boundMemory(pid int) {
	if bytes := memory.Total().Bytes / 4 * 3; bytes > 0 {
		limit := unix.Rlimit{Cur: bytes, Max: bytes}
		_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil) // fails if the process has ended, or is not ours
	}
}
