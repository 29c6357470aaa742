package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestUsage holds every command to the contract for a wrong option: exit status 1, the
// error and a hint on standard error, and nothing on standard output, where --json
// promises nothing but the object.
func TestUsage(t *testing.T) {
	for _, c := range newApp(io.Discard, io.Discard).Commands {
		for _, option := range []string{"--frobnicate", "--threads=many"} {
			var stdout, stderr strings.Builder
			code := run(context.Background(), []string{"ialgn", c.Name, option, "--json"}, &stdout, &stderr)
			hint := "ialgn: hint: `ialgn " + c.Name + " -h` shows the options\n"
			if code != exitUsage || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "ialgn: ") ||
				!strings.HasSuffix(stderr.String(), hint) {
				t.Errorf("ialgn %s %s: exit status %d, standard output %q, standard error %q", c.Name, option, code,
					stdout.String(), stderr.String())
			}
		}
	}
}

// TestInterruptedRead trains when the signal has come already, as while data are read:
// the message says what was interrupted.
func TestInterruptedRead(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	code := run(ended, []string{"ialgn", "train", "small.yaml", "--quiet", "--json"}, &stdout, &stderr)
	const want = "ialgn: interrupted while data set digits was read: nothing was trained yet, and nothing is lost\n"
	if code != exitInterrupted || stdout.Len() > 0 || stderr.String() != want {
		t.Errorf("exit status %d, standard output %q, standard error %q, want %d and %q", code, stdout.String(),
			stderr.String(), exitInterrupted, want)
	}
}
