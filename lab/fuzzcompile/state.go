package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// state is the file of a run that can be continued: all cases of the seeds from First on
// that the summary counts are done, and no others.
type state struct {
	Program string  `json:"program_sha256"` // cases and checks of another one are others
	First   uint64  `json:"first"`
	Plan    depths  `json:"plan"`
	Seconds float64 `json:"seconds"`
	Summary summary `json:"summary"`
}

// saveTime is how often the state is written.
const saveTime = 10 * time.Second

// resume takes over what a state file says was done. There need not be one.
func (f *fuzzer) resume() error {
	if f.state == "" {
		return nil
	}
	program, err := executable()
	if err != nil {
		return err
	}
	f.program = program
	data, err := os.ReadFile(f.state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s := state{Summary: newSummary()}
	if err := json.Unmarshal(data, &s); err != nil {
		return message.WithHint(fmt.Errorf("%s: no state of a run: %w", f.state, err), "delete it, or name another file")
	}
	if s.Program != program || s.First != f.first || s.Plan != f.plan {
		return message.WithHint(fmt.Errorf("%s: the state of another program, or of a run with other options", f.state),
			"delete it to begin anew")
	}
	f.sum, f.before = s.Summary, time.Duration(s.Seconds*float64(time.Second))
	f.next = f.sum.Networks
	return nil
}

// save writes the state. It is called with the fuzzer locked.
func (f *fuzzer) save() error {
	if f.state == "" {
		return nil
	}
	f.saved = time.Now()
	s := state{Program: f.program, First: f.first, Plan: f.plan, Seconds: f.took().Seconds(), Summary: f.sum}
	return outfile.Write(f.state, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	})
}

// executable returns the SHA-256 of the running program, which is the same for the same
// source and compiler.
func executable() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
