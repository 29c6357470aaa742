package mpi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ialgn/internal/mpi"
	"ialgn/internal/testkit"
)

// limit is the longest time that a test waits. Tests usually take much less time.
const limit = 2 * time.Minute

// program builds testdata/ranks with MPI, once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ialgn-mpi-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "ranks")
	cmd := exec.Command("go", "build", "-tags", "mpi", "-o", path, "./testdata/ranks")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built { // otherwise program would build it now
		if path, err := program(); err == nil {
			os.RemoveAll(filepath.Dir(path))
		}
	}
	os.Exit(code)
}

// built reports whether a test has asked for the program.
var built bool

// mpirun starts the test program with the given number of ranks. Without Open MPI, it skips the test.
func mpirun(t *testing.T, ranks int, args ...string) *exec.Cmd {
	t.Helper()
	for _, name := range []string{"mpirun", "mpicc", "pkg-config"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s: not installed", name)
		}
	}
	built = true
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "mpirun", append([]string{
		"--allow-run-as-root", "--oversubscribe", "-n", fmt.Sprint(ranks), path,
	}, args...)...)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// ended waits for a program and returns its exit status.
func ended(t *testing.T, cmd *exec.Cmd, err error) int {
	t.Helper()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestPrograms checks the exit status and the output of programs.
func TestPrograms(t *testing.T) {
	testkit.Long(t, "builds with cgo and runs mpirun")
	for _, c := range []struct {
		name   string
		ranks  int
		status int
		want   string // text that the output must contain
	}{
		{"exchange", 1, 0, "1 ranks are right"},
		{"exchange", 2, 0, "2 ranks are right"},
		{"exchange", 5, 0, "5 ranks are right"},
		{"slow", 2, 0, "the slow rank has come"},
		{"kill", 3, 137, "signal 9 (Killed)"},
		{"stop", 3, 3, "told by rank 2: rank 1 on "},
		{"differ", 3, 7, "rank 2 has another seed (2) than rank 0 (1)"},
		{"fail", 4, 7, "told by rank 0: bad input"},
		{"settle", 3, 7, "told by rank 1: rank 1: no space left"},
	} {
		t.Run(fmt.Sprintf("%s-%d", c.name, c.ranks), func(t *testing.T) {
			cmd := mpirun(t, c.ranks, c.name)
			out, err := cmd.CombinedOutput()
			if status := ended(t, cmd, err); status != c.status || !strings.Contains(string(out), c.want) {
				t.Errorf("exit status %d, want %d with %q:\n%s", status, c.status, c.want, out)
			}
			if n := strings.Count(string(out), "told by rank"); n > 1 {
				t.Errorf("%d ranks said why:\n%s", n, out)
			}
		})
	}
}

// TestSignals checks that all ranks stop at the same step. mpirun passes USR1 on, which leaves time to save. After
// INT and TERM, mpirun gives the ranks only one second, and exits with its own status.
func TestSignals(t *testing.T) {
	testkit.Long(t, "builds with cgo and runs mpirun")
	for signal, want := range map[syscall.Signal]int{syscall.SIGUSR1: 130, syscall.SIGTERM: 1, syscall.SIGINT: 1} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := mpirun(t, 3, "flags")
			out := &watched{text: "ready", seen: make(chan struct{})}
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			over := make(chan error, 1)
			go func() { over <- cmd.Wait() }()
			select {
			case <-out.seen:
			case err := <-over:
				t.Fatalf("it ended before: %v\n%s", err, out)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if status := ended(t, cmd, <-over); status != want {
				t.Errorf("exit status %d, want %d:\n%s", status, want, out)
			}
			_, steps, _ := strings.Cut(out.String(), "stopped at steps [")
			steps, _, _ = strings.Cut(steps, "]")
			if f := strings.Fields(steps); len(f) != 3 || f[0] != f[1] || f[0] != f[2] {
				t.Errorf("stopped at steps %q:\n%s", steps, out)
			}
		})
	}
}

// watched collects what a program prints. The channel seen is closed when the text has appeared.
type watched struct {
	lock sync.Mutex
	all  bytes.Buffer
	text string
	seen chan struct{}
	once sync.Once
}

func (w *watched) Write(p []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	n, err := w.all.Write(p)
	if strings.Contains(w.all.String(), w.text) {
		w.once.Do(func() { close(w.seen) })
	}
	return n, err
}

func (w *watched) String() string {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.all.String()
}

func TestLaunched(t *testing.T) {
	for _, name := range []string{
		"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "PMI_SIZE", "PMI_RANK",
	} {
		t.Setenv(name, "")
	}
	for _, c := range []struct {
		name        string
		environment map[string]string
		ranks, rank int
	}{
		{"alone", nil, 1, 0},
		{"mpirun", map[string]string{"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3"}, 4, 3},
		{"mpirun of one", map[string]string{"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"}, 1, 0},
		{"srun", map[string]string{"SLURM_STEP_NUM_TASKS": "2", "PMIX_RANK": "1"}, 2, 1},
		{"srun without PMIx", map[string]string{"SLURM_STEP_NUM_TASKS": "2"}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.environment {
				t.Setenv(name, value)
			}
			if ranks, rank := mpi.Launched(); ranks != c.ranks || rank != c.rank {
				t.Errorf("rank %d of %d, want %d of %d", rank, ranks, c.rank, c.ranks)
			}
		})
	}
}

// TestWithout checks that the error of a program without MPI says how to build one with MPI.
func TestWithout(t *testing.T) {
	if mpi.Available {
		t.Skip("this test was built with MPI")
	}
	if _, err := mpi.Start(time.Minute, nil); err == nil || !strings.Contains(err.Error(), "without MPI") {
		t.Errorf("error %v", err)
	}
	if _, err := mpi.Launch(t.Context(), 2, nil); err == nil {
		t.Error("launched")
	}
}
