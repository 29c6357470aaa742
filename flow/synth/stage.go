package synth

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/filelock"
	"ialgn/internal/overwrite"
	"ialgn/internal/tool"
)

// The files of the report in a target's folder, and of the check that its bitstream may have had.
const (
	ReportName = "synth.json"
	CheckName  = "check.json"
)

// checkFolder refuses to put a folder in the place of one that has files but no report, which Run
// did not make, or something else after it was made: its report lists the files that it came with.
func (o Options) checkFolder() error {
	dir := filepath.Join(o.Dir, o.Device.Name)
	entries, err := os.ReadDir(dir)
	if err != nil || o.Guard.Forced() {
		return nil // no report, or one that the new report will replace
	}
	var r Report
	text, err := os.ReadFile(filepath.Join(dir, ReportName))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	for _, e := range entries {
		ours := err == nil && (r.Files == nil || slices.Contains(r.Files, e.Name()) || e.Name() == ReportName ||
			e.Name() == CheckName)
		if !ours {
			return overwrite.Foreign(filepath.Join(dir, e.Name()), "a file of synth")
		}
	}
	return nil
}

// stage is the folder in which the results of a target are made.
type stage struct {
	root, target string
	dir          string // the folder
	lock         *filelock.Lock
}

// newStage makes an empty folder for a target, which no other process has at the same time.
func newStage(root, target string) (*stage, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	lock, err := filelock.Acquire(filepath.Join(root, "."+target+".lock"))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("%s: is being written, %w: wait for that", filepath.Join(root, target), err)
	}
	if err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	s := &stage{root: root, target: target, dir: filepath.Join(root, "."+target), lock: lock}
	if err := errors.Join(os.RemoveAll(s.dir), os.Mkdir(s.dir, 0o777)); err != nil {
		s.release()
		return nil, fmt.Errorf("synth: %w", err)
	}
	return s, nil
}

// release removes the folder, unless it has got its name.
func (s *stage) release() {
	os.RemoveAll(s.dir)
	s.lock.Release()
}

// writeReport writes the report, with the names of all files that are there.
func (s *stage) writeReport(r *Report) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		r.Files = append(r.Files, e.Name())
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, ReportName), append(text, '\n'), 0o666)
}

// install gives the folder its name, in the place of one from before.
func (s *stage) install() error {
	to, old := filepath.Join(s.root, s.target), s.dir+".old"
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("synth: %w", err)
	}
	if err := os.Rename(to, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("synth: %w", err)
	}
	if err := os.Rename(s.dir, to); err != nil {
		return fmt.Errorf("synth: %w", err)
	}
	return errors.Join(os.RemoveAll(old), os.RemoveAll(to+failedSuffix))
}

// failedSuffix ends the name of the folder that keeps what a failed run wrote.
const failedSuffix = ".failed"

// fail keeps the folder of a program that failed, for its log, and has the error name the place.
func (s *stage) fail(err error) error {
	var failed *tool.FailedError
	if !errors.As(err, &failed) || failed.Log == "" {
		return err
	}
	to := filepath.Join(s.root, s.target) + failedSuffix
	if os.RemoveAll(to) == nil && os.Rename(s.dir, to) == nil {
		failed.Log = strings.Replace(failed.Log, s.dir, to, 1)
	}
	return err
}
