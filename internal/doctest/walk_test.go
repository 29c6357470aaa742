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
	"testing"
)

var whole = flag.Bool("whole", false,
	"train the documents' runs at their full length and compare all figures but times")

// TestWalk runs the commands of the documents that need no data set but the embedded
// one, in their order, and compares their output with what the documents show. The
// training is cut short, so that only the words of the output are compared, unless
// -whole is given.
func TestWalk(t *testing.T) {
	needTools(t)
	for _, name := range []string{"README.md", "docs/TOUR.md", "docs/CLI.md", "examples/digits/README.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := Steps(read(t, name))
			if err != nil {
				t.Fatal(err)
			}
			w := newWalk(t)
			for _, s := range steps {
				if err := w.step(s); err != nil {
					t.Fatalf("%s:%d: %s\n%v", name, s.Line, s.Command, err)
				}
			}
		})
	}
}

// walk runs the steps of a document in a folder with a copy of the files that they
// need.
type walk struct{ dir, path string }

func newWalk(t *testing.T) walk {
	t.Helper()
	w := walk{t.TempDir(), filepath.Dir(binary) + string(filepath.ListSeparator) + os.Getenv("PATH")}
	for _, folder := range []string{"examples", "trainer/dataset/optdigits"} {
		if err := os.CopyFS(filepath.Join(w.dir, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// step runs a step as the document means it: with the program built already, and
// cut short.
func (w walk) step(s Step) error {
	switch {
	case s.Command == "make test" || s.Command == "make build" || strings.HasPrefix(s.Command, "export ") ||
		s.Command == "echo $?":
		return nil
	case s.Command == "make demo" || strings.HasPrefix(s.Command, "make demo "):
		s.Command = "echo go run ./cmd/ialgn demo -o demo; ialgn demo -o demo"
	}
	if training := strings.Contains(s.Command, "ialgn demo") || strings.Contains(s.Command, "ialgn train"); training &&
		!*whole {
		s.Command += " " + strings.Join(quick, " ")
	}
	if strings.Contains(s.Command, "ialgn fit") && !*whole {
		s.Command += " --minutes 0.1"
	}
	out, status, err := w.run(s.Command)
	if err != nil {
		return err
	}
	ours := strings.Contains(s.Command, "ialgn ")
	if s.Status == "" {
		s.Status = "0"
	}
	if ours && status != s.Status {
		return fmt.Errorf("exit status %s, want %s; it printed:\n%s", status, s.Status, out)
	}
	if s.Console && (ours || *whole) {
		return Compare(s.Output, strings.Split(progress.ReplaceAllString(out, ""), "\n"), mask)
	}
	return nil
}

func (w walk) run(command string) (out, status string, err error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "PATH="+w.path)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", "", err
	}
	return string(text), fmt.Sprint(cmd.ProcessState.ExitCode()), nil
}

// progress is a line about a long step, which a machine prints that is slow enough.
var progress = regexp.MustCompile(`(?m)^[a-z][a-z0-9, ]*: \d+ (s|min|h)\b.*\n`)

var (
	// varying is what differs from run to run and from machine to machine.
	varying = regexp.MustCompile(`\d+\.\d+ s\b|[\d.]+(M| million) gate steps/s|(\d+[hms])+ left|peak memory \d+ MB|Icarus Verilog version [^:]*|ABC .*\)`)
	figures = regexp.MustCompile(`\b(got|want) [0-9a-f]+|\b[0-9a-f]{64}\b|\d+(\.\d+)?`)
	blanks  = regexp.MustCompile(` +`)
)

// mask replaces what is not compared.
func mask(line string) string {
	line = varying.ReplaceAllString(line, "~")
	if !*whole {
		line = figures.ReplaceAllString(line, "#")
	}
	return blanks.ReplaceAllString(strings.TrimSpace(line), " ")
}

// TestProgressLines takes what a slow machine says of its progress for that, and no result.
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
