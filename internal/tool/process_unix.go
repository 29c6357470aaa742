//go:build unix

package tool

import (
	"os"
	"os/exec"
	"syscall"
)

// killFamily makes the program the head of a new process group. When the context is cancelled, the whole group is
// killed. Otherwise, programs that the program has started would continue, such as abc, which yosys starts, or a
// compiler, which verilator starts.
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
