package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/engine"
	"ialgn/internal/message"
	"ialgn/internal/model"
)

// positionKey is the metadata key under which a checkpoint holds its position.
const positionKey = model.ExtraMetadata + "position"

// diskShare bounds the time spent on writing checkpoints and best epochs. If writing a checkpoint took the time t,
// the next checkpoint is written after diskShare*t at the earliest.
const diskShare = 20

// CheckpointPath returns the path of the checkpoint that belongs to a model file. A checkpoint is a model file with
// the optimiser's moments added. It stays after the end of a run, so that a later run can continue from it.
func CheckpointPath(model string) string { return model + ".checkpoint" }

// saveWhenDue saves a checkpoint if the configured time has passed or if the context has ended. If the context has
// ended, it returns the error that ends the run.
func (s *session) saveWhenDue(ctx context.Context) error {
	ended, due := s.asked(ctx)
	if ended {
		return s.interrupt()
	}
	if !due {
		return nil
	}
	err := s.save()
	if err != nil && s.Warn != nil && !errors.Is(err, errBestLost) && !errors.Is(err, errDiverged) {
		s.saved = time.Now()
		s.Warn(fmt.Errorf("%w; training continues and will try again: make room or fix the folder before the training ends",
			err))
		return nil
	}
	return err
}

// due reports whether it is time for a checkpoint.
func (s *session) due(now time.Time) bool {
	every := time.Duration(s.Config.Train.Checkpoint.Minutes * float64(time.Minute))
	return every > 0 && now.Sub(s.saved) >= max(every, diskShare*s.saveCost)
}

// oldSuffix is the suffix of an earlier run's files after a new run has renamed them.
const oldSuffix = ".old"

// putAside renames the checkpoint and the best epoch of an earlier run to names that end in .old, before a new
// run's first batch. Otherwise, if the new run were killed before its first checkpoint, --resume would continue the
// earlier run.
//
// The checkpoint is renamed last. A best epoch without a checkpoint is not renamed, and the new run overwrites it
// later. No run resumes from such a file, and it must not replace the .old file of a best epoch that belongs to a
// checkpoint.
func (s *session) putAside() error {
	path := CheckpointPath(s.Model)
	if _, err := os.Lstat(path); s.Resume || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, earlier := range []string{BestPath(s.Model), path} {
		if err := os.Rename(earlier, earlier+oldSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("checkpoint: put the earlier run aside: %w", err)
		}
	}
	return nil
}

// errDiverged says that training produced numbers from which it cannot continue.
var errDiverged = errors.New("training diverged")

// checkFinite returns an error if a parameter or a moment is not finite, which means that a gradient has overflowed.
// Training cannot recover from such a number, and no file may contain one.
func (s *session) checkFinite() error {
	err := s.m.Validate()
	diverged := errors.Is(err, model.ErrNotFinite)
	for _, m := range s.eng.Moments() {
		if i := slices.IndexFunc(m.Data, func(x float32) bool { return x-x != 0 }); err == nil && i >= 0 {
			err, diverged = fmt.Errorf("%s: %v among the moments", m.Name, m.Data[i]), true
		}
	}
	if !diverged {
		return err
	}
	return fmt.Errorf("%w in epoch %d by batch %d: %w; train anew with a smaller train.optimizer.lr or model.depth, or "+
		"with a larger model.tau",
		errDiverged, s.at.Epoch+1, s.at.Batch, err)
}

// save writes a checkpoint of the current state.
func (s *session) save() error {
	begin := time.Now()
	extra, err := s.extra()
	if err != nil {
		return err
	}
	state, err := s.stage(extra)
	if err == nil {
		err = commit(state, CheckpointPath(s.Model))
	}
	s.saved, s.saveCost = time.Now(), time.Since(begin)
	return err
}

// extra returns the metadata and tensors that a checkpoint contains in addition to the model.
func (s *session) extra() (model.Extra, error) {
	if err := s.checkNumbers(); err != nil {
		return model.Extra{}, err
	}
	text, err := json.Marshal(s.at)
	if err != nil {
		return model.Extra{}, fmt.Errorf("checkpoint: %w", err)
	}
	extra := model.Extra{Metadata: map[string]string{positionKey: string(text)}, Tensors: tensors(s.m, s.eng)}
	for _, hook := range s.saving {
		if err := hook(&extra); err != nil {
			return model.Extra{}, err
		}
	}
	return extra, nil
}

// stage writes the checkpoint to a temporary file.
func (s *session) stage(extra model.Extra) (output, error) {
	path := CheckpointPath(s.Model)
	f, err := s.create(path, extra)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// commit renames a temporary file to path.
func commit(f output, path string) error {
	if err := f.Commit(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// tensors returns the moments of an engine as tensors of a checkpoint. If the engine trains one rank's part of the
// network, the tensors hold the moments of the chains in that part.
func tensors(m *model.Model, e engine.Engine) []model.Tensor {
	var ts []model.Tensor
	for _, moment := range e.Moments() {
		t := model.Tensor{Name: model.ExtraTensors + moment.Name, Shape: moment.Shape, Data: moment.Data}
		ts = append(ts, m.InFile(t))
	}
	return ts
}

// restore reads the checkpoint. It returns an error if the checkpoint was made with other data or another
// configuration. Only the configuration keys that decide when the run ends may differ.
func (s *session) restore() error {
	path := CheckpointPath(s.Model)
	var none error
	if _, err := os.Stat(path); os.IsNotExist(err) {
		none = message.Optionf("%s: no checkpoint to resume from; train without {Resume} first", path)
	}
	if err := s.agree(none); err != nil {
		return err
	}
	m, err := model.LoadCheckpointPart(path, s.Ranks, s.restoreState)
	if err != nil {
		return err
	}
	s.m = m
	s.m.Config, s.m.Offsets, s.m.Ties, s.m.Calibration = s.Config, nil, nil, nil
	if err := s.checkMoments(path); err != nil {
		return err
	}
	if err := s.checkPosition(path); err != nil {
		return err
	}
	return s.sameStart(s.m.Record.Start)
}

// restoreState checks that the checkpoint belongs to this run. It returns the moment tensors of a new engine, into
// which the checkpoint is then read.
func (s *session) restoreState(info *model.Info) ([]model.Tensor, error) {
	var err error
	m := info.Model
	if s.at, err = s.checkState(m, info.Checkpoint); err != nil {
		return nil, err
	}
	if m.Record.Train != s.data.TrainSHA256 || m.Record.Test != s.data.TestSHA256 {
		return nil, fmt.Errorf("was trained on another version of data set %s, or with other encoder.ranges; resume with "+
			"the same files and ranges", m.Record.DataSet)
	}
	if err := sameForm(m, s.data, s.Config.Encoder.Learned()); err != nil {
		return nil, err
	}
	if s.eng, err = engine.NewRank(m, s.Config.Train.Batch, s.Threads, s.Ranks); err != nil {
		return nil, err
	}
	all := tensors(m, s.eng)
	for _, hook := range s.restoring {
		all = append(all, hook(info)...)
	}
	return all, nil
}

// checkState returns the position stored in a checkpoint. It returns an error if the checkpoint's configuration or
// position does not allow this run to continue from it. It does not check the arrays and the data.
func (r *Run) checkState(m *model.Model, metadata map[string]string) (at position, err error) {
	text, ok := metadata[positionKey]
	if !ok {
		return at, fmt.Errorf("this is a model, not a checkpoint: %s is missing; resume from the file that ends in "+
			".checkpoint", positionKey)
	}
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		return at, fmt.Errorf("%s: %w; the file is damaged, train anew", positionKey, message.ExplainJSON(err))
	}
	if err := r.checkConfig(m.Config); err != nil {
		return at, err
	}
	if at.Epoch != len(m.Record.Epochs) || at.Batch < 0 {
		return at, at.misfit(&m.Record)
	}
	return at, r.checkLength(at, m.Record.Epochs)
}

// misfit returns the error for a position that contradicts the record.
func (at position) misfit(r *model.Record) error {
	return fmt.Errorf("position %+v does not fit the training record (epochs: %d); the file is damaged, train anew", at,
		len(r.Epochs))
}

// checkLength returns an error if the position is beyond the end of this run.
func (r *Run) checkLength(at position, epochs []model.Epoch) error {
	if n := r.Config.Train.Epochs; at.Epoch > n || (at.Epoch == n && at.Batch > 0) {
		done := message.Plural(at.Epoch, "epoch", "epochs")
		if at.Batch > 0 {
			done += " and " + message.Plural(at.Batch, "batch", "batches")
		}
		return fmt.Errorf("already has %s, more than train.epochs = %d; use more epochs, or train anew", done, n)
	}
	if _, end := r.bestOf(epochs); end > 0 && (end < at.Epoch || at.Batch > 0) {
		return fmt.Errorf("is past epoch %d, where train.validation.patience = %d ends the run; use more "+
			"patience, or train anew", end, r.Config.Train.Validation.Patience)
	}
	return nil
}

// checkConfig compares the configuration of a checkpoint with the configuration of the run.
func (r *Run) checkConfig(theirs config.Config) error {
	if err := theirs.CheckRemoved(); err != nil {
		return message.WithHint(fmt.Errorf("cannot continue with %w", err),
			"train anew, or train the finished model further with {Init}")
	}
	diff := r.Config.Diff(theirs, "train.epochs", "train.validation.patience", "train.checkpoint.minutes",
		"encoder.ranges") // ranges are compared with the data instead
	if len(diff) > 0 {
		return fmt.Errorf("was trained with another %s; resume with the same configuration, only train.epochs and "+
			"train.validation.patience may change",
			strings.Join(diff, ", "))
	}
	n, t := theirs.Train.Epochs, &r.Config.Train
	var what, from string
	switch {
	case n == t.Epochs:
		return nil
	case t.Candidates.Kind != "fixed":
		what = "its " + t.Candidates.Kind + " candidates are replaced until a share of"
	case t.Freeze.Active():
		what = "train.freeze freezes layers after shares of"
	case r.Config.Encoder.Learned():
		what = "its thresholds are moved until a share of"
	case t.Schedule.Kind == "cosine":
		what, from = "its cosine schedule is spread over", " from the first step on"
	default:
		return nil
	}
	return message.Optionf(
		"%s train.epochs = %d, and %d would change the course of training%s; resume with %d, or train the "+
			"finished model further with {Init}", what, n, t.Epochs, from, n)
}

// checkMoments returns an error if a second moment is negative, because Adam takes its square root.
func (s *session) checkMoments(path string) error {
	for _, m := range s.eng.Moments() {
		if i := slices.IndexFunc(m.Data, func(x float32) bool { return x < 0 }); strings.HasSuffix(m.Name, ".v") && i >= 0 {
			return fmt.Errorf("%s: %s[%d]: a mean of squares is %v; the file is damaged, train anew", path, m.Name, i, m.Data[i])
		}
	}
	return nil
}

// checkPosition returns an error if the position of a checkpoint does not fit the number of samples.
func (s *session) checkPosition(path string) error {
	batches := (s.data.Train.Len() + s.Config.Train.Batch - 1) / s.Config.Train.Batch
	if s.at.Batch > batches || s.at.Step != s.at.Epoch*batches+s.at.Batch {
		return fmt.Errorf("%s: %w", path, s.at.misfit(&s.m.Record))
	}
	return nil
}
