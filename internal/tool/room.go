package tool

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// roomBytes is the number of bytes that a disk must be able to store. Otherwise the disk counts as full.
const roomBytes = 1 << 20

// CheckRoom returns an error if the disk of a folder is full. Many programs do not report that they cannot write
// their output. They end as if their input were wrong, or truncate their output and report success. Callers that
// cannot use a program's output therefore call CheckRoom before they report another error.
func CheckRoom(folder string) error {
	f, err := os.CreateTemp(folder, "room-")
	if err == nil {
		_, err = f.Write(make([]byte, roomBytes))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &FullError{folder}
	}
	return nil
}

// FullError says that the disk of a folder is full.
type FullError struct{ Folder string }

// Error returns `no space left on the disk of /tmp`.
func (e *FullError) Error() string { return fmt.Sprintf("no space left on the disk of %s", e.Folder) }

// Hint returns how to fix the problem.
func (e *FullError) Hint() string {
	return "make room on this disk, or set TMPDIR to a folder on another disk"
}

// checkRoom checks the folders in which the program writes.
func (c Command) checkRoom() error {
	if c.Dir != "" {
		if err := CheckRoom(c.Dir); err != nil {
			return err
		}
	}
	return CheckRoom(os.TempDir())
}
