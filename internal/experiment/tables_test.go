package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// TestTableFiles checks that every configuration in the folder tables is valid, belongs to a data set, reads files that
// the experiment makes or that are in the data folder, and has a name of its own.
func TestTableFiles(t *testing.T) {
	folders, err := tableFiles.ReadDir("tables")
	if err != nil {
		t.Fatal(err)
	}
	var sets, want []string
	for _, f := range folders {
		sets = append(sets, f.Name())
	}
	for _, s := range tableSets {
		want = append(want, s.name)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, sets); diff != "" {
		t.Errorf("folders (-data sets +folders):\n%s", diff)
	}
	e := tables.loaded()
	names := map[string]bool{}
	for i := range e.Entries {
		n := &e.Entries[i]
		for _, scale := range []Scale{Paper, Quick} {
			cfg := mustConfig(t, &e, n, scale)
			if names[cfg.Name] {
				t.Errorf("two configurations with the name %s", cfg.Name)
			}
			names[cfg.Name] = true
			set := tableSets[slices.IndexFunc(tableSets, func(s tableSet) bool { return s.name == n.Data })]
			begin := "real/"
			if set.split != nil {
				begin = "splits/" + set.name + "-train.csv"
			}
			if !strings.HasPrefix(cfg.Data.Train, begin) || cfg.Data.Test == "" {
				t.Errorf("%s is trained on %s and tested on %q, want %s and a test file", cfg.Name, cfg.Data.Train, cfg.Data.Test,
					begin)
			}
		}
	}
	i := slices.IndexFunc(e.Entries, func(n Entry) bool { return n.Data == "dry-bean" })
	if got := e.Entries[i].Network; got != "50" {
		t.Errorf("the first budget of dry-bean is %s, want the smallest, 50", got)
	}
}

// people writes a table to tabular/people.csv in a folder. It has a column of words, a person and classes of unequal
// sizes.
func people(t *testing.T, folder string, samples int) {
	t.Helper()
	text := "person,size,word,kind\n"
	for i := range samples {
		text += fmt.Sprintf("%d,%d,w%d,%s\n", i%7, i*i%101, i*i%90, []string{"c", "a", "b", "a"}[i*i%101%4])
	}
	if err := os.MkdirAll(filepath.Join(folder, "tabular"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "tabular", "people.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// digestOf returns the digest of a part of a data set.
func digestOf(t *testing.T, data config.Data, folder string, part dataset.Part) string {
	t.Helper()
	data.Set, data.Drop = "csv", "word, person"
	set, err := dataset.Open(t.Context(), data, 8, []string{folder})
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Read(t.Context(), part, func([]uint16, int) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return set.Digest(part)
}

// TestDivide checks that the parts of a table are the parts that training draws from the whole table, and that the rows
// of a group stay together.
func TestDivide(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	people(t, data, 300)
	e := Experiment{Sets: []tableSet{
		{name: "drawn", split: &split{file: "tabular/people.csv", label: "kind"}},
		{name: "grouped", split: &split{file: "tabular/people.csv", label: "kind", group: "person"}},
		{name: "whole"},
		{name: "lost", split: &split{file: "tabular/lost.csv", label: "kind"}},
	}}
	for _, set := range []string{"drawn", "grouped", "whole", "drawn"} { // a second call keeps the files
		if missing, err := e.divide(t.Context(), set, dir, []string{data}); missing != nil || err != nil {
			t.Fatalf("%s: missing %v, error %v", set, missing, err)
		}
	}
	whole := config.Data{Train: "tabular/people.csv", Label: "kind", TestShare: 0.2}
	drawn := config.Data{Train: "splits/drawn-train.csv", Test: "splits/drawn-test.csv", Label: "kind"}
	for _, part := range []dataset.Part{dataset.Train, dataset.Test} {
		if got, want := digestOf(t, drawn, dir, part), digestOf(t, whole, data, part); got != want {
			t.Errorf("part %d has the digest %s, want %s as with data.test_share", part, got, want)
		}
	}
	rows := 0
	for part, test := range map[string]bool{"train": false, "test": true} {
		lines := strings.Split(strings.TrimSpace(read(t, filepath.Join(dir, "splits", "grouped-"+part+".csv"))), "\n")[1:]
		rows += len(lines)
		for _, line := range lines {
			if is := line[0] == '0' || line[0] == '5'; is != test {
				t.Errorf("the %s part has the row %s", part, line)
			}
		}
	}
	if rows != 300 {
		t.Errorf("the parts have %d rows, want 300", rows)
	}
	if missing, err := e.divide(t.Context(), "lost", dir, []string{data}); missing == nil || err != nil ||
		!strings.Contains(missing.Error(), "tabular/lost.csv") {
		t.Errorf("lost: missing %v, error %v", missing, err)
	}
	people(t, data, 290)
	if _, err := e.divide(t.Context(), "drawn", dir, []string{data}); err == nil ||
		!strings.Contains(err.Error(), "drawn-train.csv: has other rows") {
		t.Errorf("another table: error %v", err)
	}
	e.Sets[0].split.group = "word"
	if _, err := e.divide(t.Context(), "drawn", dir, []string{data}); err == nil ||
		!strings.Contains(err.Error(), `tabular/people.csv: row 1: word is "w0", want a whole number`) {
		t.Errorf("groups of words: error %v", err)
	}
}

// TestTreesMetrics compares the metrics that are computed from confusion matrices with the metrics that scikit-learn
// computed from the predictions. lab/tables/trees.py wrote the file.
func TestTreesMetrics(t *testing.T) {
	rows, err := readTrees(filepath.Join("testdata", treesFile))
	if err != nil || len(rows) < 4 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	for _, r := range rows {
		for i, run := range r.Runs {
			f := figures(r.tested()[i:i+1], none)
			for name, pair := range map[string][2]float64{
				"accuracy":          {f.Accuracy.Mean, run.Accuracy},
				"balanced accuracy": {f.BalancedAccuracy.Mean, run.BalancedAccuracy},
				"macro F1":          {f.MacroF1.Mean, run.MacroF1},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12 {
					t.Errorf("%s, %s, seed %d: %s is %v, scikit-learn has %v", r.Data, r.name(), run.Seed, name, pair[0], pair[1])
				}
			}
		}
	}
}

// TestWithoutRare compares the figures without a rare class with figures that were computed by hand.
func TestWithoutRare(t *testing.T) {
	set := tableSet{name: "beats", classes: []string{"N", "S", "Q"}, rare: "Q"}
	m := set.measure("net", []*grid.Tested{{Classes: []string{"0", "1", "2"}, Confusion: [][]int{
		{6, 1, 1},
		{2, 2, 0},
		{5, 0, 1},
	}}})
	// Without the last row: 8 of 12 are right. N has recall 6/8 and F1 12/16, S has recall 2/4 and F1 4/7.
	want := []float64{8. / 12, (0.75 + 0.5) / 2, (0.75 + 4./7) / 2}
	got := []float64{m.Without.Accuracy.Mean, m.Without.BalancedAccuracy.Mean, m.Without.MacroF1.Mean}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("figures without Q %v, want %v", got, want)
			break
		}
	}
	if c := m.Classes[2]; c.Class != "Q" || c.Support != 6 || c.Precision.Mean != 0.5 || m.All.Accuracy.Mean != 0.5 {
		t.Errorf("with Q: %+v, %+v", c, m.All)
	}
}

// TestTables runs the experiment on a small table: parts, metrics, results of scikit-learn next to the network, a
// second call without training, and a forecast that leaves nothing in the folder.
func TestTables(t *testing.T) {
	data, rec := t.TempDir(), &recorder{}
	people(t, data, 300)
	e := tables
	whole := &split{file: "tabular/people.csv", label: "kind"}
	e.Load, e.Sets = nil, []tableSet{{name: "people", rare: "c", split: whole}}
	e.Entries = []Entry{{Network: "small", Data: "people", Keys: []string{
		"data.set=csv", "data.train=splits/people-train.csv", "data.test=splits/people-test.csv", "data.label=kind",
		"data.drop=person, word", "encoder.bits=8", "model.width=12", "model.depth=1", "model.inputs=4", "model.anchors=5",
		"model.tau=1", "train.validation.share=0.2", "train.epochs=2",
	}}}
	r := Runner{Experiment: e, Scale: Paper, Seeds: 2, Options: grid.Options{
		Dir: filepath.Join(t.TempDir(), "out"), Folders: []string{data}, Threads: 1, Train: rec.train,
	}}
	f, err := r.Forecast(t.Context())
	if _, missing := os.Stat(r.Dir); err != nil || f.Hours == nil || len(f.Runs) != 2 || missing == nil {
		t.Fatalf("forecast %+v, error %v; the folder is there: %v", f, err, missing == nil)
	}
	if err := os.Mkdir(r.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	trees := `{"rows":[{"data":"people","classifier":"random forest","class_weight":"balanced","classes":["a","b","c"],` +
		`"runs":[{"seed":1,"confusion":[[29,1,0],[0,11,0],[0,0,20]]},{"seed":2,"confusion":[[30,0,0],[0,11,0],[0,0,20]]}]},` +
		`{"data":"others","classifier":"random forest","class_weight":"none","classes":["a"],"runs":[{"confusion":[[1]]}]}]}`
	if err := os.WriteFile(filepath.Join(r.Dir, treesFile), []byte(trees), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := r.Run(t.Context())
	if err != nil || len(rec.begun) != 2 {
		t.Fatalf("began %v, error %v", rec.begun, err)
	}
	m := table.Metrics
	if len(m) != 2 || m[0].Classifier != "small" || m[1].Classifier != "random forest, balanced" || m[0].LUTs == nil ||
		m[1].Runs != 2 || m[1].Without == nil || m[0].Without == nil || m[1].LUTs != nil {
		t.Fatalf("metrics %+v", m)
	}
	row := table.Rows[0]
	balanced := trainer.SpreadOf([]float64{row.Runs[0].BalancedAccuracy, row.Runs[1].BalancedAccuracy})
	if row.Values[2].Mean != m[0].LUTs.Mean || m[0].All.Accuracy.Mean != row.Test.Mean ||
		m[0].All.BalancedAccuracy.Mean != balanced.Mean {
		t.Errorf("metrics %+v of the row %+v", m[0], row)
	}
	text := strings.Join(strings.Fields(read(t, table.Files[0])), " ")
	for _, want := range []string{
		"| people without c | random forest, balanced | 2 | | 98.78 +- 1.72 |",
		"## Classes of people: recall; precision, %", "| random forest, balanced | 98.33 +- 2.36; 100.00 +- 0.00 |",
		"after the epoch that was best on the validation samples",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	classes := read(t, filepath.Join(r.Dir, "tables-paper-classes.csv"))
	want := "people,\"random forest, balanced\",b,2,11,1.000000,0.000000,0.958333,0.058926,"
	if !strings.Contains(classes, want) || strings.Count(classes, "\n") != 1+2*5 {
		t.Errorf("no %s in\n%s", want, classes)
	}
	before := files(t, table)
	other := strings.ReplaceAll(trees, "[0,11,0]", "[0,12,0]")
	if err := os.WriteFile(filepath.Join(r.Dir, treesFile), []byte(other), 0o666); err != nil {
		t.Fatal(err)
	}
	want = "people-12x1-small: trees.json: people, random forest, balanced: has other test samples than the networks"
	if _, err := r.Run(t.Context()); err == nil || err.Error() != want {
		t.Errorf("trees with other test samples: error %v", err)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, treesFile), []byte(trees), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	again, err := r.Run(t.Context())
	if err != nil || len(rec.begun) != 2 || cmp.Diff(before, files(t, again)) != "" {
		t.Errorf("again: began %v, error %v", rec.begun, err)
	}
	if err := os.RemoveAll(filepath.Join(r.Dir, splitFolder)); err != nil {
		t.Fatal(err)
	}
	for _, run := range row.Runs {
		if err := os.Remove(grid.ResultPath(run.Model)); err != nil {
			t.Fatal(err)
		}
	}
	untested, err := r.Run(t.Context())
	if err != nil || untested.Metrics != nil || untested.Rows[0].Test.Mean != row.Test.Mean {
		t.Errorf("neither results nor data: %+v, error %v", untested.Metrics, err)
	}
	r.Dir = t.TempDir()
	var missing *dataset.MissingError
	if table, err := r.Run(t.Context()); !errors.As(err, &missing) || table == nil ||
		!strings.Contains(table.Rows[0].NotRun, "not found: tabular/people.csv: searched") {
		t.Errorf("without data: %+v, error %v", table, err)
	}
	damaged := strings.Replace(trees, "[0,11,0],", "", 1)
	if err := os.WriteFile(filepath.Join(r.Dir, treesFile), []byte(damaged), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context()); err == nil || message.Hint(err) == "" ||
		!strings.Contains(err.Error(), "trees.json: people, random forest: the confusion matrix needs a row for each class") {
		t.Errorf("damaged trees: error %v", err)
	}
}

// TestTested checks that a result without a confusion matrix is made again. A run that an earlier call finished then
// has the metrics that the training had computed.
func TestTested(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir(), Threads: 1}}
	r.Only = []string{"*-rwlgn"}
	fresh, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.Dir, "digits-60x4-rwlgn-quick.seed1.json")
	if text := read(t, path); strings.Contains(text, "confusion") {
		t.Fatalf("a result with a confusion matrix:\n%s", text)
	}
	r.Experiment.Sets, r.Experiment.Costs = []tableSet{{name: "digits"}}, true
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var kept grid.Result
	if err := json.Unmarshal([]byte(read(t, path)), &kept); err != nil {
		t.Fatal(err)
	}
	if m := table.Metrics; len(m) != 1 || m[0].All.Accuracy.Mean != table.Rows[0].Test.Mean || kept.Tested == nil ||
		len(kept.Tested.Classes) != 10 {
		t.Errorf("metrics %+v, kept %+v", m, kept.Tested)
	}
	trained, again := fresh.Rows[0].Runs[0].Values, table.Rows[0].Runs[0]
	if diff := cmp.Diff(trained, again.Values); diff != "" || trained == nil || !again.Before {
		t.Errorf("metrics (-of the training +of the finished run):\n%s", diff)
	}
}
