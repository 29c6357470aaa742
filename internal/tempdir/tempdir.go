// Package tempdir makes folders for temporary files, and says what to do where that is not possible.
package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ialgn/internal/hint"
)

// Check returns an error if no folder for temporary files can be made.
func Check() error {
	dir, err := Make("ialgn-check-")
	if err != nil {
		return err
	}
	return os.Remove(dir)
}

// Make makes a folder whose name begins with a prefix in the one for temporary files ([os.TempDir]). The caller removes
// it.
func Make(prefix string) (string, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err == nil {
		return dir, nil
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	if set := os.Getenv("TMPDIR"); set != "" && set == os.TempDir() {
		return "", hint.With(fmt.Errorf("%s, the folder for temporary files that TMPDIR names: %w", set, err),
			"set the environment variable TMPDIR to a folder that is there and can be written to, or unset it")
	}
	return "", hint.With(fmt.Errorf("%s, the folder for temporary files: %w", os.TempDir(), err),
		"set the environment variable TMPDIR to a folder that is there and can be written to")
}
