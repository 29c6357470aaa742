package trainer

import (
	"context"

	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// replacing has candidates give way to others (train.candidates), when configuration and position say so: a resumed run
// goes on the same way.
type replacing struct {
	*session
	scores *engine.Scores // of the window that the next batch belongs to, once it has begun; nil outside of windows
}

// scoresTensor is the tensor of a checkpoint that holds the sums of an unfinished window.
const scoresTensor = model.ExtraTensors + "scores"

func (s *session) addReplacing() {
	r := &replacing{session: s}
	switch s.Config.Train.Candidates.Kind {
	case "random":
		s.stepping = append(s.stepping, r.random)
	case "gradient":
		s.restoring = append(s.restoring, r.restoreScores)
		s.stepping = append(s.stepping, r.beginScores)
		s.stepped = append(s.stepped, r.endScores)
		s.saving = append(s.saving, r.saveScores)
	}
}

// active reports whether candidates are replaced in the current epoch.
func (r *replacing) active() bool {
	c := &r.Config.Train.Candidates
	end := float64(c.Until * float64(r.Config.Train.Epochs))
	return r.at.Epoch%c.Every == 0 && float64(r.at.Epoch) < end
}

// replacement says how many give way.
func (r *replacing) replacement() engine.Replacement {
	c := &r.Config.Train.Candidates
	return engine.Replacement{Count: c.Replace, Gap: c.Gap, Batches: min(c.Batches, r.batches())}
}

// random gives the weakest candidates random sources at the start of an epoch, but of the first.
func (r *replacing) random(context.Context, *engine.Batch, []int32) {
	if r.at.Batch == 0 && r.at.Epoch > 0 && r.active() {
		r.eng.ReplaceRandom(r.Config.Train.Seed, r.at.Epoch, r.replacement())
	}
}

// window returns the window of the epoch that the next batch belongs to, of how many, and the batches from its first to
// before the next one's; ok is false if it belongs to none.
func (r *replacing) window() (window, windows, first, end int, ok bool) {
	batches, size := r.batches(), r.Config.Train.Candidates.Batches
	if !r.active() || r.at.Batch >= batches {
		return 0, 0, 0, 0, false
	}
	size = min(size, batches)
	windows = batches / size
	window = r.at.Batch / size
	return window, windows, window * size, (window + 1) * size, window < windows
}

// score has the following batches scored.
func (r *replacing) score(window, windows int) {
	r.scores = r.eng.NewScores(window, windows)
	r.eng.Score(r.scores)
}

// beginScores has the next batch scored, if it belongs to a window.
func (r *replacing) beginScores(context.Context, *engine.Batch, []int32) {
	if window, windows, first, _, ok := r.window(); ok && r.at.Batch == first {
		r.score(window, windows)
	}
}

// endScores replaces candidates after the last batch of a window.
func (r *replacing) endScores() error {
	if _, _, _, end, ok := r.window(); ok && r.at.Batch+1 == end {
		r.scores.Replace(r.replacement())
		r.scores = nil
		r.eng.Score(nil)
	}
	return nil
}

// restoreScores makes room for the scores of an unfinished window of a checkpoint.
func (r *replacing) restoreScores(*model.Info) []model.Tensor {
	if window, windows, first, _, ok := r.window(); ok && r.at.Batch > first {
		r.score(window, windows)
		return []model.Tensor{r.scores.Tensor(scoresTensor)}
	}
	return nil
}

// saveScores adds the scores of an unfinished window to a checkpoint.
func (r *replacing) saveScores(extra *model.Extra) error {
	if r.scores != nil {
		extra.Tensors = append(extra.Tensors, r.scores.Tensor(scoresTensor))
	}
	return nil
}
