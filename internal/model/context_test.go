package model_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestIn checks that every pass over a file ends when its context ends, both in memory and on disk. The file can
// still be read with another context.
func TestIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.st")
	if _, err := netgen.Model(netgen.ModelOptions{}).Save(path); err != nil {
		t.Fatal(err)
	}
	file, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	ended := file.In(ctx)
	for name, pass := range map[string]func(f *model.File) error{
		"Info":   func(f *model.File) error { _, err := f.Info(); return err },
		"Frozen": func(f *model.File) error { _, err := f.Frozen(); return err },
		"Load":   func(f *model.File) error { _, err := f.Load(); return err },
		"SHA256": func(f *model.File) error { _, err := f.SHA256(t.Context()); return err },
	} {
		if err := pass(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if err := pass(file); err != nil {
			t.Errorf("%s of the other view: %v", name, err)
		}
	}
}
