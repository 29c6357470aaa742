//go:build mpi

package mpi

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"ialgn/internal/tool"
)

// Signals returns the signals that make a rank save and end, in addition to the usual signals for this. mpirun
// intercepts the usual signals and kills the ranks a second later.
func Signals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }

// Launch calls mpirun, which runs this program with the arguments args in the given number of ranks. Launch returns
// mpirun's exit status. When ctx ends, the ranks get a signal and have time to save their state.
func Launch(ctx context.Context, ranks int, args []string) (status int, err error) {
	mpirun, err := tool.Find("mpirun")
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread() // mpirun ends when the thread that started it ends
	defer runtime.UnlockOSThread()
	words := []string{"-n", strconv.Itoa(ranks), "--bind-to", "none"}
	for _, variable := range os.Environ() { // otherwise only the ranks on this machine would have these variables
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "IALGN_") {
			words = append(words, "-x", name)
		}
	}
	cmd := exec.Command(mpirun.Path, append(append(words, self), args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = os.Environ()
	if os.Geteuid() == 0 { // this is allowed, because the user has chosen to run this program as root
		cmd.Env = append(cmd.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	// If the user interrupts this process, the terminal would also signal mpirun. In its own process group, mpirun
	// gets only the signal that this process sends below.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGUSR1) })
	defer stop()
	var ended *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	if status := cmd.ProcessState.ExitCode(); status >= 0 {
		return status, nil
	}
	return 0, &tool.FailedError{Name: "mpirun", Reason: cmd.ProcessState.String()}
}
