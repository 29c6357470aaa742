package main

import (
	"io"
	"strings"
	"testing"

	"ialgn/internal/target"
	"ialgn/internal/wrapper"
)

// TestTargetsInHelp holds the help of compile to name every family and every wrapper.
func TestTargetsInHelp(t *testing.T) {
	var help strings.Builder
	if code := run(t.Context(), []string{"ialgn", "compile", "--help"}, &help, io.Discard); code != exitDone {
		t.Errorf("compile --help: exit status %d", code)
	}
	for _, name := range target.Names() {
		if !strings.Contains(help.String(), name) {
			t.Errorf("%s: the help of compile does not name it", name)
		}
	}
	for _, kind := range wrapper.Kinds() {
		if !strings.Contains(help.String(), kind) {
			t.Errorf("%s: the help of compile does not name it", kind)
		}
	}
}
