//go:build unix

package tool

import (
	"os"
	"os/exec"
	"syscall"
)

// killFamily makes the program the head of a new process group. When the context ends, the whole group is killed,
// because yosys runs abc and verilator runs a compiler, which would otherwise go on.
func killFamily(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}
