package sweep

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

	"ialgn/internal/dataset"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// tiny is a configuration that trains quickly.
const tiny = `name: tiny
data: {set: digits}
encoder: {bits: 4}
model: {width: 60, depth: 2, anchors: 8, tau: 2, init: random}
train: {epochs: 1, checkpoint: {minutes: 0}}
`

// write writes a file into a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// recorder records the runs that train.
type recorder struct {
	mu    sync.Mutex
	begun []string
}

func (r *recorder) train(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
	s.Begin = func(seed uint64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.begun = append(r.begun, fmt.Sprintf("%s %d", s.Config.Name, seed))
	}
	return s.Train(ctx)
}

// newRunner returns a runner of the tiny configuration, and a recorder of the runs that it trains.
func newRunner(t *testing.T, axes ...string) (Runner, *recorder) {
	t.Helper()
	rec := &recorder{}
	return Runner{
		Config: write(t, "tiny.yaml", tiny), Grid: axes,
		Options: grid.Options{Dir: filepath.Join(t.TempDir(), "out"), Threads: 1, Train: rec.train},
	}, rec
}

// TestExtended adds values to a sweep, removes some, and changes the order of the axes. Existing runs must be reused.
// The table must be the same as for a new sweep with these values.
func TestExtended(t *testing.T) {
	r, rec := newRunner(t, "model.width=40,60", "train.seed=1,2")
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Grid, rec.begun = []string{"train.seed=3,1", "train.optimizer.lr=1e-2", "model.width=060,20"}, nil
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "060") {
		t.Errorf("a number that YAML has not: error %v", err)
	}
	r.Grid = []string{"train.seed=3,1", "model.width=60,20"}
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"tiny-w60 3", "tiny-w20 3", "tiny-w20 1"}; !slices.Equal(rec.begun, want) {
		t.Errorf("trained %v, want %v", rec.begun, want)
	}
	fresh, _ := newRunner(t, r.Grid...)
	fresh.Config = r.Config
	whole, err := fresh.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range whole.Files {
		if read(t, path) != read(t, table.Files[i]) {
			t.Errorf("%s differs from the file of a sweep in one go", table.Files[i])
		}
	}
	if row := table.Rows[0]; !slices.Equal(row.Seeds, []uint64{3, 1}) || row.Runs[1].Seed != 1 || !row.Runs[1].Before ||
		*row.Test.Std == 0 || filepath.Base(row.Models[0]) != "tiny-w60.seed3.safetensors" || row.Gates != 120 {
		t.Errorf("row %+v", row)
	}
}

// TestChanged changes the configuration, in the file or by an option. The runs of the old configuration must be
// refused before anything is trained. The old runs must be reused if an axis includes the values with which they were
// trained.
func TestChanged(t *testing.T) {
	r, rec := newRunner(t, "model.width=40,60")
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec.begun = nil
	changed := r
	changed.Grid, changed.Set = []string{"model.width=20,60"}, []string{"train.epochs=2"}
	other := r
	other.Config = write(t, "tiny.yaml", strings.Replace(tiny, "depth: 2", "depth: 3", 1))
	for what, r := range map[string]Runner{"train.epochs": changed, "model.depth": other} {
		if _, err := r.Run(t.Context()); err == nil || rec.begun != nil ||
			!strings.Contains(err.Error(), "has another "+what+" than this run of the sweep; choose another folder") {
			t.Errorf("%s: trained %v, error %v", what, rec.begun, err)
		}
	}
	r.Config = write(t, "tiny.yaml", strings.Replace(tiny, "width: 60", "width: 80", 1))
	if _, err := r.Run(t.Context()); err != nil || rec.begun != nil {
		t.Errorf("the width of the configuration, which the grid replaces: trained %v, error %v", rec.begun, err)
	}
}

// TestSweepRefusesBeforeTraining checks that impossible sweeps are refused before anything is trained.
func TestSweepRefusesBeforeTraining(t *testing.T) {
	for _, test := range []struct {
		name   string
		axes   []string
		change func(*Runner)
		want   string
		hint   string
	}{
		{"classes", []string{"model.depth=2,3", "model.width=60,61"}, nil, "model.depth=2, model.width=61: --grid " +
			"model.width: 61 chains cannot be split into 10 classes", "use a multiple of 10"},
		{"anchors", []string{"model.anchors=8,200"}, nil, "--grid model.anchors: 200", ""},
		{"a key that is none", []string{"model.widht=60"}, nil, `--grid "model.widht": unknown key`, "model.width"},
		{"equal values", []string{"train.optimizer.lr=0.1,1e-1"}, nil, "train.optimizer.lr=0.1 and " +
			"train.optimizer.lr=1e-1 are the same network", "once"},
		{"equal networks", []string{"model.topology=ialgn,rwlgn", "model.anchors=4,8"}, nil, "model.topology=rwlgn, " +
			"model.anchors=4 and model.topology=rwlgn, model.anchors=8 are the same network", "a separate sweep"},
		{"equal seeds", []string{"train.seed=1,2,1"}, nil, "--grid train.seed: 1 is given twice", "once"},
		{"a key twice", []string{"train.seed=1", "train.seed=2"}, nil, "--grid train.seed: given twice", "together"},
		{
			"too many",
			[]string{"train.seed=1..40", "model.width=10..1000*10", "model.depth=1..9"},
			nil,
			"40 x 3 x 9 combinations: more than the 1000 runs", "several sweeps",
		},
		{"nothing", nil, nil, "a sweep of nothing", "--grid model.width="},
		{
			"a key that is set",
			[]string{"train.seed=1"},
			func(r *Runner) { r.Set = []string{"train.seed =2"} },
			"--set train.seed: the grid already has values for this key", "--set",
		},
		{"two ways", []string{"train.seed=1"}, func(r *Runner) { r.GridFile = "x" }, "--grid, --grid-file: want exactly one", ""},
		{"a target", []string{"train.seed=1"}, func(r *Runner) { r.Target = "ice" }, "--target: ", "ice40"},
		{"no folder", []string{"train.seed=1"}, func(r *Runner) { r.Resume = true }, "no sweep to continue", "omit"},
		{"no configuration", []string{"train.seed=1"}, func(r *Runner) { r.Config = "none.yaml" }, "none.yaml: ", ""},
	} {
		r, rec := newRunner(t, test.axes...)
		if test.change != nil {
			test.change(&r)
		}
		_, err := r.Run(t.Context())
		if err == nil || !strings.Contains(message.In(err, message.Flags), test.want) || rec.begun != nil ||
			!strings.Contains(message.HintIn(err, message.Flags), test.hint) {
			t.Errorf("%s: trained %v, error %v, hint %q", test.name, rec.begun, err, message.Hint(err))
		}
		if _, err := os.Stat(r.Dir); err == nil {
			t.Errorf("%s: the folder was made", test.name)
		}
	}
}

// TestGridFile reads the same sweep from a file.
func TestGridFile(t *testing.T) {
	r, _ := newRunner(t, "model.width=40,60", "model.depth=2..3", "train.seed=1..2")
	p, err := r.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := p.Runs()
	r.Grid, r.GridFile = nil, write(t, "grid.yaml", "'model.width ': [40, '60']\nmodel.depth: 2..3\ntrain.seed:\n- 1..2\n")
	if p, err = r.plan(t.Context()); err != nil || len(p.Runs()) != 8 ||
		!strings.Contains(p.table.Command, "--grid-file") {
		t.Fatalf("%+v, error %v", p, err)
	}
	for i, run := range p.Runs() {
		if w := want[i]; !run.Config.Equal(w.Config) || run.Model != w.Model {
			t.Errorf("%s %+v, want %s %+v", run.Model, run.Config, w.Model, w.Config)
		}
	}
	for text, want := range map[string]string{
		"model.width: [61]":     "--grid-file model.width: 61 chains",
		"model.width: [60, '']": "grid.yaml: model.width: has an empty value",
		"model.width: []":       "grid.yaml: model.width: has no values",
		"a: [1]\na: [2]":        "--grid-file a: given twice",
		"model: {width: [1]}":   "grid.yaml:1:1: model: want a value or a list of values",
	} {
		r.GridFile = write(t, "grid.yaml", text)
		if _, err := r.Run(t.Context()); err == nil || !strings.Contains(message.In(err, message.Flags), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// TestMissing runs a sweep whose data set is missing. A sweep and a single run must report the missing data. It must
// still be possible to write a job, because the number of classes of the set is known. When all runs are trained, the
// data are not needed.
func TestMissing(t *testing.T) {
	r, rec := newRunner(t, "model.width=40,60")
	r.Set = []string{"data.set=mnist"}
	r.Folders = []string{t.TempDir()}
	var missing *dataset.MissingError
	if _, err := r.Run(t.Context()); !errors.As(err, &missing) || rec.begun != nil {
		t.Errorf("error %v", err)
	}
	if _, err := r.RunIndex(t.Context(), 1); !errors.As(err, &missing) || rec.begun != nil {
		t.Errorf("error %v", err)
	}
	b, err := r.Emit(t.Context(), grid.Slurm, "sets", 0)
	if err != nil || b.Indexes != 2 || !strings.HasSuffix(b.Gather, "--set data.set=mnist -o "+r.Dir+" --data sets") {
		t.Errorf("%+v, error %v", b, err)
	}
	r.Grid = []string{"model.width=40,61"}
	if _, err := r.Emit(t.Context(), grid.Slurm, "", 0); err == nil || !strings.Contains(err.Error(), "61 chains") {
		t.Errorf("error %v", err)
	}
	table := write(t, "samples.csv", strings.Repeat("1,2,a\n3,4,b\n5,0,c\n", 20))
	r.Grid, r.Set = []string{"model.width=6,9"}, []string{"data.set=csv", "data.train=" + table, "model.anchors=2"}
	whole, err := r.Run(t.Context())
	if err != nil || os.Remove(table) != nil {
		t.Fatal(err)
	}
	again, err := r.Run(t.Context())
	if err != nil || len(rec.begun) != 2 || read(t, again.Files[0]) != read(t, whole.Files[0]) {
		t.Errorf("trained %v, error %v", rec.begun, err)
	}
}

// TestIndexes trains a sweep run by run and gathers its table.
func TestIndexes(t *testing.T) {
	r, rec := newRunner(t, "model.width=40,60", "train.seed=5,9")
	for _, i := range []int{3, 0, 1, 2} {
		all, err := r.RunIndex(t.Context(), i)
		if want := [4]string{"tiny-w40 5", "tiny-w40 9", "tiny-w60 5", "tiny-w60 9"}[i]; err != nil ||
			rec.begun[len(rec.begun)-1] != want || len(all.Runs) != 1 {
			t.Errorf("index %d: trained %v, error %v", i, rec.begun, err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "tiny-sweep.md")); err == nil {
		t.Error("a run by itself has written a table")
	}
	if table, err := r.Run(t.Context()); err != nil || len(rec.begun) != 4 || table.Rows[1].Test == nil {
		t.Errorf("trained %v, error %v", rec.begun, err)
	}
}

// TestKubernetes checks that a command is refused if it reads files that pods do not share. A $ in a word must be
// escaped, so that Kubernetes does not substitute a variable.
func TestKubernetes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"tiny.yaml", "grid.yaml"} {
		text := map[string]string{"tiny.yaml": tiny, "grid.yaml": "train.seed: 1..3"}[name]
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := Runner{Config: "tiny.yaml", GridFile: "grid.yaml", Options: grid.Options{Dir: "out"}}
	b, err := r.Emit(t.Context(), grid.Kubernetes, "", 0)
	if err != nil || b.Indexes != 3 || b.File != "out/tiny-sweep.yaml" {
		t.Errorf("%+v, error %v", b, err)
	}
	r.Dir = "$(X)"
	if b, err = r.Emit(t.Context(), grid.Kubernetes, "", 0); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(b.File); err != nil || !strings.Contains(string(text), "- $$(X)\n") {
		t.Errorf("%v:\n%s", err, text)
	}
	r.GridFile = write(t, "grid.yaml", "train.seed: 1..3")
	if _, err := r.Emit(t.Context(), grid.Kubernetes, "", 0); err == nil ||
		!strings.Contains(err.Error(), "grid.yaml: is not in the volume") {
		t.Errorf("error %v", err)
	}
}

// TestLineBreak checks that words with line breaks are refused. A line break would end the comment in the job file
// that contains the word.
func TestLineBreak(t *testing.T) {
	for _, broken := range []string{"model.width=20,\n40", "model.width=20,\r40"} {
		r, _ := newRunner(t, broken)
		_, err := r.Emit(t.Context(), grid.Slurm, "", 0)
		if err == nil || !strings.Contains(err.Error(), "line break") {
			t.Errorf("%q: error %v", broken, err)
		}
		if _, err := os.Stat(r.Dir); err == nil {
			t.Errorf("%q: the folder was made", broken)
		}
	}
}

// TestNames uses values that cannot be part of a name, and more keys than fit into a name.
func TestNames(t *testing.T) {
	r, _ := newRunner(t, "data.dir=a/b,c/d")
	p, err := r.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, two := p.table.Rows[0].Name, p.table.Rows[1].Name
	if one == two || !strings.HasPrefix(one, "tiny-data.dir-") || len(one) != len("tiny-data.dir-")+12 {
		t.Errorf("names %s, %s", one, two)
	}
	r.Grid = []string{
		"train.optimizer.beta1=0.9,0.91", "train.optimizer.beta2=0.99", "train.optimizer.eps=1e-7", "train.batch=50",
		"model.skip_logit=4", "model.init_noise=0.125", "encoder.thresholds=quantile", "train.schedule.warmup=0.5",
	}
	if p, err = r.plan(t.Context()); err != nil {
		t.Fatal(err)
	}
	one, two = p.table.Rows[0].Name, p.table.Rows[1].Name
	if one == two || len(one) != longestName || !strings.HasPrefix(one, "tiny-encoder.thresholds-quantile-") {
		t.Errorf("names %s, %s", one, two)
	}
	if got := text(1e20); got != "1e20" {
		t.Errorf("1e20 is %s", got)
	}
}

// TestOwnFiles checks that files that do not belong to a sweep are not overwritten.
func TestOwnFiles(t *testing.T) {
	r, rec := newRunner(t, "train.seed=1")
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tiny-sweep.md", "tiny-sweep.csv", "tiny.jsonl"} {
		path := filepath.Join(r.Dir, name)
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), path+": exists, but is not") ||
			rec.begun != nil {
			t.Errorf("%s: trained %v, error %v", name, rec.begun, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTable compares a table with the runs. The table has LUTs and accuracies on validation samples.
func TestTable(t *testing.T) {
	r, _ := newRunner(t, "model.width=20,100", "train.seed=1..2")
	r.Set, r.Target = []string{"train.validation.share=0.2", "train.epochs=3"}, "xilinx7"
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Rows {
		want := (*row.Runs[0].Validation + *row.Runs[1].Validation) / 2
		luts := row.LUTs
		if row.Validation.Mean != want || luts.Total.Mean != luts.Gates.Mean+luts.Head.Mean+luts.Encoder.Mean ||
			luts.Total.Mean != float64(row.results[0].Costs.Full()+row.results[1].Costs.Full())/2 {
			t.Errorf("row %+v, LUTs %+v", row, luts)
		}
	}
	if table.Best == nil || table.Best.Name != "tiny-w100" || table.NoBest != "" {
		t.Errorf("best %+v, %q", table.Best, table.NoBest)
	}
	text := read(t, table.Files[0])
	for _, want := range []string{
		"\nThe best by the samples held out: tiny-w100.\n", "--target xilinx7 --objective area` counts them",
		"on the test samples, after the epoch that is the best on the former; mean +- standard deviation (n - 1) over 2 " +
			"seeds.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	lines := strings.Split(strings.TrimSpace(read(t, table.Files[1])), "\n")
	if want := "name,seeds,model.width,test_accuracy_mean,test_accuracy_std,validation_accuracy_mean," +
		"validation_accuracy_std,luts_mean,luts_std,luts_gates_mean,luts_gates_std,luts_head_mean,luts_head_std," +
		"luts_encoder_mean,luts_encoder_std,balanced_accuracy_mean,balanced_accuracy_std,f1_macro_mean," +
		"f1_macro_std,matthews_corrcoef_mean,matthews_corrcoef_std"; len(lines) != 3 || lines[0] != want ||
		!strings.HasPrefix(lines[2], fmt.Sprintf("tiny-w100,2,100,%.6f,", table.Rows[1].Test.Mean)) {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
	r.Target = ""
	if table, err = r.Run(t.Context()); err != nil || table.Rows[0].LUTs != nil {
		t.Errorf("without a target: %+v, error %v", table.Rows[0].LUTs, err)
	}
}

// TestIncomparable checks tables in which no row may be called the best.
func TestIncomparable(t *testing.T) {
	for _, test := range []struct {
		axes, set []string
		want      string
	}{
		{[]string{"model.width=20,40"}, nil, "no samples are held out"},
		{[]string{"train.validation.share=0,0.1"}, nil, "some rows hold no samples out"},
		{[]string{"train.validation.share=0.2,0.1"}, nil, "the rows hold different samples out"},
		{
			[]string{"train.validation.stratified=true,false"},
			[]string{"train.validation.share=0.1"},
			"the rows hold different samples out",
		},
		{[]string{"data.dir=a,b"}, []string{"train.validation.share=0.1"}, "the rows are of different data"},
		{[]string{"model.width=20,40"}, []string{"train.validation.share=0.1"}, ""},
	} {
		r, _ := newRunner(t, test.axes...)
		r.Set = test.set
		p, err := r.plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.table.incomparable(); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%v: %q, want %q", test.axes, got, test.want)
		}
	}
	tied := &Table{Rows: []Row{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	for i, mean := range []float64{0.5, 0.75, 0.75} {
		tied.Rows[i].Validation = &trainer.Spread{Mean: mean}
		tied.Rows[i].config.Train.Validation.Share = 0.1
	}
	if tied.choose(); tied.Best.Name != "b" {
		t.Errorf("the best is %s, want the first of equals", tied.Best.Name)
	}
}
