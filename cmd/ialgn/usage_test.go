package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestUsage checks the response of every command to a wrong option. It expects exit status 1, and an error with a
// hint on standard error. With --json, standard output must contain only the JSON object of the error.
func TestUsage(t *testing.T) {
	for _, c := range newApp(io.Discard, io.Discard).Commands {
		for _, option := range []string{"--frobnicate", "--threads=many"} {
			var stdout, stderr strings.Builder
			code := run(context.Background(), []string{"ialgn", c.Name, option, "--json"}, &stdout, &stderr)
			hint := "`ialgn " + c.Name + " -h` shows the options"
			f := failureIn(t, stdout.String())
			want := "ialgn: " + f.Message + "\nialgn: hint: " + f.Hint + "\n"
			if code != exitUsage || f.Status != code || f.Message == "" || stderr.String() != want ||
				!strings.HasSuffix(f.Hint, hint) {
				t.Errorf("ialgn %s %s: exit status %d, standard output %q, standard error %q", c.Name, option, code,
					stdout.String(), stderr.String())
			}
		}
	}
}

// failureIn decodes standard output, which must contain only the JSON object of an error.
func failureIn(t *testing.T, stdout string) failure {
	t.Helper()
	var object struct {
		Error *failure `json:"error"`
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&object); err != nil || object.Error == nil || d.More() {
		t.Fatalf("not the object of an error (%v): %q", err, stdout)
	}
	return *object.Error
}

// TestErrorObject checks errors with and without a place, and command lines that only seem to ask for JSON.
func TestErrorObject(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", strings.Replace(small, "width: 60", "width: 61", 1))
	code, stdout, _ := runProgram(t, "train", "small.yaml", "--json")
	f := failureIn(t, stdout)
	if code != exitUsage || f.Hint == "" || f.Place == nil || *f.Place != (place{"small.yaml", 4, 16}) {
		t.Errorf("exit status %d, %+v at %+v", code, f, f.Place)
	}
	_, stdout, _ = runProgram(t, "eval", "--json", "nothing.safetensors")
	if f := failureIn(t, stdout); f.Place != nil || !strings.HasPrefix(f.Message, "nothing.safetensors: ") {
		t.Errorf("%+v", f)
	}
	for _, args := range [][]string{
		{"train", "small.yaml"},
		{"train", "small.yaml", "--set", "--json"},
		{"train", "small.yaml", "--", "--json"},
		{"train", "small.yaml", "--json=false"},
	} {
		if code, stdout, stderr := runProgram(t, args...); code != exitUsage || stdout != "" || stderr == "" {
			t.Errorf("%q: exit status %d, standard output %q", args, code, stdout)
		}
	}
}

// TestFaultInJSON checks that a crash is reported as a JSON object, unless an object was already begun.
func TestFaultInJSON(t *testing.T) {
	for _, before := range []string{"", "{}\n"} {
		var stdout, stderr strings.Builder
		out := newOutput(&stdout)
		code := guarded(&stderr, func(f failure) { _ = f.write(out) }, func() int {
			io.WriteString(out, before)
			panic("none of it")
		})
		if code != exitFault || before != "" && stdout.String() != before {
			t.Errorf("exit status %d, standard output %q", code, stdout.String())
		}
		if before == "" {
			if f := failureIn(t, stdout.String()); f.Status != exitFault || !strings.HasSuffix(f.Message, "none of it") {
				t.Errorf("%+v", f)
			}
		}
	}
}

// TestInterruptedRead trains after the signal was sent, as if the signal had come while data are read. The message
// must say what was interrupted.
func TestInterruptedRead(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	code := run(ended, []string{"ialgn", "train", "small.yaml", "--quiet", "--json"}, &stdout, &stderr)
	const want = "ialgn: interrupted while reading data set digits: nothing was trained yet, and nothing is lost\n"
	f := failureIn(t, stdout.String())
	if code != exitInterrupted || f.Status != code || stderr.String() != want || "ialgn: "+f.Message+"\n" != want {
		t.Errorf("exit status %d, standard output %q, standard error %q, want %d and %q", code, stdout.String(),
			stderr.String(), exitInterrupted, want)
	}
}
