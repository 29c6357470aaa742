package trainer

import (
	"context"

	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// replacing replaces a pin's weak candidates by other sources (train.candidates). The times of the replacements
// depend only on the configuration and the position in the run, so a resumed run replaces the same candidates.
//
// An epoch is cut into windows of a few batches, and each window scores a share of the nodes. Scoring all sources for
// all pins at once would need a huge matrix. Scoring a share of the nodes needs less memory and work, and the scores
// of an unfinished window fit in a checkpoint.
type replacing struct {
	*session
	scores *engine.Scores // scores of the current window; nil outside of windows
}

// scoresTensor is the name of the checkpoint tensor that holds the scores of an unfinished window.
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

// replacement returns the number of candidates to replace and the rule for replacing them.
func (r *replacing) replacement() engine.Replacement {
	c := &r.Config.Train.Candidates
	return engine.Replacement{Count: c.Replace, Gap: c.Gap, Batches: min(c.Batches, r.batches())}
}

// random replaces the weakest candidates by random sources at the start of every active epoch except the first.
func (r *replacing) random(context.Context, *engine.Batch, []int32) {
	if r.at.Batch == 0 && r.at.Epoch > 0 && r.active() {
		r.eng.ReplaceRandom(r.Config.Train.Seed, r.at.Epoch, r.replacement())
	}
}

// window returns the window of batches that the next batch belongs to, and the number of windows in the epoch. The
// window's batches are first, first+1, ..., end-1. If the next batch belongs to no window, ok is false.
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

// score makes the engine compute the scores of a window from now on.
func (r *replacing) score(window, windows int) {
	t := &r.Config.Train
	r.scores = r.eng.NewScores(engine.Window{
		Number: window, Windows: windows, Share: t.Candidates.Share, Seed: t.Seed, Epoch: r.at.Epoch,
	})
	r.eng.Score(r.scores)
}

// beginScores starts the scores of a window before its first batch.
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

// restoreScores returns the tensor into which a checkpoint's scores of an unfinished window are read.
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
