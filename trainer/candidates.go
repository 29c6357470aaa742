package trainer

import (
	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// replacing says when candidates give way to others (train.candidates): all from the configuration and the position,
// so that a resumed run goes on the same way.
type replacing struct {
	scores *engine.Scores // of the window that the next batch belongs to, once it has begun; nil outside of windows
}

// scoresTensor is the tensor of a checkpoint that holds the sums of an unfinished window.
const scoresTensor = model.ExtraTensors + "scores"

// active reports whether candidates are replaced in the current epoch.
func (s *session) active(kind string) bool {
	c := &s.Config.Train.Candidates
	end := float64(c.Until * float64(s.Config.Train.Epochs))
	return c.Kind == kind && s.at.Epoch%c.Every == 0 && float64(s.at.Epoch) < end
}

// replacement says how many give way.
func (s *session) replacement() engine.Replacement {
	c := &s.Config.Train.Candidates
	return engine.Replacement{Count: c.Replace, Gap: c.Gap, Batches: min(c.Batches, s.batches())}
}

// replaceRandom gives the weakest candidates random sources at the start of an epoch, but of the first.
func (s *session) replaceRandom() {
	if s.at.Batch == 0 && s.at.Epoch > 0 && s.active("random") {
		s.eng.ReplaceRandom(s.Config.Train.Seed, s.at.Epoch, s.replacement())
	}
}

// window returns the window of the epoch that the next batch belongs to, of how many, and the batches from its first to
// before the next one's; ok is false if it belongs to none.
func (s *session) window() (window, windows, first, end int, ok bool) {
	batches, size := s.batches(), s.Config.Train.Candidates.Batches
	if !s.active("gradient") || s.at.Batch >= batches {
		return 0, 0, 0, 0, false
	}
	size = min(size, batches)
	windows = batches / size
	window = s.at.Batch / size
	return window, windows, window * size, (window + 1) * size, window < windows
}

// beginScores has the next batch scored, if it belongs to a window.
func (s *session) beginScores() {
	if window, windows, first, _, ok := s.window(); ok && s.at.Batch == first {
		s.scores = s.eng.NewScores(window, windows)
		s.eng.Score(s.scores)
	}
}

// endScores replaces candidates after the last batch of a window. It is called before that batch is counted.
func (s *session) endScores() {
	if _, _, _, end, ok := s.window(); ok && s.at.Batch+1 == end {
		s.scores.Replace(s.replacement())
		s.scores = nil
		s.eng.Score(nil)
	}
}

// restoreScores makes room for the scores of an unfinished window of a checkpoint.
func (s *session) restoreScores() {
	if window, windows, first, _, ok := s.window(); ok && s.at.Batch > first {
		s.scores = s.eng.NewScores(window, windows)
		s.eng.Score(s.scores)
	}
}

// state returns what a checkpoint has beside the model: moments, and the scores of an unfinished window; but for the
// sums of [session.sumState].
func (s *session) state(m *model.Model) []model.Tensor {
	all := tensors(m, s.eng)
	if s.scores != nil {
		all = append(all, s.scores.Tensor(scoresTensor))
	}
	return all
}
