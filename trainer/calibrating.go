package trainer

import (
	"context"

	"ialgn/internal/model"
	"ialgn/trainer/internal/calibrate"
)

// addCalibrating gives the model class offsets (train.offsets) and a calibration, if there is a validation set. Both
// belong to the parameters that the model file gets. Checkpoints have neither, so a resumed run chooses them again. The
// functions that keep the best epoch must be added before.
func (s *session) addCalibrating() {
	if s.Config.Train.Validation.Share > 0 {
		s.keeping = append(s.keeping, s.calibrate)
	}
}

// calibrate sets the offsets and the calibration of the model.
func (s *session) calibrate() error {
	if len(s.data.Classes) < 2 {
		return nil
	}
	if s.Config.Encoder.Learned() {
		s.relevel() // the kept epoch may have other thresholds than the last epoch
	}
	s.frozen = nil // otherwise memory would have to hold two frozen networks
	f, labels := s.m.Freeze(), s.data.held.Labels
	scores, err := s.countAll(context.Background(), f, s.data.held)
	if err != nil {
		return err
	}
	if s.Config.Train.Offsets != "" {
		if err := s.chooseOffsets(f, scores); err != nil {
			return err
		}
	}
	s.m.Calibration = calibrate.Calibration(scores, labels)
	return nil
}

// chooseOffsets sets the offsets of the model, and adds them to the scores of the validation set. The network f has no
// offsets. If no offsets improve the metric, the model gets none.
func (s *session) chooseOffsets(f *model.Frozen, scores *model.Scores) error {
	metric, err := s.metric()
	if err != nil {
		return err
	}
	labels, limit := s.data.held.Labels, s.Config.Model.Width/len(s.data.Classes)
	offsets := calibrate.Offsets(scores, labels, limit, metric)
	if offsets == nil {
		return nil
	}
	test, err := s.countAll(context.Background(), f, s.data.Test)
	if err != nil {
		return err
	}
	calibrate.Add(test, offsets)
	calibrate.Add(scores, offsets)
	s.m.Offsets = offsets
	s.m.Record.Offsets = &model.Shifted{
		TestCorrect: test.Correct(s.data.Test.Labels), ValidationCorrect: scores.Correct(labels),
	}
	if s.Config.Train.Validation.Metric != "" {
		s.m.Record.Offsets.ValidationMetric = s.measure(metric, scores, labels)
	}
	return nil
}
