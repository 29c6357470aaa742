package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// digits is an experiment that trains quickly.
var digits = Experiment{
	Name: "tiny", Summary: "two networks on the digits", PaperSeeds: 5,
	Entries: []Entry{
		{Network: "RWLGN", Keys: slices.Concat(small, rwlgn), Paper: published(0.5, 0.1)},
		{Network: "IALGN", Keys: slices.Concat(small, ialgn, []string{"model.anchors=8"}), Paper: published(0.6, 0.1)},
	},
	Quick: Reduced{Keys: []string{"train.epochs=2"}},
}

var small = []string{
	"data.set=digits", "encoder.bits=4", "model.width=60", "model.depth=4", "model.tau=2", "model.init=random",
	"train.epochs=4",
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// recorder counts the runs that it trains. It may interrupt one of them.
type recorder struct {
	mu     sync.Mutex
	begun  []string
	cancel func()
	at     int // number of the run to interrupt; runs count from 1 in the order in which they begin
}

func (r *recorder) train(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
	s.Begin = func(seed uint64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.begun = append(r.begun, fmt.Sprintf("%s %d", s.Config.Name, seed))
	}
	s.Progress = func(p trainer.Progress) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.begun) == r.at && p.Epoch == 2 && p.Batch == 3 {
			r.cancel()
		}
	}
	return s.Train(ctx)
}

// files returns the table's files, without the folder's name.
func files(t *testing.T, table *Table) []string {
	t.Helper()
	var texts []string
	for _, path := range table.Files {
		texts = append(texts, strings.ReplaceAll(read(t, path), filepath.Dir(path), "DIR"))
	}
	return texts
}

// TestResume interrupts the second seed of the second entry and resumes the run. The table must be the same as
// without an interruption. A third call must train nothing.
func TestResume(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Paper, Seeds: 2, Options: grid.Options{Dir: t.TempDir(), Threads: 1}}
	whole, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if *whole.Rows[0].Test.Std == 0 || whole.Rows[1].Test.Mean < 0.3 || whole.Rows[1].Epochs != 4 {
		t.Fatalf("rows %+v", whole.Rows)
	}
	ctx, cancel := context.WithCancel(t.Context())
	rec := &recorder{cancel: cancel, at: 4}
	r.Dir, r.Train, r.Threads = filepath.Join(t.TempDir(), "a", "b"), rec.train, 2
	if table, err := r.Run(ctx); !errors.Is(err, trainer.ErrInterrupted) || table != nil ||
		!strings.HasPrefix(err.Error(), "digits-60x4-ialgn: seed 2: interrupted") ||
		message.Hint(err) != "finished: 3 of 4 runs; begun: digits-60x4-ialgn.seed2 (1 of 4 epochs); not begun: 0; the "+
			"same command continues" {
		t.Fatalf("table %v, error %v, hint %q", table, err, message.Hint(err))
	}
	sofar := read(t, filepath.Join(r.Dir, "tiny-paper.md"))
	if !strings.Contains(sofar, "Not run: digits-60x4-ialgn: its turn has not come yet.") ||
		strings.Count(sofar, "| not run ") != 2 {
		t.Errorf("the table of what is finished:\n%s", sofar)
	}
	rec.at = 0
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files(t, whole), files(t, table)); diff != "" {
		t.Errorf("table (-whole +interrupted):\n%s", diff)
	}
	want := []string{
		"digits-60x4-rwlgn 1", "digits-60x4-rwlgn 2", "digits-60x4-ialgn 1", "digits-60x4-ialgn 2",
		"digits-60x4-ialgn 2",
	}
	if diff := cmp.Diff(want, rec.begun); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	rec.begun = nil
	if again, err := r.Run(t.Context()); err != nil || rec.begun != nil ||
		cmp.Diff(files(t, whole), files(t, again)) != "" {
		t.Errorf("the third call trained %v, error %v", rec.begun, err)
	}
}

// TestInterruptTogether interrupts concurrent runs. Each run must be saved, the next call must resume all of them,
// and the table must be the same as without an interruption.
func TestInterruptTogether(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Paper, Seeds: 2, Options: grid.Options{Dir: t.TempDir(), Threads: 2, Jobs: 2}}
	whole, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec := &recorder{cancel: cancel, at: 2}
	r.Dir, r.Train = t.TempDir(), rec.train
	if table, err := r.Run(ctx); !errors.Is(err, trainer.ErrInterrupted) || table != nil {
		t.Fatalf("table %v, error %v", table, err)
	}
	began := len(rec.begun)
	rec.at = 0
	table, err := r.Run(t.Context())
	if err != nil || began >= 4 {
		t.Fatalf("%d runs had begun, error %v", began, err)
	}
	if diff := cmp.Diff(files(t, whole), files(t, table)); diff != "" {
		t.Errorf("table (-whole +interrupted):\n%s", diff)
	}
}

// TestInterruptAlone interrupts the first run in one case, and interrupts a call before its first run in another
// case. In both cases, later runs must not begin.
func TestInterruptAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec, called := &recorder{cancel: cancel, at: 1}, 0
	r := Runner{Experiment: digits, Scale: Paper, Seeds: 2, Options: grid.Options{Dir: t.TempDir()}}
	r.Train = func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
		called++
		return rec.train(ctx, s)
	}
	for range 2 {
		if table, err := r.Run(ctx); !errors.Is(err, trainer.ErrInterrupted) || table != nil ||
			!strings.HasPrefix(err.Error(), "digits-60x4-rwlgn: ") {
			t.Errorf("table %v, error %v", table, err)
		}
		if called != 1 {
			t.Errorf("%d runs were called", called)
		}
	}
}

// TestFailureTogether has a run that fails while another run trains. The other run must be saved, and the error must
// name the failed run.
func TestFailureTogether(t *testing.T) {
	cause := errors.New("no more paper")
	rec := &recorder{}
	r := Runner{Experiment: digits, Scale: Paper, Seeds: 2, Options: grid.Options{Dir: t.TempDir(), Threads: 2, Jobs: 2}}
	r.Train = func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
		if s.Config.Train.Seed == 2 {
			return nil, cause
		}
		return rec.train(ctx, s)
	}
	if _, err := r.Run(t.Context()); !errors.Is(err, cause) || !strings.HasPrefix(err.Error(), "digits-60x4-rwlgn: ") {
		t.Errorf("error %v", err)
	}
	r.Train = rec.train
	if _, err := r.Run(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestOnly trains one row, then another row. The second table must still contain the first row.
func TestOnly(t *testing.T) {
	rec := &recorder{}
	r := Runner{
		Experiment: digits, Scale: Quick, Seeds: 1, Only: []string{"digits-*-ialgn"},
		Options: grid.Options{Dir: t.TempDir(), Train: rec.train},
	}
	r.Experiment.Set = []string{"train.epochs=3"}
	table, err := r.Run(t.Context())
	if err != nil || !slices.Equal(rec.begun, []string{"digits-60x4-ialgn-quick-e3 1"}) {
		t.Fatalf("began %v, error %v", rec.begun, err)
	}
	if table.Rows[0].NotRun != notAsked || table.Rows[0].Test != nil || table.Rows[1].Epochs != 3 ||
		table.Rows[1].Test == nil {
		t.Errorf("rows %+v", table.Rows)
	}
	if filepath.Base(table.Files[0]) != "tiny-quick-e3.md" {
		t.Errorf("files %v", table.Files)
	}
	text := read(t, table.Files[0])
	for _, want := range []string{
		"Not run: digits-60x4-rwlgn-quick-e3: not asked for.", "train.epochs 3 instead of 4; one seed instead of 5.",
		"`ialgn experiment tiny --scale quick --seeds 1 --set train.epochs=3 --only 'digits-*-ialgn'`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r.Only, rec.begun = []string{"none", "*rwlgn"}, nil
	table, err = r.Run(t.Context())
	if err != nil || !slices.Equal(rec.begun, []string{"digits-60x4-rwlgn-quick-e3 1"}) || table.Rows[1].Test == nil ||
		table.Rows[0].Test == nil {
		t.Errorf("began %v, rows %+v, error %v", rec.begun, table.Rows, err)
	}
	r.Dir, rec.begun = t.TempDir(), nil
	for pattern, want := range map[string]string{
		"ialgn": "--only ialgn: no row of tiny has such a name",
		"[":     `--only "[": syntax error in pattern`,
	} {
		r.Only = []string{pattern}
		if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) || rec.begun != nil {
			t.Errorf("%s: began %v, error %v", pattern, rec.begun, err)
		}
	}
}

// TestOnlyFits replaces a key that is valid only for the requested rows.
func TestOnlyFits(t *testing.T) {
	rec := &recorder{}
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Only: []string{"*rwlgn"}}
	r.Dir, r.Train = t.TempDir(), rec.train
	r.Experiment.Set = []string{"model.wiring=structured"}
	table, err := r.Run(t.Context())
	if err != nil || !slices.Equal(rec.begun, []string{"digits-60x4-rwlgn-quick-model.wiring-structured 1"}) {
		t.Fatalf("began %v, error %v", rec.begun, err)
	}
	if table.Rows[0].Test == nil || table.Rows[1].NotRun != notAsked || table.Rows[1].Test != nil {
		t.Errorf("rows %+v", table.Rows)
	}
	if want, text := "Not run: digits-60x4-ialgn-quick: not asked for.",
		read(t, table.Files[0]); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	rec.begun = nil
	for _, only := range [][]string{nil, {"*ialgn"}} {
		r.Only = only
		if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "model.wiring") || rec.begun != nil {
			t.Errorf("only %q: began %v, error %v", only, rec.begun, err)
		}
	}
}

// TestNamesakes checks that replaced keys are refused if they give the same name to different networks.
func TestNamesakes(t *testing.T) {
	rec := &recorder{}
	r := Runner{Experiment: depthScaling, Scale: Paper, Seeds: 1}
	r.Dir, r.Train = t.TempDir(), rec.train
	for _, set := range []string{"model.width=2000", "data.set=mnist"} {
		r.Experiment.Set = []string{set}
		if _, err := r.planned(t.Context()); err == nil || !strings.Contains(err.Error(), "model.tau") || message.Hint(err) == "" {
			t.Errorf("%s: error %v", set, err)
		}
	}
	r.Experiment.Set, r.Only = []string{"model.width=2000"}, []string{"cifar10-2000x10-*"}
	if p, err := r.planned(t.Context()); err != nil || len(p.Runs()) != 5 {
		t.Errorf("rows without a namesake: %+v, error %v", p, err)
	}
	r.Experiment.Set, r.Only = []string{"data.set=mnist", "model.tau=30", "encoder.bits=4"}, nil
	p, err := r.planned(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	foreign := 0
	for i, e := range p.entries {
		if p.table.Rows[i].paper.Data.Set == "mnist" {
			continue // the entry has its own values
		}
		if foreign++; e.entry.Paper != nil || e.entry.Said != nil {
			t.Errorf("%s: has the paper's value of another data set", e.Config.Name)
		}
	}
	if foreign == 0 {
		t.Error("no row has its data set replaced")
	}
	r.Experiment.Set, r.Only = []string{"data.set=cifar10", "encoder.bits=16"}, []string{"cifar10-12000x4-*"}
	if p, err = r.planned(t.Context()); err != nil || p.entries[0].entry.Paper == nil || p.table.Rows[0].Paper == nil {
		t.Errorf("the row's own data set: no value of the paper, error %v", err)
	}
}

// TestNamesakeLeftOut checks that a row that was not asked for does not show the result of a finished run with the
// same name.
func TestNamesakeLeftOut(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1}
	r.Dir, r.Train = t.TempDir(), (&recorder{}).train
	r.Experiment.Set = []string{"model.width=50"}
	own := r.Experiment.Entries
	other := own[0]
	other.Keys = append(slices.Clone(other.Keys), "model.width=40", "model.tau=7")
	r.Only = []string{"*-rwlgn"}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Experiment.Entries, r.Only = []Entry{own[0], other, own[1]}, []string{"*-ialgn"}
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rows := table.Rows; rows[0].Test == nil || rows[1].Name != rows[0].Name || rows[1].Test != nil ||
		rows[1].NotRun != notAsked || rows[2].Test == nil {
		t.Errorf("rows %+v", rows)
	}
}

// TestScales trains an experiment at both scales, and then with more seeds, into one folder. The scales must not
// affect each other, and no seed may be trained twice.
func TestScales(t *testing.T) {
	rec := &recorder{}
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir(), Train: rec.train}}
	one, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if row := one.Rows[1]; row.Epochs != 2 || row.Test.Std != nil || row.Name != "digits-60x4-ialgn-quick" {
		t.Errorf("row %+v", row)
	}
	r.Scale = Paper
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Scale, r.Seeds, rec.begun = Quick, 2, nil
	two, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"digits-60x4-rwlgn-quick 2", "digits-60x4-ialgn-quick 2"}; !slices.Equal(rec.begun, want) {
		t.Errorf("trained %v, want %v", rec.begun, want)
	}
	if got, want := two.Rows[0].Runs[0].TestAccuracy, one.Rows[0].Test.Mean; got != want {
		t.Errorf("the first seed has %v with a second one, %v alone", got, want)
	}
}

// TestAbsent runs an entry whose data are missing at first, appear later, and disappear again.
func TestAbsent(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "samples.csv")
	rec := &recorder{}
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir(), Train: rec.train}}
	r.Experiment.Entries = slices.Concat([]Entry{{
		Network: "RWLGN", Keys: slices.Concat(small, rwlgn, []string{"data.set=csv", "data.train=" + csv}),
		Paper: published(0.5, 0.1),
	}}, digits.Entries[1:])
	table, err := r.Run(t.Context())
	if err != nil || len(rec.begun) != 1 {
		t.Fatalf("trained %v, error %v", rec.begun, err)
	}
	if row := table.Rows[0]; !strings.Contains(row.NotRun, "not found") || row.Get == "" || row.Test != nil ||
		table.Rows[1].Test == nil {
		t.Errorf("rows %+v", table.Rows)
	}
	samples(t, csv, 200)
	table, err = r.Run(t.Context())
	if err != nil || len(rec.begun) != 2 || table.Rows[0].Test == nil {
		t.Fatalf("trained %v, row %+v, error %v", rec.begun, table.Rows[0], err)
	}
	if err := os.Remove(csv); err != nil {
		t.Fatal(err)
	}
	again, err := r.Run(t.Context())
	if err != nil || len(rec.begun) != 2 || cmp.Diff(files(t, table), files(t, again)) != "" {
		t.Errorf("trained %v, row %+v, error %v", rec.begun, again.Rows[0], err)
	}
	r.Seeds = 2 // the second seed has no data
	table, err = r.Run(t.Context())
	if err != nil || table.Rows[0].Test != nil || table.Rows[1].Test == nil {
		t.Errorf("rows %+v, error %v", table.Rows, err)
	}
}

// TestFallback has neither CIFAR-10 nor models trained on it. A table at the scale quick must then use MNIST, and
// stay the same when MNIST disappears. The scale paper must not use MNIST instead.
func TestFallback(t *testing.T) {
	sets := t.TempDir()
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1}
	r.Dir, r.Folders = t.TempDir(), []string{sets}
	r.Experiment.Entries = slices.Clone(digits.Entries)
	for i := range r.Experiment.Entries {
		r.Experiment.Entries[i].Set = cifar10
		r.Experiment.Entries[i].Keys = append(slices.Clone(r.Experiment.Entries[i].Keys[3:]), "model.width=60",
			"model.depth=4")
	}
	if table, err := r.Run(t.Context()); err == nil || table.Rows[0].Data != "cifar10" || table.Rows[0].Paper == nil {
		t.Fatalf("without both: %+v, error %v", table, err)
	}
	writeMNIST(t, sets)
	r.Only = []string{"cifar10-60x4-ialgn"}
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "cifar10") ||
		strings.Contains(err.Error(), "no row") {
		t.Errorf("only a row of CIFAR-10: error %v", err)
	}
	r.Scale, r.Only = Paper, nil
	if table, err := r.Run(t.Context()); err == nil || table.Rows[0].Data != "cifar10" {
		t.Errorf("scale paper: %+v, error %v", table, err)
	}
	r.Scale = Quick
	first, err := r.Run(t.Context())
	if err != nil || first.Rows[1].Name != "mnist-60x4-ialgn-quick" || first.Rows[1].Paper != nil ||
		first.Rows[1].Difference != nil || first.Rows[1].Test == nil {
		t.Fatalf("%+v, error %v", first, err)
	}
	if !slices.ContainsFunc(first.Caption, func(s string) bool {
		return strings.Contains(s,
			"MNIST instead of CIFAR-10, which was not found")
	}) {
		t.Errorf("caption %q", first.Caption)
	}
	r.Folders = nil
	if again, err := r.Run(t.Context()); err != nil || cmp.Diff(files(t, first), files(t, again)) != "" {
		t.Errorf("without MNIST: %+v, error %v", again, err)
	}
}

// writeMNIST writes a small set in the form of MNIST.
func writeMNIST(t *testing.T, folder string) {
	t.Helper()
	for part, n := range map[string]int{"train": 200, "t10k": 50} {
		images, labels := make([]byte, 16+784*n), make([]byte, 8+n)
		copy(images, []byte{0, 0, 8, 3, 0, 0, 0, byte(n), 0, 0, 0, 28, 0, 0, 0, 28})
		copy(labels, []byte{0, 0, 8, 1, 0, 0, 0, byte(n)})
		for i := range n {
			labels[8+i] = byte(i % 10)
			images[16+784*i+300+i%10] = 255
		}
		err := errors.Join(
			os.WriteFile(filepath.Join(folder, part+"-images-idx3-ubyte"), images, 0o666),
			os.WriteFile(filepath.Join(folder, part+"-labels-idx1-ubyte"), labels, 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
}
