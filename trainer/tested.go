package trainer

import (
	"context"
	"encoding/json"
	"maps"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// testedKey is the metadata key under which a checkpoint holds the metrics on the test samples.
const testedKey = model.ExtraMetadata + "tested"

// tested holds the metrics on the test samples by epoch, from 1. It has the last epoch and, with a validation set, the
// best epoch on it, as far as they are known. An earlier version of the program wrote no metrics to its checkpoints.
type tested map[int]*metrics.Values

// addTesting adds the hooks that remember the metrics of the epoch that the model may get. Model files do not hold
// these metrics, so checkpoints do.
func (s *session) addTesting() {
	s.tested = tested{}
	s.restoring = append(s.restoring, func(info *model.Info) []model.Tensor {
		var known tested
		// A file that was edited is no error, because the metrics have no influence on the run.
		if err := json.Unmarshal([]byte(info.Checkpoint[testedKey]), &known); err == nil && known != nil {
			s.tested = known
		}
		return nil
	})
	s.evaluated = append(s.evaluated, func(_ context.Context, p *Progress) error {
		s.tested[s.at.Epoch+1] = p.Scores
		return nil
	})
	s.ended = append(s.ended, func() error {
		best, _ := s.bestOf(s.m.Record.Epochs)
		maps.DeleteFunc(s.tested, func(epoch int, _ *metrics.Values) bool { return epoch != best && epoch != s.at.Epoch })
		return nil
	})
	s.saving = append(s.saving, func(extra *model.Extra) error {
		text, err := json.Marshal(s.tested)
		extra.Metadata[testedKey] = string(text)
		return err
	})
}
