// Package fit finds, within some minutes, the most accurate network for a data set that fits a budget of look-up
// tables (LUTs).
//
// [Run] searches shapes, encoders and learning rates by successive halving: it trains many candidates for a few
// epochs, and then the better candidates for more epochs. Each candidate gets the width at which it should use the
// whole budget. It is compiled for the target, to measure its real size, and judged by its errors on a part of the
// training samples that is held out for validation.
//
// The best candidate is then trained on all training samples, and so are the best candidates for three smaller
// budgets. These networks form the front, the curve of accuracy against LUTs. The best network of the front that fits
// is compiled, verified and, on a device, routed.
//
//   - The search keeps within its minutes. A rehearsal during the first round measures how long finishing a network
//     takes, and this time is reserved. Work for which there was no time is listed in [Result.LeftOut]. A later call
//     does this work.
//   - If the draft has train.validation.metric, this metric takes the place of the accuracy, class weights are
//     searched, too, and networks get class offsets. Networks of the front hold out a part of the training samples to
//     keep their best epoch by this metric.
//   - Results on the test samples are reported, but do not influence the search.
//   - The file fit.json in the folder holds all decisions and results. An interrupted search continues from it.
//   - Decisions depend only on the results of the trials, and these results depend only on the configuration.
//     However, the number of trials depends on the speed of the machine.
package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	library "ialgn"
	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/internal/outfile"

	"ialgn/internal/target"
)

// Options says what to search for.
type Options struct {
	Target  string       // a family from [target.Names], or a device from [target.DeviceNames]
	LUTs    int          // maximum for the whole classifier; 0 means as many as fit on the device, or 2,000
	Clock   float64      // clock to reach in MHz; 0 means 12 MHz on a device, otherwise no clock
	Wrap    string       // interface of the best network; empty means stream on a device and none otherwise
	Minutes float64      // time that the search may take; 0 means 5
	Dir     string       // folder for all files that are written; made if it does not exist
	Data    library.Data // where to look for data sets
	Resume  bool         // continue the search in Dir
	Threads int          // number of threads; 0 means the largest number that can run at the same time
	Force   bool         // overwrite files that ialgn did not write
	Keep    []string     // files that must not be overwritten

	// Survey says that the draft is no configuration of the user, but only names a CSV file and has single keys. The file
	// is then surveyed as Init does.
	Survey bool

	// Note is called with progress notes, and Warn with problems that do not stop the search. Either may be nil.
	Note func(string)
	Warn func(error)
}

// These are the defaults of the options.
const (
	UsualMinutes = 5.0
	usualLUTs    = 2000
	usualMHz     = 12
)

// These are the limits of the options.
const (
	leastLUTs   = 20
	mostLUTs    = 1 << 22
	MostMinutes = 7 * 24 * 60
)

// Result is the result of a search.
type Result struct {
	Target  string    `json:"target"`
	Metric  string    `json:"metric,omitempty"` // metric by which the search chooses; empty for the accuracy
	Budget  int       `json:"budget"`           // largest number of LUTs or, for a device, of logic cells
	Front   []Network `json:"front"`            // networks of the front, the smallest first
	Best    Best      `json:"best"`
	LeftOut []string  `json:"left_out"` // work for which there was no time; a call with Resume does it
	Files   []string  `json:"files"`    // paths of the front's table and charts
	Seconds float64   `json:"seconds"`  // time of all calls together
}

// Network is a network of the front. Accuracies are shares of the samples.
type Network struct {
	Accuracy   float64 `json:"accuracy"`   // on the test samples
	Validation float64 `json:"validation"` // of its trial, on the validation samples; 0 if no trial had its size
	LUTs       LUTs    `json:"luts"`

	// Metric is like Validation for the metric of the search. It is nil if no trial had the network's size. Values are
	// on the test samples. Both are nil if the search is for the accuracy.
	Metric *float64 `json:"validation_metric,omitempty"`
	*metrics.Values

	Config string `json:"config"`
	Model  string `json:"model"`
	Budget int    `json:"budget"`
	Choice string `json:"choice"` // the values that the search chose
}

// Best is the network that was finished. It is the most accurate network on the validation samples, among the
// networks that fit and could be finished in time.
type Best struct {
	Network
	Design   string                  `json:"design"`   // folder of the compiled network, or empty if it was not compiled
	Verified string                  `json:"verified"` // level up to which the design was verified, or empty
	Routed   *library.Implementation `json:"routed,omitempty"`

	of      *final
	leftOut []string
}

// check returns an error for options that are out of range or missing.
func (o *Options) check() error {
	switch {
	case o.LUTs != 0 && (o.LUTs < leastLUTs || o.LUTs > mostLUTs):
		return message.Optionf("{LUTs} %d: give %d to %d", o.LUTs, leastLUTs, mostLUTs)
	case !(o.Minutes >= 0 && o.Minutes <= MostMinutes):
		return message.Optionf("{Minutes} %v: give the minutes that the search may take, up to %d", o.Minutes, MostMinutes)
	case o.Target == "":
		return message.WithHint(message.Optionf("{Target}: no target is named"),
			"name a family, such as xilinx7, or a device, such as ice40-up5k")
	case o.Dir == "":
		return errors.New("fit: no output folder is named")
	}
	if info, err := os.Stat(o.Dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: a file, want a folder", o.Dir)
	}
	return nil
}

// Run searches for the best network for the data set of a draft. The best network has the best value of the draft's
// train.validation.metric. It keeps the keys of the draft, except model.width, train.epochs, train.validation.share,
// train.validation.patience and name, which the search sets.
func Run(ctx context.Context, d config.Draft, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s, err := newSearch(ctx, d, o)
	if err != nil {
		return nil, err
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeoutCause(ctx, seconds(s.left()), errTime)
	defer cancel()
	if err := s.find(timed); err != nil {
		return nil, s.ended(timed, err)
	}
	r, err := s.finish(timed)
	if err != nil {
		return nil, s.ended(timed, err)
	}
	return r, nil
}

// ended returns err. If err is the result of a cancelled context, it returns a more helpful error.
func (s *search) ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return err
	case timeOver(ctx):
		return message.WithHint(
			fmt.Errorf("%w before a network that fits was trained; results so far are in %s", errTime, s.ledger.path),
			"to continue, give {Resume} with more {Minutes}")
	}
	return message.WithHint(fmt.Errorf("%w: results so far are in %s", library.ErrInterrupted, s.ledger.path),
		"to continue, give {Resume}")
}

// search is the state of a search.
type search struct {
	Options
	subject
	draft  config.Draft
	name   string        // name of the best network
	digest string        // digest of the training samples
	device target.Device // device; has no name if the target is a family
	budget int
	dims   []dimension
	guard  outfile.Guard
	ledger *ledger
	cores  int
	goal   float64 // planned end of this call, in seconds of all calls together
	end    float64 // time at which this call is stopped, in seconds of all calls together
}

// newSearch reads the data set. It determines the budget and the choices that the search must make.
func newSearch(ctx context.Context, d config.Draft, o Options) (*search, error) {
	s := &search{
		Options: o, draft: d, guard: outfile.NewGuard(o.Force, o.Keep...), cores: o.Threads,
	}
	if s.cores < 1 {
		s.cores = runtime.GOMAXPROCS(0)
	}
	if s.Minutes == 0 {
		s.Minutes = UsualMinutes
	}
	if err := s.aim(); err != nil {
		return nil, err
	}
	if err := s.best(0).Validate(); err != nil {
		return nil, err
	}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	s.dims = dimensions(s.subject, d)
	usual, err := s.config(s.usual(), s.classes, 1, "", 0, s.heldOut())
	if err != nil {
		return nil, err
	}
	s.name = usual.Name
	return s, nil
}

// usual returns the candidate that is tried first.
func (s *search) usual() candidate { return first(s.dims) }

// aim determines the target and the budget.
func (s *search) aim() error {
	if f, err := target.Find(s.Target); err == nil {
		s.family, s.lutInputs, s.budget = f.Name, f.MappedLUT(), usualLUTs
	} else {
		if s.device, err = target.FindDevice(s.Target); err != nil {
			names := append(target.Names(), target.DeviceNames()...)
			slices.Sort(names)
			return message.Optionf("{Target}: %w", message.NoSuch("target", s.Target, slices.Compact(names)))
		}
		s.family, s.lutInputs = s.device.Of().Name, s.device.LUTInputs
		s.keeps, s.budget = true, s.device.LUTs*fillPercent/100
		if s.device.LUTs == 0 {
			s.keeps, s.budget = false, usualLUTs
		}
		if s.device.Placeable() {
			if s.Wrap == "" {
				s.Wrap = "stream"
			}
			if s.Clock == 0 {
				s.Clock = usualMHz
			}
		}
	}
	if s.LUTs != 0 {
		s.keeps, s.budget = false, s.LUTs
	}
	return nil
}

// fillPercent is the percentage of a device's logic cells that the LUTs and the bits kept by the wrapper may use.
// Registers, cells that yosys adds, and the rest of the wrapper take about a quarter more. The wires of the networks
// connect distant cells: networks route on two thirds of an iCE40, but not always on four fifths
// (docs/guides/fpga.md).
const fillPercent = 50

// look reads the training samples once to measure the data.
func (s *search) look(ctx context.Context) error {
	folders := append(append([]string{}, s.Data.Folders...), dataset.Folders("")...)
	set, err := s.openSet(ctx, folders)
	if err != nil {
		return err
	}
	counts := make([]int, len(set.Classes))
	if err := set.Read(ctx, dataset.Train, func(_ []uint16, label int) error {
		counts[label]++
		return nil
	}); err != nil {
		return err
	}
	if err := s.checkGroups(ctx, set); err != nil {
		return err
	}
	s.metric, s.rootWeights = s.draft.Metric(), config.RootBalanced(set.Classes, counts)
	s.features, s.bitsIn, s.classes, s.samples = set.Features, set.BitsIn, len(set.Classes), set.TrainSamples
	s.Data = s.Data.Opened(set)
	s.images, s.digest = set.Shape != (dataset.Shape{}), set.Digest(dataset.Train)
	if len(set.Classes) < 2 {
		return fmt.Errorf("%s: all samples are of one class, want at least two classes", set.Name)
	}
	return nil
}

// open makes the folder and its ledger. If the folder has files that no search wrote, it returns an error and does
// not overwrite them.
func (s *search) open() (err error) {
	if err := s.guard.CheckAll(s.outputs()); err != nil {
		return err
	}
	a := asked{
		Keys: s.draft.Written(own...), Train: s.digest, Target: s.Target, LUTs: s.LUTs, MHz: s.Clock, Wrap: s.Wrap,
	}
	if s.ledger, err = openLedger(s.Dir, a, s.dims, s.Resume, s.guard); err != nil {
		return err
	}
	s.begin()
	return os.MkdirAll(s.Dir, 0o777)
}

func (s *search) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(fmt.Sprintf(format, args...))
	}
}

func (s *search) warn(err error) {
	if s.Warn != nil {
		s.Warn(err)
	}
}
