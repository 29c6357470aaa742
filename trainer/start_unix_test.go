//go:build unix

package trainer

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStartPipe starts from a pipe without a writer, and puts another such pipe at the path of a seed's model. The
// run must not wait for either pipe.
func TestStartPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "m.seed7")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	r := Run{Config: parse(t, "train.epochs=1"), Model: filepath.Join(dir, "x"), Start: pipe}
	seeds := Seeds{Run: Run{Config: r.Config, Model: filepath.Join(dir, "m"), Resume: true}, N: 1}
	for name, train := range map[string]func() error{
		"start": func() error { _, err := r.Train(t.Context()); return err },
		"seed":  func() error { _, err := seeds.Train(t.Context()); return err },
	} {
		ended := make(chan error, 1)
		go func() { ended <- train() }()
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), pipe+": a device or pipe, ") {
				t.Errorf("%s: error %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: waits for the pipe", name)
		}
	}
}
