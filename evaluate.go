package ialgn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
	"ialgn/internal/runner"
	"ialgn/internal/softmax"
	"ialgn/internal/verify"
	"ialgn/trainer"
)

// Evaluation reports how well a model classifies labelled samples. The metrics have the names and values of
// scikit-learn with zero_division=0. An interval is a lower and an upper limit, with a confidence of 95 %.
type Evaluation struct {
	Samples          int        `json:"samples"`
	Correct          int        `json:"correct"`
	Accuracy         float64    `json:"accuracy"`
	AccuracyInterval [2]float64 `json:"accuracy_interval"` // Wilson's interval
	// BalancedAccuracy is the mean recall of the classes that have samples. Its interval is made from Wilson's
	// intervals of the recalls (Zou and Donner 2008).
	BalancedAccuracy         float64    `json:"balanced_accuracy"`
	BalancedAccuracyInterval [2]float64 `json:"balanced_accuracy_interval"`
	MacroF1                  float64    `json:"f1_macro"`          // mean F1 of the classes with samples or predictions
	MatthewsCorrcoef         float64    `json:"matthews_corrcoef"` // from -1 to 1; 0 for guesses
	// ROCAUC and AveragePrecision are set if there are two classes and both have samples. The second class is the
	// positive class. The score of a sample is its class count of the second class minus its class count of the first.
	ROCAUC           *float64 `json:"roc_auc,omitempty"`
	AveragePrecision *float64 `json:"average_precision,omitempty"`
	// ExpectedCalibrationError compares the probability of the predicted class with the accuracy, in 15 bins of
	// probabilities (Guo et al. 2017). LogLoss is the mean negative logarithm of the probability of the label. The
	// probabilities are those of [Classifier.Probabilities], with the same temperature ([Model.Temperature]).
	ExpectedCalibrationError float64 `json:"expected_calibration_error"`
	LogLoss                  float64 `json:"log_loss"`
	Temperature              float64 `json:"temperature"`
	Calibrated               bool    `json:"calibrated"`
	// Rejection has the results for the margins 0, 1, 2 and so on, up to the largest margin with which a sample is
	// answered. If there are more than 1,000 margins, they are multiples of the smallest number that gives at most 1,000.
	Rejection Rejection `json:"rejection"`

	Classes   []string `json:"classes"`
	Confusion [][]int  `json:"confusion"` // [label][predicted]
	// PerClass is the recall of each class; null for a class without samples.
	PerClass       []*float64   `json:"per_class"`
	Precision      []float64    `json:"precision"`       // share of the samples predicted as the class that have its label
	Recall         []float64    `json:"recall"`          // as PerClass, but 0 for a class without samples
	RecallInterval [][2]float64 `json:"recall_interval"` // Wilson's intervals; 0 and 1 for a class without samples
	F1             []float64    `json:"f1"`              // harmonic mean of precision and recall
	Support        []int        `json:"support"`         // samples of each class

	Engine  string  `json:"engine"` // native, or simulator, which is the trainer's forward pass here
	ISA     string  `json:"isa"`
	Rate    float64 `json:"images_per_second"`
	Batches []Batch `json:"batches,omitempty"` // consecutive parts of a file's samples

	// Note, if not nil, is a warning that the samples differ from the test samples of the training.
	Note error `json:"-"`
}

// Rejection has the results for ascending margins. The first margin is 0.
type Rejection []Answered

// Answered reports the results for the samples that are answered. A sample is answered if its largest class count is at
// least Margin above its second largest.
type Answered struct {
	Margin           int     `json:"margin"`
	Answered         float64 `json:"answered"` // share of the samples that are answered
	Samples          int     `json:"samples"`  // number of samples that are answered
	Correct          int     `json:"correct"`
	Accuracy         float64 `json:"accuracy"`
	BalancedAccuracy float64 `json:"balanced_accuracy"`
}

// Batch is the accuracy on consecutive samples.
type Batch struct {
	First    int     `json:"first"` // number of the batch's first sample, from 0
	Samples  int     `json:"samples"`
	Correct  int     `json:"correct"`
	Accuracy float64 `json:"accuracy"`
}

// EvalOptions say which labelled samples to evaluate a model on. The zero value means the model's test set.
type EvalOptions struct {
	Data   Data   // where the test set is read from
	Engine string // one of [Engines]; empty: auto

	// File, if not empty, is a file of labelled samples to use instead of the test set. Its format is one of the
	// formats that [Classifier.OpenFile] reads. Its columns are found by name. Its labels must be names of the
	// model's classes.
	File      string
	Labels    string // the file of labels, if File is an array
	Label     string // name of the label column in a table; empty: as in training
	BatchRows int    // samples in each batch of File; 0: a tenth of all samples
}

// Evaluate classifies labelled samples and compares the results with the labels. Here, the engine simulator is the
// trainer's forward pass.
func (m *Model) Evaluate(ctx context.Context, o EvalOptions) (*Evaluation, error) {
	if o.BatchRows < 0 {
		return nil, message.Optionf("{BatchRows} %d: must be positive", o.BatchRows)
	}
	n, err := m.network(ctx)
	if err != nil {
		return nil, err
	}
	if o.File == "" {
		test, err := m.source(o.Data).labelled(ctx)
		if err != nil {
			return nil, err
		}
		return m.evaluate(ctx, n, test, engine(o.Engine), 0)
	}
	test, err := m.readLabelled(ctx, o)
	if err != nil {
		return nil, err
	}
	samples := test.Levels.Len()
	return m.evaluate(ctx, n, test, engine(o.Engine), cmp.Or(o.BatchRows, (samples+usualBatches-1)/usualBatches))
}

// usualBatches is the default number of batches in a file.
const usualBatches = 10

// readLabelled reads the labelled samples of a file.
func (m *Model) readLabelled(ctx context.Context, o EvalOptions) (*tested, error) {
	enc, data := &m.info.Model.Encoder, m.info.Model.Config.Data
	data.Label = cmp.Or(o.Label, data.Label)
	in, err := dataset.OpenLabelled(ctx, o.File, o.Labels, enc, m.info.Model.Classes, data)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, in.Interrupt)()
	t := newTestData(o.File, enc)
	words, levels := make([]uint16, enc.Features()), make([]uint16, enc.Features())
	for {
		class, err := in.Next(words)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, io.EOF) && t.Levels.Len() == 0:
			return nil, fmt.Errorf("%s: has no samples", o.File)
		case errors.Is(err, io.EOF):
			return &tested{TestData: t}, nil
		case err != nil:
			return nil, err
		}
		enc.Levels(levels, words)
		t.Words.Append(words, class)
		t.Levels.Append(levels, class)
	}
}

// evaluate classifies samples with an engine. If batch is not 0, it also reports the accuracy of each batch of
// samples.
func (m *Model) evaluate(ctx context.Context, n *network, test *tested, by engine, batch int) (*Evaluation, error) {
	code, err := by.networkCode(n, test.Levels.Len())
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	scores, err := scoresBy(ctx, n, code, test)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(begin).Seconds()
	e := newEvaluation(n.classes, scores, test.Levels.Labels)
	e.Temperature, e.Calibrated = m.Temperature()
	e.addProbabilities(m.info.Model.Softmax(), scores, test.Levels.Labels)
	e.addRejection(metrics.Rejection(test.Levels.Labels, scores.Predicted, scores.Counts, len(n.classes)))
	e.Rate = float64(e.Samples) / max(1e-9, seconds)
	e.Engine, e.ISA = engineName(code)
	e.Note = test.note()
	if batch > 0 {
		e.Batches = batches(scores.Predicted, test.Levels.Labels, batch)
	}
	return e, nil
}

// batches splits the samples into batches of the given size and returns the accuracy on each batch. The last batch
// may be smaller.
func batches(predicted, labels []uint8, size int) (all []Batch) {
	for first := 0; first < len(labels); first += size {
		b := Batch{First: first, Samples: min(size, len(labels)-first)}
		for i := range b.Samples {
			if predicted[first+i] == labels[first+i] {
				b.Correct++
			}
		}
		b.Accuracy = float64(b.Correct) / float64(b.Samples)
		all = append(all, b)
	}
	return all
}

// scoresBy classifies samples with machine code or, if code is nil, with the trainer's forward pass.
func scoresBy(ctx context.Context, n *network, code *runner.Engine, test *tested) (*model.Scores, error) {
	if code == nil {
		f, err := n.unrolled()
		if err != nil {
			return nil, err
		}
		return f.Evaluate(ctx, test.Levels, 0)
	}
	samples := test.Levels.Len()
	x := test.samples().Thermometer(n.encoder, (samples+63)/64, verify.Consecutive(0, samples))
	got, err := code.Classify(ctx, x, samples)
	if err != nil {
		return nil, err
	}
	s := &model.Scores{Classes: got.Classes, Counts: got.Counts, Predicted: make([]uint8, samples)}
	for i, class := range got.Class {
		s.Predicted[i] = uint8(class)
	}
	return s, nil
}

func newEvaluation(classes []string, s *model.Scores, labels []uint8) *Evaluation {
	m := s.Confusion(labels)
	v := metrics.Of(m, labels, s.Counts)
	e := &Evaluation{
		Samples: len(labels), Correct: s.Correct(labels), Accuracy: metrics.Accuracy(m),
		AccuracyInterval: metrics.AccuracyInterval(m),
		BalancedAccuracy: v.BalancedAccuracy, BalancedAccuracyInterval: metrics.BalancedAccuracyInterval(m),
		MacroF1: v.MacroF1, MatthewsCorrcoef: v.MatthewsCorrcoef,
		ROCAUC: v.ROCAUC, AveragePrecision: v.AveragePrecision,
		Classes: classes, Confusion: m, PerClass: make([]*float64, len(classes)),
	}
	for y, c := range metrics.Classes(m) {
		if c.Support > 0 {
			e.PerClass[y] = &c.Recall
		}
		e.Precision, e.Recall = append(e.Precision, c.Precision), append(e.Recall, c.Recall)
		e.RecallInterval = append(e.RecallInterval, metrics.Wilson(m[y][y], c.Support))
		e.F1, e.Support = append(e.F1, c.F1), append(e.Support, c.Support)
	}
	return e
}

// addProbabilities adds the metrics of the probabilities.
func (e *Evaluation) addProbabilities(t *softmax.Table, s *model.Scores, labels []uint8) {
	var c metrics.Calibration
	p := make([]float64, s.Classes)
	for i, label := range labels {
		softmax.Float(t, p, s.Counts[i*s.Classes:][:s.Classes])
		c.Add(p, int(label))
	}
	e.ExpectedCalibrationError, e.LogLoss = c.ExpectedError(), c.LogLoss()
}

// mostMargins is the largest number of margins in an evaluation.
const mostMargins = 1000

// addRejection adds the results for margins. Element m of all is for margin m.
func (e *Evaluation) addRejection(all []metrics.Answered) {
	step := max(1, (len(all)+mostMargins-1)/mostMargins)
	for m := 0; m < len(all); m += step {
		a := all[m]
		e.Rejection = append(e.Rejection, Answered{
			Margin: m, Answered: float64(a.Samples) / float64(e.Samples), Samples: a.Samples, Correct: a.Correct,
			Accuracy: float64(a.Correct) / float64(a.Samples), BalancedAccuracy: a.Balanced,
		})
	}
}

// Answering returns the results for the largest margins with which at least 100, 95, 90, 80 and 50 % of the samples are
// answered. Equal margins appear once.
func (r Rejection) Answering() (rows []Answered) {
	for _, share := range []float64{1, 0.95, 0.9, 0.8, 0.5} {
		for _, a := range slices.Backward(r) {
			if a.Answered < share {
				continue
			}
			if len(rows) == 0 || rows[len(rows)-1].Margin != a.Margin {
				rows = append(rows, a)
			}
			break
		}
	}
	return rows
}

// Majority returns the most frequent class of the samples.
func (e *Evaluation) Majority() trainer.Majority {
	counts := make([]int, len(e.Classes))
	for label, row := range e.Confusion {
		for _, n := range row {
			counts[label] += n
		}
	}
	return trainer.MajorityOf(e.Classes, counts)
}
