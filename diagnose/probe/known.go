package probe

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ialgn/diagnose/activation"
	"ialgn/internal/atomicfile"
	"ialgn/internal/filelock"
	"ialgn/internal/jsonfault"
)

// Known remembers what probes of which bits gave. Networks that share one do not have the same
// bits probed again: their input, if they encode the same data alike, is most of the work. It is
// safe for use by several goroutines. Its zero value is empty and kept nowhere.
type Known struct {
	mutex   sync.Mutex
	results []result // in the order in which they came

	path string
	lock *filelock.Lock
	warn func(error)
}

// task is all that a layer's accuracies depend on. The bits are named by their digests.
type task struct {
	Train   string `json:"train_digest"`
	Test    string `json:"test_digest"`
	Classes int    `json:"classes"`
	Protocol
}

// result is a line of the file.
type result struct {
	task
	Accuracies []float64 `json:"accuracies"` // [start]
}

func newTask(train, test *activation.Bits, classes int, p Protocol) task {
	a, b := train.Digest(), test.Digest()
	return task{hex.EncodeToString(a[:]), hex.EncodeToString(b[:]), classes, p}
}

// OpenKnown returns what the file of that path keeps, nothing if there is none, and from then on
// keeps there what comes to be known. warn is called when that could not be written, which the
// next time is tried again. Another process that has the file open, and one that is not such a
// file, is an error. [Known.Close] lets others open it.
func OpenKnown(path string, warn func(error)) (*Known, error) {
	if err := atomicfile.Check(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	folder, base := filepath.Split(path)
	lock, err := filelock.Acquire(folder + "." + base + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("%s: is in use (its lock is %w)", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be written: %w", path, err)
	}
	k := &Known{path: path, lock: lock, warn: warn}
	if err := k.read(); err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

// Close lets other processes open the file, if there is one.
func (k *Known) Close() {
	if k.lock != nil {
		k.lock.Release()
	}
}

// read reads the file.
func (k *Known) read() error {
	f, err := os.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	d.DisallowUnknownFields()
	for {
		var r result
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = r.check()
		}
		if err != nil {
			return fmt.Errorf("%s: result %d: %w", k.path, len(k.results)+1, jsonfault.Explain(err))
		}
		k.results = append(k.results, r)
	}
}

// check reports what a result from a file, which anybody may have edited, cannot be.
func (r result) check() error {
	switch {
	case len(r.Accuracies) == 0 || len(r.Accuracies) != r.Starts:
		return fmt.Errorf("%d accuracies of %d starts", len(r.Accuracies), r.Starts)
	case slices.Min(r.Accuracies) < 0 || slices.Max(r.Accuracies) > 1:
		return fmt.Errorf("accuracies %v are not all between 0 and 1", r.Accuracies)
	}
	return nil
}

// get returns the accuracies, or nil.
func (k *Known) get(t task) []float64 {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, r := range k.results {
		if r.task == t {
			return slices.Clone(r.Accuracies)
		}
	}
	return nil
}

// add adds a result, and writes the file, if there is one.
func (k *Known) add(t task, accuracies []float64) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.results = append(k.results, result{t, slices.Clone(accuracies)})
	if k.path == "" {
		return
	}
	err := atomicfile.Write(k.path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, r := range k.results {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		k.warn(fmt.Errorf("%s: %w", k.path, err))
	}
}
