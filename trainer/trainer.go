// Package trainer trains a logic gate network from a configuration and a data set, and writes its model file.
//
// A [Run] trains for a number of epochs. After each epoch it evaluates the frozen network on the test part. It
// saves checkpoints on the way and writes the model at the end.
//
// The bytes of the model file depend only on the configuration, the data and the seed. They do not depend on the
// number of threads, on interruptions, on the time or on the machine. They also do not depend on the number of
// processes that share the network (Run.Ranks).
package trainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/draw"
	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/memory"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
	"ialgn/internal/ranks"
	"ialgn/trainer/internal/augment"
)

// Run holds the options of one training run. [Run.Train] executes it.
type Run struct {
	Config  config.Config
	Model   string        // path of the model file; the checkpoint is at [CheckpointPath]
	Folders []string      // folders to search for data sets
	Data    *dataset.Set  // the open data set, so that no file is read twice; nil means not open yet
	Threads int           // number of threads; 0 means GOMAXPROCS
	Resume  bool          // continue from the checkpoint
	Start   string        // path of a model file with the initial parameters; empty means random parameters
	Guard   outfile.Guard // says which existing files may be replaced

	// Ranks, unless nil, connects the processes that train the network together. Each process trains a share of every
	// class's chains. All processes must have the same configuration, data and files. Only Threads and Progress may
	// differ.
	Ranks ranks.Comm

	Like *Earlier // unless nil, an earlier run whose data this run must match

	Watch Watcher // unless nil, called at each optimiser step

	Estimate bool // after each epoch, Progress gets an estimate of the network's look-up tables

	// Warn, unless nil, is called if a checkpoint cannot be written during the run, and the run continues. If Warn is
	// nil, such a failure ends the run. A failure to write the last checkpoint always ends the run. Warn is also
	// called if groups of the training file are in the test file, too, and if the accuracy is no better than the accuracy
	// of always predicting the most frequent class.
	Warn func(error)

	// Progress, unless nil, is called after each batch and after each epoch, in the goroutine that called Train.
	Progress func(Progress)
}

// ErrInterrupted says that the context ended. The checkpoint holds the work done until then.
var ErrInterrupted = errors.New("interrupted")

// session is a run in progress.
type session struct {
	Run
	data *Data
	part *ranks.Share // this rank's part of the network; nil means the whole network

	outcome engine.Result // result of the last step

	m      *model.Model
	eng    engine.Engine
	rates  schedule
	at     position
	frozen *model.Frozen // reused by each evaluation

	hooks
	stopped bool // the run must end before its last epoch
	tested  tested

	order  []int32             // the epoch's samples, shuffled
	gather func(index []int32) // writes samples of the training set to rows

	// words returns feature words that include the samples gathered last. It also returns the indices of these
	// samples among the feature words.
	words func(index []int32) (*encoding.Packed, []int32)

	rows   []uint64 // thermometer bits of one batch
	labels []uint8

	inStep time.Duration // time that this call has spent in optimiser steps

	started    time.Time
	startSteps int
	saved      time.Time
	saveCost   time.Duration
}

// position says how far a run has come. A checkpoint stores it with the parameters and moments.
type position struct {
	Step    int     `json:"step"`  // optimiser steps done
	Epoch   int     `json:"epoch"` // epochs finished
	Batch   int     `json:"batch"` // batches done in the epoch that follows the finished epochs
	LossSum float64 `json:"loss_sum"`
	Correct int     `json:"correct"`
}

// Train trains the network and writes the model file. If the context ends, Train finishes the current batch, saves a
// checkpoint and returns an error that wraps [ErrInterrupted]. If the context ends before the first batch, Train
// returns the same kind of error and saves no checkpoint.
func (r Run) Train(ctx context.Context) (*Summary, error) {
	if r.Threads <= 0 {
		r.Threads = runtime.GOMAXPROCS(0)
	}
	s := &session{Run: r}
	defer s.close()
	if err := s.meet(s.open(ctx)); err != nil {
		return nil, err
	}
	if err := s.agree(s.prepare()); err != nil {
		return nil, err
	}
	if err := s.train(ctx); err != nil {
		return nil, err
	}
	return s.finish()
}

// open checks the configuration, takes the lock of the model, and reads the data.
func (s *session) open(ctx context.Context) error {
	from, err := s.Foreign()
	if err == nil {
		err = s.goOnFrom(from)
	}
	if err != nil {
		return err
	}
	if err := cmp.Or(s.Config.Check(), s.Config.CheckRemoved()); err != nil {
		return err
	}
	if err := s.checkRanks(); err != nil {
		return err
	}
	if err := s.checkRoom(); err != nil {
		return err
	}
	if s.writes() {
		locked, err := s.lock()
		if err != nil {
			return err
		}
		s.closing = append(s.closing, locked.Release)
	}
	s.data, err = s.load(ctx, from)
	if err != nil && ctx.Err() != nil {
		return interruptedReading(s.Config)
	}
	if err != nil {
		return err
	}
	if err := s.Like.sameData(s.data); err != nil {
		return err
	}
	if warning := s.data.shared.Warning(); warning != nil && s.Warn != nil {
		s.Warn(warning)
	}
	if s.writes() {
		outfile.RemoveLeftovers(CheckpointPath(s.Model))
		outfile.RemoveLeftovers(BestPath(s.Model))
		outfile.RemoveLeftovers(s.Model)
	}
	s.warnOfUnseen()
	if err := s.data.holdOut(s.Config.Train.Validation, s.Config.Train.Seed); err != nil {
		return err
	}
	return s.takeShare()
}

// close calls the closing hooks. It must be called whether the run succeeds or fails.
func (s *session) close() {
	for _, hook := range slices.Backward(s.closing) {
		hook()
	}
}

// interruptedReading returns the error for a context that ended before the first batch.
func interruptedReading(cfg config.Config) error {
	return fmt.Errorf("%w while reading data set %s: nothing was trained yet, and nothing is lost", ErrInterrupted,
		cfg.Data.Set)
}

// prepare makes the model and the engine, either new or from the checkpoint.
func (s *session) prepare() error {
	s.addFeatures()
	var err error
	if s.Resume {
		err = s.restore()
	} else {
		err = s.begin()
	}
	if err != nil {
		return err
	}
	if err := call(s.beginning); err != nil {
		return err
	}
	s.order = make([]int32, s.data.Train.Len())
	s.gather = s.batcher()
	s.rows = memory.MakeHuge[uint64](s.data.Encoder.Inputs() * s.eng.Words())
	s.labels = make([]uint8, 0, s.Config.Train.Batch)
	s.rates = newSchedule(&s.Config.Train, s.batches())
	return nil
}

// batcher returns a function that writes samples of the training set to rows, with augmentation if configured.
func (s *session) batcher() func(index []int32) {
	if t := &s.Config.Train; t.Augment.Active() {
		b := augment.NewBatcher(t, s.data.Shape, s.data.Encoder, s.data.Words, s.eng.Words(), s.eng.Crew())
		numbers := make([]int32, t.Batch)
		for i := range numbers {
			numbers[i] = int32(i)
		}
		s.words = func(index []int32) (*encoding.Packed, []int32) { return b.Words(), numbers[:len(index)] }
		return func(index []int32) { b.Batch(s.rows, s.at.Epoch, index) }
	}
	if s.Config.Encoder.Learned() {
		b := encoding.NewWordBatcher(s.data.Encoder, s.data.Words, s.eng.Words(), s.eng.Crew())
		s.words = func(index []int32) (*encoding.Packed, []int32) { return s.data.Words, index }
		return func(index []int32) { b.Batch(s.rows, index) }
	}
	b := encoding.NewBatcher(s.data.Encoder, s.data.Train, s.eng.Words(), s.eng.Crew())
	return func(index []int32) { b.Batch(s.rows, index) }
}

// begin makes a new model, drawn or from a file, and its engine.
func (s *session) begin() (err error) {
	if s.Start != "" {
		s.m, err = s.start()
	} else {
		s.m = initialPart(s.Config, s.data.Encoder, s.data.Classes, s.part, s.Threads)
		s.m.Record = s.record()
	}
	if err == nil {
		err = s.m.Validate() // otherwise the run could train a whole epoch that cannot be saved
	}
	if err != nil {
		return err
	}
	s.eng, err = engine.NewRank(s.m, s.Config.Train.Batch, s.Threads, s.Ranks)
	return err
}

// record returns the record of a run that has not trained yet.
func (s *session) record() model.Record {
	return model.Record{DataSet: s.data.Name, Train: s.data.TrainSHA256, Test: s.data.TestSHA256}
}

func (s *session) train(ctx context.Context) error {
	if err := s.first(s.putAside); err != nil {
		return err
	}
	s.started, s.saved, s.startSteps = time.Now(), time.Now(), s.at.Step
	for s.at.Epoch < s.Config.Train.Epochs && !s.stopped {
		if err := s.epoch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// epoch trains the rest of the current epoch and evaluates it. The order of the samples depends only on (seed,
// epoch), so a resumed epoch has the same order.
func (s *session) epoch(ctx context.Context) error {
	draw.New(s.Config.Train.Seed, draw.Shuffle, s.at.Epoch, 0).Permutation(s.order)
	for s.at.Batch < s.batches() {
		if err := s.batch(ctx); err != nil {
			return err
		}
		s.report(Progress{})
		if err := s.saveWhenDue(ctx); err != nil {
			return err
		}
	}
	if err := s.checkNumbers(); err != nil {
		return err
	}
	p, err := s.evaluate(ctx)
	if s.interrupted(ctx, err) {
		return s.interrupt()
	}
	if err != nil {
		return err
	}
	s.m.Record.Epochs = append(s.m.Record.Epochs, *p.Finished)
	s.at = position{Step: s.at.Step, Epoch: s.at.Epoch + 1}
	if err := call(s.ended); err != nil {
		return err
	}
	s.report(p)
	runtime.GC() // otherwise an epoch's garbage grows to the size of the network, which may be gigabytes
	return nil
}

func (s *session) batches() int {
	return batchesOf(s.data.Train.Len(), s.Config.Train.Batch)
}

// batch gathers the next batch and makes one optimiser step.
func (s *session) batch(ctx context.Context) error {
	size := s.Config.Train.Batch
	index := s.order[s.at.Batch*size : min((s.at.Batch+1)*size, len(s.order))]
	s.gather(index)
	s.labels = s.labels[:0]
	for _, i := range index {
		s.labels = append(s.labels, s.data.Train.Labels[i])
	}
	s.at.Step++
	adam := s.rates.adam(&s.Config.Train.Optimizer, s.at.Step)
	b := engine.Batch{X: s.rows, Labels: s.labels, Step: s.at.Step}
	for _, hook := range s.stepping {
		hook(ctx, &b, index)
	}
	step := func() {
		begin := time.Now()
		s.outcome = s.eng.Step(b, adam)
		s.inStep += time.Since(begin)
	}
	for _, hook := range s.around {
		inner := step
		step = func() { hook(s.at.Step, inner) }
	}
	step()
	if s.outcome.Err != nil {
		return lost(s.outcome.Err)
	}
	if err := call(s.stepped); err != nil {
		return err
	}
	s.at.Batch++
	s.at.LossSum += float64(s.outcome.Loss * float64(len(index)))
	s.at.Correct += s.outcome.Correct
	return nil
}

// evaluate ends the epoch. It measures the metrics of the frozen network on the test part.
func (s *session) evaluate(ctx context.Context) (Progress, error) {
	s.frozen = s.eng.Frozen(s.frozen)
	scores, err := s.countAll(ctx, s.frozen, s.data.Test)
	if err != nil {
		return Progress{}, err
	}
	labels := s.data.Test.Labels
	p := Progress{Finished: &model.Epoch{
		Loss: s.at.LossSum / float64(len(s.order)), TrainCorrect: s.at.Correct, TrainSamples: len(s.order),
		TestCorrect: scores.Correct(labels), TestSamples: len(labels),
	}, Scores: metrics.Of(scores.Confusion(labels), labels, scores.Counts)}
	for _, hook := range s.evaluated {
		if err := hook(ctx, &p); err != nil {
			return Progress{}, err
		}
	}
	return p, nil
}

// rate returns gate steps per second of wall time since the first batch of this call, including the time for
// evaluation and checkpoints.
func (s *session) rate() float64 {
	gates := float64(s.Config.Model.Nodes())
	return gates * float64(s.at.Step-s.startSteps) / max(1e-9, time.Since(s.started).Seconds())
}

// finish writes the model and the last checkpoint.
func (s *session) finish() (*Summary, error) {
	speed := &Speed{time.Since(s.started).Seconds(), s.rate()}
	sum, err := s.saveBoth()
	if err = s.agree(err); err != nil {
		return nil, err
	}
	sm := summarise(s.Model, s.Config, s.m)
	sm.Speed, sm.SHA256, sm.Values = speed, sum, s.tested[sm.KeptEpoch]
	last := s.m.Record.Epochs[len(s.m.Record.Epochs)-1]
	sm.Seen = &Seen{s.data.majority(), s.data.Clipped, s.data.Unknown, last.TrainSamples + last.ValidationSamples}
	if warning := sm.Majority.Warning(&s.Config.Train, sm.TestAccuracy); warning != nil && s.Warn != nil {
		s.Warn(warning)
	}
	return sm, nil
}

// saveBoth writes the last checkpoint to a temporary file, then the model, and then renames the checkpoint. The
// checkpoint must be written first, because the model may get the parameters of an earlier epoch, and loading these
// overwrites the last epoch's parameters in memory. If the disk has no room for both files, saveBoth removes the
// checkpoint, since the model is more important.
func (s *session) saveBoth() (sum string, err error) {
	extra, err := s.extra()
	if err != nil {
		return "", err
	}
	state, lost := s.stage(extra)
	if err = s.agree(call(s.keeping)); err == nil {
		sum, err = s.saveModel()
	}
	if lost == nil && noRoom(err) {
		state.Abort()
		lost = fmt.Errorf("%s: %w", CheckpointPath(s.Model), errors.Unwrap(err))
		sum, err = s.saveModel()
	}
	if lost == nil {
		lost = commit(state, CheckpointPath(s.Model))
	}
	if err == nil && lost != nil {
		err = message.Optionf("%w; the model %s is written, but {Resume} would continue from an earlier "+
			"checkpoint, if there is one", lost, s.Model)
	}
	return sum, err
}

// noRoom reports whether an error means that the disk is full or the file too large.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// interrupt saves a checkpoint and returns the error that wraps [ErrInterrupted].
func (s *session) interrupt() error {
	if err := s.save(); err != nil {
		return err
	}
	return fmt.Errorf("%w after %d of %s and %s; the work so far is in %s", ErrInterrupted, s.at.Epoch,
		message.Plural(s.Config.Train.Epochs, "epoch", "epochs"), message.Plural(s.at.Batch, "batch", "batches"),
		CheckpointPath(s.Model))
}
