package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMan writes the pages twice. It compares them with the table of commands and runs the programs that check man
// pages.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	must(t, "man", "-o", dir)
	var r manReport
	if err := json.Unmarshal([]byte(must(t, "man", "-o", dir, "--json")), &r); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, path := range r.Pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(path)] = string(text)
	}
	commands := newApp(io.Discard, io.Discard).Commands
	if len(pages) != len(commands)+1 || !strings.Contains(pages["ialgn.1"], ".SH ENVIRONMENT\n.TP\n\\fBIALGN_DATA\\fR\n") {
		t.Errorf("%d pages, ialgn.1:\n%s", len(pages), pages["ialgn.1"])
	}
	for _, c := range commands {
		page := pages["ialgn-"+c.Name+".1"]
		if !strings.Contains(page, "\n.SH EXIT STATUS\n") || !strings.Contains(pages["ialgn.1"], "ialgn\\-"+c.Name) {
			t.Errorf("%s:\n%s", c.Name, page)
		}
		for _, f := range c.Flags {
			if name := strings.ReplaceAll(f.Names()[0], "-", "\\-"); !strings.Contains(page, "\\-"+name+"\\fR") {
				t.Errorf("%s: no %s", c.Name, name)
			}
		}
	}
	lintMan(t, r.Pages)

	own := filepath.Join(dir, "ialgn-eval.1")
	writeFile(t, own, "my notes")
	code, _, stderr := runProgram(t, "man", "-o", dir)
	if text, _ := os.ReadFile(own); code != exitUsage || !strings.Contains(stderr, own) || string(text) != "my notes" {
		t.Errorf("exit status %d, %s", code, stderr)
	}
	must(t, "man", "-o", dir, "--force")
}

// lintMan runs the programs that check man pages, as far as they are installed.
func lintMan(t *testing.T, pages []string) {
	t.Helper()
	for _, words := range [][]string{
		{"groff", "-ww", "-man", "-Tutf8", "-z"}, {"mandoc", "-T", "lint", "-W", "warning"},
	} {
		if _, err := exec.LookPath(words[0]); err != nil {
			t.Logf("%v: the pages are not checked by it", err)
			continue
		}
		out, _ := exec.Command(words[0], append(words[1:], pages...)...).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") { // a test binary has no commit and so no date
				t.Errorf("%s: %s", words[0], line)
			}
		}
	}
}
