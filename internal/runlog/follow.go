package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Run is a training run found in a log.
type Run struct {
	Name   string  // name of the configuration; "" if the log does not contain it
	Seed   *uint64 // nil if the log does not contain it
	Fold   *int    // nil if the run is not a fold of a cross-validation
	Call   int     // counts the runs with the same name, seed and fold in the log, from 1
	Epochs []Epoch // in ascending order, at least one
}

// Problem describes an error in a line of a log.
type Problem struct {
	Line int // line number, from 1
	Text string
}

// mostProblems limits the number of problems that are kept for a file.
const mostProblems = 20

// longestLine is longer than any valid line of a log.
const longestLine = 1 << 16

// headBytes is the length of a file's beginning by which a replaced file is recognised.
const headBytes = 256

// tableBegins is the beginning of the header of a CSV log.
var tableBegins = []byte("run,seed,")

// Begins reports whether a file that begins with head may be a log. table says whether the file is a CSV log
// according to its name. If the first line is complete JSON without an epoch, the file is not a log. If the first
// line is incomplete, the file may become a log.
func Begins(head []byte, table bool) bool {
	if table {
		return bytes.HasPrefix(head, tableBegins)
	}
	line, _, whole := bytes.Cut(head, []byte{'\n'})
	var keys map[string]json.RawMessage
	if !whole || json.Unmarshal(line, &keys) != nil {
		return true
	}
	return keys["epoch"] != nil
}

// Follower reads a log while it grows. It is not an error if the file does not exist yet, or if it is truncated,
// replaced or removed. The next [Follower.Update] continues with the file as it is at that time. Only one goroutine
// at a time may use a Follower.
type Follower struct {
	Path     string
	Runs     []*Run
	Problems []Problem // the first errors in lines
	More     int       // number of further problems
	Trouble  string    // why the file cannot be read, or ""

	info   os.FileInfo // describes the file that was read so far
	offset int64       // number of bytes read
	head   []byte      // beginning of the file
	rest   []byte      // the last line, while it is incomplete
	long   bool        // the last line is too long, and its bytes are skipped
	line   int         // number of lines read
	table  []column    // columns of a CSV log; nil for JSON lines
	now    map[string]*Run
}

// Update reads the lines that were written since the last call, and reports whether anything changed.
func (f *Follower) Update() bool {
	changed, err := f.read()
	trouble := ""
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.info == nil:
		trouble = "is not there yet"
	case errors.Is(err, fs.ErrNotExist):
		trouble = "is gone; what was read of it is shown"
	case err != nil:
		trouble = err.Error()
	}
	if trouble != f.Trouble {
		f.Trouble, changed = trouble, true
	}
	return changed
}

// read reads the rest of the file.
func (f *Follower) read() (changed bool, err error) {
	// The file is examined before it is opened, because opening a pipe would wait for its writer.
	if info, err := os.Stat(f.Path); err != nil {
		return false, cause(err)
	} else if !info.Mode().IsRegular() {
		return false, errors.New("is no file")
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return false, cause(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, cause(err)
	}
	if f.replaced(file, info) {
		*f = Follower{Path: f.Path, Trouble: f.Trouble}
		changed = true
	}
	f.info = info
	if info.Size() == f.offset {
		return changed, nil
	}
	err = f.take(io.NewSectionReader(file, f.offset, info.Size()-f.offset))
	if err == nil && len(f.head) < headBytes {
		f.head = make([]byte, min(headBytes, f.offset))
		_, err = file.ReadAt(f.head, 0)
	}
	return true, cause(err)
}

// cause returns an error without the path, which is shown separately.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// replaced reports whether the file was replaced or truncated since it was last read.
func (f *Follower) replaced(file *os.File, info os.FileInfo) bool {
	if f.info == nil {
		return false
	}
	if !os.SameFile(f.info, info) || info.Size() < f.offset {
		return true
	}
	if info.Size() == f.offset && info.ModTime().Equal(f.info.ModTime()) {
		return false
	}
	is := make([]byte, len(f.head))
	_, err := file.ReadAt(is, 0)
	return err == nil && !bytes.Equal(is, f.head)
}

// take reads new bytes, line by line.
func (f *Follower) take(r io.Reader) error {
	buffer := make([]byte, 1<<16)
	for {
		n, err := r.Read(buffer)
		f.offset += int64(n)
		for part := buffer[:n]; len(part) > 0; {
			line, rest, ends := bytes.Cut(part, []byte{'\n'})
			f.add(line)
			if ends {
				f.end()
			}
			part = rest
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// add appends a piece to the last line, which is not complete yet.
func (f *Follower) add(piece []byte) {
	if f.long = f.long || len(f.rest)+len(piece) > longestLine; !f.long {
		f.rest = append(f.rest, piece...)
	}
}

// end completes the last line.
func (f *Follower) end() {
	f.line++
	line, long := bytes.TrimSpace(f.rest), f.long
	f.rest, f.long = f.rest[:0], false
	switch {
	case long:
		f.wrong(fmt.Errorf("is longer than %d bytes", longestLine))
	case len(line) == 0:
	case bytes.HasPrefix(line, tableBegins):
		f.table = columnsOf(string(line))
	case f.table != nil:
		f.enter(parseCSV(line, f.table))
	default:
		f.enter(parseJSON(line))
	}
}

// wrong records an error in the last line.
func (f *Follower) wrong(err error) {
	if len(f.Problems) == mostProblems {
		f.More++
		return
	}
	f.Problems = append(f.Problems, Problem{f.line, err.Error()})
}

// enter adds an epoch to its run. An epoch 1 begins a new run. If an epoch does not follow the run's last epoch, the
// run was resumed from an earlier checkpoint. The epoch then replaces the epochs of the run from this number on.
func (f *Follower) enter(e Epoch, err error) {
	if err != nil {
		f.wrong(err)
		return
	}
	key := e.Run + " " + seedText(&e) + " " + foldText(&e)
	r := f.now[key]
	if r == nil || e.Epoch == 1 {
		next := &Run{Name: e.Run, Seed: e.Seed, Fold: e.Fold, Call: 1}
		if r != nil {
			next.Call = r.Call + 1
		}
		if f.now == nil {
			f.now = map[string]*Run{}
		}
		r, f.now[key], f.Runs = next, next, append(f.Runs, next)
	}
	at := len(r.Epochs)
	for at > 0 && r.Epochs[at-1].Epoch >= e.Epoch {
		at--
	}
	r.Epochs = append(r.Epochs[:at], e)
}
