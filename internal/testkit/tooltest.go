// This file runs external programs in tests. A test is skipped if its program is not installed.

package testkit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ialgn/internal/tool"
)

// limit is the time limit of a program in a test.
const limit = 3 * time.Minute

// FindTool returns a program, or skips the test if the program is not installed.
func FindTool(t testing.TB, name string) *tool.Tool {
	t.Helper()
	p, err := tool.Find(name)
	if err != nil {
		t.Skip(err)
	}
	return p
}

// RunTool runs a program in a folder, and returns its standard output followed by its standard error. If the program
// fails, RunTool fails the test at once.
func RunTool(t testing.TB, p *tool.Tool, dir string, args ...string) string {
	t.Helper()
	r, err := p.Run(t.Context(), tool.Command{Args: args, Dir: dir, Limit: limit})
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Stdout+r.Stderr)
	}
	return r.Stdout + r.Stderr
}

// TryTool runs the program args[0] in a folder, and returns everything that it prints. The program may fail. The
// test is skipped if the program is not installed.
func TryTool(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	r, err := FindTool(t, args[0]).Run(t.Context(), tool.Command{Args: args[1:], Dir: dir, Limit: limit})
	return r.Stdout + r.Stderr, err
}

// TryOtherTool is like [TryTool], for a program that package tool does not know. args[0] is the program's name or
// path.
func TryOtherTool(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Skip(err)
	}
	p := &tool.Tool{Name: filepath.Base(path), Path: path}
	r, err := p.Run(t.Context(), tool.Command{Args: args[1:], Dir: dir, Limit: limit})
	return r.Stdout + r.Stderr, err
}

// Generated checks that the vector kernels in the current folder equal the output of their generator in lab/avo. The
// argument generator is the path of the generator, relative to the current folder. The test is skipped if avo is not
// in the module cache and cannot be downloaded.
func Generated(t testing.TB, generator string) {
	t.Helper()
	script := filepath.Join(filepath.Dir(generator), "generate.sh")
	download := exec.Command("go", "mod", "download")
	download.Dir = filepath.Dir(script)
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("avo is not to be had: %v: %s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command(script, filepath.Base(generator), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	committed, err := filepath.Glob("*_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range committed {
		for _, name := range []string{s, strings.TrimSuffix(s, ".s") + ".go"} {
			got, err := os.ReadFile(name)
			want, missing := os.ReadFile(filepath.Join(dir, name))
			if err != nil || missing != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not what %s writes (%v, %v): run make generate", name, generator, err, missing)
			}
		}
	}
	if n, err := os.ReadDir(dir); err != nil || len(n) != 2*len(committed) || len(n) == 0 {
		t.Errorf("%s writes %d files (%v), and %d pairs are here", generator, len(n), err, len(committed))
	}
}

// RunSilent runs a program like [TryTool]. The program must succeed and print nothing.
func RunSilent(t testing.TB, dir string, args ...string) {
	t.Helper()
	if out, err := TryTool(t, dir, args...); err != nil || out != "" {
		t.Errorf("%s: %v, want no error and no output\n%s", strings.Join(args, " "), err, out)
	}
}
