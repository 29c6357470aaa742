package trainer

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// Folds cross-validates a configuration. It divides the training samples into N folds, and trains one model for each
// fold, with all other folds. The samples of the fold are the test part, so each training sample is a test sample of
// exactly one model. Everything that depends on data comes from the other folds: the ranges, categories, medians and
// thresholds of the encoder, the validation part and the class weights. The keys data.test and data.test_share have no
// effect. Each model has its own file, see [FoldPath]. A start model ([Run.Start]) is the same for all folds. It may
// have been trained with the samples of a fold, and then the results say nothing about new samples.
//
// With Resume, a fold is not trained again if its model is finished and has the same configuration and data. A fold
// with a checkpoint continues from the checkpoint, and every other fold begins anew.
type Folds struct {
	Run
	N     int
	Begin func(fold int) // called before each run that trains, with the number of its fold from 1, unless nil
}

// FoldPath returns the path of a fold's model. It inserts .foldN before the extension of path, where N is the number of
// the fold, from 1.
func FoldPath(path string, fold int) string { return numberedPath(path, "fold", uint64(fold)) }

// FoldsSummary is the result of a cross-validation. Its metrics are means and standard deviations over the folds. They
// have the names and values of scikit-learn with zero_division=0.
type FoldsSummary struct {
	Runs             []FoldSummary `json:"runs"`
	Accuracy         Spread        `json:"accuracy"`
	BalancedAccuracy Spread        `json:"balanced_accuracy"`
	MacroF1          Spread        `json:"f1_macro"`
	MatthewsCorrcoef Spread        `json:"matthews_corrcoef"`
	// ROCAUC and AveragePrecision are nil unless there are two classes, and every test part has samples of both.
	ROCAUC           *Spread  `json:"roc_auc,omitempty"`
	AveragePrecision *Spread  `json:"average_precision,omitempty"`
	Classes          []string `json:"classes"`
	Confusion        [][]int  `json:"confusion"` // [label][predicted], the sum over the folds
}

// FoldSummary is the result of one fold. Accuracy, the metrics of [Summary] and Confusion are of the test part. The
// speed is missing if an earlier call finished the run.
type FoldSummary struct {
	Fold   int  `json:"fold"` // from 1
	Before bool `json:"finished_before,omitempty"`
	*Summary
	Accuracy  float64 `json:"accuracy"`
	Confusion [][]int `json:"confusion"` // [label][predicted]
}

// Train trains the model of every fold like [Run.Train], and tests each model. If the context ends, the error names the
// checkpoint of the current fold.
func (f Folds) Train(ctx context.Context) (*FoldsSummary, error) {
	if f.Model == "" {
		return nil, errors.New("cross-validation writes a model for each fold: give a path")
	}
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	all := &series{what: "fold"}
	if f.Begin != nil {
		all.begin = func(fold uint64) { f.Begin(int(fold)) }
	}
	for i := range f.N {
		r := f.Run
		r.Config, r.Model = r.Config.InFold(i+1, f.N), FoldPath(r.Model, i+1)
		all.add(uint64(i+1), r)
	}
	done, err := all.train(ctx)
	if err != nil {
		return nil, err
	}
	s := &FoldsSummary{}
	for i, d := range done {
		one := FoldSummary{Fold: i + 1, Before: d.before, Summary: d.summary}
		err := all.runs[i].agree(all.runs[i].test(ctx, &one, s))
		if err != nil && ctx.Err() != nil {
			return nil, message.Optionf("%w after all folds were trained, before all were tested; to test them, repeat the "+
				"command with {Resume}", ErrInterrupted)
		}
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", i+1, err)
		}
		s.Runs = append(s.Runs, one)
	}
	s.average()
	return s, nil
}

// open checks the keys of the data, and opens the data set of the first fold, whose files all folds share. So a
// division that is not possible is found before any training. Runs that take the encoder from a model open the set
// themselves.
func (f *Folds) open(ctx context.Context) error {
	cfg := f.Config.InFold(1, f.N)
	if err := cfg.CheckData(); err != nil {
		return err
	}
	if from, err := f.Foreign(); from != nil || err != nil || cfg.Encoder.Kept() {
		return err
	}
	set, err := f.Data.With(ctx, cfg.Data, cfg.Encoder, f.Folders)
	if err != nil && ctx.Err() != nil {
		return interruptedReading(cfg)
	}
	f.Data = set
	return err
}

// test measures the metrics of a finished model on the samples of its fold. It adds the confusion matrix to the sum of
// all folds.
func (r *Run) test(ctx context.Context, one *FoldSummary, all *FoldsSummary) error {
	file, err := model.Open(r.Model)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Info()
	if err != nil {
		return err
	}
	frozen, err := file.In(ctx).Frozen()
	if err != nil {
		return err
	}
	m := info.Model
	test, err := LoadTest(ctx, r.Data, &m.Encoder, m.Classes, r.dataOf(m), r.Folders)
	if err != nil {
		return err
	}
	e := &Earlier{path: r.Model, network: m}
	if err := e.sameData(&Data{Name: test.Name, TrainSHA256: m.Record.Train, TestSHA256: test.SHA256}); err != nil {
		return err
	}
	scores, err := frozen.Evaluate(ctx, test.Levels, r.Threads)
	if err != nil {
		return err
	}
	labels := test.Levels.Labels
	one.Confusion = scores.Confusion(labels)
	one.Accuracy, one.Values = metrics.Accuracy(one.Confusion), metrics.Of(one.Confusion, labels, scores.Counts)
	all.add(m.Classes, one.Confusion)
	return nil
}

// dataOf returns the data set of the run, to be read with the encoder of a model.
func (r *Run) dataOf(m *model.Model) config.Data {
	data := r.Config.Data
	data.Plain = m.Config.Data.Plain
	return data
}

// add adds the confusion matrix of a fold to the sum.
func (s *FoldsSummary) add(classes []string, confusion [][]int) {
	if s.Confusion == nil {
		s.Classes = classes
		for range classes {
			s.Confusion = append(s.Confusion, make([]int, len(classes)))
		}
	}
	for y, row := range confusion {
		for x, n := range row {
			s.Confusion[y][x] += n
		}
	}
}

// average sets the means and deviations of the metrics.
func (s *FoldsSummary) average() {
	metric := func(name string) Spread {
		return spread(s.Runs, func(r *FoldSummary) float64 { return r.Value(name) })
	}
	s.Accuracy = spread(s.Runs, func(r *FoldSummary) float64 { return r.Accuracy })
	s.BalancedAccuracy, s.MacroF1 = metric("balanced_accuracy"), metric("f1_macro")
	s.MatthewsCorrcoef = metric("matthews_corrcoef")
	if area := metric("roc_auc"); !math.IsNaN(area.Mean) {
		s.ROCAUC, s.AveragePrecision = &area, new(metric("average_precision"))
	}
}

// stillData returns an error if the data of the run are not the data on which the earlier call e trained its model.
func (r *Run) stillData(ctx context.Context, e *Earlier) error {
	info, err := model.ReadInfo(e.path)
	if err != nil {
		return err
	}
	m := info.Model
	set, err := openAs(ctx, r.Data, &m.Encoder, m.Classes, r.dataOf(m), r.Folders)
	if err != nil {
		return err
	}
	for _, part := range []dataset.Part{dataset.Train, dataset.Test} {
		if err := set.Read(ctx, part, func([]uint16, int) error { return nil }); err != nil {
			return err
		}
	}
	return e.sameData(&Data{Name: set.Name, TrainSHA256: set.Digest(dataset.Train), TestSHA256: set.Digest(dataset.Test)})
}

// warnOfUnseen warns about classes that occur only in the test part. This is possible in a cross-validation, because
// every sample is in the test part of some fold.
func (s *session) warnOfUnseen() {
	if s.Config.Data.Folds == 0 || s.Warn == nil {
		return
	}
	tested := classCounts(len(s.data.Classes), s.data.Test.Labels)
	for c, n := range classCounts(len(s.data.Classes), s.data.Train.Labels) {
		if n == 0 && tested[c] > 0 {
			s.Warn(fmt.Errorf("fold %d: class %.40q has no training sample, because all samples of the class (%d) are in this "+
				"fold; the network cannot learn the class", s.Config.Data.Fold, s.data.Classes[c], tested[c]))
		}
	}
}
