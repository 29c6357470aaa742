package tool

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// roomBytes is how much more the disk of a folder must take, or it is called full.
const roomBytes = 1 << 20

// CheckRoom returns an error if the disk of a folder takes next to nothing more. Programs that cannot
// write what they have to say often do not say that either: they end as if the input were wrong, or
// cut their output off and report success. So whoever cannot use what a program wrote asks this first.
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

// Hint returns how to mend it.
func (e *FullError) Hint() string {
	return "make room on this disk, or set TMPDIR to a folder on another disk"
}

// checkRoom checks the folders in which a program writes.
func (c Command) checkRoom() error {
	if c.Dir != "" {
		if err := CheckRoom(c.Dir); err != nil {
			return err
		}
	}
	return CheckRoom(os.TempDir())
}
