package fit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// ledgerFile is the file that says how far a search has come.
const ledgerFile = "fit.json"

// ledger is everything that a search has decided and found, so that a later call goes on from it.
type ledger struct {
	Format     int      `json:"format"`
	Asked      asked    `json:"asked"`
	Dimensions []string `json:"dimensions"`
	Seconds    float64  `json:"seconds"`                 // spent by all calls
	Epoch      float64  `json:"epoch_seconds,omitempty"` // of the first candidate, with one thread
	Fixed      float64  `json:"fixed_seconds,omitempty"` // of a trial, beside its epochs
	Rungs      []*rung  `json:"rungs"`
	Finals     []*final `json:"finals,omitempty"`
	Limit      int      `json:"limit,omitempty"` // most that a network may take, where less than the device had room
	Done       bool     `json:"done"`            // the best is compiled and verified

	Finishings []finishing `json:"finishings,omitempty"` // how long finishing took, the first of all in a rehearsal

	mu     sync.Mutex
	path   string
	before float64 // seconds spent by earlier calls
	start  time.Time
}

// asked is what a search was asked for; a resumed one must be asked the same, but for the minutes.
type asked struct {
	Keys   []string `json:"keys"` // the keys of the draft
	Train  string   `json:"train_sha256"`
	Target string   `json:"target"`
	LUTs   int      `json:"luts"`
	MHz    float64  `json:"mhz,omitempty"`
	Wrap   string   `json:"wrap,omitempty"`
}

// rung is a round of the search: candidates that are trained alike.
type rung struct {
	Name   string   `json:"name"`
	Epochs int      `json:"epochs"`
	Seeds  int      `json:"seeds"`
	Trials []*trial `json:"trials"`
	Closed bool     `json:"closed"` // no more of its trials are made, for want of time or because all are
}

// trial is a candidate of a size.
type trial struct {
	Candidate candidate `json:"candidate"`
	Budget    float64   `json:"budget"`
	Width     int       `json:"width"`
	Wrong     []float64 `json:"wrong,omitempty"`  // share of the validation samples, a value a seed
	Cost      *cost     `json:"cost,omitempty"`   // of the network of the first seed
	Failed    string    `json:"failed,omitempty"` // why there is no such network
	Seconds   float64   `json:"seconds,omitempty"`
}

// done reports whether a trial has all its seeds.
func (t *trial) done(seeds int) bool { return t.Cost != nil && len(t.Wrong) >= seeds }

// wrong returns the mean share of validation samples that were classified wrongly.
func (t *trial) wrong() float64 {
	sum := 0.0
	for _, w := range t.Wrong {
		sum += w
	}
	return sum / float64(max(1, len(t.Wrong)))
}

// farAbove is how much more than the budget a trial may take to be compared with others: a network that is a little
// narrower is about as good.
const farAbove = 1.15

// far reports whether a trial took so much more than its budget that it is not compared with others.
func (t *trial) far() bool { return t.over() > farAbove }

// over returns what a trial took, as a multiple of its budget.
func (t *trial) over() float64 { return float64(t.Cost.cells()) / t.Budget }

// score is the error as it would be at the trial's budget; more than any error for networks far above that, which
// cannot all be made narrower.
func (t *trial) score() float64 {
	score := normalised(t.wrong(), t.Cost.cells(), t.Budget)
	if t.far() {
		score += t.over()
	}
	return score
}

// final is a network of the front, to be trained on the whole training set, or trained: then it has a cost.
type final struct {
	trial
	Epochs   int     `json:"epochs"`
	Accuracy float64 `json:"accuracy,omitempty"` // on the test samples
	Name     string  `json:"name"`               // of model and configuration
	Tried    int     `json:"tried,omitempty"`    // what the network of its trial took of the budget
	TriedFor int     `json:"tried_epochs,omitempty"`
	Took     float64 `json:"took,omitempty"`  // seconds of its last training
	Tries    int     `json:"tries,omitempty"` // how often it was made smaller

	begun bool // this call has begun to train it
}

const ledgerFormat = 1

// openLedger begins a ledger in a folder, or goes on with the one that is there.
func openLedger(dir string, a asked, dims []dimension, resume bool, guard outfile.Guard) (*ledger, error) {
	l := &ledger{Format: ledgerFormat, Asked: a, path: filepath.Join(dir, ledgerFile), start: now()}
	for _, d := range dims {
		l.Dimensions = append(l.Dimensions, d.name)
	}
	text, err := os.ReadFile(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && resume:
		return nil, message.WithHint(fmt.Errorf("%s: there is no search to go on with", l.path), "leave {Resume} out")
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil:
		return nil, err
	case !resume:
		return l, guard.Check(l.path, outfile.Search)
	}
	var old ledger
	if err := json.Unmarshal(text, &old); err != nil {
		return nil, message.WithHint(fmt.Errorf("%s: %w", l.path, message.ExplainJSON(err)),
			"leave {Resume} out to search anew")
	}
	if err := old.check(l, dims); err != nil {
		return nil, message.WithHint(fmt.Errorf("%s: %w", l.path, err),
			"give the same as before, or leave {Resume} out to search anew")
	}
	old.path, old.start, old.before = l.path, l.start, old.Seconds
	return &old, nil
}

// check returns why a ledger from a file cannot be gone on with as another asks.
func (l *ledger) check(as *ledger, dims []dimension) error {
	want, err := json.Marshal(as.Asked)
	if err != nil {
		return err
	}
	got, err := json.Marshal(l.Asked)
	switch {
	case err != nil:
		return err
	case l.Format != ledgerFormat:
		return fmt.Errorf("format %d, this program has %d", l.Format, ledgerFormat)
	case string(want) != string(got):
		return fmt.Errorf("the search there was asked for %s, and this one for %s", got, want)
	case fmt.Sprint(l.Dimensions) != fmt.Sprint(as.Dimensions):
		return fmt.Errorf("the search there was by %v, and this one by %v", l.Dimensions, as.Dimensions)
	}
	for _, r := range l.Rungs {
		if r == nil || r.Epochs < 1 || r.Seeds < 1 {
			return errors.New("a round without epochs or seeds")
		}
		for _, t := range r.Trials {
			if err := t.check(dims); err != nil {
				return err
			}
			if (t.Cost == nil) != (len(t.Wrong) == 0) {
				return errors.New("a trial with errors and without a size, or the other way round")
			}
		}
	}
	for _, f := range l.Finals {
		if f == nil || f.check(dims) != nil || f.Epochs < 1 || filepath.Base(f.Name) != f.Name {
			return errors.New("a network of the front that is none")
		}
	}
	return nil
}

// check refuses what is no trial of the dimensions.
func (t *trial) check(dims []dimension) error {
	none := errors.New("a trial that is none")
	if t == nil || len(t.Candidate) != len(dims) || t.Width < 1 || t.Width > mostWidth || !(t.Budget > 0) {
		return none
	}
	for i, d := range dims {
		if !slices.Contains(d.values, t.Candidate[i]) {
			return none
		}
	}
	return nil
}

// spent returns the seconds that the search has taken, in all calls.
func (l *ledger) spent() float64 { return l.before + now().Sub(l.start).Seconds() }

// save writes the ledger.
func (l *ledger) save() error {
	l.Seconds = l.spent()
	return outfile.Write(l.path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(l)
	})
}

// record changes the ledger and writes it. Trials side by side call it.
func (l *ledger) record(change func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	return l.save()
}

// finishing returns the seconds that it takes to finish a network of a size, 0 if nothing is known.
func (l *ledger) finishing(cells int) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return foretell(l.Finishings, cells)
}

// rung returns a round by its name, nil if it has not begun.
func (l *ledger) rung(name string) *rung {
	for _, r := range l.Rungs {
		if r.Name == name {
			return r
		}
	}
	return nil
}
