package main

import (
	"io"
	"strings"
	"testing"

	"ialgn/internal/target"
	"ialgn/internal/wrapper"
)

// TestTargetsInHelp checks that the help of compile names every family and every wrapper.
func TestTargetsInHelp(t *testing.T) {
	var help strings.Builder
	if code := run(t.Context(), []string{"ialgn", "compile", "--help"}, &help, io.Discard); code != exitDone {
		t.Errorf("compile --help: exit status %d", code)
	}
	for _, name := range target.Names() {
		if !strings.Contains(help.String(), name) {
			t.Errorf("the help of compile does not name the family %s", name)
		}
	}
	for _, kind := range wrapper.Kinds() {
		if !strings.Contains(help.String(), kind) {
			t.Errorf("the help of compile does not name the wrapper %s", kind)
		}
	}
}
