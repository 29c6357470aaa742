package trainer

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/message"
	"ialgn/internal/model"
)

// Earlier describes what an earlier call left of a run: a finished model or a checkpoint to continue from.
type Earlier struct {
	Finished bool
	model    string       // path of the model, whether finished or not
	path     string       // path of the file that was found
	network  *model.Model // without its arrays
}

// Epochs returns the number of finished epochs.
func (e *Earlier) Epochs() int { return len(e.network.Record.Epochs) }

// earlier returns the model or checkpoint that an earlier call left of this run, or nil if there is none. If the
// argument from is not nil, it is the model from which the earlier run must have started.
//
// If the model file does not belong to this run but there is a checkpoint, earlier looks only at the checkpoint. Two
// cases are possible. This run may be longer than the finished run, or this run may have begun to overwrite another
// run's model. Without a checkpoint, earlier returns an error, since the new run would overwrite the model. It also
// returns an error if the function refuse returns an error.
func (r *Run) earlier(from *model.Start, refuse Refusal) (*Earlier, error) {
	done, err := infoIfThere(r.Model)
	if err == nil {
		err = refuse.ask(r, r.Model, done)
	}
	if err != nil {
		return nil, err
	}
	path := CheckpointPath(r.Model)
	state, err := infoIfThere(path)
	if done != nil {
		reason := r.unfinished(done, from)
		if reason == nil {
			return &Earlier{true, r.Model, r.Model, done.Model}, r.unambiguous(done, state, from)
		}
		if state == nil && err == nil {
			return nil, reason
		}
	}
	if state == nil || err != nil {
		return nil, err
	}
	if err := refuse.ask(r, path, state); err != nil {
		return nil, err
	}
	if _, err := r.checkState(state.Model, state.Checkpoint); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Earlier{false, r.Model, path, state.Model}, nil
}

// Refusal returns an error if the model or checkpoint at path does not belong to a run with configuration cfg.
// Otherwise it returns nil. The arrays of m are not read.
type Refusal func(cfg config.Config, path string, m *model.Model) error

// ask calls f with the model of a file. It does nothing if f or info is nil.
func (f Refusal) ask(r *Run, path string, info *model.Info) error {
	if f == nil || info == nil {
		return nil
	}
	return f(r.Config, path, info.Model)
}

// infoIfThere is like [model.ReadInfo], but returns nil if the file does not exist.
func infoIfThere(path string) (*model.Info, error) {
	info, err := model.ReadInfo(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return info, err
}

// unfinished returns the reason why a model is not the result of this run. It returns nil if the model is the result.
func (r *Run) unfinished(done *model.Info, from *model.Start) error {
	record := &done.Model.Record
	if diff := r.Config.Diff(done.Model.Config, "train.checkpoint.minutes"); len(diff) > 0 {
		return fmt.Errorf("%s: was trained with another %s, and there is no checkpoint to continue from; resume with the "+
			"same configuration",
			r.Model, strings.Join(diff, ", "))
	}
	if len(record.Epochs) == 0 {
		return fmt.Errorf("%s: has not been trained, and there is no checkpoint to continue from", r.Model)
	}
	if from != nil && sumOf(record.Start) != from.SHA256 {
		return otherStart(r.Model, record.Start, from)
	}
	return nil
}

// unambiguous returns an error if this call could continue either the finished model or the checkpoint next to it.
// This happens if the checkpoint belongs to a run with the same configuration that started from another model. If the
// argument from is not nil, it decides which run to continue.
func (r *Run) unambiguous(done, state *model.Info, from *model.Start) error {
	if from != nil || state == nil || r.checkConfig(state.Model.Config) != nil {
		return nil
	}
	ours, theirs := done.Model.Record.Start, state.Model.Record.Start
	if sumOf(ours) == sumOf(theirs) {
		return nil
	}
	path := CheckpointPath(r.Model)
	return fmt.Errorf("%s: is finished and started from %s, but %s belongs to a run that started from %s; move %[3]s "+
		"away to keep the finished model, or %[1]s to go on with the other run",
		r.Model, origin(ours), path, origin(theirs))
}

// otherStart returns the error for a run that started from another model than this call. The run's start model is the
// argument was, and this call's start model is the argument from.
func otherStart(path string, was, from *model.Start) error {
	remedy := "omit {Init}"
	if was != nil {
		remedy = "name this model with {Init}"
	}
	return message.Optionf("%s: started from %s, not from %s; "+remedy, path, origin(was), origin(from))
}

// origin returns the part of a message that says what a run started from.
func origin(s *model.Start) string {
	if s == nil {
		return "drawn parameters"
	}
	return fmt.Sprintf("%s with SHA-256 %s", s.Name, s.SHA256)
}

// sumOf returns the SHA-256 of the model that a run started from, or "" if the run started from random parameters.
func sumOf(s *model.Start) string {
	if s == nil {
		return ""
	}
	return s.SHA256
}

// sameSamples reports whether two networks have the same training and test samples.
func sameSamples(a, b *model.Record) bool { return a.Train == b.Train && a.Test == b.Test }

// sameData returns an error if d is not the data that the earlier run e was trained on. Results on different data
// cannot be averaged. There is no error if e is nil.
func (e *Earlier) sameData(d *Data) error {
	if e == nil || (e.network.Record.Train == d.TrainSHA256 && e.network.Record.Test == d.TestSHA256) {
		return nil
	}
	return fmt.Errorf("%s: was trained on another version of data set %s; restore the former files "+
		"and continue, or move the trained files away, to train anew",
		e.path, e.network.Record.DataSet)
}
