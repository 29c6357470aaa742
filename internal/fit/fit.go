// Package fit finds, within some minutes, the most accurate network for a data set that fits a budget of look-up
// tables.
//
// [Run] tries shapes, encoders and rates by successive halving on a validation part of the training samples: many
// candidates for a few epochs, the better of them for more. Each is given the width at which it should take the whole
// budget, is compiled for the target, and is judged by its errors at its real size. The best is then trained on all
// training samples, as are the best of three smaller budgets, which makes the front of accuracy against look-up tables.
// The best network of the front that fits is compiled, verified and, on a device, routed.
//
//   - The minutes are kept. A rehearsal during the first round shows how long it takes to finish a network, and that
//     time is reserved. What there is no time for is named in [Result.LeftOut], and a later call makes up for it.
//   - What the test samples say is reported, and decides nothing.
//   - The folder's fit.json holds what was decided and found. A search that was interrupted goes on from it.
//   - What is chosen follows from the trials, and these from the configuration; but how many there is time for
//     depends on the machine.
package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	library "ialgn"
	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/outfile"

	"ialgn/internal/target"
)

// Options say what is searched for.
type Options struct {
	Target  string       // a family, one of [target.Names], or a device, one of [target.DeviceNames]
	LUTs    int          // most look-up tables of the whole classifier; 0: what a device has room for, or 2,000
	Clock   float64      // clock in MHz to reach; 0: 12 MHz on a device, none otherwise
	Wrap    string       // interface of the best network; empty: stream on a device, none otherwise
	Minutes float64      // 0: 5
	Dir     string       // where everything is written; made if it is not there
	Data    library.Data // where data sets are looked for
	Resume  bool         // go on with the search in Dir
	Threads int          // 0: as many as the process may run at a time
	Force   bool         // write over files that ialgn did not write
	Keep    []string     // files that must not be written over

	// Note, unless nil, is told of what was found, and Warn of what may be amiss though it goes on.
	Note func(string)
	Warn func(error)
}

// What is taken where nothing is said.
const (
	UsualMinutes = 5.0
	usualLUTs    = 2000
	usualMHz     = 12
)

// The limits of what can be asked for.
const (
	leastLUTs   = 20
	mostLUTs    = 1 << 22
	MostMinutes = 7 * 24 * 60
)

// Result is what was found.
type Result struct {
	Target  string    `json:"target"`
	Budget  int       `json:"budget"` // most look-up tables, or logic cells of a device without a number of look-up tables
	Front   []Network `json:"front"`  // from the smallest
	Best    Best      `json:"best"`
	LeftOut []string  `json:"left_out"` // what there was no time for; a call with Resume goes on with it
	Files   []string  `json:"files"`    // the front as a table and as charts
	Seconds float64   `json:"seconds"`  // of all calls
}

// Network is a network of the front. Accuracies are shares of the samples.
type Network struct {
	Accuracy   float64 `json:"accuracy"`   // on the test samples
	Validation float64 `json:"validation"` // of its candidate on the validation samples; 0: it was not tried at its size
	LUTs       LUTs    `json:"luts"`
	Config     string  `json:"config"`
	Model      string  `json:"model"`
	Budget     int     `json:"budget"`
	Choice     string  `json:"choice"` // what was chosen
}

// Best is the most accurate network by validation of those that fit and that there was time to finish, with what became
// of it.
type Best struct {
	Network
	Design   string                  `json:"design"`   // folder of the compiled network; empty if it was not
	Verified string                  `json:"verified"` // level up to which it was proved; empty if it was not
	Routed   *library.Implementation `json:"routed,omitempty"`

	of      *final
	leftOut []string
}

// check refuses options that cannot be met.
func (o *Options) check() error {
	switch {
	case o.LUTs != 0 && (o.LUTs < leastLUTs || o.LUTs > mostLUTs):
		return message.Optionf("{LUTs} %d: give %d to %d", o.LUTs, leastLUTs, mostLUTs)
	case !(o.Minutes >= 0 && o.Minutes <= MostMinutes):
		return message.Optionf("{Minutes} %v: give the minutes that the search may take, up to %d", o.Minutes, MostMinutes)
	case o.Target == "":
		return message.WithHint(message.Optionf("{Target}: nothing is named to fit"),
			"name a family, such as xilinx7, or a device, such as ice40-up5k")
	case o.Dir == "":
		return errors.New("fit: no folder is named")
	}
	if info, err := os.Stat(o.Dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: is a file, want a folder", o.Dir)
	}
	return nil
}

// Run searches for the best network for the data set of a draft, whose keys are kept but for model.width, train.epochs,
// train.validation and name, which are the search's own.
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

// ended returns the error of a search that its context ended, else the error as it is.
func (s *search) ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return err
	case timeOver(ctx):
		return message.WithHint(
			fmt.Errorf("%w before a network that fits was trained; what was found is in %s", errTime, s.ledger.path),
			"give {Resume} to go on, with more {Minutes}")
	}
	return message.WithHint(fmt.Errorf("%w: what was found is in %s", library.ErrInterrupted, s.ledger.path),
		"give {Resume} to go on")
}

// search is a search under way.
type search struct {
	Options
	subject
	draft  config.Draft
	name   string        // of the best network
	digest string        // of the training samples
	device target.Device // without a name where a family is fitted
	budget int
	dims   []dimension
	guard  outfile.Guard
	ledger *ledger
	cores  int
	goal   float64 // seconds of all calls that this one is planned for
	end    float64 // seconds of all calls at which it is ended
}

// newSearch reads the data set, and finds what is searched and for how large networks.
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
	usual, err := s.config(s.usual(), s.classes, 1, "", 0, 0)
	if err != nil {
		return nil, err
	}
	s.name = usual.Name
	return s, nil
}

// usual is the candidate that is tried first.
func (s *search) usual() candidate { return first(s.dims) }

// aim finds what is fitted, and how large it may be.
func (s *search) aim() error {
	if f, err := target.Find(s.Target); err == nil {
		s.family, s.lutInputs, s.budget = f.Name, f.LUT.Most, usualLUTs
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

// fillPercent is how much of a device's logic cells is filled by look-up tables and the bits that the wrapper keeps.
// Registers, what yosys makes of the Verilog, and the wrapper take about a quarter of that on top; and networks, whose
// wires go everywhere, route on two thirds of an iCE40, and on four fifths do not always (docs/FPGA.md).
const fillPercent = 50

// look reads the training samples once.
func (s *search) look(ctx context.Context) error {
	folders := append(append([]string{}, s.Data.Folders...), dataset.Folders("")...)
	set, err := s.openSet(ctx, folders)
	if err != nil {
		return err
	}
	if err := set.Read(ctx, dataset.Train, func([]uint16, int) error { return nil }); err != nil {
		return err
	}
	s.features, s.bitsIn, s.classes, s.samples = set.Features, set.BitsIn, len(set.Classes), set.TrainSamples
	s.Data = s.Data.Opened(set)
	s.images, s.digest = set.Shape != (dataset.Shape{}), set.Digest(dataset.Train)
	if len(set.Classes) < 2 {
		return fmt.Errorf("%s: all samples are of one class, and nothing is to be told apart", set.Name)
	}
	return nil
}

// columnKeys are the keys that say what the columns of a CSV file are.
var columnKeys = []string{"data.columns", "data.drop", "data.categories", "data.missing"}

// openSet opens the data set. A CSV file that cannot be read without being told what its columns are is looked at,
// unless the draft says something of them, and the draft gets what [dataset.Survey] says.
func (s *search) openSet(ctx context.Context, folders []string) (*dataset.Set, error) {
	if s.draft.Data().Set == "csv" {
		if err := s.draft.CheckTable(); err != nil {
			return nil, err
		}
	}
	set, err := dataset.OpenWith(ctx, s.draft.Data(), s.draft.Encoder(), folders)
	if err == nil || s.draft.Data().Set != "csv" || slices.ContainsFunc(columnKeys, s.draft.Given) {
		return set, err
	}
	survey, lookErr := dataset.SurveyTable(ctx, s.draft.Data(), folders)
	if lookErr != nil || survey.Plain() {
		return nil, err
	}
	keys, err := survey.Keys()
	if err != nil {
		return nil, err
	}
	var sets []string
	for _, k := range keys {
		sets = append(sets, k.Name+"="+k.Value)
	}
	if survey.LabelFound {
		sets = append(sets, "data.label="+survey.Label())
	}
	if s.draft, err = s.draft.Set(sets...); err != nil {
		return nil, err
	}
	s.note("the columns are read with %s", strings.Join(sets, ", "))
	return dataset.OpenWith(ctx, s.draft.Data(), s.draft.Encoder(), folders)
}

// open makes the folder and its ledger, and refuses to write over what no search wrote.
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
