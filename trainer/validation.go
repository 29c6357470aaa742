package trainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/draw"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// BestPath returns the path of the file with the parameters of the best epoch so far on the validation set. A run
// with a validation set keeps this file next to its model, also after the end, so that a later call can continue. The
// parameters are in a file because memory may not have room for a second copy of a large model.
func BestPath(model string) string { return model + ".best" }

// holdOut moves a share of the training samples into the validation set. Both parts keep the order of the samples.
func (d *Data) holdOut(v config.Validation, seed uint64) error {
	if v.Share == 0 {
		return nil
	}
	if d.Train.Len() < 2 {
		return errors.New("train.validation.share: a single training sample cannot be split; use 0")
	}
	heldOut, err := d.chooseHeldOut(v, seed)
	if err != nil {
		return err
	}
	if d.Words != nil {
		d.heldWords = d.Words.Extract(heldOut)
	}
	d.held = d.Train.Extract(heldOut)
	return nil
}

// chooseHeldOut returns the training samples that become the validation set, in ascending order. If the data have
// groups or an order, or if the share is stratified, [dataset.Split] chooses the samples. Otherwise the seed decides,
// without regard to classes, and the number of samples is rounded, and is at least one.
func (d *Data) chooseHeldOut(v config.Validation, seed uint64) (samples []int32, err error) {
	if !v.Stratified && d.groups == nil && !d.ordered {
		order := make([]int32, d.Train.Len())
		draw.New(seed, draw.Validation, 0, 0).Permutation(order)
		n := int(math.Round(v.Share * float64(len(order))))
		samples = order[:min(max(n, 1), len(order)-1)]
		slices.Sort(samples)
		return samples, nil
	}
	split := dataset.Split{
		Share: v.Share, Seed: seed, Classes: d.Classes, Groups: d.groups, Ordered: d.ordered, Validation: true,
	}
	chosen, _, err := split.Choose(d.Train.Labels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	for i, c := range chosen {
		if c {
			samples = append(samples, int32(i))
		}
	}
	return samples, nil
}

// bestValidation returns the epoch, from 1, that is the best on the validation set by the configured metric. If
// several epochs are equally good, it returns the first. It also returns the number of epochs after which the run ends
// because v.Patience epochs in a row brought no improvement. If the run does not end in this way, the second result is
// 0.
func bestValidation(epochs []model.Epoch, v config.Validation) (best, end int) {
	most := math.Inf(-1)
	for i, e := range epochs {
		value := e.ValidationMetric
		if v.Metric == "" {
			value = float64(e.ValidationCorrect)
		}
		switch {
		case e.ValidationSamples == 0:
			return 0, 0
		case value > most:
			best, most = i+1, value
		case v.Patience > 0 && i+1-best >= v.Patience:
			return best, i + 1
		}
	}
	return best, 0
}

// validating uses the accuracy on held-out samples (train.validation) to end the run and to choose the epoch whose
// parameters the model gets.
type validating struct {
	*session
	best output // the best epoch's file, which has a temporary name until the next checkpoint
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

// progressed returns the result of bestValidation for all finished epochs of the run.
func (v *validating) progressed() (best, end int) { return v.bestOf(v.m.Record.Epochs) }

// stop ends the run if patience has run out.
func (v *validating) stop() error {
	_, end := v.progressed()
	v.stopped = end > 0
	return nil
}

// bestOf returns the result of bestValidation for some epochs of the run.
func (r *Run) bestOf(epochs []model.Epoch) (best, end int) {
	return bestValidation(epochs, r.Config.Train.Validation)
}

// validate adds the accuracy of the frozen network on the validation set to p. It also adds the configured metric.
func (v *validating) validate(ctx context.Context, p *Progress) error {
	labels := v.data.held.Labels
	scores, err := v.countAll(ctx, v.frozen, v.data.held)
	if err != nil {
		return err
	}
	p.Finished.ValidationCorrect, p.Finished.ValidationSamples = scores.Correct(labels), len(labels)
	name := v.Config.Train.Validation.Metric
	if name == "" {
		return nil
	}
	f, err := v.metric()
	if err != nil {
		return err
	}
	value := v.measure(f, scores, labels)
	if math.IsNaN(value) {
		return fmt.Errorf("train.validation.metric: %s is not defined, because the validation set has samples of only one "+
			"class; use a larger train.validation.share", name)
	}
	p.Finished.ValidationMetric, p.Metric = value, &value
	return nil
}

// metric returns the metric that compares epochs.
func (s *session) metric() (metrics.Func, error) {
	return metrics.Lookup(cmp.Or(s.Config.Train.Validation.Metric, "accuracy"), len(s.data.Classes))
}

// measure returns a metric of the given scores.
func (s *session) measure(metric metrics.Func, scores *model.Scores, labels []uint8) float64 {
	var pairs metrics.Scores
	if len(s.data.Classes) == 2 {
		pairs = metrics.Differences(labels, scores.Counts)
	}
	return metric(scores.Confusion(labels), pairs)
}

// errBestLost says that the parameters of the best epoch could not be saved. This error ends the run.
var errBestLost = errors.New("the best epoch on the validation set could not be written")

// saveBest writes the model to a temporary file if the epoch that has just ended is the best on the validation set.
// It does not sync the file to disk. The function commitBest syncs and renames the file. If a better epoch comes
// before the next checkpoint, its file replaces this file.
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

// commitBest syncs the best epoch so far to disk and renames it, before a checkpoint that records this epoch is
// written. Therefore the best file always holds the best epoch that the checkpoint records, or a later epoch.
func (v *validating) commitBest(*model.Extra) error {
	if v.best == nil {
		return nil
	}
	f := v.best
	v.best = nil
	return v.bestLost(f.Commit())
}

// dropBest removes a best epoch that is still in a temporary file.
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
	return fmt.Errorf("%s: %w: %w; make room or fix the folder, and resume from the last checkpoint, if there is one",
		BestPath(v.Model), errBestLost, err)
}

// checkBest returns an error if a resumed run lacks the file of its best epoch. The file may hold an epoch after the
// checkpoint, since the resumed run will reach this epoch if the run is long enough.
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

// readBest returns the epoch in the best file. It returns an error if this epoch is earlier than best, the best epoch
// of the run so far.
func (v *validating) readBest(best int) (int, error) {
	path := BestPath(v.Model)
	info, err := model.ReadInfo(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s: %w; the file holds epoch %d, the best on the validation set: restore it, or train anew",
			path,
			fs.ErrNotExist, best)
	}
	if err != nil {
		return 0, fmt.Errorf("%w; the file holds epoch %d, the best on the validation set: restore it, or train anew", err,
			best)
	}
	theirs, ours := info.Model.Record.Epochs, v.m.Record.Epochs
	both := min(len(theirs), len(ours))
	if len(theirs) < best || !slices.Equal(theirs[:both], ours[:both]) {
		return 0, fmt.Errorf("%s: belongs to another run than %s; restore the right file, or train anew", path,
			CheckpointPath(v.Model))
	}
	return len(theirs), nil
}

// outlived returns the error for a best file whose epoch is beyond the end of the run. This happens if the run is now
// shorter than before.
func (v *validating) outlived(epoch, last int) error {
	return fmt.Errorf("%s: holds epoch %d of a longer run, and no longer the best of the first %d; resume with epochs "+
		"and patience for at least %d",
		BestPath(v.Model), epoch, last, epoch)
}

// keepBest gives the model the parameters of its best epoch, in place, and notes the epoch in the record.
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
