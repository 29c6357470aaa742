package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	library "ialgn"
	"ialgn/internal/atomicfile"
	"ialgn/internal/crew"
	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
	"ialgn/internal/plot"
	"ialgn/internal/progress"
	"ialgn/trainer"
	"ialgn/trainer/config"
	"ialgn/trainer/runlog"
)

// When the networks of the front are trained, as shares of the minutes.
const (
	finishedBy = 0.92 // the rest is for compiling and proving
	routedBy   = 0.75 // where a device is routed
	bestShare  = 0.55 // of that time for the best network, with one core
)

// margin is how much of the budget the best network is aimed at: the sizes of longer trained networks differ a little.
const margin = 0.985

// shrinks is how often a network that does not fit is made smaller, before it gets a chain a class alone.
const shrinks = 4

// Endings of the files of a network.
const (
	modelEnding  = ".safetensors"
	configEnding = ".yaml"
	logEnding    = ".jsonl"
)

func (s *search) path(name string) string { return filepath.Join(s.Dir, name) }

// outputs are the files that a search writes, but for those of networks, which have their own guard.
func (s *search) outputs() []overwrite.File {
	all := []overwrite.File{
		{Path: s.path(ledgerFile), Form: overwrite.Search}, {Path: s.path(frontTable), Form: overwrite.Front},
	}
	all = append(all, plot.Files(s.path(frontChart))...)
	for _, name := range s.names() {
		all = append(all, overwrite.File{Path: s.path(name + configEnding), Form: overwrite.Chosen},
			overwrite.File{Path: s.path(name + modelEnding), Form: overwrite.Model},
			overwrite.File{Path: s.path(name + logEnding), Form: overwrite.Log})
	}
	return all
}

// names are those that networks can get, the best one's first.
func (s *search) names() []string {
	names := []string{s.name}
	for _, part := range append([]int{1}, smallerBudgets...) {
		names = append(names, fmt.Sprintf("%s-%d", s.name, s.budget/part))
	}
	return names
}

// finish trains the networks of the front, and compiles, verifies and routes the best.
func (s *search) finish(ctx context.Context) (*Result, error) {
	ctx, end := progress.Begin(ctx, "fit")
	defer end()
	if len(s.ledger.Finals) == 0 {
		if err := s.ledger.record(func() { s.ledger.Finals = s.pick() }); err != nil {
			return nil, err
		}
	}
	progress.Say(ctx, "training the networks of the front")
	group, within := crew.NewGroup(ctx)
	group.SetLimit(s.cores)
	for _, f := range s.ledger.Finals {
		if f.Cost == nil {
			group.Go(func() error { return s.trainFinal(within, f, f == s.ledger.Finals[0]) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	best, err := s.complete(ctx)
	if err != nil {
		return nil, err
	}
	return s.result(*best)
}

// pick returns the networks of the front, the best first, each with as many epochs as there is time for.
func (s *search) pick() (all []*final) {
	for _, t := range s.top(1) {
		all = append(all, s.finalOf(t, t.Budget))
	}
	smaller := s.ranked(roundSmaller)
	for _, part := range smallerBudgets {
		budget := float64(s.budget) / float64(part)
		if i := slices.IndexFunc(smaller, func(t *trial) bool { return t.Budget == budget }); i >= 0 {
			all = append(all, s.finalOf(smaller[i], budget))
		} else { // there was no time to try any
			f := s.finalOf(s.top(1)[0], budget)
			f.Wrong = nil
			all = append(all, f)
		}
	}
	// The best may be one that leaves room.
	slices.SortStableFunc(all, func(a, b *final) int { return cmp.Compare(a.tried(), b.tried()) })
	wall := s.trainingTime()
	first := bestShare * wall
	others := (wall*float64(s.cores) - first) * 0.8 / float64(max(1, len(all)-1))
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

// trainingTime returns the seconds that are left to train networks of the front, at least one.
func (s *search) trainingTime() float64 {
	by := finishedBy
	if s.device.Placeable() {
		by = routedBy
	}
	return max(1, s.left(by).Seconds())
}

// tried returns the share of wrong validation samples, all if the network was not tried at its size.
func (f *final) tried() float64 {
	if len(f.Wrong) == 0 {
		return 1
	}
	return f.wrong()
}

// finalOf returns the network of a trial that is to be trained on all samples, for a budget.
func (s *search) finalOf(t *trial, budget float64) *final {
	f := &final{trial: *t}
	f.Cost, f.Budget, f.Width = nil, budget, t.resized(margin*budget, s.classes)
	return f
}

// epochsFor returns how many epochs a network can be trained for in a time, by what its trial took.
func (s *search) epochsFor(f *final, seconds float64) int {
	epoch := s.ledger.Epoch
	for _, r := range s.ledger.Rungs {
		for _, t := range r.Trials {
			if t.Seconds > 0 && t.Budget == f.Budget && slices.Equal(t.Candidate, f.Candidate) {
				epoch = max(t.Seconds-s.ledger.Fixed*float64(len(t.Wrong)), t.Seconds/4) / float64(r.Epochs*len(t.Wrong))
			}
		}
	}
	epoch /= 1 - validationShare // all samples
	return min(max(usualEpochs, int((seconds-s.ledger.Fixed)/epoch)), s.cap())
}

// errTooLarge is the error of a candidate of which no network was made that fits.
var errTooLarge = errors.New("not even a chain for each class fits")

// trainFinal trains a network of the front. The best has to fit: it is made smaller where it does not, and where that
// does not help, the next best candidate takes its place.
func (s *search) trainFinal(ctx context.Context, f *final, fits bool) error {
	for {
		err := s.trainFitting(ctx, f, fits)
		next := s.after(f.Candidate)
		if !errors.Is(err, errTooLarge) || next == nil {
			return err
		}
		err = s.ledger.record(func() {
			by := *s.finalOf(next, float64(s.budget))
			by.Name, by.Epochs = f.Name, s.epochsFor(&by, bestShare*s.trainingTime())
			*f = by
		})
		if err != nil {
			return err
		}
		s.note("%s: the next best candidate is trained instead (%s)", f.Name, f.Candidate.text(s.dims))
	}
}

// trainFitting trains a network of the front, and smaller ones if it has to fit and does not.
func (s *search) trainFitting(ctx context.Context, f *final, fits bool) error {
	for try := 1; ; try++ {
		c, accuracy, err := s.trainOnce(ctx, f)
		if err != nil {
			return err
		}
		over := float64(c.cells()) / f.Budget
		if over <= 1 || !fits {
			return s.ledger.record(func() { f.Cost, f.Accuracy = c, accuracy })
		}
		by := margin / over
		if try >= shrinks {
			by = 0 // as narrow as can be
		}
		if err := s.shrink(f, by); err != nil {
			return err
		}
		s.note("%s takes %d of %.0f %s, so a smaller one is trained", f.Name, c.cells(), f.Budget, s.unit())
	}
}

// unit is what the budget is of.
func (s *search) unit() string {
	if s.keeps {
		return "logic cells"
	}
	return "LUTs"
}

// shrink makes a network narrower, by a chain a class at least, and leaves one.
func (s *search) shrink(f *final, by float64) error {
	chains := f.Width / s.classes
	width := min(max(int(by*float64(f.Width))/s.classes, 1), chains-1) * s.classes
	if width < s.classes {
		return hint.With(
			fmt.Errorf("%s: %w (%s)", s.name, errTooLarge, f.Candidate.text(s.dims)),
			"give more {LUTs}, or a larger device; thresholds that the configuration gives may be too many")
	}
	return s.ledger.record(func() { f.Width, f.Cost = width, nil })
}

// trainOnce trains a network on all training samples, going on from a checkpoint of this very configuration, and writes
// its configuration and a log.
func (s *search) trainOnce(ctx context.Context, f *final) (*cost, float64, error) {
	cfg, err := s.config(f.Candidate, f.Width, f.Epochs, f.Name, 0, 0)
	if err != nil {
		return nil, 0, err
	}
	if err := s.writeConfig(f.Name, &cfg); err != nil {
		return nil, 0, err
	}
	o := library.TrainOptions{Path: s.path(f.Name + modelEnding), Threads: 1, Force: s.Force, Keep: s.Keep}
	checkpoint := trainer.CheckpointPath(o.Path)
	// One is there only of a run that was interrupted, and only a ledger of the same search makes it go on.
	if _, err := os.Stat(checkpoint); err == nil {
		o.Resume = s.Resume
	}
	log, err := runlog.Append(s.path(f.Name+logEnding), s.guard)
	if err != nil {
		return nil, 0, err
	}
	defer log.Close()
	o.Estimate, o.Progress = true, s.logging(log)
	m, err := library.Train(ctx, cfg, s.Data, o)
	if err != nil {
		return nil, 0, err
	}
	defer m.Close()
	c, err := s.costOf(ctx, m)
	if err != nil {
		return nil, 0, err
	}
	last, err := lastEpoch(m)
	if err != nil {
		return nil, 0, err
	}
	if err := os.Remove(checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	accuracy := float64(last.TestCorrect) / float64(last.TestSamples)
	if warning := m.Training().Majority.Warning(accuracy); warning != nil && f == s.ledger.Finals[0] {
		s.warn(warning)
	}
	return c, accuracy, nil
}

// writeConfig writes the configuration of a network. That one is too long to be read again, for the names of columns in
// it, is a warning: the model has it, too.
func (s *search) writeConfig(name string, cfg *config.Config) error {
	text := append([]byte("# Chosen by `ialgn fit`. To train it again: ialgn train THIS -o MODEL\n"), cfg.YAML()...)
	path := s.path(name + configEnding)
	if len(text) > config.MaxSource {
		s.warn(hint.With(fmt.Errorf("%s: longer than the %d bytes that a configuration may have, `ialgn train` will refuse "+
			"it", path, config.MaxSource), "give the columns shorter names, or leave some out of the file"))
	}
	err := atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// logging returns what writes a line an epoch. That one cannot be written is a warning.
func (s *search) logging(log *runlog.Writer) func(library.Progress) {
	began := time.Now()
	return func(p library.Progress) {
		if p.Finished == nil {
			return
		}
		if err := log.Write(runlog.Of(p, began)); err != nil {
			s.warn(err)
		}
	}
}

// result returns what was found, and writes the front.
func (s *search) result(b Best) (*Result, error) {
	r := &Result{Target: s.Target, Budget: s.budget, Seconds: s.ledger.spent()}
	for i, f := range s.ledger.Finals {
		n := Network{
			Accuracy: f.Accuracy, Validation: 1 - f.tried(), LUTs: f.Cost.LUTs, Config: s.path(f.Name + configEnding),
			Model: s.path(f.Name + modelEnding), Budget: int(f.Budget), Choice: f.Candidate.text(s.dims),
		}
		if i == 0 {
			b.Network = n
		}
		r.Front = append(r.Front, n)
	}
	r.Best = b
	slices.SortFunc(r.Front, func(a, b Network) int { return cmp.Compare(a.LUTs.Total, b.LUTs.Total) })
	if err := s.ledger.record(func() { s.ledger.Done = true }); err != nil {
		return nil, err
	}
	return r, s.writeFront(r)
}
