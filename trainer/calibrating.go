package trainer

import (
	"cmp"
	"context"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
	"ialgn/trainer/internal/calibrate"
)

// addCalibrating gives the model class offsets or a tie order (train.offsets), and a calibration if there is a
// validation set. They belong to the parameters that the model file gets. Checkpoints do not have them, so a resumed
// run chooses them again. The functions that keep the best epoch must be added before.
func (s *session) addCalibrating() {
	if s.Config.Train.Validation.Share > 0 || s.Config.Train.Offsets == config.OffsetsTies {
		s.keeping = append(s.keeping, s.calibrate)
	}
}

// calibrate sets the offsets, the tie order and the calibration of the model.
func (s *session) calibrate() error {
	if len(s.data.Classes) < 2 {
		return nil
	}
	if s.Config.Encoder.Learned() {
		s.relevel() // the kept epoch may have other thresholds than the last epoch
	}
	s.frozen = nil // otherwise memory would have to hold two frozen networks
	f := s.m.Freeze()
	held, err := s.labelled(f, s.data.held)
	if err != nil {
		return err
	}
	switch s.Config.Train.Offsets {
	case config.OffsetsInteger:
		err = s.chooseOffsets(f, held)
	case config.OffsetsTies:
		err = s.chooseTies(f, held)
	}
	if held != nil {
		s.m.Calibration = calibrate.Calibration(held.Scores, held.Labels)
	}
	return err
}

// labelled returns the scores of the network f for samples, or nil if there are no samples.
func (s *session) labelled(f *model.Frozen, p *encoding.Packed) (*calibrate.Labelled, error) {
	if p == nil {
		return nil, nil
	}
	scores, err := s.countAll(context.Background(), f, p)
	if err != nil {
		return nil, err
	}
	return &calibrate.Labelled{Scores: scores, Labels: p.Labels}, nil
}

// chooseOffsets sets the offsets of the model, and adds them to the scores of the validation set. The network f has no
// offsets. If no offsets improve the metric, the model gets none.
func (s *session) chooseOffsets(f *model.Frozen, held *calibrate.Labelled) error {
	metric, err := s.metric()
	if err != nil {
		return err
	}
	limit := s.Config.Model.Width / len(s.data.Classes)
	offsets := calibrate.Offsets(held.Scores, held.Labels, limit, metric)
	if offsets == nil {
		return nil
	}
	s.m.Offsets = offsets
	s.m.Record.Offsets, err = s.shifted(f, held, metric, func(scores *model.Scores) { calibrate.Add(scores, offsets) })
	return err
}

// chooseTies sets the tie order of the model, and classifies the validation set again. The order is chosen on all
// training samples, which include the validation set. The network f has no order. If no order improves the metric, the
// model gets none.
func (s *session) chooseTies(f *model.Frozen, held *calibrate.Labelled) error {
	metric, err := s.metric()
	if err != nil {
		return err
	}
	if s.Config.Encoder.Learned() {
		s.data.Encoder.Relevel(s.data.Train, s.data.Words)
	}
	trained, err := s.labelled(f, s.data.Train)
	if err != nil {
		return err
	}
	sets := []calibrate.Labelled{*trained}
	if held != nil {
		sets = append(sets, *held)
	}
	chosen := metric
	if s.Config.Train.Validation.Metric == "" {
		chosen = nil // the accuracy, in less time
	}
	order := calibrate.Ties(chosen, sets...)
	if order == nil {
		return nil
	}
	s.m.Ties = order
	s.m.Record.Ties, err = s.shifted(f, held, metric, func(scores *model.Scores) { scores.Classify(order) })
	return err
}

// shifted changes the classes of the test samples and of the validation set, which is nil if there is none. It returns
// the results. The function change classifies samples again.
func (s *session) shifted(f *model.Frozen, held *calibrate.Labelled, metric metrics.Func, change func(*model.Scores)) (
	*model.Shifted, error,
) {
	test, err := s.labelled(f, s.data.Test)
	if err != nil {
		return nil, err
	}
	change(test.Scores)
	r := &model.Shifted{TestCorrect: test.Correct(test.Labels)}
	kept := cmp.Or(s.m.Record.Kept, len(s.m.Record.Epochs))
	s.tested[kept] = metrics.Of(test.Confusion(test.Labels), test.Labels, test.Counts)
	if held == nil {
		return r, nil
	}
	change(held.Scores)
	r.ValidationCorrect = held.Correct(held.Labels)
	if s.Config.Train.Validation.Metric != "" {
		r.ValidationMetric = s.measure(metric, held.Scores, held.Labels)
	}
	return r, nil
}
