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

// TestDocuments checks the command lines of all documents, and their links.
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
	for _, name := range append(names, "README.md", "docs/TOUR.md", "docs/CLI.md", "docs/INSTALL.md") {
		name, text := filepath.ToSlash(name), read(t, name)
		if steps, err := doctest.Steps(text); err != nil || len(steps) == 0 {
			t.Errorf("%s: %d command lines: %v", name, len(steps), err)
		}
		for _, wrong := range c.Check(name, text) {
			t.Error(wrong)
		}
		for _, to := range doctest.Links(text) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), to)); err != nil {
				t.Errorf("%s: link to %s: nothing there", name, to)
			}
		}
	}
}

// TestReference compares the commands and options of docs/CLI.md, and the commands of docs/TOUR.md, with the program's.
func TestReference(t *testing.T) {
	p := program(newApp(io.Discard, io.Discard))
	for _, wrong := range doctest.Reference(p, docs.CLI) {
		t.Errorf("docs/CLI.md: %s", wrong)
	}
	tour := read(t, filepath.Join("..", "..", "docs", "TOUR.md"))
	for _, c := range p.Commands {
		if !strings.Contains(tour, "| `ialgn "+c.Name+"` |") {
			t.Errorf("docs/TOUR.md: command %s is not in the table", c.Name)
		}
	}
}
