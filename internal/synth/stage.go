package synth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/outfile"
	"ialgn/internal/tool"
)

// These are names in a target's folder: the report, and the result of a check of the bitstream.
const (
	ReportName = "synth.json"
	CheckName  = "check.json"
)

// checkFolder returns an error if the target's folder contains a file that Run did not write, or that was changed
// after Run wrote it. It compares the folder with the checksums in the report.
func (o Options) checkFolder() error {
	dir := filepath.Join(o.Dir, o.Device.Name)
	entries, err := os.ReadDir(dir)
	if err != nil || o.Guard.Forced() {
		return nil // there is no report, or the new report will replace it
	}
	var r Report
	text, err := os.ReadFile(filepath.Join(dir, ReportName))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	for _, e := range entries {
		name := e.Name()
		if err == nil && (name == ReportName || name == CheckName) && e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, name)
		if err != nil || !slices.Contains(r.Files, name) {
			return outfile.Foreign(path, "a file of synth")
		}
		if r.Digests == nil {
			return outfile.Remedied(fmt.Errorf("%s: written by an earlier version of synth, which recorded no digests", path))
		}
		if sum, err := digest(path, e); err != nil || sum != r.Digests[name] {
			return outfile.Remedied(fmt.Errorf("%s: changed since synth wrote it", path))
		}
	}
	return nil
}

// digest returns the SHA-256 of a regular file. For other entries, such as folders, it returns the type of the entry.
func digest(path string, e os.DirEntry) (string, error) {
	if !e.Type().IsRegular() {
		return e.Type().String(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// stage is the temporary folder in which the results of a target are made.
type stage struct {
	root, target string
	dir          string // the folder
	lock         *outfile.Lock
}

// newStage makes an empty temporary folder for a target, and locks it against other processes.
func newStage(root, target string) (*stage, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	lock, err := outfile.AcquireLock(filepath.Join(root, "."+target+".lock"))
	if errors.Is(err, outfile.ErrHeld) {
		return nil, fmt.Errorf("%s: another process is writing it, %w: wait until it ends", filepath.Join(root, target), err)
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

// release removes the folder, unless install renamed it.
func (s *stage) release() {
	os.RemoveAll(s.dir)
	s.lock.Release()
}

// writeReport writes the report, with the names and checksums of all files in the folder.
func (s *stage) writeReport(r *Report) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	r.Digests = map[string]string{}
	for _, e := range entries {
		r.Files = append(r.Files, e.Name())
		if r.Digests[e.Name()], err = digest(filepath.Join(s.dir, e.Name()), e); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, ReportName), append(text, '\n'), 0o666)
}

// install gives the folder its final name, and removes the previous folder of this name.
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

// failedSuffix is the suffix of the folder that keeps the files of a failed run.
const failedSuffix = ".failed"

// fail keeps the folder under another name if a program failed, because the folder contains the program's log. It
// puts the new path of the log into the error.
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
