package doctest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ialgn/internal/testkit"
)

var whole = flag.Bool("whole", false,
	"train the documents' runs at their full length and compare all figures but times")

// TestWalk runs, in order, the documents' commands that need no other data set than the embedded one, and compares
// the output with the documents. Unless -whole is given, the training is shortened and only the words of the output
// are compared, not the figures.
func TestWalk(t *testing.T) {
	testkit.Long(t, "runs whole documents")
	needTools(t)
	first := newWalk(t, nil)
	demo := sync.OnceValues(func() (ran, error) { return first.run(shortened("ialgn demo -o demo")) })
	for _, name := range []string{
		"README.md", "docs/guides/start.md", "docs/reference/cli.md", "examples/digits/README.md",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := Steps(read(t, name))
			if err != nil {
				t.Fatal(err)
			}
			w := newWalk(t, func(dir string) (ran, error) {
				r, err := demo()
				if err == nil && r.status == "0" {
					err = os.CopyFS(filepath.Join(dir, "demo"), os.DirFS(filepath.Join(first.dir, "demo")))
				}
				return r, err
			})
			for _, s := range steps {
				if err := w.step(s); err != nil {
					t.Fatalf("%s:%d: %s\n%v", name, s.Line, s.Command, err)
				}
			}
		})
	}
}

// walk runs the steps of a document in a folder that has copies of the needed files.
type walk struct {
	dir, path string

	// demo does the work of "ialgn demo -o demo" in a folder. Three documents begin with this command.
	demo func(dir string) (ran, error)
}

// ran is a command's output and its exit status.
type ran struct{ out, status string }

func newWalk(t *testing.T, demo func(dir string) (ran, error)) walk {
	t.Helper()
	w := walk{t.TempDir(), filepath.Dir(binary) + string(filepath.ListSeparator) + os.Getenv("PATH"), demo}
	for _, folder := range []string{"examples", "internal/dataset/optdigits"} {
		if err := os.CopyFS(filepath.Join(w.dir, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// step runs a step of a document. The program is already built, and training is shortened.
func (w walk) step(s Step) error {
	switch {
	case s.Command == "make test" || s.Command == "make build" || strings.HasPrefix(s.Command, "export ") ||
		s.Command == "echo $?":
		return nil
	}
	r, err := w.command(s.Command)
	if err != nil {
		return err
	}
	ours := strings.Contains(s.Command, "ialgn ") || isMakeDemo(s.Command)
	if s.Status == "" {
		s.Status = "0"
	}
	if ours && r.status != s.Status {
		return fmt.Errorf("exit status %s, want %s; it printed:\n%s", r.status, s.Status, r.out)
	}
	if s.Console && (ours || *whole) {
		return Compare(s.Output, strings.Split(progress.ReplaceAllString(r.out, ""), "\n"), mask)
	}
	return nil
}

// command runs a command of a document.
func (w walk) command(command string) (ran, error) {
	switch {
	case isMakeDemo(command):
		r, err := w.demo(w.dir)
		r.out = "go run ./cmd/ialgn demo -o demo\n" + r.out
		return r, err
	case command == "ialgn demo -o demo":
		return w.demo(w.dir)
	}
	return w.run(shortened(command))
}

func isMakeDemo(command string) bool {
	return command == "make demo" || strings.HasPrefix(command, "make demo ")
}

// shortened returns a form of a command that takes less time. It is run if no figures are compared.
func shortened(command string) string {
	switch {
	case *whole:
	case strings.Contains(command, "ialgn demo"), strings.Contains(command, "ialgn train"):
		command += " " + strings.Join(quick, " ")
	case strings.Contains(command, "ialgn fit"):
		command += " --minutes 0.1"
	}
	return command
}

func (w walk) run(command string) (ran, error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "PATH="+w.path)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return ran{}, err
	}
	return ran{string(text), fmt.Sprint(cmd.ProcessState.ExitCode())}, nil
}

// progress matches a line that reports progress. Only slow machines print such lines.
var progress = regexp.MustCompile(`(?m)^[a-z][a-z0-9, ]*: \d+ (s|min|h)\b.*\n`)

var (
	// varying matches the parts of lines that differ from run to run or from machine to machine.
	varying = regexp.MustCompile(`\d+\.\d+ s\b|[\d.]+(M| million) gate steps/s|(\d+[hms])+ left|peak memory \d+ MB|Icarus Verilog version [^:]*|ABC .*\)`)
	figures = regexp.MustCompile(`\b(got|want) [0-9a-f]+|\b[0-9a-f]{64}\b|\d+(\.\d+)?`)
	blanks  = regexp.MustCompile(` +`)
)

// mask replaces the parts of a line that are not compared.
func mask(line string) string {
	line = varying.ReplaceAllString(line, "~")
	if !*whole {
		line = figures.ReplaceAllString(line, "#")
	}
	return blanks.ReplaceAllString(strings.TrimSpace(line), " ")
}

// TestProgressLines checks that lines that report progress are not compared. Only slow machines print such lines.
func TestProgressLines(t *testing.T) {
	out := "verifying\nformal: 37 s, proving 300 bits of the last layer\nnextpnr, seed 1: 1 min 5 s, " +
		"routing, 633 arcs left\n" +
		"folded program: 10 s\nrtl: 200 samples in iverilog: no difference (1.20 s)\nverified\n"
	if got, want := progress.ReplaceAllString(out, ""),
		"verifying\nrtl: 200 samples in iverilog: no difference (1.20 s)\nverified\n"; got != want {
		t.Errorf("left is %q, want %q", got, want)
	}
}

// TestCompare shows that the comparison can fail.
func TestCompare(t *testing.T) {
	output := []string{"one 1", "two 2", "three 3", "four 4", ""}
	plain := func(s string) string { return s }
	for _, test := range []struct{ name, documented, want string }{
		{"all", "one 1|two 2|three 3|four 4", ""},
		{"gap", "one 1|...|four 4", ""},
		{"gap at the end", "one 1|...", ""},
		{"rest of a line", "one...|tw...|...|four 4", ""},
		{"other line", "one 1|two 3|...", `the document shows "two 3", it prints "two 2"`},
		{"line left out", "one 1|three 3|...", `the document shows "three 3", it prints "two 2"`},
		{"not at the end", "...|three 3", `the document shows "three 3", it prints "four 4"`},
		{"not there", "...|five|...", `the document shows "five", which is not in what it prints:`},
		{"order", "...|three 3|...|two 2|...", `the document shows "two 2", which is not in what it prints:`},
		{"too many", "...|three 3|four 4|...|four 4", `the document shows "four 4", which is not in what it prints:`},
		{"end", "one 1|two 2", `it also prints "three 3", which the document does not show`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := Compare(strings.Split(test.documented, "|"), output, plain); err != nil {
				got, _, _ = strings.Cut(err.Error(), "\n")
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
