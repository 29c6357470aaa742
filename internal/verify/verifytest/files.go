package verifytest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Create creates a file and fills it with a writer function of a back end.
func Create(t *testing.T, path string, write func(io.Writer) error) {
	t.Helper()
	f, err := os.Create(path)
	if err := errors.Join(err, write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// Fake makes a shell script with the given name the only program in PATH.
func Fake(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// Write writes a file.
func Write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
