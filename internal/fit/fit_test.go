package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	library "ialgn"
	"ialgn/internal/config"
)

// TestMain gives searches unlimited time, because the time of a search depends on the machine.
func TestMain(m *testing.M) {
	leastSeconds = 600
	os.Exit(m.Run())
}

// tick advances the clock by four seconds each time it is read, for example after each epoch of a network of the
// front. With this clock, a search with one thread depends only on its minutes, and no timeout in real time ends a
// part of the search.
func tick(t *testing.T) {
	begin, calls := time.Now(), atomic.Int64{}
	now = func() time.Time { return begin.Add(time.Duration(calls.Add(1)) * 4 * time.Second) }
	t.Cleanup(func() { now = time.Now })
}

// table writes a CSV file of samples and returns its path. Each sample is a point in the plane. The class says
// whether the point is in a ring or in a corner.
func table(t *testing.T, samples int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("x,y,noise,state\n")
	r := rand.New(rand.NewPCG(3, 4))
	for range samples {
		x, y := 2*r.Float64()-1, 2*r.Float64()-1
		state := "outside"
		switch d := x*x + y*y; {
		case d < 0.3:
			state = "inside"
		case d < 0.8:
			state = "ring"
		}
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%s\n", x, y, r.Float64(), state)
	}
	path := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// tableDraft returns the draft of a configuration for a CSV file.
func tableDraft(t *testing.T, path string, keys ...string) config.Draft {
	t.Helper()
	return draftOf(t, append([]string{"data.set=csv", "data.train=" + path, "data.label=state", "name=points"}, keys...)...)
}

// TestRun searches for networks for a CSV file. The best network must fit and be proved equivalent. Training it again
// must give the same result.
func TestRun(t *testing.T) {
	tick(t)
	path, dir := table(t, 1500), t.TempDir()
	var notes []string
	r, err := Run(t.Context(), tableDraft(t, path), Options{
		Target: "xilinx7", LUTs: 200, Minutes: 7, Dir: dir, Threads: 1, Note: func(s string) { notes = append(notes, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	b := r.Best
	if b.LUTs.Total > 200 || b.LUTs.Gates+b.LUTs.Head+b.LUTs.Encoder != b.LUTs.Total || b.Verified != "formal" {
		t.Errorf("best %+v", b)
	}
	// Guessing the most frequent class would be right for two fifths of the points.
	if b.Accuracy < 0.7 || b.Validation < 0.7 {
		t.Errorf("%v of the test samples, %v of the validation samples", b.Accuracy, b.Validation)
	}
	if len(r.Front) < 2 || !slices.IsSortedFunc(r.Front, func(a, b Network) int { return a.LUTs.Total - b.LUTs.Total }) {
		t.Errorf("front %+v", r.Front)
	}
	finals := ledgerOf(t, dir).Finals
	best := finals[slices.IndexFunc(finals, func(f *final) bool { return filepath.Base(b.Model) == f.Name+modelEnding })]
	for _, f := range finals {
		if f.Cost.cells() <= 200 && f.expected() < best.expected() {
			t.Errorf("%s is better than the best, %s", f.Name, best.Name)
		}
	}
	for _, n := range r.Front {
		again(t, n)
	}
	for _, f := range append(r.Files, filepath.Join(b.Design, "points.v")) {
		if info, err := os.Stat(f); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
	if len(notes) < 4 {
		t.Errorf("notes %q", notes)
	}
	// The search is finished. Another call must return the same result without training.
	same, err := Run(t.Context(), tableDraft(t, path), Options{
		Target: "xilinx7", LUTs: 200, Minutes: 7, Dir: dir, Threads: 1, Resume: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(same.Front) != fmt.Sprint(r.Front) || same.Seconds <= r.Seconds {
		t.Errorf("resumed: %+v after %+v", same, r)
	}
}

// again trains a network again with its configuration. It compares the bytes of the model, the accuracy and the size
// with the results of the search.
func again(t *testing.T, n Network) {
	t.Helper()
	cfg, err := library.LoadConfig(library.TrainOptions{}, n.Config)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "again.safetensors")
	m, err := library.Train(t.Context(), cfg, library.Data{}, library.TrainOptions{Path: path, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want, err := os.ReadFile(n.Model)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %v, or other bytes when it is trained again by its configuration", n.Model, err)
	}
	score, err := m.Evaluate(t.Context(), library.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if score.Accuracy != n.Accuracy {
		t.Errorf("%s: accuracy %v, evaluated %v", n.Model, n.Accuracy, score.Accuracy)
	}
	d, err := library.Compile(t.Context(), m, library.CompileOptions{Target: "xilinx7", Objective: "area"})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := d.Report(); err != nil || report.LUTs.Total != n.LUTs.Total {
		t.Errorf("%s: %v, %d LUTs are reported, the compiled network has %+v", n.Model, err, n.LUTs.Total, report.LUTs)
	}
}

// TestResume interrupts a search and resumes it. The rounds that were finished before must stay unchanged.
func TestResume(t *testing.T) {
	path, dir := table(t, 300), t.TempDir()
	o := Options{Target: "ice40", LUTs: 100, Minutes: 0.2, Dir: dir, Threads: 2}
	ctx, cancel := context.WithCancel(t.Context())
	o.Note = func(s string) {
		if !strings.HasPrefix(s, roundMany) {
			cancel()
		}
	}
	_, err := Run(ctx, tableDraft(t, path), o)
	if !errors.Is(err, library.ErrInterrupted) {
		t.Fatalf("interrupted: error %v", err)
	}
	before := ledgerOf(t, dir)
	if len(before.Rungs) != 3 || before.Rungs[2].Closed {
		t.Errorf("%d rounds after the interruption", len(before.Rungs))
	}
	o.Note, o.Resume, o.Minutes = nil, true, 0.1
	other := o
	other.LUTs = 90
	if _, err := Run(t.Context(), tableDraft(t, path), other); err == nil {
		t.Error("going on with another budget: no error")
	}
	if _, err := Run(t.Context(), tableDraft(t, path, "model.depth=2"), o); err == nil {
		t.Error("going on with a key given: no error")
	}
	r, err := Run(t.Context(), tableDraft(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Best.LUTs.Total > 100 {
		t.Errorf("best %+v", r.Best)
	}
	after := ledgerOf(t, dir)
	for i, old := range before.Rungs[:2] {
		a, _ := json.Marshal(old)
		b, _ := json.Marshal(after.Rungs[i])
		if !bytes.Equal(a, b) {
			t.Errorf("round %s was\n%s\nand is\n%s", old.Name, a, b)
		}
	}
	if !after.Done || after.Seconds <= before.Seconds {
		t.Errorf("done %v, %v seconds after %v", after.Done, after.Seconds, before.Seconds)
	}
}

func ledgerOf(t *testing.T, dir string) *ledger {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ledgerFile))
	if err != nil {
		t.Fatal(err)
	}
	var l ledger
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	return &l
}

// TestGiven checks that keys that the user sets are kept, except the keys that the search itself sets.
func TestGiven(t *testing.T) {
	tick(t)
	dir := t.TempDir()
	r, err := Run(t.Context(), tableDraft(t, table(t, 200), "model.depth=3", "encoder.bits=6", "model.width=9", "train.seed=5"),
		Options{Target: "generic", LUTs: 60, Minutes: 0.03, Dir: dir, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range r.Front {
		c, err := library.LoadConfig(library.TrainOptions{}, n.Config)
		if err != nil {
			t.Fatal(err)
		}
		if c.Model.Depth != 3 || c.Encoder.Bits != 6 || c.Train.Seed != 5 || c.Train.Validation.Share != 0 {
			t.Errorf("%s: %+v", n.Config, c)
		}
	}
}

// TestNoTime runs a search that has no time to try candidates. The search must train a network of the usual candidate
// for each budget. When the minutes are over, the front must be kept, and the result must name the missing work. A
// later call does this work.
func TestNoTime(t *testing.T) {
	draft := tableDraft(t, table(t, 200))
	o := Options{Target: "generic", LUTs: 80, Minutes: 1e-6, Dir: t.TempDir()}
	r, err := Run(t.Context(), draft, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Front) != 4 || r.Best.LUTs.Total > 80 || r.Best.Budget != 80 || r.Best.Validation == 0 || len(r.LeftOut) > 0 {
		t.Errorf("%+v", r)
	}
	o.Resume = true
	over, cancel := context.WithTimeoutCause(t.Context(), 0, errTime)
	defer cancel()
	resumed := func(untrained int) (*search, *Result, error) {
		s, err := newSearch(t.Context(), draft, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.open(); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.ledger.Finals[:untrained] {
			f.Cost = nil
		}
		r, err := s.finish(over)
		return s, r, err
	}
	s, late, err := resumed(0)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(late.Front) != fmt.Sprint(r.Front) || late.Best.Model != r.Best.Model || late.Best.Design != "" ||
		late.Best.Verified != "" || !slices.Equal(late.LeftOut, []string{"compiling and verifying"}) || s.ledger.Done {
		t.Errorf("without time to finish: %+v", late)
	}
	_, late, err = resumed(1)
	if err != nil || len(late.Front) != 3 || late.Best.Model == r.Best.Model ||
		!slices.Contains(late.LeftOut, "training points") {
		t.Errorf("without time to train one: %+v, error %v", late, err)
	}
	s, _, err = resumed(4)
	if err := s.ended(over, err); err == nil || !strings.Contains(err.Error(), "the minutes are over") {
		t.Errorf("without time to train any: error %v", err)
	}
	whole, err := Run(t.Context(), draft, o)
	if err != nil || len(whole.LeftOut) > 0 || whole.Best.Verified != "formal" || len(whole.Front) != 4 {
		t.Errorf("resumed: %+v, error %v", whole, err)
	}
}

// TestShrink makes a network smaller in a few steps, until it is just below the limit. Each step uses the measured
// cost of each part of the network.
func TestShrink(t *testing.T) {
	s, err := newSearch(t.Context(), tableDraft(t, table(t, 200)), Options{Target: "ice40-up5k", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	// These costs were measured for networks of vibration data. With fewer chains, the comparisons and the input
	// registers stay the same.
	measure := func(width int) *cost {
		return &cost{LUTs: LUTs{Head: width * 14 / 10, Encoder: 300, Total: width*14/10 + 300}, Kept: 192}
	}
	for _, limit := range []int{1800, 1320, 900, 600} {
		f := &final{trial: trial{Candidate: s.usual(), Width: 999, Cost: measure(999)}}
		for f.Cost.cells() > limit && f.Tries < mostTries {
			if err := s.shrink(f, limit); err != nil {
				t.Fatal(err)
			}
			f.Cost = measure(f.Width)
		}
		if got := f.Cost.cells(); got > limit || got < limit*9/10 || f.Tries > 2 {
			t.Errorf("limit %d: %d after %d steps", limit, got, f.Tries)
		}
	}
}

// TestSearchRefusesImpossibleTasks checks that impossible searches are refused at once, and that files that no search
// wrote are not changed.
func TestSearchRefusesImpossibleTasks(t *testing.T) {
	path := table(t, 50)
	dir := t.TempDir()
	mine := filepath.Join(dir, "points.yaml")
	if err := os.WriteFile(mine, []byte("name: mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		keys []string
		o    Options
		want string
	}{
		{"no target", nil, Options{}, "Target"},
		{"another target", nil, Options{Target: "ice4"}, "ice40"},
		{"few look-up tables", nil, Options{Target: "ice40", LUTs: 3}, "LUTs 3"},
		{"negative minutes", nil, Options{Target: "ice40", Minutes: -1}, "Minutes -1"},
		{"nothing to go on with", nil, Options{Target: "ice40", Resume: true}, "no search"},
		{"a key out of its range", []string{"model.depth=0"}, Options{Target: "ice40"}, "model.depth"},
		{"images of a table", []string{"train.augment.shift=1", "train.augment.share=1"}, Options{Target: "ice40"}, "images"},
		{"somebody's file", nil, Options{Target: "ice40", Dir: dir}, mine},
		{"a file in place of the folder", nil, Options{Target: "ice40", Dir: mine}, "a file, want a folder"},
	} {
		if c.o.Dir == "" {
			c.o.Dir = filepath.Join(t.TempDir(), "new")
		}
		_, err := Run(t.Context(), tableDraft(t, path, c.keys...), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "name: mine\n" {
		t.Errorf("somebody's file: %q, %v", text, err)
	}
}

// TestNextBest checks a search whose best candidate does not fit, although its trial was small enough. The search
// must take the next best candidate instead.
func TestNextBest(t *testing.T) {
	tick(t)
	path, dir := table(t, 300), t.TempDir()
	o := Options{Target: "generic", LUTs: 38, Minutes: 1e-6, Dir: dir, Threads: 1}
	if _, err := Run(t.Context(), tableDraft(t, path), o); err != nil {
		t.Fatal(err)
	}
	l := ledgerOf(t, dir)
	usual := l.Rungs[0].Trials[0]
	large := &trial{
		Candidate: slices.Clone(usual.Candidate), Budget: usual.Budget, Width: 3, Wrong: []float64{0}, Seconds: usual.Seconds,
		Cost: &cost{LUTs: LUTs{Head: 6, Encoder: 24, Total: 30}},
	}
	for i, name := range l.Dimensions {
		if value := map[string]string{"depth": "4", "bits": "16", "cost": "0"}[name]; value != "" {
			large.Candidate[i] = value
		}
	}
	l.Rungs = append(l.Rungs, &rung{Name: roundMany, Epochs: 3, Seeds: 1, Trials: []*trial{large}, Closed: true})
	l.Finals, l.Done, l.path, l.start = nil, false, filepath.Join(dir, ledgerFile), time.Now()
	if err := l.save(); err != nil {
		t.Fatal(err)
	}
	var notes []string
	o.Resume, o.Note = true, func(s string) { notes = append(notes, s) }
	r, err := Run(t.Context(), tableDraft(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	told := slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "points: the next best") })
	if got := ledgerOf(t, dir).Finals[0]; r.Best.LUTs.Total > 38 || !slices.Equal(got.Candidate, usual.Candidate) || !told {
		t.Errorf("%d LUTs (%s), notes %q", r.Best.LUTs.Total, r.Best.Choice, notes)
	}
}
