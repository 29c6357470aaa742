//go:build unix

package tool

import (
	"os"
	"os/exec"
	"syscall"
)

// killFamily makes the program the head of a process group of its own and lets the end
// of its context kill the whole group: yosys runs abc, verilator a compiler, and what
// they started would go on otherwise.
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
