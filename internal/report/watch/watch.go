// Package watch shows the epochs of training runs while the runs are in progress. It shows logs of package runlog on
// a page. The page is served to this machine only, or written as one file.
//
// A [Watch] follows the named logs and the logs in folders, including logs that appear later. [Watch.Refresh] reads
// the new lines of each log. [Watch.Page] returns the page with the lines that were read so far. [Watch.Serve] serves
// a page that also gets later lines, only from its own server. Invalid lines in a log do not make the page fail. The
// page shows which lines cannot be read.
package watch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ialgn/internal/message"
	"ialgn/internal/runlog"
)

// These are limits on the logs that are read.
const (
	mostLogs  = 500 // logs on one page
	mostDepth = 3   // levels of folders below a named folder
	headBytes = 4096

	rescan = 2 * time.Second        // time between two searches for new logs in folders
	reread = 250 * time.Millisecond // time between two reads of a log
)

// Watch holds what was read from logs. Its methods may be called by several goroutines.
type Watch struct {
	mu      sync.Mutex
	paths   []string
	logs    []*entry
	session string // identifies this watch, because version numbers are valid only within a watch
	version int    // number of changes so far
	full    bool   // whether there are more logs than the page shows
	scanned time.Time
	read    time.Time
}

// entry is a log that is followed.
type entry struct {
	runlog.Follower
	id      int
	changed int // version of the watch when this log last changed
}

// New returns a watch of logs and of folders with logs. A log need not exist yet, but its folder must.
func New(paths []string) (*Watch, error) {
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			continue
		}
		if info, err := os.Stat(filepath.Dir(p)); err != nil || !info.IsDir() {
			return nil, message.WithHint(fmt.Errorf("%s: no such file, and no such folder", p),
				"name logs of training runs, or folders with such logs")
		}
	}
	return &Watch{paths: paths, session: fmt.Sprintf("%016x", rand.Uint64())}, nil
}

// Runs returns the number of runs that were read, and the number of logs.
func (w *Watch) Runs() (runs, logs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.logs {
		runs += len(e.Runs)
	}
	return runs, len(w.logs)
}

// Refresh reads the new lines of all logs.
func (w *Watch) Refresh() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refresh(time.Now())
}

// refresh reads new lines, unless less time than the interval reread has passed since the last read.
func (w *Watch) refresh(now time.Time) {
	if now.Sub(w.scanned) >= rescan {
		w.scan()
		w.scanned = now
	}
	if now.Sub(w.read) < reread {
		return
	}
	for _, e := range w.logs {
		if e.Update() {
			w.version++
			e.changed = w.version
		}
	}
	w.read = now
}

// scan searches for new logs.
func (w *Watch) scan() {
	for _, p := range w.paths {
		if info, err := os.Stat(p); err != nil || !info.IsDir() {
			w.add(p)
			continue
		}
		for _, found := range within(p) {
			w.add(found)
		}
	}
}

// add adds a log if it is new.
func (w *Watch) add(path string) {
	path = filepath.Clean(path)
	if slices.ContainsFunc(w.logs, func(e *entry) bool { return e.Path == path }) {
		return
	}
	if len(w.logs) == mostLogs {
		if !w.full {
			w.full, w.version = true, w.version+1
		}
		return
	}
	w.logs, w.read = append(w.logs, &entry{Follower: runlog.Follower{Path: path}, id: len(w.logs)}), time.Time{}
}

// within returns the logs in a folder and a few levels of folders below, except hidden folders and files. It skips
// folders and files that it cannot read.
func within(folder string) (found []string) {
	// WalkDir returns no error, because the only error that its function returns is the one that skips a folder.
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case path != folder && strings.HasPrefix(d.Name(), "."), d.IsDir() && depth(folder, path) > mostDepth:
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && isLog(path):
			found = append(found, path)
		}
		return nil
	})
	return found
}

// depth returns the number of levels from a folder to a path below it.
func depth(folder, path string) int {
	rest, err := filepath.Rel(folder, path)
	if err != nil || rest == "." {
		return 0
	}
	return strings.Count(rest, string(filepath.Separator)) + 1
}

// isLog reports whether a file in a folder is a log. A log is a file of JSON lines or a CSV table that begins like a
// log.
func isLog(path string) bool {
	table := runlog.IsCSV(path)
	if !table && filepath.Ext(path) != ".jsonl" {
		return false
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	return runlog.Begins(head[:n], table)
}

// Snapshot is the data of the page. It holds the contents of the logs as lists, with one element for each epoch.
type Snapshot struct {
	Live    bool     `json:"live"`
	Session string   `json:"session"`
	Version int      `json:"version"`
	Notes   []string `json:"notes,omitempty"`
	Logs    []Log    `json:"logs"`
}

// Log is a log of a [Snapshot].
type Log struct {
	ID       int       `json:"id"`
	Path     string    `json:"path"`
	Trouble  string    `json:"trouble,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	More     int       `json:"more,omitempty"` // number of further lines with problems
	Fresh    bool      `json:"fresh"`          // whether Runs is set; if not, the runs have not changed
	Runs     []Run     `json:"runs,omitempty"`
}

// Problem is a fault in a line of a log.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Run is a run in a [Snapshot]. An element of a list is null if the log does not have this value for the epoch.
type Run struct {
	Name       string     `json:"name"`
	Written    string     `json:"written"` // time of the last line
	Epoch      []int      `json:"epoch"`
	Loss       []float64  `json:"loss"`
	Train      []float64  `json:"train"`
	Validation []*float64 `json:"validation"`
	Test       []float64  `json:"test"`
	Relaxed    []*float64 `json:"relaxed"`
	Balanced   []*float64 `json:"balanced"`
	MacroF1    []*float64 `json:"f1"`
	Rate       []float64  `json:"rate"`
	Seconds    []float64  `json:"seconds"`
	Inputs     int        `json:"inputs,omitempty"` // number of inputs of a LUT in the last estimate
	Total      []*int     `json:"total"`
	Gates      []*int     `json:"gates"`
	Head       []*int     `json:"head"`
	Encoder    []*int     `json:"encoder"`
}

// snapshot returns the data that were read so far. It omits the runs of logs that did not change since the given
// version of the session.
func (w *Watch) snapshot(session string, version int) Snapshot {
	s := Snapshot{Session: w.session, Version: w.version, Logs: []Log{}}
	if session != w.session {
		version = -1
	}
	if w.full {
		s.Notes = append(s.Notes, fmt.Sprintf("more than %d logs; the other logs are ignored: name fewer",
			mostLogs))
	}
	common := w.common()
	for _, e := range w.logs {
		l := Log{ID: e.id, Path: e.Path, Trouble: e.Trouble, More: e.More, Fresh: e.changed > version}
		for _, p := range e.Problems {
			l.Problems = append(l.Problems, Problem(p))
		}
		if l.Fresh {
			for _, r := range e.Runs {
				l.Runs = append(l.Runs, columns(r, strings.TrimPrefix(e.Path, common)))
			}
		}
		s.Logs = append(s.Logs, l)
	}
	return s
}

// common returns the folder that contains all logs, with a separator at the end, or "" if there is no such folder.
func (w *Watch) common() string {
	common := ""
	for i, e := range w.logs {
		dir, _ := filepath.Split(e.Path)
		if i == 0 {
			common = dir
		}
		for !strings.HasPrefix(dir, common) {
			common, _ = filepath.Split(strings.TrimSuffix(common, string(filepath.Separator)))
		}
	}
	return common
}

// columns returns a run of a log in the form of lists.
func columns(r *runlog.Run, log string) Run {
	run := Run{Name: name(r, log), Written: r.Epochs[len(r.Epochs)-1].Time}
	for _, e := range r.Epochs {
		run.Epoch, run.Loss = append(run.Epoch, e.Epoch), append(run.Loss, e.Loss)
		run.Train, run.Test = append(run.Train, e.Train), append(run.Test, e.Test)
		run.Validation, run.Relaxed = append(run.Validation, e.Validation), append(run.Relaxed, e.Relaxed)
		run.Balanced, run.MacroF1 = append(run.Balanced, e.Balanced), append(run.MacroF1, e.MacroF1)
		run.Rate, run.Seconds = append(run.Rate, e.Rate), append(run.Seconds, e.Seconds)
		var total, gates, head, encoder *int
		if l := e.LUTs; l != nil {
			run.Inputs, total, gates, head, encoder = l.Inputs, &l.Total, &l.Gates, &l.Head, &l.Encoder
		}
		run.Total, run.Gates = append(run.Total, total), append(run.Gates, gates)
		run.Head, run.Encoder = append(run.Head, head), append(run.Encoder, encoder)
	}
	return run
}

// name returns a run's name. It consists of the name of the run's log and of the values that distinguish the run from
// other runs in the log.
func name(r *runlog.Run, log string) string {
	text := strings.TrimSuffix(log, filepath.Ext(log))
	if r.Name != "" && r.Name != filepath.Base(text) {
		text += " " + r.Name
	}
	if r.Seed != nil {
		text += fmt.Sprintf(" seed %d", *r.Seed)
	}
	if r.Fold != nil {
		text += fmt.Sprintf(" fold %d", *r.Fold)
	}
	if r.Call > 1 {
		text += fmt.Sprintf(", run %d", r.Call)
	}
	return cmp.Or(text, "run")
}

// Page returns the page with the data that were read so far, as a file without references to other files.
func (w *Watch) Page(version string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b bytes.Buffer
	err := write(&b, version, w.snapshot("", 0))
	return b.Bytes(), err
}
