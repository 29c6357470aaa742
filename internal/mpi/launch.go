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

// Signals returns what tells a rank to save and end, beside those of every process: mpirun takes the others for itself,
// and kills the ranks a second later.
func Signals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }

// Launch runs this program with arguments as so many ranks, by mpirun, and returns mpirun's exit status. When the context
// ends, the ranks are told so, and have time to save.
func Launch(ctx context.Context, ranks int, args []string) (status int, err error) {
	mpirun, err := tool.Find("mpirun")
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread() // mpirun ends with the thread that started it
	defer runtime.UnlockOSThread()
	words := []string{"-n", strconv.Itoa(ranks), "--bind-to", "none"}
	for _, variable := range os.Environ() { // which only ranks of this machine have otherwise
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "IALGN_") {
			words = append(words, "-x", name)
		}
	}
	cmd := exec.Command(mpirun.Path, append(append(words, self), args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = os.Environ()
	if os.Geteuid() == 0 { // who runs this program so has been asked
		cmd.Env = append(cmd.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	// A terminal signals this process alone, which passes on what mpirun hands to the ranks.
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
