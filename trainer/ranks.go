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

// writes reports whether this rank does the work that is done once for all ranks, such as taking the lock.
func (r *Run) writes() bool { return r.Ranks == nil || r.Ranks.Rank() == 0 }

// checkRanks returns an error if several ranks cannot train the network to the same bytes as one process. A single
// rank always can, and checkRanks then sets r.Ranks to nil.
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

// refuseRanks returns the reason why several ranks cannot train the network, or nil if they can.
func (r *Run) refuseRanks() error {
	t := &r.Config.Train
	n := message.Plural(r.Ranks.Size(), "rank", "ranks")
	switch {
	case !r.Config.Model.PrivateChains():
		return fmt.Errorf("model.topology: %s cannot train a network whose nodes read other chains: they "+
			"would exchange the bits of every layer, while private chains share only class counts; train it with one "+
			"process, or use ialgn with model.hidden = 1", n)
	case t.Estimator == "soft":
		return fmt.Errorf("train.estimator: %s cannot train with soft values, because their sum depends on its order; train "+
			"with one process, or use ste or gumbel", n)
	case r.Watch != nil:
		return message.Optionf("%s cannot measure a common run, because no rank has the whole network; train with "+
			"one process", n)
	}
	return nil
}

// takeShare determines which chains of the network this rank trains.
func (s *session) takeShare() error {
	if s.Ranks == nil {
		return nil
	}
	classes, size := len(s.data.Classes), s.Ranks.Size()
	perClass := s.Config.Model.Width / classes
	if size > perClass {
		return fmt.Errorf("model.width: %d ranks cannot share the %s of each class, because every rank needs at least one; "+
			"use fewer ranks or a wider network", size, message.Plural(perClass, "chain", "chains"))
	}
	part := ranks.ShareOf(s.Ranks.Rank(), size, classes, perClass)
	s.part = &part
	return nil
}

// kinds lists the errors that keep their identity between ranks. If errors.Is is true for one of them on one rank, it
// is true on all ranks.
var kinds = []error{ErrInterrupted, errDiverged, errBestLost, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// saysRank matches an error text that already names the rank, such as an error from a file that all ranks write.
var saysRank = regexp.MustCompile(`(^|: )rank [0-9]+: `)

// otherError is an error that occurred on another rank.
type otherError struct {
	text  string
	kinds byte // bit i is the result of errors.Is(err, kinds[i])
}

// Error implements error.
func (e *otherError) Error() string { return e.text }

// Unwrap returns an error with the same text. Callers unwrap errors to strip the path in front of the text.
func (e *otherError) Unwrap() error { return errors.New(e.text) }

// Is reports whether the other rank's error wraps target, if target is in kinds.
func (e *otherError) Is(target error) bool {
	for i, kind := range kinds {
		if kind == target && e.kinds>>i&1 == 1 {
			return true
		}
	}
	return false
}

// agree returns the error of the lowest rank that has an error, or nil if no rank has an error. All ranks must call
// agree, and all get the same result. Without ranks, agree returns err.
func (r *Run) agree(err error) error {
	_, err = r.exchange(nil, err)
	return err
}

// exchange is like agree, but also passes data between ranks. Each rank passes its data in the argument said. If no
// rank has an error, exchange returns the data of all ranks.
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
	heard := make([][]byte, len(all)) // a new slice, since other ranks may share the slice all
	for i, m := range all {
		if len(m) < 2 {
			return nil, fmt.Errorf("rank %d does not respond", i)
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

// lost returns the error for a failed exchange between ranks.
func lost(err error) error { return fmt.Errorf("ranks: %w", err) }

// first calls the function do on the first rank only. On all ranks, first waits until do has returned, and then
// returns the error of do.
func (r *Run) first(do func() error) error {
	var err error
	if r.writes() {
		err = do()
	}
	return r.agree(err)
}

// sumFunc returns a function that sums values over all ranks, or nil without ranks.
func (r *Run) sumFunc() func([]int32) error {
	if r.Ranks == nil {
		return nil
	}
	return r.Ranks.Sum
}

// same holds the values that must be equal on all ranks.
type same struct {
	Config      config.Config
	Train, Test string // digests of the data
	Resume      bool
	Start       string // digest of the model to start from
	Estimate    bool
	Warn        bool // whether the caller set Run.Warn
}

// meet checks that all ranks have opened the same run. If err is not nil on any rank, meet returns an error on all
// ranks.
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

// differs returns an error that names the difference between a rank's run and the first rank's run.
func differs(rank int, first, other []byte) error {
	var a, b same
	if err := errors.Join(json.Unmarshal(first, &a), json.Unmarshal(other, &b)); err != nil {
		return fmt.Errorf("rank %d belongs to another run than rank 0, perhaps to another version of the program: %w", rank,
			err)
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

// Each rank adds notes to its class counts. The notes are summed over the ranks together with the counts of a step,
// so that all ranks learn two facts: how many ranks have a context that has ended, and whether a checkpoint is due by
// the first rank's clock.
const (
	noteEnded = 1
	noteDue   = 1 << 16
)

// addNotes adds this rank's notes to each batch.
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

// asked reports whether the run must end now, after the step just made, and whether a checkpoint is due. The results
// are the same on all ranks.
func (s *session) asked(ctx context.Context) (ended, due bool) {
	if s.Ranks == nil {
		return ctx.Err() != nil, s.due(time.Now())
	}
	return s.outcome.Notes%noteDue > 0, s.outcome.Notes >= noteDue
}

// errEnded says that the context of some rank has ended.
var errEnded = errors.New("a rank was asked to end")

// interrupted reports whether an evaluation with this error was interrupted. A resumed run then repeats the
// evaluation.
func (s *session) interrupted(ctx context.Context, err error) bool {
	if s.Ranks == nil {
		return ctx.Err() != nil
	}
	return errors.Is(err, errEnded)
}

// countAll returns the class counts of the whole network for the samples p. The network f is this rank's part of the
// whole network. If the context of any rank has ended, countAll returns an error that wraps errEnded.
func (s *session) countAll(ctx context.Context, f *model.Frozen, p *encoding.Packed) (*model.Scores, error) {
	scores, err := f.Evaluate(ctx, p, s.Threads)
	if s.Ranks == nil {
		return scores, err
	}
	n := p.Len() * len(f.Classes)
	counts := make([]int32, n+2) // the last two: ranks with an ended context, ranks with another error
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
	scores.Classify(f.Ties)
	return scores, nil
}

// checkNumbers is [session.checkFinite] for all ranks.
func (s *session) checkNumbers() error { return s.agree(s.checkFinite()) }
