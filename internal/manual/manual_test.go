package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// odd is a program whose texts contain all special characters of shells and roff.
var odd = &Program{
	Name: "odd", About: "it's [odd]: a 'test' \\ of $HOME and `date`", Version: "1.2", Date: "2026-11-25",
	Commands: []Command{{
		Name: "do", About: ".so: don't \\n [x]", Form: "FILE", Details: ".first\n'second\n  -third", Example: "odd do a.b",
		Options: []Option{
			{Names: []string{"-o"}, Meta: "FILE", About: "write 'it' to [FILE]: \\", Values: Values{Files: []string{"b", "c"}}},
			{
				Names: []string{"--word"}, Meta: "WORD", About: "$WORD", Default: "one",
				Values: Values{Words: []string{"one", "two"}, Folders: true},
			},
			{Names: []string{"--many"}, Meta: "LIST", About: "many", Many: true, Values: Values{
				Words: []string{"one", "two"}, Comma: true,
			}},
			{Names: []string{"-h", "--help"}, About: "help"},
		},
		Arguments: Values{Words: []string{"x"}, Files: []string{"b"}},
	}},
	Common: []Section{{"Exit status", Parse("| status | meaning |\n|---|---|\n| 0 | it's `-done` |\n")}},
}

// TestShells checks that each installed shell can read its completion script, and that the shell does not execute any
// part of the texts in it.
func TestShells(t *testing.T) {
	for _, shell := range Shells {
		var b strings.Builder
		if err := Completion(&b, shell, odd); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"--word", "--many", "-o"} {
			if name = strings.TrimLeft(name, "-"); !strings.Contains(b.String(), name) {
				t.Errorf("%s: the script lacks %s", shell, name)
			}
		}
		path := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%v: what is written for it is not read", err)
			continue
		}
		if out, err := exec.Command(shell, "-n", path).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s\n%s", shell, err, out, b.String())
		}
	}
	if err := Completion(&strings.Builder{}, "tcsh", odd); err == nil || !strings.Contains(err.Error(), "fish") {
		t.Errorf("an unknown shell: %v", err)
	}
}

// TestPages checks that special characters of roff at the start of a line or a word become plain text.
func TestPages(t *testing.T) {
	pages := map[string]string{}
	for _, p := range Pages(odd) {
		var b strings.Builder
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		pages[p.Name] = b.String()
	}
	for name, parts := range map[string][]string{
		"odd.1": {
			ManMark, ".TH ODD 1 \"2026-11-25\" \"odd 1.2\"", "it\\(aqs [odd]: a \\(aqtest\\(aq \\e of $HOME and \\(gadate\\(ga\n",
			"\n\\&.so: don\\(aqt \\en [x]\n", ".BR odd\\-do (1)\n",
		},
		"odd-do.1": {
			"\n\\&.first\n\\(aqsecond\n  \\-third\n", "\n\\fB\\-\\-word\\fR \\fIWORD\\fR\n$WORD\n(default one)\n",
			".SH EXIT STATUS\n.TP\n0\nit\\(aqs \\fB\\-done\\fR\n", ".BR odd (1)\n",
		},
	} {
		for _, part := range parts {
			if !strings.Contains(pages[name], part) {
				t.Errorf("%s: no %q in\n%s", name, part, pages[name])
			}
		}
	}
}
