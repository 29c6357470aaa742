package metrics

import (
	"fmt"

	"ialgn/internal/message"
)

// Func computes a metric. A larger value is better. The value is NaN where the metric is not defined. Metrics of two
// classes read scores, which may be nil for the other metrics.
type Func func(confusion [][]int, scores Scores) float64

// table lists the metrics by which a model can be chosen.
var table = []struct {
	name       string
	of         Func
	twoClasses bool
}{
	{"accuracy", ofMatrix(Accuracy), false},
	{"balanced_accuracy", ofMatrix(BalancedAccuracy), false},
	{"f1_macro", ofMatrix(MacroF1), false},
	{"matthews_corrcoef", ofMatrix(MatthewsCorrcoef), false},
	{"roc_auc", ofScores(ROCAUC), true},
	{"average_precision", ofScores(AveragePrecision), true},
}

func ofMatrix(f func([][]int) float64) Func { return func(m [][]int, _ Scores) float64 { return f(m) } }

func ofScores(f func(Scores) float64) Func { return func(_ [][]int, s Scores) float64 { return f(s) } }

// Names returns scikit-learn's names of the metrics.
func Names() (names []string) {
	for _, m := range table {
		names = append(names, m.name)
	}
	return names
}

// Ranks reports whether the metric with the given name depends only on the order of the samples by their scores.
func Ranks(name string) bool {
	for _, m := range table {
		if m.name == name {
			return m.twoClasses
		}
	}
	return false
}

// Lookup returns the metric with the given name for a number of classes. It returns an error if there is no such
// metric, or if the metric is defined for two classes only and there are more or fewer.
func Lookup(name string, classes int) (Func, error) {
	for _, m := range table {
		switch {
		case m.name != name:
		case m.twoClasses && classes != 2:
			return nil, message.WithHint(fmt.Errorf("metric %s: needs two classes, the data have %d", name, classes),
				"balanced_accuracy and f1_macro are for any number of classes")
		default:
			return m.of, nil
		}
	}
	return nil, message.NoSuch("metric", name, Names())
}
