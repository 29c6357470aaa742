//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPredictPipe interrupts predict while it waits for its standard input, which is a pipe whose writer is idle. In
// some cases, predict has read many samples before the interruption. In other cases, it has read few or none. predict
// must end at once. The pipe is either blocking, as shells make pipes, or pollable, so that Go's runtime waits for
// it.
func TestPredictPipe(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	model := filepath.Join(dir, "m.st")
	var errs bytes.Buffer
	args := []string{"ialgn", "train", write("small.yaml", small), "-o", model, "--quiet"}
	if code := run(t.Context(), args, io.Discard, &errs); code != exitDone {
		t.Fatal(errs.String())
	}
	many := strings.Repeat(strings.Repeat("7,", 63)+"9\n", 600)
	for name, c := range map[string]struct {
		sent  string
		flags int
		lines int // number of output lines after which the signal is sent
	}{
		"many": {many, 0, 500}, "few": {many[:300], 0, 0}, "none": {"", 0, 0},
		"many, pollable": {many, unix.O_NONBLOCK, 500}, "none, pollable": {"", unix.O_NONBLOCK, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var ends [2]int
			if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|c.flags); err != nil {
				t.Fatal(err)
			}
			in, w := os.NewFile(uintptr(ends[0]), "in"), os.NewFile(uintptr(ends[1]), "out")
			defer w.Close()
			sent := make(chan error, 1)
			go func() {
				_, err := w.WriteString(c.sent) // more than the buffer of a pipe
				sent <- err
			}()
			end := unix.SIGTERM
			if c.lines == 0 && !signal.Ignored(unix.SIGHUP) { // nohup makes the test ignore it
				end = unix.SIGHUP
			}
			interruptPredict(t, model, in, c.lines, end)
			if err := <-sent; err != nil {
				t.Error(err)
			}
		})
	}
}

// interruptPredict runs predict and sends it a signal when predict has printed the given number of lines. If this
// number is 0, it sends the signal after a while.
func interruptPredict(t *testing.T, model string, in *os.File, lines int, end os.Signal) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	errs := filepath.Join(t.TempDir(), "stderr")
	stderr, err := os.Create(errs)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	p, err := os.StartProcess(program, []string{"ialgn", "predict", model, "-"}, &os.ProcAttr{
		Files: []*os.File{in, out, stderr},
	})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	hung := time.AfterFunc(30*time.Second, func() { _ = p.Kill() })
	defer hung.Stop()
	var printed bytes.Buffer
	for b := make([]byte, 1000); bytes.Count(printed.Bytes(), []byte("\n")) < lines; {
		n, err := r.Read(b)
		if printed.Write(b[:n]); err != nil {
			t.Fatalf("predict printed %q, then reading failed: %v", printed.String(), err)
		}
	}
	if lines == 0 {
		time.Sleep(300 * time.Millisecond) // time for predict to open the model
	}
	if err := p.Signal(end); err != nil {
		t.Fatal(err)
	}
	state, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(errs); state.ExitCode() != exitInterrupted || strings.Contains(string(text), "empty") {
		t.Errorf("%v, want exit status %d\n%s", state, exitInterrupted, text)
	}
}
