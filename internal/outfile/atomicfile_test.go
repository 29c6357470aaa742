package outfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/outfile"
)

// content maps the name of each file in a folder to the file's content.
func content(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWrite(t *testing.T) {
	failure := errors.New("out of ideas")
	long := strings.Repeat("0123456789", 20_000)
	for _, test := range []struct {
		name  string
		old   map[string]string
		write func(io.Writer) error
		err   error
		want  map[string]string
	}{
		{"new", nil, text("new"), nil, map[string]string{"f": "new"}},
		{"empty", nil, text(""), nil, map[string]string{"f": ""}},
		{"longer than the buffer", nil, text(long), nil, map[string]string{"f": long}},
		{"replaced", map[string]string{"f": "old"}, text("new"), nil, map[string]string{"f": "new"}},
		{"neighbours", map[string]string{"g": "other"}, text("new"), nil, map[string]string{"f": "new", "g": "other"}},
		{"failure", map[string]string{"f": "old"}, func(w io.Writer) error {
			if err := text(long)(w); err != nil {
				return err
			}
			return failure
		}, failure, map[string]string{"f": "old"}},
		{"failure without an old file", nil, func(io.Writer) error { return failure }, failure, map[string]string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			for name, s := range test.old {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(s), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := outfile.Write(filepath.Join(folder, "f"), test.write); !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if diff := cmp.Diff(test.want, content(t, folder)); diff != "" {
				t.Errorf("folder (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWritePanic(t *testing.T) {
	folder := t.TempDir()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the writer's panic was lost")
			}
		}()
		outfile.Write(filepath.Join(folder, "f"), func(io.Writer) error { panic("broken") })
	}()
	if diff := cmp.Diff(map[string]string{}, content(t, folder)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

// TestOldFileUntilCommit reads the target while the new file is being written.
func TestOldFileUntilCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := outfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if _, err := f.WriteAt([]byte("b"), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("a"), 0); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); string(b) != "old" || err != nil {
		t.Errorf("before Commit: %q, error %v, want the old file", b, err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if diff := cmp.Diff(map[string]string{"f": "ab"}, content(t, filepath.Dir(path))); diff != "" {
		t.Errorf("folder after Commit and Abort (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, error %v, want the permissions of the old file", info.Mode(), err)
	}
	if err := f.Commit(); err == nil {
		t.Error("a second Commit: no error")
	}
}

func TestAbort(t *testing.T) {
	folder := t.TempDir()
	f, err := outfile.Create(filepath.Join(folder, "f"))
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	f.Abort()
	if diff := cmp.Diff(map[string]string{}, content(t, folder)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	if err := f.Commit(); err == nil {
		t.Error("Commit after Abort: no error")
	}
}

// TestCommitFailure makes the last step fail, because the target has become a folder.
func TestCommitFailure(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	f, err := outfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || !strings.HasPrefix(err.Error(), "rename: ") {
		t.Errorf("error %v, want an error of rename", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries left, error %v, want only the folder f", len(entries), err)
	}
}

// TestNewFileMode compares the mode of a new file with the mode of a file made by os.Create, for several umasks.
func TestNewFileMode(t *testing.T) {
	folder := t.TempDir()
	path, common := filepath.Join(folder, "f"), filepath.Join(folder, "common")
	if err := outfile.Write(path, text("")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(common, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.Stat(common); err != nil || got.Mode() != want.Mode() {
		t.Errorf("mode %v, error %v, want %v", got.Mode(), err, want.Mode())
	}
}

func TestSymlink(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := outfile.Write(link, text("new")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(target); string(b) != "new" || err != nil {
		t.Errorf("target %q, error %v, want the new content", b, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("mode %v, error %v, want the link left a link", info.Mode(), err)
	}
}

func TestCreateErrors(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(folder, "missing")
	for _, test := range []struct{ name, path, want string }{
		{"no folder", filepath.Join(missing, "f"), "folder " + missing +
			" does not exist; create it first: file does not exist"},
		{"a file as folder", filepath.Join(file, "f"), file + " is not a folder; give a path in a folder"},
		{"a folder", folder, "a folder; name a file in it"},
		{"a device", os.DevNull, "a device or pipe, which a file cannot replace; name a file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := outfile.Write(test.path, text("x"))
			if want := test.path + ": " + test.want; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	err := outfile.Write(filepath.Join(missing, "f"), text("x"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v is no fs.ErrNotExist", err)
	}
}

func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.st")
	killed, err := outfile.Create(path) // this file is neither committed nor aborted
	if err != nil {
		t.Fatal(err)
	}
	killed.Close()
	keep := []string{"m.st", ".m.st.tmp", ".other.st.01234567.tmp", ".m.st.0123.tmp", "m.st.01234567.tmp"}
	for _, name := range keep {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	outfile.RemoveLeftovers(path)
	if _, err := os.Stat(killed.Name()); err == nil {
		t.Errorf("the leftover %s was not removed", killed.Name())
	}
	for _, name := range keep {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s was removed", name)
		}
	}
}

// TestCreateRemovesLeftovers simulates a killed process that leaves a file while two other processes write. The
// leftover must be removed, and no writer may remove the other writer's file.
func TestCreateRemovesLeftovers(t *testing.T) {
	if !outfile.MovesOpen {
		t.Skip("leftovers cannot be recognised on this system")
	}
	path := filepath.Join(t.TempDir(), "m")
	killed, err := outfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	killed.Close() // the system closes the files of a killed process
	first, err := outfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed.Name()); err == nil {
		t.Errorf("the leftover %s was not removed", killed.Name())
	}
	second, err := outfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range []*outfile.File{first, second} {
		if _, err := f.Write([]byte{'1' + byte(i)}); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"m": "2"}, content(t, filepath.Dir(path))); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

// TestCreateAtTheSameTime starts writers of the same path at the same time. No writer may mistake the file of another
// writer for a leftover.
func TestCreateAtTheSameTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 200 {
				f, err := outfile.Create(path)
				if err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
				if _, err := os.Stat(f.Name()); err != nil {
					t.Error(err)
				}
				f.Abort()
			}
		})
	}
	writers.Wait()
}

// TestCheckWritable checks that CheckWritable refuses the same paths as Create, with the same message. It must leave no
// file.
func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		file, filepath.Join(dir, "new"), dir, os.DevNull, filepath.Join(dir, "none", "new"),
		filepath.Join(file, "new"),
	} {
		f, want := outfile.Create(path)
		if f != nil {
			f.Abort()
		}
		if got := outfile.CheckWritable(path); (got == nil) != (want == nil) || got != nil && got.Error() != want.Error() {
			t.Errorf("%s: Check says %v, Create %v", path, got, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files are left: %v", entries)
	}
}

// TestJoin has three writers of one file. One of them creates and commits it.
func TestJoin(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	f, err := outfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	for i, s := range []string{"two", "one"} {
		other, err := outfile.Join(path, filepath.Base(f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.WriteAt([]byte(s), int64(6-3*i)); err != nil {
			t.Fatal(err)
		}
		if err := other.Leave(); err != nil {
			t.Fatal(err)
		}
		other.Abort() // has no effect after Leave
		if other.Leave() == nil {
			t.Error("a second Leave: no error")
		}
	}
	if _, err := f.WriteAt([]byte("of "), 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Sync(), f.Commit()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"f": "of onetwo"}, content(t, folder)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

// TestJoinErrors joins files that do not exist. It also checks that each writer can abort the file.
func TestJoinErrors(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if _, err := outfile.Join(path, ".f.01234567.tmp"); err == nil ||
		!strings.Contains(err.Error(), "the folder is not the same on all machines") {
		t.Errorf("no such file: %v", err)
	}
	if _, err := outfile.Join(folder, "x"); err == nil || !strings.Contains(err.Error(), "a folder; name a file in it") {
		t.Errorf("a folder: %v", err)
	}
	f, err := outfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := outfile.Join(path, filepath.Base(f.Name()))
	if err != nil {
		t.Fatal(err)
	}
	other.Abort()
	f.Abort()
	if diff := cmp.Diff(map[string]string{}, content(t, folder)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	if f, err = outfile.Create(path); err != nil {
		t.Fatal(err)
	}
	f.Close()
	_, write := f.WriteAt([]byte("x"), 0)
	for what, err := range map[string]error{"WriteAt": write, "Sync": f.Sync(), "Leave": f.Leave()} {
		if err == nil || !strings.HasPrefix(err.Error(), "write to the disk: ") || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	os.Remove(f.Name())
}
