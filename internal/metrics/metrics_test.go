package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/message"
	"ialgn/internal/softmax"
)

// golden is a case of lab/metrics/golden.py.
type golden struct {
	Name             string       `json:"name"`
	Confusion        [][]int      `json:"confusion"`
	Precision        []float64    `json:"precision"`
	Recall           []float64    `json:"recall"`
	F1               []float64    `json:"f1"`
	Support          []int        `json:"support"`
	RecallInterval   [][2]float64 `json:"recall_interval"`
	Accuracy         float64      `json:"accuracy"`
	AccuracyInterval [2]float64   `json:"accuracy_interval"`
	Balanced         float64      `json:"balanced_accuracy"`
	MacroF1          float64      `json:"f1_macro"`
	Matthews         float64      `json:"matthews_corrcoef"`
	Scores           [][]int32    `json:"scores"`
	AveragePrecision *float64     `json:"average_precision"`
	ROCAUC           *float64     `json:"roc_auc"`
	Labels           []uint8      `json:"labels"`
	Counts           [][]int32    `json:"counts"`
	Temperature      float64      `json:"temperature"`
	LogLoss          float64      `json:"log_loss"`
	ExpectedError    float64      `json:"expected_calibration_error"`
	Rejection        []Answered   `json:"rejection"`
}

// TestMetricsEqualScikitLearn compares all metrics and Wilson's intervals with the values of scikit-learn and scipy,
// for random and degenerate cases.
func TestMetricsEqualScikitLearn(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []golden
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, want := range cases {
		got := golden{
			Name: want.Name, Confusion: want.Confusion, Scores: want.Scores,
			Accuracy: Accuracy(want.Confusion), AccuracyInterval: AccuracyInterval(want.Confusion),
			Balanced: BalancedAccuracy(want.Confusion), MacroF1: MacroF1(want.Confusion),
			Matthews: MatthewsCorrcoef(want.Confusion),
		}
		for y, c := range Classes(want.Confusion) {
			got.Precision, got.Recall = append(got.Precision, c.Precision), append(got.Recall, c.Recall)
			got.F1, got.Support = append(got.F1, c.F1), append(got.Support, c.Support)
			got.RecallInterval = append(got.RecallInterval, Wilson(want.Confusion[y][y], c.Support))
		}
		if want.Scores != nil {
			s := differences(want.Scores)
			got.AveragePrecision = new(AveragePrecision(s))
			if area := ROCAUC(s); !math.IsNaN(area) {
				got.ROCAUC = &area
			}
		}
		if want.Counts != nil {
			got.Labels, got.Counts, got.Temperature = want.Labels, want.Counts, want.Temperature
			got.scores()
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Name, diff)
		}
	}
}

// scores computes the metrics that need class counts.
func (g *golden) scores() {
	var calibration Calibration
	var predicted []uint8
	table, p := softmax.New(g.Temperature, 1000), make([]float64, len(g.Confusion))
	for i, counts := range g.Counts {
		predicted = append(predicted, uint8(slices.Index(counts, slices.Max(counts))))
		softmax.Float(table, p, counts)
		calibration.Add(p, int(g.Labels[i]))
	}
	g.LogLoss, g.ExpectedError = calibration.LogLoss(), calibration.ExpectedError()
	g.Rejection = Rejection(g.Labels, predicted, slices.Concat(g.Counts...), len(g.Confusion))
}

// differences returns the scores of samples, given the score of each sample of class 0 and of class 1. Each sample has
// another count of class 0.
func differences(scores [][]int32) Scores {
	var labels []uint8
	var counts []int32
	for class, all := range scores {
		for _, d := range all {
			base := int32(len(labels))
			labels, counts = append(labels, uint8(class)), append(counts, base, base+d)
		}
	}
	return Differences(labels, counts)
}

// TestROCAUCCountsPairs compares the area with the count of all pairs of a positive and a negative sample.
func TestROCAUCCountsPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		scores := [][]int32{make([]int32, 1+r.IntN(20)), make([]int32, 1+r.IntN(20))}
		for class := range scores {
			for i := range scores[class] {
				scores[class][i] = int32(r.IntN(9) - 4 + class)
			}
		}
		pairs := 0.0
		for _, negative := range scores[0] {
			for _, positive := range scores[1] {
				switch {
				case positive > negative:
					pairs++
				case positive == negative:
					pairs += 0.5
				}
			}
		}
		want := pairs / float64(len(scores[0])*len(scores[1]))
		if got := ROCAUC(differences(scores)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: area %v, want %v", scores, got, want)
		}
	}
}

// TestNoSamples checks the values of a test set without samples, for which scikit-learn has none.
func TestNoSamples(t *testing.T) {
	none := [][]int{{0, 0}, {0, 0}}
	for _, name := range Names() {
		f, err := Lookup(name, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := f(none, Differences(nil, nil)); got != 0 && (name != "roc_auc" || !math.IsNaN(got)) {
			t.Errorf("%s: %v", name, got)
		}
	}
	all := [2]float64{0, 1}
	if c := (Calibration{}); c.ExpectedError() != 0 || c.LogLoss() != 0 {
		t.Errorf("calibration error %v, log loss %v", c.ExpectedError(), c.LogLoss())
	}
	if a, b := AccuracyInterval(none), BalancedAccuracyInterval(none); a != all || b != all {
		t.Errorf("intervals %v and %v, want %v", a, b, all)
	}
}

// TestBalancedAccuracyInterval compares the interval of two classes with published intervals of the difference of two
// proportions, p - q, because the mean of the recalls p and 1 - q is (1 + p - q) / 2. They are from Newcombe 1998,
// "Interval estimation for the difference between independent proportions", table II, method 10.
func TestBalancedAccuracyInterval(t *testing.T) {
	for _, c := range []struct {
		k1, n1, k2, n2 int
		low, high      float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.1705, 0.8090},
		{6, 7, 2, 7, 0.0582, 0.8062},
		{5, 56, 0, 29, -0.0381, 0.1926},
		{0, 10, 0, 20, -0.1611, 0.2775},
		{0, 10, 0, 10, -0.2775, 0.2775},
		{10, 10, 0, 20, 0.6791, 1},
		{10, 10, 0, 10, 0.6075, 1},
	} {
		got := BalancedAccuracyInterval([][]int{{c.k1, c.n1 - c.k1, 0}, {c.k2, c.n2 - c.k2, 0}, {0, 0, 0}})
		want := [2]float64{(1 + c.low) / 2, (1 + c.high) / 2}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.00003)); diff != "" {
			t.Errorf("%d/%d and %d/%d (-want +got):\n%s", c.k1, c.n1, c.k2, c.n2, diff)
		}
	}
	for n := range 20 {
		for k := range n + 1 {
			if got, want := BalancedAccuracyInterval([][]int{{k, n - k}, {0, 0}}), Wilson(k, n); !cmp.Equal(got, want,
				cmpopts.EquateApprox(0, 1e-15)) {
				t.Errorf("one class, %d of %d: %v, want Wilson's interval %v", k, n, got, want)
			}
		}
	}
}

// TestBalancedAccuracyIntervalCovers checks that the interval contains the expected balanced accuracy of about 95 of
// 100 random test sets, with rare classes and with recalls near 0 and 1.
func TestBalancedAccuracyIntervalCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		support []int
		recall  []float64
	}{
		{[]int{100, 100}, []float64{0.9, 0.8}},
		{[]int{5000, 30, 200, 12}, []float64{0.98, 0.3, 0.8, 0.1}},
		{[]int{40, 40, 40, 40, 40, 40, 40}, []float64{0.95, 0.9, 0.99, 0.5, 0.7, 0.85, 0.97}},
		{[]int{900, 7}, []float64{0.999, 0.5}},
	} {
		const sets = 4000
		want, covered := 0.0, 0
		for _, p := range c.recall {
			want += p / float64(len(c.recall))
		}
		for range sets {
			m := make([][]int, len(c.support))
			for y, n := range c.support {
				m[y] = make([]int, len(m))
				for range n {
					if r.Float64() < c.recall[y] {
						m[y][y]++
					} else {
						m[y][(y+1)%len(m)]++
					}
				}
			}
			if limits := BalancedAccuracyInterval(m); limits[0] <= want && want <= limits[1] {
				covered++
			}
		}
		if share := float64(covered) / sets; share < 0.93 || share > 0.99 {
			t.Errorf("%v samples with recalls %v: %.1f %% of the intervals contain %v", c.support, c.recall, 100*share, want)
		}
	}
}

// TestLookup checks that each name gives its metric, and that errors say what to use instead.
func TestLookup(t *testing.T) {
	confusion, scores := [][]int{{8, 2}, {1, 3}}, Scores{{5, 0}, {4, 2}, {1, 2}}
	want := map[string]float64{
		"accuracy": Accuracy(confusion), "balanced_accuracy": BalancedAccuracy(confusion),
		"f1_macro": MacroF1(confusion), "matthews_corrcoef": MatthewsCorrcoef(confusion),
		"roc_auc": ROCAUC(scores), "average_precision": AveragePrecision(scores),
	}
	got := map[string]float64{}
	for _, name := range Names() {
		f, err := Lookup(name, 2)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = f(confusion, scores)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		name       string
		classes    int
		want, hint string
	}{
		{
			"roc_auc", 10, "metric roc_auc: needs two classes, the data have 10",
			"balanced_accuracy and f1_macro are for any number of classes",
		},
		{
			"balanced-accuracy", 2, `metric "balanced-accuracy": no such metric, use one of accuracy, balanced_accuracy, ` +
				"f1_macro, matthews_corrcoef, roc_auc, average_precision", "did you mean balanced_accuracy",
		},
	} {
		if _, err := Lookup(c.name, c.classes); err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v with hint %q, want %q and %q", c.name, err, message.Hint(err), c.want, c.hint)
		}
	}
}

// TestConfidenceBins checks that the upper limit of a bin belongs to the bin.
func TestConfidenceBins(t *testing.T) {
	for k := range confidenceBins {
		limit := float64(k+1) / confidenceBins
		if got, beyond := binOf(limit), binOf(math.Nextafter(limit, 2)); got != k || beyond != min(k+1, confidenceBins-1) {
			t.Errorf("bins of %v and the next number: %d and %d, want %d and %d", limit, got, beyond, k,
				min(k+1, confidenceBins-1))
		}
	}
}

// TestRejectionOfOneClass checks that the lead of a class alone is its count.
func TestRejectionOfOneClass(t *testing.T) {
	want := []Answered{{2, 2, 1}, {1, 1, 1}, {1, 1, 1}}
	if diff := cmp.Diff(want, Rejection([]uint8{0, 0}, []uint8{0, 0}, []int32{0, 2}, 1)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := Rejection(nil, nil, nil, 2); len(got) != 0 {
		t.Errorf("no samples: %v", got)
	}
}

// TestValues compares the metrics that an evaluation reports with the metrics of the same names.
func TestValues(t *testing.T) {
	labels, counts := []uint8{0, 1, 1, 0, 1}, []int32{4, 1, 2, 5, 3, 1, 2, 3, 0, 2}
	confusion := [][]int{{1, 1}, {1, 2}}
	v := Of(confusion, labels, counts)
	for _, name := range Names()[1:] {
		f, err := Lookup(name, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Value(name), f(confusion, Differences(labels, counts)); got != want || want == 0 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	var none *Values
	for name, got := range map[string]float64{
		"no metrics": none.Value("f1_macro"), "accuracy": v.Value("accuracy"),
		"one class":     Of([][]int{{2, 0}, {0, 0}}, labels[:1], counts[:2]).Value("roc_auc"),
		"three classes": Of([][]int{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}, labels[:1], counts[:3]).Value("average_precision"),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %v, want NaN", name, got)
		}
	}
}
