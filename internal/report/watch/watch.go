// Package watch shows training runs by epoch while they go on: a page about logs of package runlog, served to this
// machine alone, or as one file.
//
// A [Watch] knows the logs that were named and those in folders, also ones that appear later, and reads of each what is
// new ([Watch.Refresh]). [Watch.Page] is the page about what it has read, [Watch.Serve] that page with what comes
// after. The page fetches nothing but that, from where it came from. No line of a log makes it fail: what cannot be
// read is said on the page.
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

// Bounds of what is looked at.
const (
	mostLogs  = 500 // logs of one page
	mostDepth = 3   // folders below one that was named
	headBytes = 4096

	rescan = 2 * time.Second        // between two looks for new logs in folders
	reread = 250 * time.Millisecond // between two looks at a log
)

// Watch is what logs say. Its methods may be called by several goroutines.
type Watch struct {
	mu      sync.Mutex
	paths   []string
	logs    []*entry
	session string // of this watch: versions of another one mean nothing
	version int    // counts changes
	full    bool   // there are more logs than are shown
	scanned time.Time
	read    time.Time
}

// entry is a log.
type entry struct {
	runlog.Follower
	id      int
	changed int // the version with which it changed last
}

// New returns a watch of logs and of folders with logs. A log need not be there yet, but its folder must.
func New(paths []string) (*Watch, error) {
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			continue
		}
		if info, err := os.Stat(filepath.Dir(p)); err != nil || !info.IsDir() {
			return nil, message.WithHint(fmt.Errorf("%s: neither it nor the folder that it would be in is there", p),
				"name logs of training runs, or folders that hold some")
		}
	}
	return &Watch{paths: paths, session: fmt.Sprintf("%016x", rand.Uint64())}, nil
}

// Runs returns how many runs were read, of how many logs.
func (w *Watch) Runs() (runs, logs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.logs {
		runs += len(e.Runs)
	}
	return runs, len(w.logs)
}

// Refresh reads what is new.
func (w *Watch) Refresh() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refresh(time.Now())
}

// refresh reads what is new, unless it just did.
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

// scan looks for logs that are not known yet.
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

// add adds a log that is not known yet.
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

// within returns the logs in a folder and a few levels below, but for hidden ones. What cannot be read holds none.
func within(folder string) (found []string) {
	// The walk itself does not fail: its function never returns an error but to skip a folder.
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

// depth returns how many folders a path is below another one.
func depth(folder, path string) int {
	rest, err := filepath.Rel(folder, path)
	if err != nil || rest == "." {
		return 0
	}
	return strings.Count(rest, string(filepath.Separator)) + 1
}

// isLog reports whether a file of a folder is taken for a log: JSON lines, unless they are others, and tables with the
// columns of a log.
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

// Snapshot is what the page gets: what was read of the logs, in lists that have an element an epoch.
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
	More     int       `json:"more,omitempty"` // lines with problems beyond those
	Fresh    bool      `json:"fresh"`          // the runs are here; else they are as in the last snapshot
	Runs     []Run     `json:"runs,omitempty"`
}

// Problem is what is wrong with a line of a log.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Run is a run of a [Snapshot]. Lists have null for what the log does not say of an epoch.
type Run struct {
	Name       string     `json:"name"`
	Written    string     `json:"written"` // the time of the last line
	Epoch      []int      `json:"epoch"`
	Loss       []float64  `json:"loss"`
	Train      []float64  `json:"train"`
	Validation []*float64 `json:"validation"`
	Test       []float64  `json:"test"`
	Relaxed    []*float64 `json:"relaxed"`
	Rate       []float64  `json:"rate"`
	Seconds    []float64  `json:"seconds"`
	Inputs     int        `json:"inputs,omitempty"` // of look-up tables, in the last estimate
	Total      []*int     `json:"total"`
	Gates      []*int     `json:"gates"`
	Head       []*int     `json:"head"`
	Encoder    []*int     `json:"encoder"`
}

// snapshot returns what was read, without the runs of logs that have not changed since a version of a session.
func (w *Watch) snapshot(session string, version int) Snapshot {
	s := Snapshot{Session: w.session, Version: w.version, Logs: []Log{}}
	if session != w.session {
		version = -1
	}
	if w.full {
		s.Notes = append(s.Notes, fmt.Sprintf("there are more than %d logs, and the others are left out: name fewer",
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

// common returns the folder, with a separator at its end, that all logs are in, "" if there is none.
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

// columns returns a run of a log as lists.
func columns(r *runlog.Run, log string) Run {
	run := Run{Name: name(r, log), Written: r.Epochs[len(r.Epochs)-1].Time}
	for _, e := range r.Epochs {
		run.Epoch, run.Loss = append(run.Epoch, e.Epoch), append(run.Loss, e.Loss)
		run.Train, run.Test = append(run.Train, e.Train), append(run.Test, e.Test)
		run.Validation, run.Relaxed = append(run.Validation, e.Validation), append(run.Relaxed, e.Relaxed)
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

// name returns what a run is called: after its log, and what there tells it from others.
func name(r *runlog.Run, log string) string {
	text := strings.TrimSuffix(log, filepath.Ext(log))
	if r.Name != "" && r.Name != filepath.Base(text) {
		text += " " + r.Name
	}
	if r.Seed != nil {
		text += fmt.Sprintf(" seed %d", *r.Seed)
	}
	if r.Call > 1 {
		text += fmt.Sprintf(", run %d", r.Call)
	}
	return cmp.Or(text, "run")
}

// Page returns the page about what was read, as a file that needs nothing else.
func (w *Watch) Page(version string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b bytes.Buffer
	err := write(&b, version, w.snapshot("", 0))
	return b.Bytes(), err
}
