package trainer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"ialgn/internal/draw"
	"ialgn/internal/model"
)

// BestPath returns the path of the model file with the parameters of the epoch that is the best so far on the
// validation set. A run with a validation set keeps it beside its model, also after the end, so that a later call can
// go on.
func BestPath(model string) string { return model + ".best" }

// holdOut takes a share of the training samples out of the data, the validation set: as many as the share rounds to,
// but at least one, drawn by the seed without regard to classes. Both parts keep the order of the samples.
func (d *Data) holdOut(share float64, seed uint64) error {
	if share == 0 {
		return nil
	}
	if d.Train.Len() < 2 {
		return errors.New("train.validation.share: a single training sample cannot be split; use 0")
	}
	order := make([]int32, d.Train.Len())
	draw.New(seed, draw.Validation, 0, 0).Permutation(order)
	n := int(math.Round(share * float64(len(order))))
	heldOut := order[:min(max(n, 1), len(order)-1)]
	slices.Sort(heldOut)
	if d.Words != nil {
		d.heldWords = d.Words.Extract(heldOut)
	}
	d.held = d.Train.Extract(heldOut)
	return nil
}

// bestValidation returns the epoch, from 1, with the largest validation accuracy, the
// first of equals, and the number of epochs after which patience ends the run: that
// many in a row are no better. Either is 0 if there is none.
func bestValidation(epochs []model.Epoch, patience int) (best, end int) {
	bestCorrect := -1
	for i, e := range epochs {
		switch {
		case e.ValidationSamples == 0:
			return 0, 0
		case e.ValidationCorrect > bestCorrect:
			best, bestCorrect = i+1, e.ValidationCorrect
		case patience > 0 && i+1-best >= patience:
			return best, i + 1
		}
	}
	return best, 0
}

// validating has a run end, and its model have the parameters of an epoch, by the accuracy on samples that are held out
// (train.validation).
type validating struct {
	*session
	best output // the best epoch, until the next checkpoint gives it its name
}

func (s *session) addValidating() {
	if s.Config.Train.Validation.Share == 0 {
		return
	}
	v := &validating{session: s}
	s.beginning = append(s.beginning, v.stop)
	s.evaluated = append(s.evaluated, v.validate)
	s.ended = append(s.ended, v.stop)
	if s.Config.Train.Validation.KeepsBest() {
		s.beginning = append(s.beginning, v.checkBest)
		s.ended = append(s.ended, v.saveBest)
		s.saving = append(s.saving, v.commitBest)
		s.keeping = append(s.keeping, v.keepBest)
		s.closing = append(s.closing, v.dropBest)
	}
}

// progressed returns bestValidation of the run so far.
func (v *validating) progressed() (best, end int) { return v.bestOf(v.m.Record.Epochs) }

// stop has the run end if patience has run out.
func (v *validating) stop() error {
	_, end := v.progressed()
	v.stopped = end > 0
	return nil
}

// bestOf returns bestValidation of some epochs of the run.
func (r *Run) bestOf(epochs []model.Epoch) (best, end int) {
	return bestValidation(epochs, r.Config.Train.Validation.Patience)
}

// validate adds the accuracy on the validation set of the frozen network that was just evaluated.
func (v *validating) validate(ctx context.Context, p *Progress) error {
	scores, err := v.countAll(ctx, v.frozen, v.data.held)
	if err != nil {
		return err
	}
	p.Finished.ValidationCorrect, p.Finished.ValidationSamples = scores.Correct(v.data.held.Labels), v.data.held.Len()
	return nil
}

// errBestLost says that the parameters of the best epoch could not be kept, which ends
// the run.
var errBestLost = errors.New("the best epoch on the validation set could not be written")

// saveBest writes the model of the epoch that has just ended if it is the best on the
// validation set, under a temporary name: commitBest gives it its own. It is not forced to
// the disk, and a better epoch before the next checkpoint takes its place.
func (v *validating) saveBest() error {
	if best, _ := v.progressed(); best != v.at.Epoch {
		return nil
	}
	v.dropBest()
	f, err := v.create(BestPath(v.Model), model.Extra{})
	if err == nil {
		v.best = f
	}
	return v.bestLost(err)
}

// commitBest forces the best epoch so far to the disk and gives it its name, before a
// checkpoint is written that has it in its record: at every instant, the checkpoint's
// best epoch so far is in the best file, or a later one is.
func (v *validating) commitBest(*model.Extra) error {
	if v.best == nil {
		return nil
	}
	f := v.best
	v.best = nil
	return v.bestLost(f.Commit())
}

// dropBest removes a best epoch that has not got its name.
func (v *validating) dropBest() {
	if v.best != nil {
		v.best.Abort()
		v.best = nil
	}
}

func (v *validating) bestLost(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %w; make room or mend the folder, and resume from the last checkpoint, if there is one",
		BestPath(v.Model), errBestLost, err)
}

// checkBest reports whether a resumed run has the file of its best epoch. It may be
// that of a later epoch than the checkpoint has: the resumed run will come there too,
// if it is long enough.
func (v *validating) checkBest() error {
	best, _ := v.progressed()
	if best == 0 {
		return nil
	}
	n, err := v.readBest(best)
	if err == nil && n > v.Config.Train.Epochs {
		err = v.outlived(n, v.Config.Train.Epochs)
	}
	return err
}

// readBest returns the epoch of the best file, which is not before the best one of the
// run so far.
func (v *validating) readBest(best int) (int, error) {
	path := BestPath(v.Model)
	info, err := model.ReadInfo(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s: %w; it holds epoch %d, the best on the validation set: put it back, or train anew", path,
			fs.ErrNotExist, best)
	}
	if err != nil {
		return 0, fmt.Errorf("%w; it holds epoch %d, the best on the validation set: put it back, or train anew", err, best)
	}
	theirs, ours := info.Model.Record.Epochs, v.m.Record.Epochs
	both := min(len(theirs), len(ours))
	if len(theirs) < best || !slices.Equal(theirs[:both], ours[:both]) {
		return 0, fmt.Errorf("%s: belongs to another run than %s; put back the right one, or train anew", path,
			CheckpointPath(v.Model))
	}
	return len(theirs), nil
}

// outlived is the error that the best file is of an epoch that the run, now shorter
// than it was, does not reach.
func (v *validating) outlived(epoch, last int) error {
	return fmt.Errorf("%s: holds epoch %d of a longer run, and no longer the best of the first %d; resume with epochs "+
		"and patience for at least %d",
		BestPath(v.Model), epoch, last, epoch)
}

// keepBest gives the model the parameters of its best epoch, in place, and says so in
// the record.
func (v *validating) keepBest() error {
	best, _ := v.progressed()
	if best == 0 {
		return nil
	}
	n, err := v.readBest(best)
	if err == nil && n != best {
		err = v.outlived(n, v.at.Epoch)
	}
	if err = v.agree(err); err != nil {
		return err
	}
	v.m.Record.Kept = best
	return v.m.ReloadPart(BestPath(v.Model), v.Ranks)
}
