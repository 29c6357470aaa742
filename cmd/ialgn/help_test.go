package main

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"ialgn/internal/testkit"
)

// runProgram runs the program in the process of the test.
func runProgram(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), append([]string{"ialgn"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// must runs the program and fails the test unless it succeeds.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := runProgram(t, args...)
	if code != exitDone {
		t.Fatalf("ialgn %s: exit status %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestHelp checks the help of each command. It must fit a screen of 40 lines and 100 columns. It must have the usage
// line, every option, the exit statuses and an example of the command.
func TestHelp(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	overview := must(t, "-h")
	onScreen(t, "ialgn", overview)
	for _, c := range app.Commands {
		if !regexp.MustCompile(`(?m)^  ([a-z]+, )?` + c.Name + `\b`).MatchString(overview) {
			t.Errorf("the help of the program lacks the command %s:\n%s", c.Name, overview)
		}
	}
	for _, c := range app.Commands {
		text := must(t, c.Name, "-h")
		onScreen(t, c.Name, text)
		parts := []string{"usage: ialgn " + c.Name, c.Usage, "130 interrupted", "\n  " + c.UsageText + "\n"}
		for _, f := range c.Flags {
			parts = append(parts, "-"+f.Names()[0])
		}
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s: the help lacks %q:\n%s", c.Name, part, text)
			}
		}
		if !strings.HasPrefix(c.UsageText, "ialgn "+c.Name+" ") {
			t.Errorf("%s: the example does not run this command: %s", c.Name, c.UsageText)
		}
	}
}

func onScreen(t *testing.T, name, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 40 {
		t.Errorf("%s: the help has %d lines", name, len(lines))
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%s: a line of the help has %d columns: %s", name, n, line)
		}
	}
}

// writeMNIST writes a data set of 20 + 20 samples below dir, with MNIST's file names and format.
func writeMNIST(t *testing.T, dir string) {
	t.Helper()
	const n, pixels = 20, 64
	images, labels := []byte{0, 0, 8, 2, 0, 0, 0, n, 0, 0, 0, pixels}, []byte{0, 0, 8, 1, 0, 0, 0, n}
	for i := range n {
		images = append(images, bytes.Repeat([]byte{byte(12 * i)}, pixels)...)
		labels = append(labels, byte(i%10))
	}
	for _, part := range []string{"train", "t10k"} {
		writeFile(t, filepath.Join(dir, "mnist", part+"-images-idx3-ubyte"), string(images))
		writeFile(t, filepath.Join(dir, "mnist", part+"-labels-idx1-ubyte"), string(labels))
	}
}

// TestHelpExamples runs the example of every help text. The working folder has a small data set, and small models
// under the file names in the examples.
func TestHelpExamples(t *testing.T) {
	testkit.Long(t, "runs the example of every command")
	t.Chdir(t.TempDir())
	sets := t.TempDir()
	writeMNIST(t, sets)
	t.Setenv("IALGN_DATA", sets)
	writeFile(t, "examples/digits/digits.yaml", strings.Replace(small, "tiny", "digits", 1))
	writeFile(t, "samples.csv", strings.Repeat(strings.Repeat("7,", 63)+"7\n", 3))
	writeFile(t, "my.csv", "length,width,state\n"+strings.Repeat("1,2,up\n3,4,down\n5,6.5,down\n", 20))
	must(t, "train", "examples/digits/digits.yaml", "-o", "demo/digits.safetensors", "--quiet")
	must(t, "compile", "demo/digits.safetensors", "-o", "demo/digits")
	must(t, "export", "demo/digits.safetensors", "-o", "demo/circuit.json", "--to", "torchlogix-json")
	commands := newApp(io.Discard, io.Discard).Commands
	// The commands are sorted by name, because watch shows the runs that experiment writes.
	slices.SortFunc(commands, func(a, b *cli.Command) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range commands {
		t.Run(c.Name, func(t *testing.T) {
			args := strings.Fields(c.UsageText)[1:]
			if c.Name == "demo" {
				if c.UsageText != "ialgn demo -o demo" {
					t.Error("the example differs from the one that demo.txtar runs")
				}
				return
			}
			if c.Name == "fit" { // the example takes minutes
				args = append(args, "--minutes", "0.02", "--luts", "50")
			}
			code, stdout, stderr := runProgram(t, args...)
			if code == exitTool && strings.Contains(stderr, "Debian package") {
				t.Skip(stderr)
			}
			if code != exitDone || stdout == "" {
				t.Errorf("%s: exit status %d\n%s%s", c.UsageText, code, stdout, stderr)
			}
		})
	}
}
