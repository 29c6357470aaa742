package metrics

import "math"

// Values holds the metrics of some samples under scikit-learn's names.
type Values struct {
	BalancedAccuracy float64 `json:"balanced_accuracy"`
	MacroF1          float64 `json:"f1_macro"`
	MatthewsCorrcoef float64 `json:"matthews_corrcoef"`
	// ROCAUC and AveragePrecision are nil unless there are two classes, and both have samples.
	ROCAUC           *float64 `json:"roc_auc,omitempty"`
	AveragePrecision *float64 `json:"average_precision,omitempty"`
}

// Of returns the metrics of samples. Element [i][j] of confusion is the number of samples of class i that were
// predicted as class j. labels has the class of each sample. counts has the class counts of each sample,
// sample by sample.
func Of(confusion [][]int, labels []uint8, counts []int32) *Values {
	v := &Values{
		BalancedAccuracy: BalancedAccuracy(confusion), MacroF1: MacroF1(confusion),
		MatthewsCorrcoef: MatthewsCorrcoef(confusion),
	}
	if len(confusion) == 2 {
		s := Differences(labels, counts)
		if area := ROCAUC(s); !math.IsNaN(area) {
			v.ROCAUC, v.AveragePrecision = &area, new(AveragePrecision(s))
		}
	}
	return v
}

// Value returns the metric with the given name. It returns NaN if v is nil or if the metric is not defined for the
// samples. The accuracy is not among the metrics.
func (v *Values) Value(name string) float64 {
	if v == nil {
		return math.NaN()
	}
	value := map[string]*float64{
		"balanced_accuracy": &v.BalancedAccuracy, "f1_macro": &v.MacroF1, "matthews_corrcoef": &v.MatthewsCorrcoef,
		"roc_auc": v.ROCAUC, "average_precision": v.AveragePrecision,
	}[name]
	if value == nil {
		return math.NaN()
	}
	return *value
}
