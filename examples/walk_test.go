package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ialgn/internal/doctest"
	"ialgn/internal/testkit"
)

// bin is the folder into which the program for the walks is built when a walk first needs it.
var bin string

var build = sync.OnceValue(func() error { return testkit.Build(bin, "ialgn/cmd/ialgn") })

func TestMain(m *testing.M) {
	var err error
	if bin, err = os.MkdirTemp("", "examples-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(bin)
	os.Exit(code)
}

// walk runs the commands in an example's README. It runs them in a folder with copies of the files that the commands
// need.
type walk struct {
	t   *testing.T
	dir string
	env []string
	// change maps each command to the command that is run instead, or to "" to skip the command. It may be nil. The
	// output of a command is compared with the README, unless shortened says that the command was made smaller.
	change    func(command string) string
	shortened bool
}

// goModule runs a go command in the folder of an example that is its own module. It first checks that the go.mod of
// the example provides all packages. It then runs the command in a workspace that also contains the main module,
// whose packages are already compiled.
func goModule(t *testing.T, folder string, command ...string) {
	t.Helper()
	run := func(env string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), env)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run("GOWORK=off", "list", "-deps", ".")
	work := "GOWORK=" + filepath.Join(t.TempDir(), "go.work")
	run(work, "work", "init", filepath.Join("..", ".."), ".")
	run(work, command...)
}

func newWalk(t *testing.T) *walk {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, dir: t.TempDir()}
	for _, folder := range []string{"examples", "internal/dataset/optdigits"} {
		if err := os.CopyFS(filepath.Join(w.dir, folder), os.DirFS(filepath.Join("..", folder))); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return w
}

// readme runs the commands of a README and compares their output with the output in the README.
func (w *walk) readme(name string) {
	w.t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		w.t.Fatal(err)
	}
	steps, err := doctest.Steps(string(b))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range steps {
		command := s.Command
		if w.change != nil {
			command = w.change(command)
		}
		if command == "" {
			continue
		}
		out := w.run(command)
		if !s.Console || w.shortened {
			continue
		}
		if err := doctest.Compare(s.Output, strings.Split(out, "\n"), strings.TrimSpace); err != nil {
			w.t.Fatalf("%s:%d: %s\n%v", name, s.Line, s.Command, err)
		}
	}
}

// run runs a command in the folder and returns what it prints.
func (w *walk) run(command string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// needs skips a test if a program is not installed.
func needs(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

// fetch copies a file of a data set to the folder, or skips the test if the file is not found.
func (w *walk) fetch(name string) {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.setData(name), name))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, filepath.Base(name)), b, 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// setData makes the commands look for data sets in the folder with the named file, and returns that folder. It skips
// the test if no folder has the file.
func (w *walk) setData(name string) string {
	w.t.Helper()
	for _, folder := range folders() {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			continue
		}
		folder, err := filepath.Abs(folder)
		if err != nil {
			w.t.Fatal(err)
		}
		w.env = append(w.env, "IALGN_DATA="+folder)
		return folder
	}
	w.t.Skipf("%s is in none of the folders of data sets", name)
	return ""
}
