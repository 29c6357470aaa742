// Package outfile writes files in such a way that no half-written file is ever visible. It also has locks, and checks
// that keep a command from overwriting files that the command did not write.
//
// A [File] is written under a temporary name in the folder of its target. It is renamed to the target only when it is
// complete and on the disk. Until then, and after a failure, an older file with the target's name is unchanged. A
// File is made by [Create], then written, and ended by [File.Commit] or [File.Abort]. [Write] does all of this.
// Several processes may write the same file. One process creates and commits it. In between, the other processes call
// [Join] and [File.Leave].
//
// Errors say what went wrong, but do not name the file that was to be written. Callers put the file's name in front,
// as they do for their own errors. Only [Write] names the path itself.
package outfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// bufferSize is large enough to save system calls when a file is written in small pieces.
const bufferSize = 1 << 16

// File is a file that is being written under a temporary name. It is an [os.File], so that writers may also seek
// and use WriteAt.
type File struct {
	*os.File
	target string
	done   bool
}

// Create opens a temporary file in the folder of path. Its name consists of the name of the file at path and a random
// part, such as ".NAME.0123abcd.tmp". The caller ends it with [File.Commit] or [File.Abort]. Deferring Abort is safe,
// because it does nothing after Commit.
//
// The file is locked while it is written. Create also removes temporary files for the same path that killed processes
// have left. It recognises these files because no process has locked them.
//
// Create returns an error if the folder does not exist or cannot be written to, or if path is a folder or a device.
// It follows symbolic links, so the target of a link is replaced.
func Create(path string) (*File, error) {
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	eachLeftover(target, RemoveAbandonedLock)
	f, err := openBeside(target)
	if err != nil {
		return nil, explain(filepath.Dir(target), err)
	}
	file := &File{File: f, target: target}
	if info, err := os.Stat(target); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			file.Abort()
			return nil, reason("set the permissions of the old file", err)
		}
	}
	return file, nil
}

// Join opens a temporary file that another process has made with [Create] for the same path. temporary is the name of
// the file without the folder. The caller ends it with [File.Leave] or [File.Abort], and the other process commits
// it.
func Join(path, temporary string) (*File, error) {
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(filepath.Dir(target), filepath.Base(temporary)), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("folder %s has no file %s, but another process has created it: the folder is not the same "+
			"on all machines", filepath.Dir(target), temporary)
	}
	if err != nil {
		return nil, explain(filepath.Dir(target), err)
	}
	return &File{File: f, target: target}, nil
}

// CheckWritable returns the error with which [Create] would refuse a path. Such paths are folders, devices, and paths
// in a folder that does not exist. CheckWritable writes nothing.
func CheckWritable(path string) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	folder := filepath.Dir(target)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return explain(folder, err)
	}
	return nil
}

// resolve follows symbolic links from path and returns the path of the file to which they lead. This file need not
// exist.
func resolve(path string) (string, error) {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return "", errors.New("a folder; name a file in it")
	case err == nil && !info.Mode().IsRegular():
		return "", errors.New("a device or pipe, which a file cannot replace; name a file")
	}
	return path, nil
}

// attempts limits the search for an unused temporary name.
const attempts = 100

// openBeside creates a file with an unused temporary name in the folder of target. The permissions follow the user's
// umask, as for any new file. This differs from [os.CreateTemp].
func openBeside(target string) (f *os.File, err error) {
	folder, base := filepath.Split(target)
	for range attempts {
		name := fmt.Sprintf("%s.%s.%08x.tmp", folder, base, rand.Uint32())
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil || Hold(f) && Current(f, name) {
			break
		}
		f.Close() // before this process locked the file, another process removed it as a leftover
		err = fs.ErrExist
	}
	return f, err
}

// explain returns the reason why no file could be made in the folder.
func explain(folder string, err error) error {
	if info, statErr := os.Stat(folder); errors.Is(statErr, fs.ErrNotExist) {
		return fmt.Errorf("folder %s does not exist; create it first: %w", folder, fs.ErrNotExist)
	} else if statErr == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder; give a path in a folder", folder)
	}
	return reason("write in folder "+folder, err)
}

// reason returns the cause of a failed file operation. It omits the temporary name, which the user does not know.
func reason(doing string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Commit forces the file to the disk, closes it and renames it to the target in one step. If it returns an error, the
// temporary file is removed and the target is unchanged.
func (f *File) Commit() error {
	if f.done {
		return errors.New("outfile: Commit after Commit or Abort")
	}
	f.done = true
	err := f.File.Sync()
	if !MovesOpen || err != nil {
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		f.Close() // closing a second time is harmless
		os.Remove(f.Name())
		return reason("write to the disk", err)
	}
	err = os.Rename(f.Name(), f.target) // the file is still locked, on systems that can rename open files
	f.Close()
	if err != nil {
		os.Remove(f.Name())
		return reason("rename", err)
	}
	syncFolder(filepath.Dir(f.target))
	return nil
}

// Write does the same as [os.File.Write], but its errors do not name the temporary file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err != nil {
		err = reason("write to the disk", err)
	}
	return n, err
}

// WriteAt does the same as [os.File.WriteAt], but its errors do not name the temporary file.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(p, at)
	if err != nil {
		err = reason("write to the disk", err)
	}
	return n, err
}

// Sync does the same as [os.File.Sync], but its errors do not name the temporary file.
func (f *File) Sync() error {
	if err := f.File.Sync(); err != nil {
		return reason("write to the disk", err)
	}
	return nil
}

// Leave forces the written data to the disk and closes the file. Another process commits the file. If Leave returns
// an error, the other process must abort the file.
func (f *File) Leave() error {
	if f.done {
		return errors.New("outfile: Leave after Commit, Leave or Abort")
	}
	f.done = true
	err := f.File.Sync()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return reason("write to the disk", err)
	}
	return nil
}

// syncFolder forces the new name to the disk. It ignores errors, because file systems that cannot sync a folder write
// new names by themselves.
func syncFolder(folder string) {
	if d, err := os.Open(folder); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Abort closes and removes the temporary file and leaves the target unchanged. It does nothing after [File.Commit]
// and [File.Leave].
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.Close()
	os.Remove(f.Name())
}

// Write writes a file. The function write writes the content to its argument, which is buffered. If write fails or
// panics, an older file is unchanged. Errors name the path, and wrap the error of write.
func Write(path string, write func(io.Writer) error) error {
	if err := writeFile(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	b := bufio.NewWriterSize(f, bufferSize)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return f.Commit()
}

// RemoveLeftovers removes the temporary files that killed processes have left for path. It also removes files that
// other processes are writing, so it may be called only if a single process writes path. It ignores a folder that
// cannot be read.
func RemoveLeftovers(path string) { eachLeftover(path, func(at string) { os.Remove(at) }) }

// eachLeftover calls remove with each temporary file for path.
func eachLeftover(path string, remove func(at string)) {
	folder, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder + "."))
	if err != nil {
		return
	}
	for _, e := range entries {
		random, ok := strings.CutPrefix(e.Name(), "."+base+".")
		random, isTemporary := strings.CutSuffix(random, ".tmp")
		if ok && isTemporary && len(random) == 8 && e.Type().IsRegular() {
			remove(folder + e.Name())
		}
	}
}
