package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/docs"
	"ialgn/internal/doctest"
)

// TestDocuments checks the command lines that the documents show, including that each file that a command reads was
// written by an earlier command.
func TestDocuments(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	names, err := filepath.Glob(filepath.Join("examples", "*", "README.md"))
	if err != nil || len(names) < 5 {
		t.Fatalf("%d examples with a README, want at least 5: %v", len(names), err)
	}
	c := &doctest.Checker{Program: program(newApp(io.Discard, io.Discard)), Files: os.DirFS(".")}
	for _, m := range regexp.MustCompile(`(?m)^([a-z]+):`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		c.Targets = append(c.Targets, m[1])
	}
	names = append(names, "docs/guides/heartbeats.md", "docs/guides/intrusion.md")
	names = append(names, "README.md", "docs/guides/start.md", "docs/guides/install.md", "docs/reference/cli.md")
	names = append(names, "docs/guides/spoken.md")
	for _, name := range names {
		name, text := filepath.ToSlash(name), read(t, name)
		if steps, err := doctest.Steps(text); err != nil || len(steps) == 0 {
			t.Errorf("%s: %d command lines: %v", name, len(steps), err)
		}
		for _, wrong := range c.Check(name, text) {
			t.Error(wrong)
		}
	}
}

// TestLinks checks the links of all documents.
func TestLinks(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md", "python/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: no pages: %v", pattern, err)
		}
		for _, name := range pages {
			for _, to := range doctest.Links(read(t, name)) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(name), to)); err != nil {
					t.Errorf("%s: link to %s: nothing there", name, to)
				}
			}
		}
	}
}

// TestReference compares docs/reference/cli.md with the commands and options of the program. It also compares the
// table of commands in docs/guides/start.md with the program's commands.
func TestReference(t *testing.T) {
	p := program(newApp(io.Discard, io.Discard))
	for _, wrong := range doctest.Reference(p, docs.CLI) {
		t.Errorf("docs/reference/cli.md: %s", wrong)
	}
	tour := read(t, filepath.Join("..", "..", "docs", "guides", "start.md"))
	for _, c := range p.Commands {
		if !strings.Contains(tour, "| `ialgn "+c.Name+"` |") {
			t.Errorf("docs/guides/start.md: command %s is not in the table", c.Name)
		}
	}
}
