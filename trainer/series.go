package trainer

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"ialgn/internal/message"
	"ialgn/internal/model"
)

// series is a list of runs that differ in their number, such as a seed. All runs have the same options otherwise.
type series struct {
	what     string // what is numbered, for messages
	numbers  []uint64
	runs     []Run
	like     *Earlier // unless nil, an earlier run that the runs must match
	sameData bool     // all runs have the same data
	refuse   Refusal
	begin    func(number uint64)
}

// finishedRun is the result of a run of a series. The field before says that an earlier call finished the run.
type finishedRun struct {
	before  bool
	summary *Summary
}

// add appends a run.
func (s *series) add(number uint64, r Run) {
	s.numbers, s.runs = append(s.numbers, number), append(s.runs, r)
}

// train trains the runs that earlier calls have not finished, one after the other.
func (s *series) train(ctx context.Context) (all []finishedRun, err error) {
	found, err := s.survey()
	if err != nil {
		return nil, err
	}
	for i, e := range found {
		switch {
		case e == nil:
		case s.sameData:
			s.like = cmp.Or(s.like, e)
		case e.Finished:
			if err := s.runs[i].stillData(ctx, e); err != nil {
				return nil, fmt.Errorf("%s %d: %w; %s", s.what, s.numbers[i], err, s.anew(e.model))
			}
		}
	}
	for i, e := range found {
		one, err := s.trainOne(ctx, i, e)
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", s.what, s.numbers[i], err)
		}
		all = append(all, one)
	}
	return all, nil
}

// survey returns what earlier calls left of each run, see [Seeds.Survey].
func (s *series) survey() ([]*Earlier, error) {
	found := make([]*Earlier, len(s.runs))
	if len(s.runs) == 0 {
		return nil, nil
	}
	if !s.runs[0].Resume {
		return found, s.checkOutputs()
	}
	from, err := s.runs[0].startSum()
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i], err = s.runs[i].earlier(from, s.refuse); err != nil {
			return nil, fmt.Errorf("%s %d: %w; %s", s.what, s.numbers[i], err, s.anew(s.runs[i].Model))
		}
	}
	return found, s.alike(found, from)
}

// checkOutputs returns an error if, for any run, a file exists that no run wrote.
func (s *series) checkOutputs() error {
	for i := range s.runs {
		if err := s.runs[i].checkOutputs(); err != nil {
			return err
		}
	}
	return nil
}

// startSum returns the name and the checksum of the start model, or nil if there is none.
func (r *Run) startSum() (*model.Start, error) {
	if r.Start == "" {
		return nil, nil
	}
	return startAt(r.Start)
}

// trainOne trains one run. If found is not nil, it continues from the model or checkpoint that was found.
func (s *series) trainOne(ctx context.Context, i int, found *Earlier) (one finishedRun, err error) {
	r := s.runs[i]
	if found != nil && found.Finished {
		one.before = true
		one.summary, err = r.before(found.network)
		return one, err
	}
	r.Resume, r.Like = found != nil, s.like
	runtime.GC() // otherwise the network and the data of the previous run would stay in memory
	if s.begin != nil {
		s.begin(s.numbers[i])
	}
	one.summary, err = r.Train(ctx)
	if err == nil && s.like == nil && s.sameData {
		s.like, err = r.earlier(nil, nil)
	}
	return one, err
}

// before returns the summary of a run that an earlier call finished, given its model, which may lack the arrays.
func (r *Run) before(m *model.Model) (*Summary, error) {
	is, err := startAt(r.Model)
	if err != nil {
		return nil, err
	}
	s := summarise(r.Model, r.Config, m)
	s.SHA256 = is.SHA256
	return s, nil
}

// alike returns an error if the results of the runs in found cannot be averaged. All runs must have started from the
// same model and, unless their data differ, must have been trained on the same data as the run s.like. If s.like is
// nil, the runs are compared with the first run in found. A nil element of found is a run that begins now. Its start
// model is the argument from.
func (s *series) alike(found []*Earlier, from *model.Start) error {
	first, begins := s.like, false
	for _, e := range found {
		switch {
		case e == nil:
			begins = true
		case from != nil && sumOf(e.network.Record.Start) != from.SHA256:
			return fmt.Errorf("%w; %s", otherStart(e.path, e.network.Record.Start, from), s.anew(e.model))
		case first == nil:
			first = e
		case sumOf(e.network.Record.Start) != sumOf(first.network.Record.Start):
			return message.Optionf("%s: started from %s, but %s from %s; move the files of one run away and train it like "+
				"the other, with {Init} if that started from a model",
				e.path, origin(e.network.Record.Start), first.path, origin(first.network.Record.Start))
		case s.sameData && !sameSamples(&e.network.Record, &first.network.Record):
			return fmt.Errorf("%s: was trained on another version of data set %s than %s; move the files of the run with the "+
				"wrong version away, to train it anew",
				e.path, e.network.Record.DataSet, first.path)
		}
	}
	if begins && from == nil && first != nil && first.network.Record.Start != nil {
		return message.Optionf("%s: started from %s, so new %ss must start from it, too; name it with {Init}", first.path,
			origin(first.network.Record.Start), s.what)
	}
	return nil
}

// anew returns the part of a message that says how to train a run again.
func (s *series) anew(path string) string {
	return fmt.Sprintf("to train this %s anew, move %s away, with its .checkpoint and .best", s.what, path)
}
