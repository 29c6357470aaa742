package tool

import (
	"syscall"

	"golang.org/x/sys/unix"

	"ialgn/internal/memory"
)

// Bounded reports whether this system ends external programs when this process ends, and limits their memory.
const Bounded = true

// endWithParent makes the system kill the program when this process dies. If this process is killed, it cannot stop
// the program itself, and for example a yosys that never ends would take all memory.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// boundMemory limits the memory of a program that was just started, and of each program that it starts. The limit is
// three quarters of the memory that this process may use. A program that needs more memory fails, and the machine
// keeps working.
func boundMemory(pid int) {
	if bytes := memory.Total().Bytes / 4 * 3; bytes > 0 {
		limit := unix.Rlimit{Cur: bytes, Max: bytes}
		_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil) // fails if the process has ended or belongs to another user
	}
}
