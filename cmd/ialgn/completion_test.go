package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/manual"
)

// completed lists command lines whose last word is incomplete, with the words that the shell must propose for it.
var completed = []struct {
	line, want string
	bashOnly   bool // fish splits this line into other words than bash
}{
	{line: "ialgn comp", want: "compile completion"},
	{line: "ialgn compile --tar", want: "--target"},
	{line: "ialgn compile m.safetensors --target ", want: "generic ice40 ecp5 gowin xilinx7 asic intel polarfire efinix gatemate"},
	{line: "ialgn compile --target xil", want: "xilinx7"},
	{line: "ialgn compile --target = ", want: "generic ice40 ecp5 gowin xilinx7 asic intel polarfire efinix gatemate", bashOnly: true},
	{line: "ialgn compile --target = ic", want: "ice40", bashOnly: true},
	{line: "ialgn compile --target =", want: "generic ice40 ecp5 gowin xilinx7 asic intel polarfire efinix gatemate", bashOnly: true},
	{line: "ialgn synth out --target ice40-h", want: "ice40-hx8k ice40-hx1k"},
	{line: "ialgn compile --wrap s", want: "stream spi"},
	{line: "ialgn compile --emit bl", want: "blif"},
	{line: "ialgn compile --emit aiger,bl", want: "aiger,blif"},
	{line: "ialgn verify --level fo", want: "formal"},
	{line: "ialgn train --set train.optimizer.be", want: "train.optimizer.beta1= train.optimizer.beta2="},
	{line: "ialgn train --set train.seed = ", want: "", bashOnly: true},
	{line: "ialgn train --set train.seed =", want: "", bashOnly: true},
	{line: "ialgn train --threads ", want: ""},
	{line: "ialgn train ", want: "sub a.yaml"},
	{line: "ialgn train -o ", want: "sub m.safetensors"},
	{line: "ialgn train --log ", want: "sub a.yaml m.safetensors notes.txt"},
	{line: "ialgn verify ", want: "sub m.safetensors"},
	{line: "ialgn verify --data ", want: "sub"},
	{line: "ialgn data ch", want: "check"},
	{line: "ialgn data check cifar10", want: "cifar10 cifar100"},
	{line: "ialgn experiment depth-s", want: "depth-scaling"},
	{line: "ialgn completion ", want: "bash zsh fish"},
}

// writeCompletion changes to a folder with some files, writes the completion of a shell and returns its path.
func writeCompletion(t *testing.T, shell string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.yaml", "m.safetensors", "notes.txt", "sub/b.yaml"} {
		writeFile(t, name, "")
	}
	path := filepath.Join(t.TempDir(), "completion")
	writeFile(t, path, must(t, "completion", shell))
	return path
}

// needShell skips a test if a shell is not installed.
func needShell(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("no %s (Debian package %[1]s)", name)
	}
}

// compareProposals compares the proposals of a shell with the expected proposals. The shell prints one line of
// proposals, in any order, for each command line. It may print a folder with a slash.
func compareProposals(t *testing.T, lines []string, output string) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	if len(got) != len(lines) {
		t.Fatalf("the shell printed %d lines for %d command lines:\n%s", len(got), len(lines), output)
	}
	for i, line := range lines {
		at := slices.IndexFunc(completed, func(c struct {
			line, want string
			bashOnly   bool
		},
		) bool {
			return c.line == line
		})
		words, want := strings.Fields(strings.ReplaceAll(got[i], "/", "")), strings.Fields(completed[at].want)
		slices.Sort(words)
		slices.Sort(want)
		if diff := cmp.Diff(want, words); len(want)+len(words) > 0 && diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// TestBashCompletion completes the command lines in bash.
func TestBashCompletion(t *testing.T) {
	needShell(t, "bash")
	script := &strings.Builder{}
	fmt.Fprintf(script, "source %s\n", writeCompletion(t, "bash"))
	var lines []string
	for _, c := range completed {
		lines = append(lines, c.line)
		words := strings.Split(c.line, " ")
		for i, w := range words {
			words[i] = "'" + w + "'"
		}
		fmt.Fprintf(script, "COMP_WORDS=(%s); COMP_CWORD=%d; _ialgn; echo \"${COMPREPLY[*]}\"\n",
			strings.Join(words, " "), len(words)-1)
	}
	out, err := exec.Command("bash", "--norc", "-c", script.String()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compareProposals(t, lines, string(out))
}

// TestFishCompletion completes the command lines in fish.
func TestFishCompletion(t *testing.T) {
	needShell(t, "fish")
	script := &strings.Builder{}
	fmt.Fprintf(script, "source %s\n", writeCompletion(t, "fish"))
	var lines []string
	for _, c := range completed {
		if c.bashOnly || strings.HasPrefix(c.want, "sub") && c.want != "sub" {
			continue // after the files with the right ending, fish proposes others too
		}
		lines = append(lines, c.line)
		fmt.Fprintf(script, "echo (complete -C '%s' | string split -f1 \\t)\n", c.line)
	}
	cmd := exec.Command("fish", "--no-config", "-c", script.String())
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compareProposals(t, lines, string(out))
}

// TestZshCompletion loads the completion into zsh, by path and from $fpath.
func TestZshCompletion(t *testing.T) {
	needShell(t, "zsh")
	path := writeCompletion(t, "zsh")
	out, err := exec.Command("zsh", "-f", "-c", "autoload -Uz compinit; compinit -D -u; source "+path+
		"; print ${_comps[ialgn]}; which _ialgn | grep -c ':KIND:(none stream '; zsh -n "+path).CombinedOutput()
	if err != nil || string(out) != "_ialgn\n1\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCompletion checks that the scripts contain every command and every option.
func TestCompletion(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	for _, shell := range manual.Shells {
		script := must(t, "completion", shell)
		for _, c := range app.Commands {
			for _, f := range c.Flags {
				for _, name := range f.Names() {
					dashed := strings.Repeat("-", min(2, len(name))) + name
					if shell == "fish" {
						dashed = map[bool]string{false: "-s ", true: "-l "}[len(name) > 1] + name + " "
					}
					if !strings.Contains(script, dashed) {
						t.Errorf("%s: option %s of %s is missing", shell, dashed, c.Name)
					}
				}
			}
			if !strings.Contains(script, c.Name) {
				t.Errorf("%s: command %s is missing", shell, c.Name)
			}
		}
	}
	if code, _, stderr := runProgram(t, "completion", "bahs"); code != exitUsage || !strings.Contains(stderr, "mean bash") {
		t.Errorf("exit status %d, %s", code, stderr)
	}
}

// TestChoices checks that each row of choices belongs to an existing option, and that the documents name its values.
func TestChoices(t *testing.T) {
	pages := ""
	for _, name := range []string{"cli.md", "config.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", name))
		if err != nil {
			t.Fatal(err)
		}
		pages += string(page)
	}
	p := program(newApp(io.Discard, io.Discard))
	for _, c := range choices {
		if !slices.ContainsFunc(p.Commands, func(k manual.Command) bool {
			return (c.command == "" || c.command == k.Name) && slices.Contains(k.OptionNames(), c.option)
		}) {
			t.Errorf("%s %s: there is no such option", c.command, c.option)
		}
		for _, v := range c.values() {
			key := strings.HasSuffix(v, "=") // another test checks the keys of the configuration
			if !key && !strings.Contains(pages, v) {
				t.Errorf("%s %s: the documents do not name %s", c.command, c.option, v)
			}
		}
	}
}
