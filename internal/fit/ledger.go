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
	"ialgn/internal/metrics"
	"ialgn/internal/outfile"
)

// ledgerFile is the file that holds the state of a search.
const ledgerFile = "fit.json"

// ledger holds all decisions and results of a search, so that a later call can continue from it.
type ledger struct {
	Format     int      `json:"format"`
	Asked      asked    `json:"asked"`
	Dimensions []string `json:"dimensions"`
	Seconds    float64  `json:"seconds"`                 // time of all calls together
	Epoch      float64  `json:"epoch_seconds,omitempty"` // seconds per epoch of the first candidate, with one thread
	Fixed      float64  `json:"fixed_seconds,omitempty"` // seconds that a trial takes in addition to its epochs
	Rungs      []*rung  `json:"rungs"`
	Finals     []*final `json:"finals,omitempty"`
	Limit      int      `json:"limit,omitempty"` // largest allowed size, if the device had no room for a larger network
	Done       bool     `json:"done"`            // whether the best network is compiled and verified

	Finishings []finishing `json:"finishings,omitempty"` // how long finishing took; the rehearsal comes first

	mu     sync.Mutex
	path   string
	before float64 // seconds spent by earlier calls
	start  time.Time
}

// asked holds the request of a search. A resumed search must have the same request as the original search. Only the
// minutes may differ.
type asked struct {
	Keys   []string `json:"keys"` // the keys of the draft
	Train  string   `json:"train_sha256"`
	Target string   `json:"target"`
	LUTs   int      `json:"luts"`
	MHz    float64  `json:"mhz,omitempty"`
	Wrap   string   `json:"wrap,omitempty"`
}

// rung is a round of the search. Its candidates are trained with the same number of epochs and the same seeds.
type rung struct {
	Name   string   `json:"name"`
	Epochs int      `json:"epochs"`
	Seeds  int      `json:"seeds"`
	Trials []*trial `json:"trials"`
	Closed bool     `json:"closed"` // whether the round is over: all trials are done, or its time is up
}

// trial is a candidate at a certain width.
type trial struct {
	Candidate candidate `json:"candidate"`
	Budget    float64   `json:"budget"`
	Width     int       `json:"width"`
	Wrong     []float64 `json:"wrong,omitempty"`             // share of wrong validation samples for each seed
	Metric    []float64 `json:"validation_metric,omitempty"` // like Wrong, the metric of the search; nil for the accuracy
	Cost      *cost     `json:"cost,omitempty"`              // cost of the first seed's network
	Failed    string    `json:"failed,omitempty"`            // reason why there is no network
	Seconds   float64   `json:"seconds,omitempty"`
}

// done reports whether all seeds of a trial are done.
func (t *trial) done(seeds int) bool { return t.Cost != nil && len(t.Wrong) >= seeds }

// wrong returns the share of validation samples that were classified wrongly, averaged over the seeds.
func (t *trial) wrong() float64 { return mean(t.Wrong) }

// loss returns the figure by which trials are compared. It is 1 minus the metric of the search, averaged over the
// seeds. For the accuracy, it is the share of wrong samples.
func (t *trial) loss() float64 {
	if len(t.Metric) > 0 {
		return 1 - mean(t.Metric)
	}
	return t.wrong()
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// farAbove limits the comparison of trials. A trial whose network is larger than farAbove times the trial's budget is
// not compared with others. A network below this limit can be made slightly narrower and is then about as good.
const farAbove = 1.15

// far reports whether a trial's network is too far above its budget for comparisons.
func (t *trial) far() bool { return t.over() > farAbove }

// over returns the size of a trial's network as a multiple of the trial's budget.
func (t *trial) over() float64 { return float64(t.Cost.cells()) / t.Budget }

// score returns the expected error of the trial's candidate at the trial's budget. For networks far above the budget,
// the score is larger than any error, because some of these networks cannot be made narrower.
func (t *trial) score() float64 {
	score := normalised(t.loss(), t.Cost.cells(), t.Budget)
	if t.far() {
		score += t.over()
	}
	return score
}

// final is a network of the front, which is trained on the whole training set. It has a cost if it is trained.
type final struct {
	trial
	Epochs   int     `json:"epochs"`
	Accuracy float64 `json:"accuracy,omitempty"` // on the test samples

	// Test holds the metrics on the test samples, if the search is for a metric other than the accuracy.
	Test *metrics.Values `json:"test,omitempty"`

	Name     string  `json:"name"`            // name of the network's model and configuration
	Tried    int     `json:"tried,omitempty"` // size of the network in the trial
	TriedFor int     `json:"tried_epochs,omitempty"`
	Took     float64 `json:"took,omitempty"`  // seconds of the network's last training
	Tries    int     `json:"tries,omitempty"` // number of times that the network was made smaller

	begun bool // whether this call has begun to train the network
}

const ledgerFormat = 1

// openLedger makes a ledger in a folder or, if resume is true, continues the ledger that is there.
func openLedger(dir string, a asked, dims []dimension, resume bool, guard outfile.Guard) (*ledger, error) {
	l := &ledger{Format: ledgerFormat, Asked: a, path: filepath.Join(dir, ledgerFile), start: now()}
	for _, d := range dims {
		l.Dimensions = append(l.Dimensions, d.name)
	}
	text, err := os.ReadFile(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && resume:
		return nil, message.WithHint(fmt.Errorf("%s: there is no search to continue", l.path), "omit {Resume}")
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
			"omit {Resume} to start a new search")
	}
	if err := old.check(l, dims); err != nil {
		return nil, message.WithHint(fmt.Errorf("%s: %w", l.path, err),
			"give the same value as before, or omit {Resume} to start a new search")
	}
	old.path, old.start, old.before = l.path, l.start, old.Seconds
	return &old, nil
}

// check compares the request in l with the request of a new search, which is in the argument as. If the requests
// differ, the search cannot continue from l, and check returns an error.
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
		return fmt.Errorf("the search in the folder is for %s, but this search is for %s", got, want)
	case fmt.Sprint(l.Dimensions) != fmt.Sprint(as.Dimensions):
		return fmt.Errorf("the search in the folder uses %v, but this search uses %v", l.Dimensions, as.Dimensions)
	}
	for _, r := range l.Rungs {
		if r == nil || r.Epochs < 1 || r.Seeds < 1 {
			return errors.New("a round without epochs or seeds")
		}
		for _, t := range r.Trials {
			if err := t.check(dims); err != nil {
				return err
			}
			if n := len(t.Metric); (t.Cost == nil) != (len(t.Wrong) == 0) || n > 0 && n != len(t.Wrong) {
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

// check returns an error if the trial does not fit the dimensions.
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

// spent returns the seconds of all calls so far.
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

// record changes the ledger and writes it. Concurrent trials may call record.
func (l *ledger) record(change func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	return l.save()
}

// finishing returns the predicted seconds to finish a network of the given size, or 0 if no time is known.
func (l *ledger) finishing(cells int) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return foretell(l.Finishings, cells)
}

// rung returns the round with the given name, or nil if it has not begun.
func (l *ledger) rung(name string) *rung {
	for _, r := range l.Rungs {
		if r.Name == name {
			return r
		}
	}
	return nil
}
