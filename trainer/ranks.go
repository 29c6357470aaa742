package trainer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"syscall"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
)

// writes reports whether this is the rank that does what is done once for all, such as taking the lock.
func (r *Run) writes() bool { return r.Ranks == nil || r.Ranks.Rank() == 0 }

// checkRanks refuses what several ranks cannot train to the same bytes as one. A single rank trains it alone.
func (r *Run) checkRanks() error {
	if r.Ranks == nil {
		return nil
	}
	err := r.refuseRanks()
	if err != nil && r.Ranks.Size() == 1 {
		r.Ranks = nil
		return nil
	}
	return err
}

// refuseRanks says why ranks cannot train a network, nil if they can.
func (r *Run) refuseRanks() error {
	t := &r.Config.Train
	n := message.Plural(r.Ranks.Size(), "rank", "ranks")
	switch {
	case !r.Config.Model.PrivateChains():
		return fmt.Errorf("model.topology: %s cannot train a network in which nodes read other chains than their own: they "+
			"would exchange the bits of every layer, where private chains share nothing but class counts; train it with one "+
			"process, or use ialgn with model.hidden = 1", n)
	case t.Estimator == "soft":
		return fmt.Errorf("train.estimator: %s cannot train with soft values, the sum of which depends on its order; train "+
			"with one process, or use ste or gumbel", n)
	case r.Watch != nil:
		return message.Optionf("%s cannot measure a run that they train together, as none has the whole network; train with "+
			"one process", n)
	}
	return nil
}

// takeShare finds out which chains of the network this rank has.
func (s *session) takeShare() error {
	if s.Ranks == nil {
		return nil
	}
	classes, size := len(s.data.Classes), s.Ranks.Size()
	perClass := s.Config.Model.Width / classes
	if size > perClass {
		return fmt.Errorf("model.width: %d ranks cannot share the %s of each class, of which every rank has one at least; "+
			"use fewer ranks or a wider network", size, message.Plural(perClass, "chain", "chains"))
	}
	part := ranks.ShareOf(s.Ranks.Rank(), size, classes, perClass)
	s.part = &part
	return nil
}

// kinds are the errors that mean the same on all ranks, whichever of them has one.
var kinds = []error{ErrInterrupted, errDiverged, errBestLost, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// saysRank matches an error that says which rank has it, as those of files that all ranks write do.
var saysRank = regexp.MustCompile(`(^|: )rank [0-9]+: `)

// otherError is an error of another rank.
type otherError struct {
	text  string
	kinds byte // digit i: it is of kinds[i]
}

// Error implements error.
func (e *otherError) Error() string { return e.text }

// Unwrap returns the same text, as an error that a path stands before has it.
func (e *otherError) Unwrap() error { return errors.New(e.text) }

// Is reports whether the other rank's error is target.
func (e *otherError) Is(target error) bool {
	for i, kind := range kinds {
		if kind == target && e.kinds>>i&1 == 1 {
			return true
		}
	}
	return false
}

// agree makes an error of any rank one of all: the first rank's that has one. All ranks call it. Alone it returns err.
func (r *Run) agree(err error) error {
	_, err = r.exchange(nil, err)
	return err
}

// exchange does what agree does, and returns what all ranks said if none has an error.
func (r *Run) exchange(said []byte, err error) ([][]byte, error) {
	if r.Ranks == nil {
		return [][]byte{said}, err
	}
	var of byte
	for i, kind := range kinds {
		if errors.Is(err, kind) {
			of |= 1 << i
		}
	}
	message := append([]byte{0, of}, said...)
	if err != nil {
		message = append([]byte{1, of}, err.Error()...)
	}
	all, gone := r.Ranks.Gather(message)
	if gone != nil {
		return nil, errors.Join(err, lost(gone))
	}
	var first *otherError
	heard := make([][]byte, len(all)) // all itself may be what the others have, too
	for i, m := range all {
		if len(m) < 2 {
			return nil, fmt.Errorf("rank %d says nothing", i)
		}
		if m[0] == 1 && first == nil {
			first = &otherError{text: string(m[2:])}
			if (err == nil || err.Error() != first.text) && !saysRank.MatchString(first.text) {
				first.text = fmt.Sprintf("rank %d: %s", i, first.text)
			}
		}
		of |= m[1]
		heard[i] = m[2:]
	}
	switch {
	case first == nil:
		return heard, nil
	case err != nil && err.Error() == first.text && of == message[1]:
		return nil, err
	}
	first.kinds = of
	return nil, first
}

// lost is the error of an exchange that came to nothing.
func lost(err error) error { return fmt.Errorf("ranks: %w", err) }

// first has one rank do something before all go on.
func (r *Run) first(do func() error) error {
	var err error
	if r.writes() {
		err = do()
	}
	return r.agree(err)
}

// sumFunc returns what sums over all ranks, nil alone.
func (r *Run) sumFunc() func([]int32) error {
	if r.Ranks == nil {
		return nil
	}
	return r.Ranks.Sum
}

// same is what must be the same on all ranks.
type same struct {
	Config      config.Config
	Train, Test string // digests of the data
	Resume      bool
	Start       string // digest of the model to start from
	Estimate    bool
	Warn        bool // whether anybody is told of checkpoints that could not be written
}

// meet has the ranks agree that all have opened the same run, after which err is nil.
func (s *session) meet(err error) error {
	if s.Ranks == nil {
		return err
	}
	var said []byte
	if err == nil {
		is := same{
			Config: s.Config, Train: s.data.TrainSHA256, Test: s.data.TestSHA256, Resume: s.Resume, Estimate: s.Estimate,
			Warn: s.Warn != nil,
		}
		if s.Start != "" {
			var from *model.Start
			if from, err = startAt(s.Start); err == nil {
				is.Start = from.SHA256
			}
		}
		if err == nil {
			said, err = json.Marshal(is)
		}
	}
	all, err := s.exchange(said, err)
	for rank := 1; err == nil && rank < len(all); rank++ {
		if !bytes.Equal(all[0], all[rank]) {
			err = differs(rank, all[0], all[rank])
		}
	}
	return err
}

// differs says in what a rank is of another run than the first.
func differs(rank int, first, other []byte) error {
	var a, b same
	if err := errors.Join(json.Unmarshal(first, &a), json.Unmarshal(other, &b)); err != nil {
		return fmt.Errorf("rank %d is of another run than rank 0, perhaps of another version of the program: %w", rank, err)
	}
	what := "options"
	switch {
	case a.Train != b.Train || a.Test != b.Test:
		what = "data"
	case a.Config != b.Config:
		what = "configuration"
	case a.Start != b.Start:
		what = "model to start from"
	}
	return fmt.Errorf("rank %d has another %s than rank 0; start all with the same", rank, what)
}

// What ranks note beside their class counts, so that a step's sum tells all the same: how many were told to end, and
// whether the first rank's clock says that a checkpoint is due.
const (
	noteEnded = 1
	noteDue   = 1 << 16
)

// addNotes has this rank say in each step what it has to say.
func (s *session) addNotes() {
	if s.Ranks == nil {
		return
	}
	s.stepping = append(s.stepping, func(ctx context.Context, b *engine.Batch, _ []int32) {
		if ctx.Err() != nil {
			b.Note += noteEnded
		}
		if s.writes() && s.due(time.Now()) {
			b.Note += noteDue
		}
	})
}

// asked says whether the run is to end after the step that was made last, and whether a checkpoint is due: on all
// ranks the same.
func (s *session) asked(ctx context.Context) (ended, due bool) {
	if s.Ranks == nil {
		return ctx.Err() != nil, s.due(time.Now())
	}
	return s.outcome.Notes%noteDue > 0, s.outcome.Notes >= noteDue
}

// errEnded says that some rank was told to end.
var errEnded = errors.New("a rank was told to end")

// interrupted reports whether an evaluation with that outcome is to be made anew by a resumed run.
func (s *session) interrupted(ctx context.Context, err error) bool {
	if s.Ranks == nil {
		return ctx.Err() != nil
	}
	return errors.Is(err, errEnded)
}

// countAll returns what the whole network says about samples, of which f is this rank's part. The error wraps errEnded
// if the context of any rank has ended.
func (s *session) countAll(ctx context.Context, f *model.Frozen, p *encoding.Packed) (*model.Scores, error) {
	scores, err := f.Evaluate(ctx, p, s.Threads)
	if s.Ranks == nil {
		return scores, err
	}
	n := p.Len() * len(f.Classes)
	counts := make([]int32, n+2) // and how many ranks were told to end, and how many have another error
	switch {
	case ctx.Err() != nil:
		counts[n] = 1
	case err != nil:
		counts[n+1] = 1
	default:
		copy(counts, scores.Counts)
	}
	if gone := s.Ranks.Sum(counts); gone != nil {
		return nil, lost(gone)
	}
	switch {
	case counts[n] > 0:
		return nil, errEnded
	case counts[n+1] > 0:
		return nil, s.agree(err)
	}
	copy(scores.Counts, counts)
	scores.Classify()
	return scores, nil
}

// checkNumbers is [session.checkFinite] of all ranks.
func (s *session) checkNumbers() error { return s.agree(s.checkFinite()) }
