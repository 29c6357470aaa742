// Package arm64test executes machine code of AArch64 in tests, on any machine with the emulator qemu-aarch64.
//
// The code is a function of C's calling convention with one argument: x0 points to data, which it reads and writes.
// [Run] puts both into a program of its own, made without a linker, and returns the data as the function left it.
// That program calls the function once and also checks what a caller relies on: that the function returns with the
// registers that it must keep (x18 to x29, the stack pointer, the lower halves of v8 to v15), and that the 64 bytes
// before and behind the data are as they were.
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

// CPU is a processor by the emulator's name.
type CPU string

// The processors to run on.
const (
	Max   CPU = "max"        // all instructions that the emulator knows, SHA3 among them
	Plain CPU = "cortex-a53" // none of the SHA3 extension: they end the program
)

// emulator is the program that executes code, and limit how long it may take.
const (
	emulator = "qemu-aarch64"
	limit    = 2 * time.Minute
)

// Run executes a function on [Max] with x0 pointing to a copy of the data, which is aligned to 64 bytes, and returns
// the copy as it is then. It ends the test if the function does what a function must not do, and skips it where there
// is no emulator.
func Run(t testing.TB, code, data []byte) []byte {
	t.Helper()
	return RunOn(t, Max, code, data)
}

// RunOn is [Run] on the processor.
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

// execute runs the program for a function and its data in a folder, by the emulator at the path.
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

// guardSize is how many bytes before and behind the data are checked. It is what the data is aligned to, too.
const guardSize = 64

// guard returns what those bytes are.
func guard() []byte { return bytes.Repeat([]byte{0xa5}, guardSize) }

// explain returns the error of a run, with the register if the program ended because one was not kept.
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
