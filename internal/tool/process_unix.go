//go:build unix

package tool

import (
	"os"
	"os/exec"
	"syscall"
)

// killFamily makes the program the head of a new process group. When the context is cancelled, the whole group is
// killed. Without this, the programs that yosys and verilator start (abc and a compiler) would continue.
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
