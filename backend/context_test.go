package backend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ialgn/netlist"
)

// TestEnded checks that Read and Hold stop when the context ends, and that they leave no files behind.
func TestEnded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	t.Setenv("TMPDIR", t.TempDir())
	write(t, dir, product(t, "net", netlist.Full, 1))
	ctx, stop := context.WithCancel(t.Context())
	o, err := Read(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := Read(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if _, err := o.Hold(ctx); !errors.Is(err, context.Canceled) || len(contents(t, os.Getenv("TMPDIR"))) > 0 {
		t.Errorf("held: %v", err)
	}
}
