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

// Earlier is what an earlier call left of a run: its finished model, or the checkpoint to
// go on from.
type Earlier struct {
	Finished bool
	model    string // path of the model, finished or not
	path     string // path of the earlier file
	record   *model.Record
}

// Epochs returns how many epochs are finished.
func (e *Earlier) Epochs() int { return len(e.record.Epochs) }

// earlier returns what an earlier call left of this run, nil if the run begins. from is
// the model to start from, nil if none is named: then any start will do.
//
// A model of another configuration or start is left to the checkpoint: the run may be a
// longer one, or have begun over it. Without a checkpoint it is refused, since the run
// would begin and overwrite it; and with one, if refuse says so.
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
			return &Earlier{true, r.Model, r.Model, &done.Model.Record}, r.unambiguous(done, state, from)
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
	return &Earlier{false, r.Model, path, &state.Model.Record}, nil
}

// Refusal says why a model or checkpoint at that path, without its arrays, is not one of the
// run with that configuration, nil if it may be.
type Refusal func(cfg config.Config, path string, m *model.Model) error

// ask calls the refusal, if there is one, for a file, if there is one.
func (f Refusal) ask(r *Run, path string, info *model.Info) error {
	if f == nil || info == nil {
		return nil
	}
	return f(r.Config, path, info.Model)
}

// infoIfThere is [model.ReadInfo], but nil if there is no such file.
func infoIfThere(path string) (*model.Info, error) {
	info, err := model.ReadInfo(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return info, err
}

// unfinished says why a model is not the outcome of this very run, nil if it is.
func (r *Run) unfinished(done *model.Info, from *model.Start) error {
	record := &done.Model.Record
	if diff := r.Config.Diff(done.Model.Config, "train.checkpoint.minutes"); len(diff) > 0 {
		return fmt.Errorf("%s: was trained with another %s, and there is no checkpoint to go on from; resume with the "+
			"same configuration",
			r.Model, strings.Join(diff, ", "))
	}
	if len(record.Epochs) == 0 {
		return fmt.Errorf("%s: has not been trained, and there is no checkpoint to go on from", r.Model)
	}
	if from != nil && sumOf(record.Start) != from.SHA256 {
		return otherStart(r.Model, record.Start, from)
	}
	return nil
}

// unambiguous refuses a finished model beside a checkpoint from which this run could go
// on as well, of a run that began over it from another start, unless the start is named.
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

// alike refuses runs that have no place in one mean: of other starts, or on other data, than
// the first or, unless it is nil, like. A run that begins, nil, starts from from.
func alike(like *Earlier, found []*Earlier, from *model.Start) error {
	first, begins := like, false
	for _, e := range found {
		switch {
		case e == nil:
			begins = true
		case from != nil && sumOf(e.record.Start) != from.SHA256:
			return fmt.Errorf("%w; %s", otherStart(e.path, e.record.Start, from), anew(e.model))
		case first == nil:
			first = e
		case sumOf(e.record.Start) != sumOf(first.record.Start):
			return message.Optionf("%s: started from %s, but %s from %s; move the files of one of them away and train it like "+
				"the other, with {Init} if that started from a model",
				e.path, origin(e.record.Start), first.path, origin(first.record.Start))
		case e.record.Train != first.record.Train || e.record.Test != first.record.Test:
			return fmt.Errorf("%s: was trained on other content of data set %s than %s; move the files of the one on the "+
				"wrong content away, to train it anew",
				e.path, e.record.DataSet, first.path)
		}
	}
	if begins && from == nil && first != nil && first.record.Start != nil {
		return message.Optionf("%s: started from %s, as the seeds that begin now must; name it with {Init}", first.path,
			origin(first.record.Start))
	}
	return nil
}

// otherStart is the error that a run did not start from the model that is named now.
func otherStart(path string, was, from *model.Start) error {
	remedy := "leave out {Init}"
	if was != nil {
		remedy = "name that with {Init}"
	}
	return message.Optionf("%s: started from %s, not from %s; "+remedy, path, origin(was), origin(from))
}

// anew says how to train a seed again.
func anew(path string) string {
	return fmt.Sprintf("to train this seed anew, move %s away, with its .checkpoint and .best", path)
}

// origin says what a run started from.
func origin(s *model.Start) string {
	if s == nil {
		return "drawn parameters"
	}
	return fmt.Sprintf("%s with SHA-256 %s", s.Name, s.SHA256)
}

// sumOf returns the checksum of the model that a run started from, "" if it drew its own.
func sumOf(s *model.Start) string {
	if s == nil {
		return ""
	}
	return s.SHA256
}

// sameData refuses data other than those of an earlier run, nil if there is none, with
// which the coming one shall enter a mean.
func (e *Earlier) sameData(d *Data) error {
	if e == nil || (e.record.Train == d.TrainSHA256 && e.record.Test == d.TestSHA256) {
		return nil
	}
	return fmt.Errorf("%s: was trained on other content of data set %s than there is now; put the former files back "+
		"and go on, or move what was trained on them away, to train it anew",
		e.path, e.record.DataSet)
}
