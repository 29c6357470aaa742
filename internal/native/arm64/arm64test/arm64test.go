// Package arm64test executes AArch64 machine code in tests, on any machine, with the emulator
// qemu-aarch64.
//
// The code is a function with C's calling convention and one argument. The argument in x0 points to data that the
// function reads and writes. [Run] builds a program from the function and the data, without a linker, and returns the
// data after the call. The program calls the function once. It checks that the function returns and that the function
// keeps x18 to x29, the stack pointer and the lower halves of v8 to v15. It also checks that the 64 bytes before and
// after the data do not change.
package arm64test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ialgn/internal/tool"
)

// CPU is the name that the emulator uses for a processor.
type CPU string

// The tests use these processors.
const (
	Max   CPU = "max"        // has all instructions that the emulator knows, including SHA3
	Plain CPU = "cortex-a53" // lacks the SHA3 extension, so SHA3 instructions end the program
)

// emulator is the program that executes code. The constant limit is the time limit for a run.
const (
	emulator = "qemu-aarch64"
	limit    = 2 * time.Minute
)

// Run executes a function on [Max]. The function's argument points to a copy of the data, aligned to 64 bytes. Run
// returns this copy after the call. It fails the test if the function breaks the calling convention, and skips the
// test if there is no emulator.
func Run(t testing.TB, code, data []byte) []byte {
	t.Helper()
	return RunOn(t, Max, code, data)
}

// RunOn is like [Run], but on the given processor.
func RunOn(t testing.TB, cpu CPU, code, data []byte) []byte {
	t.Helper()
	path, err := exec.LookPath(emulator)
	if err != nil {
		t.Skipf("%v: install the Debian package qemu-user", err)
	}
	after, err := execute(t.Context(), path, t.TempDir(), cpu, code, data)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// execute runs the program for a function and its data in the folder dir, with the emulator at the
// given path.
func execute(ctx context.Context, path, dir string, cpu CPU, code, data []byte) ([]byte, error) {
	guarded := slices.Concat(guard(), data, guard())
	exe, err := program(code, guarded, guardSize)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "function")
	if err := os.WriteFile(name, exe, 0o755); err != nil {
		return nil, err
	}
	qemu := &tool.Tool{Name: emulator, Path: path}
	r, err := qemu.Run(ctx, tool.Command{Args: []string{"-cpu", string(cpu), name}, Dir: dir, Limit: limit})
	if err != nil {
		return nil, explain(err)
	}
	if r.Truncated || len(r.Stdout) != len(guarded) {
		return nil, fmt.Errorf("arm64test: %d bytes came back of %d: take less data, 16 MiB at most", len(r.Stdout),
			len(guarded))
	}
	after, end := []byte(r.Stdout), guardSize+len(data)
	if !bytes.Equal(after[:guardSize], guard()) || !bytes.Equal(after[end:], guard()) {
		return nil, errors.New("arm64test: the function wrote outside of its data: look for an offset that is too large")
	}
	return after[guardSize:end], nil
}

// guardSize is the number of bytes checked before and after the data. It is also the alignment of the data.
const guardSize = 64

// guard returns the contents of the guard bytes before the data and of the guard bytes after the data.
func guard() []byte { return bytes.Repeat([]byte{0xa5}, guardSize) }

// explain returns the error for a failed run. If the function did not keep a register, the error names the register.
func explain(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	status := exit.ExitCode()
	if status >= statusChanged && status < statusChanged+len(kept()) {
		return fmt.Errorf("arm64test: the function did not keep %s: save it first", kept()[status-statusChanged].name)
	}
	if strings.Contains(err.Error(), "Illegal instruction") {
		return fmt.Errorf("%w: the processor has no such instruction: look at what the encoder wrote, or take another CPU",
			err)
	}
	return err
}
