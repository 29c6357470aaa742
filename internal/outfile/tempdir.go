// This file makes temporary folders, and says what to do if that fails.

package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ialgn/internal/message"
)

// CheckTemp returns an error if no folder for temporary files can be made.
func CheckTemp() error {
	dir, err := MakeTemp("ialgn-check-")
	if err != nil {
		return err
	}
	return os.Remove(dir)
}

// MakeTemp makes a folder in the folder for temporary files ([os.TempDir]). The name of the new folder begins with
// prefix. The caller removes the folder.
func MakeTemp(prefix string) (string, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err == nil {
		return dir, nil
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	if set := os.Getenv("TMPDIR"); set != "" && set == os.TempDir() {
		return "", message.WithHint(fmt.Errorf("%s, the folder for temporary files that TMPDIR names: %w", set, err),
			"set the environment variable TMPDIR to a folder that exists and is writable, or unset it")
	}
	return "", message.WithHint(fmt.Errorf("%s, the folder for temporary files: %w", os.TempDir(), err),
		"set the environment variable TMPDIR to a folder that exists and is writable")
}
