package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	library "ialgn"
	"ialgn/internal/config"
	"ialgn/internal/crew"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/internal/outfile"
	"ialgn/internal/plot"
	"ialgn/internal/progress"
	"ialgn/internal/runlog"
	"ialgn/trainer"
)

// bestShare is the best network's share of the time for training the front, on one core.
const bestShare = 0.55

// margin is the part of the budget that a network of the front should use. It is below one because the size of a
// network changes a little when it is trained longer.
const margin = 0.985

// These are the endings of the names of a network's files.
const (
	modelEnding  = ".safetensors"
	configEnding = ".yaml"
	logEnding    = ".jsonl"
)

func (s *search) path(name string) string { return filepath.Join(s.Dir, name) }

// outputs lists the files that a search writes. It leaves out the files of compiled designs, because compile itself
// protects existing files.
func (s *search) outputs() []outfile.Output {
	all := []outfile.Output{
		{Path: s.path(ledgerFile), Form: outfile.Search}, {Path: s.path(frontTable), Form: outfile.Front},
	}
	all = append(all, plot.Files(s.path(frontChart))...)
	for _, name := range s.names() {
		all = append(all, outfile.Output{Path: s.path(name + configEnding), Form: outfile.Chosen},
			outfile.Output{Path: s.path(name + modelEnding), Form: outfile.ModelForm},
			outfile.Output{Path: s.path(name + logEnding), Form: outfile.Log})
	}
	return all
}

// names lists the possible names of networks of the front. The best network's name comes first.
func (s *search) names() []string {
	names := []string{s.name}
	for _, part := range append([]int{1}, smallerBudgets...) {
		names = append(names, fmt.Sprintf("%s-%d", s.name, s.budget/part))
	}
	return names
}

// finish trains the networks of the front. It then compiles, verifies and routes the best network, as far as there is
// time.
func (s *search) finish(ctx context.Context) (*Result, error) {
	ctx, end := progress.Begin(ctx, "fit")
	defer end()
	if len(s.ledger.Finals) == 0 {
		finals := s.pick()
		if err := s.ledger.record(func() { s.ledger.Finals = finals }); err != nil {
			return nil, err
		}
	}
	if err := s.trainFront(ctx); err != nil {
		return nil, err
	}
	best, err := s.complete(ctx)
	if err != nil {
		return nil, err
	}
	return s.result(*best)
}

// trainFront trains the untrained networks of the front, as far as there is time. At least one network is always
// trained. If the time is over before a network is trained, the training of the smallest network continues, because
// it takes the least time.
func (s *search) trainFront(ctx context.Context) error {
	progress.Say(ctx, "training the networks of the front")
	first, others := s.trainingTimes(len(s.ledger.Finals))
	least := max(tolerance*s.trainingLeft(), leastSeconds/4)
	timed, cancel := context.WithTimeoutCause(ctx, seconds(least), errTime)
	defer cancel()
	group, within := crew.NewGroup(timed)
	group.SetLimit(s.cores)
	for i, f := range s.ledger.Finals {
		switch {
		case f.Cost != nil:
		case i == 0:
			group.Go(func() error { return s.trainBest(within, f, first) })
		default:
			group.Go(func() error { return s.trainFinal(within, f, others) })
		}
	}
	err := group.Wait()
	if err == nil || !timeOver(timed) || slices.ContainsFunc(s.ledger.Finals, (*final).isTrained) {
		return unlessOver(timed, err)
	}
	smallest := slices.MinFunc(s.ledger.Finals, func(a, b *final) int { return cmp.Compare(a.Budget, b.Budget) })
	return unlessOver(ctx, s.trainFinal(ctx, smallest, s.left()))
}

// isTrained reports whether the network is trained and compiled.
func (f *final) isTrained() bool { return f.Cost != nil }

// unlessOver returns err, or nil if the training ended because the minutes were over.
func unlessOver(ctx context.Context, err error) error {
	if timeOver(ctx) && (errors.Is(err, library.ErrInterrupted) || errors.Is(err, ctx.Err())) {
		return nil
	}
	return err
}

// trainingTimes returns the seconds to train the first network of the front, and the seconds to train each other
// network.
func (s *search) trainingTimes(networks int) (first, others float64) {
	wall := max(1, s.trainingLeft())
	first = bestShare * wall
	return first, (wall*float64(s.cores) - first) * 0.8 / float64(max(1, networks-1))
}

// pick returns the networks of the front, the best first. Each network has the number of epochs for which there is
// time.
func (s *search) pick() (all []*final) {
	for _, t := range s.top(1) {
		all = append(all, s.finalOf(t, t.Budget))
	}
	smaller := s.ranked(roundSmaller)
	for _, part := range smallerBudgets {
		budget := float64(s.budget) / float64(part)
		if i := slices.IndexFunc(smaller, func(t *trial) bool { return t.Budget == budget }); i >= 0 {
			all = append(all, s.finalOf(smaller[i], budget))
		} else { // there was no time to try a candidate for this budget
			f := s.finalOf(s.top(1)[0], budget)
			f.Wrong, f.Metric = nil, nil
			all = append(all, f)
		}
	}
	// The best network may have a smaller budget.
	slices.SortStableFunc(all, func(a, b *final) int { return cmp.Compare(a.tried(), b.tried()) })
	first, others := s.trainingTimes(len(all))
	for i, f := range all {
		seconds := others
		f.Name = fmt.Sprintf("%s-%.0f", s.name, f.Budget)
		if i == 0 {
			f.Name, seconds = s.name, first
		}
		f.Epochs = s.epochsFor(f, seconds)
	}
	return all
}

// tried returns the loss of the network's trial. It is infinite if no trial had the network's size.
func (f *final) tried() float64 {
	if len(f.Wrong) == 0 {
		return math.Inf(1)
	}
	return f.loss()
}

// finalOf returns a network for the front that has the candidate of a trial and a width for the given budget. It is
// to be trained on all samples.
func (s *search) finalOf(t *trial, budget float64) *final {
	f := &final{trial: *t, Tried: t.Cost.cells(), TriedFor: s.epochsOfTrial(t)}
	f.Cost, f.Budget, f.Width = nil, budget, s.resized(t, margin*budget)
	return f
}

// epochsOfTrial returns the number of epochs that a trial was trained for.
func (s *search) epochsOfTrial(t *trial) int {
	for _, r := range s.ledger.Rungs {
		if slices.Contains(r.Trials, t) {
			return r.Epochs
		}
	}
	return 0
}

// epochsFor returns the number of epochs that fit into the given seconds. The time of an epoch follows from the
// network's trial.
func (s *search) epochsFor(f *final, seconds float64) int {
	epoch := s.ledger.Epoch
	for _, r := range s.ledger.Rungs {
		for _, t := range r.Trials {
			if t.Seconds > 0 && t.Budget == f.Budget && slices.Equal(t.Candidate, f.Candidate) {
				epoch = max(t.Seconds-s.ledger.Fixed*float64(len(t.Wrong)), t.Seconds/4) / float64(r.Epochs*len(t.Wrong))
			}
		}
	}
	epoch /= (1 - validationShare) / (1 - s.heldOut()) // the front is trained on more samples than trials are
	return min(max(usualEpochs, int((seconds-s.ledger.Fixed)/epoch)), s.cap())
}

// errTooLarge means that even the smallest network of a candidate does not fit.
var errTooLarge = errors.New("not even a chain for each class fits")

// trainBest trains the best network of the front. While the network is too large and there is time, trainBest makes
// it smaller and trains it again.
func (s *search) trainBest(ctx context.Context, f *final, allowed float64) error {
	for {
		if err := s.trainFinal(ctx, f, allowed); err != nil {
			return err
		}
		limit := s.limit()
		allowed = s.trainingLeft()
		if f.Cost.cells() <= limit || f.Width <= s.classes || f.Tries >= mostTries || allowed < f.Took {
			return nil
		}
		if err := s.shrink(f, limit); err != nil {
			return err
		}
	}
}

// limit returns the largest allowed size of the best network. For a device, it is the size for which the device has
// room. Otherwise it is the budget.
func (s *search) limit() int {
	limit := s.budget
	if s.keeps && s.device.Placeable() {
		s.ledger.mu.Lock()
		limit = max(limit, room(s.device.LUTs, s.ledger.Finishings))
		s.ledger.mu.Unlock()
	}
	if s.ledger.Limit > 0 {
		limit = min(limit, s.ledger.Limit)
	}
	return limit
}

// unit returns the unit of the budget.
func (s *search) unit() string {
	if s.keeps {
		return "logic cells"
	}
	return "LUTs"
}

// shrink makes a network narrower so that it should fit. From each class, it removes at least one chain and leaves at
// least one chain.
func (s *search) shrink(f *final, limit int) error {
	took := f.Cost.cells()
	width := max(min(s.resized(&f.trial, margin*float64(limit)), f.Width-s.classes), s.classes)
	err := s.ledger.record(func() { f.Width, f.Cost, f.Tries = width, nil, f.Tries+1 })
	s.note("%s takes %d of at most %d %s, so a smaller one is trained", f.Name, took, limit, s.unit())
	return err
}

// errAnew means that a training was stopped because it would have taken too long, and that it should start again.
var errAnew = errors.New("fewer epochs")

// trainFinal trains a network of the front within the given seconds. If the epochs take longer than predicted, it
// starts again with fewer epochs.
func (s *search) trainFinal(ctx context.Context, f *final, allowed float64) error {
	begin := now()
	for {
		left := allowed - now().Sub(begin).Seconds()
		trained, fewer, err := s.trainOnce(ctx, f, left)
		if errors.Is(err, errAnew) {
			s.note("%s: its %d epochs would take too long, so it is trained with %d", f.Name, f.Epochs, fewer)
			if err = s.ledger.record(func() { f.Epochs = fewer }); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		return s.ledger.record(func() {
			f.Cost, f.Accuracy, f.Test, f.Took = trained.cost, trained.accuracy, trained.test, trained.seconds
		})
	}
}

// trained is the result of a training.
type trained struct {
	cost              *cost
	accuracy, seconds float64
	test              *metrics.Values // nil unless the search is for a metric
}

// trainOnce trains a network on all training samples and writes its configuration and a log. If there is a checkpoint
// of the same configuration, it continues from the checkpoint. If the training would take much longer than allowed,
// it returns errAnew and a smaller number of epochs for which there is time.
func (s *search) trainOnce(ctx context.Context, f *final, allowed float64) (_ *trained, fewer int, err error) {
	cfg, err := s.config(f.Candidate, f.Width, f.Epochs, f.Name, 0, s.heldOut())
	if err != nil {
		return nil, 0, err
	}
	if err := s.writeConfig(f.Name, &cfg); err != nil {
		return nil, 0, err
	}
	o := library.TrainOptions{Path: s.path(f.Name + modelEnding), Threads: 1, Force: s.Force, Keep: s.Keep}
	checkpoint := trainer.CheckpointPath(o.Path)
	// A checkpoint exists only if a run was interrupted. It is used only if it belongs to the same search.
	if _, err := os.Stat(checkpoint); err == nil {
		o.Resume = s.Resume || f.begun
	}
	f.begun = true
	log, err := runlog.Append(s.path(f.Name+logEnding), s.guard)
	if err != nil {
		return nil, 0, err
	}
	defer log.Close()
	begin := now()
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	write, watch := s.logging(log), watching(f.Epochs, allowed, begin)
	o.Estimate, o.Progress = true, func(p trainer.Progress) {
		write(p)
		if p.Finished != nil && fewer == 0 {
			if fewer = watch(p.Epoch, now()); fewer > 0 {
				cancel(errAnew)
			}
		}
	}
	m, err := library.Train(timed, cfg, s.Data, o)
	if errors.Is(context.Cause(timed), errAnew) && err != nil {
		return nil, fewer, errors.Join(errAnew, remove(checkpoint, trainer.BestPath(o.Path)))
	}
	if err != nil {
		return nil, 0, err
	}
	defer m.Close()
	c, err := s.costOf(ctx, m)
	if err != nil {
		return nil, 0, err
	}
	got := m.Training()
	if warning := got.Majority.Warning(&cfg.Train, got.TestAccuracy); warning != nil && f == s.ledger.Finals[0] {
		s.warn(warning)
	}
	t := &trained{cost: c, accuracy: got.TestAccuracy, seconds: now().Sub(begin).Seconds()}
	if s.metric != "" {
		t.test = got.Values
	}
	return t, 0, remove(checkpoint, trainer.BestPath(o.Path))
}

// watching returns a function that must be called after each epoch. That function returns 0 if the training should
// continue, or the number of epochs with which the training should start again. The argument begin is the start of
// the training. The time of an epoch is measured from the first call on, because the first epoch also includes
// reading the data.
func watching(epochs int, allowed float64, begin time.Time) func(epoch int, at time.Time) int {
	first, since := 0, begin
	return func(epoch int, at time.Time) int {
		if first == 0 {
			first, since = epoch, at
			return 0
		}
		each := at.Sub(since).Seconds() / float64(epoch-first)
		return replan(epochs, epoch, each, at.Sub(begin).Seconds(), allowed)
	}
}

// remove removes files, if they exist.
func remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeConfig writes the configuration of a network. Long column names can make the file so long that it cannot be
// read again. In this case there is only a warning, because the model also holds the configuration.
func (s *search) writeConfig(name string, cfg *config.Config) error {
	text := append([]byte("# Chosen by `ialgn fit`. To train it again: ialgn train THIS -o MODEL\n"), cfg.YAML()...)
	path := s.path(name + configEnding)
	if len(text) > config.MaxSource {
		s.warn(message.WithHint(fmt.Errorf("%s: longer than the %d bytes that a configuration may have, `ialgn train` will refuse "+
			"it", path, config.MaxSource), "give the columns shorter names, or leave some out of the file"))
	}
	return outfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// logging returns a function that writes a line for each epoch. If writing fails, there is only a warning.
func (s *search) logging(log *runlog.Writer) func(trainer.Progress) {
	began := now()
	return func(p trainer.Progress) {
		if p.Finished == nil {
			return
		}
		if err := log.Write(runlog.Of(p, began)); err != nil {
			s.warn(err)
		}
	}
}

// result returns the result of the search and writes the front.
func (s *search) result(b Best) (*Result, error) {
	r := &Result{
		Target: s.Target, Metric: s.metric, Budget: s.budget, Seconds: s.ledger.spent(),
		LeftOut: append([]string{}, b.leftOut...),
	}
	for _, f := range s.ledger.Finals {
		if f.Cost == nil {
			r.LeftOut = append(r.LeftOut, "training "+f.Name)
			continue
		}
		n := Network{
			Accuracy: f.Accuracy, Values: f.Test, LUTs: f.Cost.LUTs, Config: s.path(f.Name + configEnding),
			Model: s.path(f.Name + modelEnding), Budget: int(f.Budget), Choice: f.Candidate.text(s.dims),
		}
		if len(f.Wrong) > 0 {
			n.Validation = 1 - f.wrong()
		}
		if len(f.Metric) > 0 {
			n.Metric = new(1 - f.loss())
		}
		if f == b.of {
			b.Network = n
		}
		r.Front = append(r.Front, n)
	}
	r.Best = b
	slices.SortFunc(r.Front, func(a, b Network) int { return cmp.Compare(a.LUTs.Total, b.LUTs.Total) })
	if err := s.ledger.record(func() { s.ledger.Done = len(r.LeftOut) == 0 }); err != nil {
		return nil, err
	}
	return r, s.writeFront(r)
}
