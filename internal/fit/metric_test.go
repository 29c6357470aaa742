package fit

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	library "ialgn"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// metricKey sets the metric of a search.
const metricKey = "train.validation.metric="

// TestMetric searches for the best macro F1, without time for trials. The configuration of each network must have the
// metric and class weights. The reported metrics must be the metrics of the model. The configuration of the best network
// must give the same model again.
func TestMetric(t *testing.T) {
	dir := t.TempDir()
	r, err := Run(t.Context(), tableDraft(t, table(t, 300), metricKey+"f1_macro"),
		Options{Target: "xilinx7", LUTs: 120, Minutes: 1e-6, Dir: dir, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Metric != "f1_macro" || r.Best.Metric == nil || *r.Best.Metric <= 0 || r.Best.Values == nil {
		t.Errorf("metric %q, best %+v", r.Metric, r.Best)
	}
	for _, n := range r.Front {
		cfg, err := library.LoadConfig(library.TrainOptions{}, n.Config)
		if err != nil {
			t.Fatal(err)
		}
		if v := cfg.Train.Validation; v.Metric != "f1_macro" || v.Share != frontShare || cfg.Train.ClassWeights == "" ||
			cfg.Train.Offsets != "integer" {
			t.Errorf("%s: validation %+v, class weights %q, offsets %q", n.Config, v, cfg.Train.ClassWeights, cfg.Train.Offsets)
		}
		m, err := library.Open(n.Model)
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.Evaluate(t.Context(), library.EvalOptions{})
		if err == nil {
			err = m.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if n.Value("f1_macro") != e.MacroF1 || n.BalancedAccuracy != e.BalancedAccuracy || n.Accuracy != e.Accuracy {
			t.Errorf("%s: %+v with accuracy %v, evaluated %+v", n.Model, n.Values, n.Accuracy, e)
		}
	}
	again(t, r.Best.Network)
	for _, f := range ledgerOf(t, dir).Rungs[0].Trials {
		if len(f.Metric) != 1 || len(f.Wrong) != 1 || f.loss() != 1-f.Metric[0] {
			t.Errorf("trial %+v, loss %v", f, f.loss())
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.best")); err != nil || left != nil {
		t.Errorf("files of best epochs: %q, error %v", left, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, frontTable))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || !slices.Equal(rows[0][9:], []string{"validation_metric", "f1_macro"}) ||
		rows[1][10] != shareText(r.Front[0].MacroF1) || rows[1][6] != shareText(r.Front[0].Accuracy) {
		t.Errorf("front %q, error %v", rows, err)
	}
}

// TestRankedByMetric checks that the metric decides about the order of trials and of networks, and not the accuracy.
func TestRankedByMetric(t *testing.T) {
	of := func(wrong, metric float64) *trial {
		return &trial{
			Budget: 100, Wrong: []float64{wrong, wrong}, Metric: []float64{metric - 0.1, metric + 0.1},
			Cost: &cost{LUTs: LUTs{Total: 100}},
		}
	}
	accurate, fair := of(0.05, 0.4), of(0.2, 0.7)
	s := &search{ledger: &ledger{Rungs: []*rung{{Name: roundMany, Trials: []*trial{accurate, fair}}}}}
	if best := s.ranked(roundMany)[0]; best != fair {
		t.Errorf("best %+v", best)
	}
	a, b := &final{trial: *accurate}, &final{trial: *fair}
	if a.tried() <= b.tried() || a.expected() <= b.expected() {
		t.Errorf("losses %v and %v, expected %v and %v", a.tried(), b.tried(), a.expected(), b.expected())
	}
	if got, want := fair.result("matthews_corrcoef"), "matthews_corrcoef 0.7000, 80.00 % of the validation samples"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestJudge checks that a trial is judged by the last epoch or, with a metric, by the kept epoch and its class offsets.
func TestJudge(t *testing.T) {
	r := model.Record{Kept: 1, Epochs: []model.Epoch{
		{ValidationSamples: 4, ValidationCorrect: 2, ValidationMetric: 0.7},
		{ValidationSamples: 4, ValidationCorrect: 3, ValidationMetric: 0.6},
	}}
	var got trial
	got.judge(&r, "")
	got.judge(&r, "f1_macro")
	r.Offsets = &model.Shifted{ValidationCorrect: 1, ValidationMetric: 0.8}
	got.judge(&r, "f1_macro")
	want := trial{Wrong: []float64{0.25, 0.5, 0.75}, Metric: []float64{0.7, 0.8}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOffsets checks that networks get class offsets only for metrics that depend on the counts, unless the draft has
// the key.
func TestOffsets(t *testing.T) {
	for keys, want := range map[string]string{
		"": "", metricKey + "roc_auc": "", metricKey + "f1_macro": "integer",
		metricKey + "f1_macro train.offsets=none": "",
	} {
		draft := tableDraft(t, table(t, 200), strings.Fields(keys)...)
		s := &search{draft: draft, subject: subject{
			features: 4, bitsIn: 8, classes: 2, lutInputs: 6, family: "xilinx7", metric: draft.Metric(),
		}}
		s.dims = dimensions(s.subject, draft)
		cfg, err := s.config(s.usual(), 20, 1, "", 0, validationShare)
		if err != nil || cfg.Train.Offsets != want {
			t.Errorf("%q: offsets %q, error %v, want %q", keys, cfg.Train.Offsets, err, want)
		}
	}
}

// TestWeights checks that class weights are searched for each metric except the accuracy, unless the draft has them.
func TestWeights(t *testing.T) {
	rare := subject{features: 16, bitsIn: 8, samples: 1000, lutInputs: 6, rootWeights: "a=1, b=2"}
	has := func(metric string, keys ...string) (d dimension, found bool) {
		rare.metric = metric
		all := dimensions(rare, draftOf(t, append([]string{"data.set=csv"}, keys...)...))
		i := slices.IndexFunc(all, func(d dimension) bool { return d.name == "weights" })
		if i < 0 {
			return d, false
		}
		return all[i], true
	}
	for _, name := range metrics.Names()[1:] {
		d, found := has(name)
		if !found {
			t.Errorf("%s: no dimension", name)
			continue
		}
		var keys []string
		for _, v := range d.values {
			keys = append(keys, d.keys(v, size{})...)
		}
		want := []string{"train.class_weights=none", "train.class_weights=a=1, b=2", "train.class_weights=balanced"}
		if !slices.Equal(keys, want) {
			t.Errorf("%s: keys %q, want %q", name, keys, want)
		}
		if first := d.values[d.start]; (first == weightsBalanced) != (name == "balanced_accuracy") || first == weightsNone {
			t.Errorf("%s: %s is tried first", name, first)
		}
	}
	if _, found := has(""); found {
		t.Error("the accuracy: class weights are searched")
	}
	if _, found := has("f1_macro", "train.class_weights=none"); found {
		t.Error("class weights are given, and searched")
	}
}

// TestMetricRefused checks the error for a metric that the classes do not define.
func TestMetricRefused(t *testing.T) {
	_, err := newSearch(t.Context(), tableDraft(t, table(t, 50), metricKey+"roc_auc"),
		Options{Target: "xilinx7", Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "metric roc_auc: needs two classes, the data have 3") {
		t.Errorf("error %v", err)
	}
}
