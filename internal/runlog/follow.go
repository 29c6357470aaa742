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

// Run is a training run that a log has lines of.
type Run struct {
	Name   string  // the configuration's, "" where the log does not say it
	Seed   *uint64 // nil where the log does not say it
	Call   int     // from 1, of several runs of this name and seed in the log
	Epochs []Epoch // in ascending order, one at least
}

// Problem is what is wrong with a line of a log.
type Problem struct {
	Line int // from 1
	Text string
}

// mostProblems bounds how many problems are kept of a file.
const mostProblems = 20

// longestLine is longer than any line of a log.
const longestLine = 1 << 16

// headBytes is how much of a file's beginning tells it from another one that took its place.
const headBytes = 256

// tableBegins begins the header of a log in CSV.
var tableBegins = []byte("run,seed,")

// Begins reports whether a file that begins like this may be a log, by its name one in CSV or not. JSON lines without
// an epoch are none; a line that is not whole may become one.
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

// Follower reads a log while it grows. A file that is not there yet, that is cut, replaced or gone is no error: the
// next [Follower.Update] goes on with what there is then. It must not be used by several goroutines at a time.
type Follower struct {
	Path     string
	Runs     []*Run
	Problems []Problem // of lines; the first of them
	More     int       // how many further ones there are
	Trouble  string    // why the file cannot be read, "" if it can

	info   os.FileInfo // of the file that was read so far
	offset int64       // how much of it
	head   []byte      // its beginning
	rest   []byte      // of the last line, while it has no end
	long   bool        // that line is too long, and its bytes are left out
	line   int         // lines read
	table  []column    // what the fields of a line are, in CSV; nil: lines are JSON
	now    map[string]*Run
}

// Update reads what was written since the last call, and reports whether anything changed.
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

// read reads on.
func (f *Follower) read() (changed bool, err error) {
	// Looked at before it is opened: to open a pipe would wait for whoever writes it.
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

// cause returns an error without the path, which stands beside it.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// replaced reports whether the file is not the one that was read so far, or one that was cut.
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

// add adds a piece to the last line.
func (f *Follower) add(piece []byte) {
	if f.long = f.long || len(f.rest)+len(piece) > longestLine; !f.long {
		f.rest = append(f.rest, piece...)
	}
}

// end ends the last line.
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

// wrong keeps what is wrong with the last line.
func (f *Follower) wrong(err error) {
	if len(f.Problems) == mostProblems {
		f.More++
		return
	}
	f.Problems = append(f.Problems, Problem{f.line, err.Error()})
}

// enter enters an epoch into its run. The first epoch begins a new run; one that is not after the last comes of a run
// that was resumed from a checkpoint before it, and takes its place.
func (f *Follower) enter(e Epoch, err error) {
	if err != nil {
		f.wrong(err)
		return
	}
	key := e.Run + " " + seedText(&e)
	r := f.now[key]
	if r == nil || e.Epoch == 1 {
		next := &Run{Name: e.Run, Seed: e.Seed, Call: 1}
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
