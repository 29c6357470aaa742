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

// Known remembers the results of probes. Results are looked up by the bits that were probed, so networks that share a
// Known do not probe the same bits twice. This saves most of the work if networks encode the same data in the same
// way and the input is probed. A Known is safe for use by several goroutines. The zero value is empty and is not
// stored in a file.
type Known struct {
	mutex   sync.Mutex
	results []result               // results in the order in which they were found
	running map[task]chan struct{} // closed when the task ends

	path string
	lock *outfile.Lock
	warn func(error)
}

// version is the version of the results. It must change whenever a change of the code makes probes give other
// results.
const version = 1

// task identifies a result. It holds everything on which the accuracies of a layer depend, with digests in place of
// the bits.
type task struct {
	Version int    `json:"version"`
	Train   string `json:"train_digest"`
	Test    string `json:"test_digest"`
	Classes int    `json:"classes"`
	Protocol
}

// result is a result, as stored in a line of the file.
type result struct {
	task
	Accuracies []float64 `json:"accuracies"` // indexed by start
}

func newTask(train, test *Bits, classes int, p Protocol) task {
	a, b := train.Digest(), test.Digest()
	return task{version, hex.EncodeToString(a[:]), hex.EncodeToString(b[:]), classes, p}
}

// OpenKnown reads the results in the file at path, if the file exists, and stores new results there. If writing
// fails, it calls warn and tries again at the next result. OpenKnown returns an error if another process has the file
// open, or if the file has another format. After [Known.Close], other processes can open the file.
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

// Close closes the file, if there is one, so that other processes can open it.
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

// probeLists parses a line of the file. Everything unexpected is an error, because users may have edited the file.
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

// check returns an error if no run can have this result.
func (r result) check() error {
	switch {
	case len(r.Accuracies) == 0 || len(r.Accuracies) != r.Starts:
		return fmt.Errorf("%d accuracies of %d starts", len(r.Accuracies), r.Starts)
	case slices.Min(r.Accuracies) < 0 || slices.Max(r.Accuracies) > 1:
		return fmt.Errorf("accuracies %v are not all between 0 and 1", r.Accuracies)
	}
	return nil
}

// do returns the accuracies of a task. If they are known, it also returns true. Otherwise it calls train and returns
// false. If several goroutines call do for the same task, one trains and the others wait for its result.
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

// begin sets exactly one of its three results. If the accuracies of the task are known, begin returns them. If
// another goroutine is training the task, begin returns the channel others, which is closed when that goroutine has
// finished. Otherwise begin returns the channel done. The caller must then train the task, call end, and close this
// channel.
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

// end records the end of a task. If err is nil, it adds the result and writes the file, if there is one.
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
