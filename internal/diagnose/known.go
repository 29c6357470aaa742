package diagnose

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// Known remembers what probes of which bits gave. Networks that share one do not have the same
// bits probed again: their input, if they encode the same data alike, is most of the work. It is
// safe for use by several goroutines. Its zero value is empty and kept nowhere.
type Known struct {
	mutex   sync.Mutex
	results []result               // in the order in which they were found
	running map[task]chan struct{} // closed in the end

	path string
	lock *outfile.Lock
	warn func(error)
}

// version is that of the figures: another one draws, orders or adds otherwise.
const version = 1

// task is all that a layer's accuracies depend on. The bits are named by their digests.
type task struct {
	Version int    `json:"version"`
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

func newTask(train, test *Bits, classes int, p Protocol) task {
	a, b := train.Digest(), test.Digest()
	return task{version, hex.EncodeToString(a[:]), hex.EncodeToString(b[:]), classes, p}
}

// OpenKnown returns what the file of that path keeps, nothing if there is none, and from then on
// keeps there what comes to be known. warn is called when that could not be written, which the
// next time is tried again. Another process that has the file open, and one that is not such a
// file, is an error. [Known.Close] lets others open it.
func OpenKnown(path string, warn func(error)) (*Known, error) {
	if err := outfile.CheckWritable(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lock, err := outfile.LockFile(path)
	if errors.Is(err, outfile.ErrHeld) {
		return nil, fmt.Errorf("%s: is in use (its lock is %w)", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be written: %w", path, err)
	}
	outfile.RemoveLeftovers(path)
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
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		r, err := probeLists(lines.Bytes())
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", k.path, len(k.results)+1, err)
		}
		k.results = append(k.results, r)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: line %d: %w", k.path, len(k.results)+1, err)
	}
	return nil
}

// probeLists reads a line of the file, which anybody may have edited.
func probeLists(line []byte) (r result, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	switch err := d.Decode(&r); {
	case errors.Is(err, io.EOF):
		return r, errors.New("is empty")
	case err != nil:
		return r, message.ExplainJSON(err)
	case d.More():
		return r, fmt.Errorf("byte %d: something follows the result", d.InputOffset())
	}
	return r, r.check()
}

// check reports what no result can be.
func (r result) check() error {
	switch {
	case len(r.Accuracies) == 0 || len(r.Accuracies) != r.Starts:
		return fmt.Errorf("%d accuracies of %d starts", len(r.Accuracies), r.Starts)
	case slices.Min(r.Accuracies) < 0 || slices.Max(r.Accuracies) > 1:
		return fmt.Errorf("accuracies %v are not all between 0 and 1", r.Accuracies)
	}
	return nil
}

// do returns the accuracies of a task and true, if they are known, and else those of train. Of
// calls for the same task at a time one trains, and the others wait for it.
func (k *Known) do(ctx context.Context, t task, train func() ([]float64, error)) ([]float64, bool, error) {
	for {
		accuracies, others, done := k.begin(t)
		switch {
		case accuracies != nil:
			return accuracies, true, nil
		case done != nil:
			accuracies, err := train()
			k.end(t, accuracies, err)
			close(done)
			return accuracies, false, err
		}
		select {
		case <-others:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// begin returns one thing: the accuracies of a task, or what is closed when the call that trains
// it ends, or what the caller has to close then.
func (k *Known) begin(t task) (accuracies []float64, others <-chan struct{}, done chan struct{}) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, r := range k.results {
		if r.task == t {
			return slices.Clone(r.Accuracies), nil, nil
		}
	}
	if running, ok := k.running[t]; ok {
		return nil, running, nil
	}
	if k.running == nil {
		k.running = map[task]chan struct{}{}
	}
	k.running[t] = make(chan struct{})
	return nil, nil, k.running[t]
}

// end adds what a task that ended gave, and writes the file, if there is one.
func (k *Known) end(t task, accuracies []float64, err error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	delete(k.running, t)
	if err != nil {
		return
	}
	k.results = append(k.results, result{t, slices.Clone(accuracies)})
	if k.path == "" {
		return
	}
	err = outfile.Write(k.path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, r := range k.results {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		k.warn(err)
	}
}
