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

// The files of the report in a target's folder, and of the check that its bitstream may have had.
const (
	ReportName = "synth.json"
	CheckName  = "check.json"
)

// checkFolder refuses to put a folder in the place of one in which something is not as Run made it: its report has the
// digests of the files that it came with.
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

// digest returns the SHA-256 of a file, and the type of what is none, such as a folder.
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

// stage is the folder in which the results of a target are made.
type stage struct {
	root, target string
	dir          string // the folder
	lock         *outfile.Lock
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
	lock, err := outfile.AcquireLock(filepath.Join(root, "."+target+".lock"))
	if errors.Is(err, outfile.ErrHeld) {
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

// writeReport writes the report, with the names and digests of all files that are there.
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
