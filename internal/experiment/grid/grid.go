// Package grid trains grids. A grid is a list of rows. Each row is a configuration with some seeds, and each seed is
// a run. Finished runs are kept in a folder.
//
// A [Plan] belongs to a folder and gets its rows one by one by [Plan.Add]. Add looks for results of earlier calls,
// and returns an error if the folder has files of other runs under the row's names. After that, the caller can do one
// of these things:
//
//   - train all runs ([Plan.Train]);
//   - train one run ([Plan.TrainIndex]);
//   - predict the time ([Plan.Forecast]);
//   - write a job for a cluster ([Plan.Emit]).
//
// Three rules hold:
//
//   - A run that the folder has is not trained again, and an interrupted run continues from its checkpoint.
//   - The files of a row have the name of its configuration. Two rows with the same name have the same configuration
//     and share their runs.
//   - The result depends only on the configurations and the data, not on jobs, threads or interruptions.
//
// The package makes no tables. It passes each complete row to a [Table] of the caller.
package grid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
	"ialgn/internal/ranks"
	"ialgn/trainer"
)

// Options says where and how a grid is trained. Options do not influence the results.
type Options struct {
	Dir     string // made if it does not exist
	Folders []string
	Threads int
	Guard   outfile.Guard // decides which files in the folder may be replaced
	Jobs    int           // number of concurrent runs, which share the threads; 0 means one; see [Fitting]
	Hours   float64       // time after which training is interrupted, at most [MostHours]; 0 means no limit

	Ranks ranks.Comm // processes that train the run of [Plan.TrainIndex] together; nil for one process

	// Train is called for each run instead of [trainer.Seeds.Train], unless it is nil. It can train a copy of the run
	// with its own callbacks, to show the progress or to keep a log. Concurrent runs call it from several goroutines.
	Train func(context.Context, trainer.Seeds) (*trainer.SeedsSummary, error)
}

// Row is a network that is trained with some seeds.
type Row struct {
	Config config.Config // its name is the prefix of the row's file names; its seed is ignored
	Seeds  []uint64
	Data   *dataset.Set // data of the row if the caller has opened them, otherwise nil

	// Unmade is set if the caller could not make the files of the data, because it did not find their sources.
	Unmade *dataset.MissingError
}

// Found describes the state of a row before it is trained.
type Found struct {
	Finished bool // whether all runs of the row are finished

	// Missing is the error for a data set that was not found. It is nil if all runs are finished, since they need no
	// data.
	Missing *dataset.MissingError
}

// Table receives the results. It is called by one goroutine at a time.
type Table interface {
	// Fill is called when all runs of a row are complete. The runs are in the order of the row's seeds.
	Fill(row int, runs []trainer.SeedSummary, results []*Result)
	// Write is called after one or more calls of Fill.
	Write() error
}

// Plan holds the rows of a grid and the runs that are done. Rows are numbered from 0, in the order in which they were
// added.
type Plan struct {
	Options
	Kind   string // name of the grid's kind in errors, such as experiment
	Target string // family for which models are compiled, to count their LUTs; "" to compile no models
	Tested bool   // whether results have the confusion matrix and the metrics of the test samples
	Table  Table  // receives the results; may be nil

	rows []planned

	mu     sync.Mutex // guards the fields below and the table
	data   sources
	shapes map[Source]Shape   // shapes of data that were found
	done   map[string]outcome // outcomes by the path of the model
}

// NewPlan returns a plan without rows.
func NewPlan(o Options, kind string) *Plan {
	return &Plan{Options: o, Kind: kind, data: sources{}, shapes: map[Source]Shape{}, done: map[string]outcome{}}
}

// planned is a row with its state.
type planned struct {
	Row
	Found
	asked bool // the user asked to train the row
	left  bool // the row is neither asked for nor finished
	never bool // the row is left, and its results in the folder are ignored too
}

// outcome is the outcome of a finished run.
type outcome struct {
	run    *trainer.SeedSummary
	result *Result
}

// Add adds a row and returns its state. If asked is false, the row is not trained, but goes to the table if it is
// finished. Add returns an error if files with the row's names belong to other runs. It also returns an error if the
// runs in the folder used other data than runs of earlier rows on the same data set.
func (p *Plan) Add(ctx context.Context, row Row, asked bool) (Found, error) {
	e := planned{Row: row, asked: asked, Found: Found{Finished: true}}
	for _, s := range p.runsOf(row) {
		found, err := p.data.survey(&s)
		if err != nil {
			return Found{}, err
		}
		e.Finished = e.Finished && found != nil && found.Finished
	}
	if row.Data != nil {
		p.shapes[SourceOf(&row.Config)] = *ShapeOf(row.Data, "")
	}
	e.left = !asked && !e.Finished
	if !e.left && !e.Finished && row.Data == nil {
		if e.Missing = row.Unmade; e.Missing == nil {
			e.Missing = p.absent(ctx, row.Config)
		}
	}
	p.rows = append(p.rows, e)
	return e.Found, nil
}

// Leave adds a row that is not trained. Results for it in the folder are ignored.
func (p *Plan) Leave(row Row) { p.rows = append(p.rows, planned{Row: row, left: true, never: true}) }

// model returns the path of a row's models, without the seed.
func (p *Plan) model(r *Row) string { return filepath.Join(p.Dir, r.Config.Name+".safetensors") }

// runsOf returns the runs of a row, one for each seed.
func (p *Plan) runsOf(r Row) []trainer.Seeds {
	all := make([]trainer.Seeds, len(r.Seeds))
	for i, seed := range r.Seeds {
		all[i] = trainer.Seeds{N: 1, Refuse: p.foreign, Run: trainer.Run{
			Config: r.Config, Model: p.model(&r), Data: r.Data, Folders: p.Folders, Resume: true, Guard: p.Guard,
		}}
		all[i].Config.Train.Seed = seed
	}
	return all
}

// absent returns the error for a configuration's data set if it is not found, and otherwise nil. It ignores other
// errors, because training reports these. If the data set is found, absent keeps its shape.
func (p *Plan) absent(ctx context.Context, cfg config.Config) *dataset.MissingError {
	set, err := dataset.OpenWith(ctx, cfg.Data, cfg.Encoder, p.Folders)
	if err == nil {
		p.shapes[SourceOf(&cfg)] = *ShapeOf(set, "")
	}
	var missing *dataset.MissingError
	errors.As(err, &missing)
	return missing
}

// Missing returns the error of the first unfinished row whose data set was not found, or nil if there is no such row.
func (p *Plan) Missing() *dataset.MissingError {
	for _, e := range p.rows {
		if e.Missing != nil {
			return e.Missing
		}
	}
	return nil
}

// Empty reports whether no run is done.
func (p *Plan) Empty() bool { return len(p.done) == 0 }

// runs returns the runs that can be trained or are finished, in the order of the rows. If rows share a network, its
// runs are included once.
func (p *Plan) runs() []trainer.Seeds {
	return p.each(func(e *planned) bool { return e.Missing == nil && !e.left })
}

// Runs returns the runs that were asked for, even if their data are missing. The list does not depend on the files in
// any folder.
func (p *Plan) Runs() []trainer.Seeds {
	return p.each(func(e *planned) bool { return e.asked })
}

// each returns the runs of the rows for which the given function returns true.
func (p *Plan) each(of func(*planned) bool) []trainer.Seeds {
	var all []trainer.Seeds
	known := map[string]bool{}
	for i := range p.rows {
		e := &p.rows[i]
		if name := e.Config.Name; of(e) && !known[name] {
			known[name] = true
			all = append(all, p.runsOf(e.Row)...)
		}
	}
	return all
}

// finished records a run as done, and passes the rows that it completes to the table.
func (p *Plan) finished(s *trainer.Seeds, run *trainer.SeedSummary, result *Result) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.data.survey(s); err != nil {
		return err
	}
	p.done[trainer.SeedPath(s.Model, s.Config.Train.Seed)] = outcome{run, result}
	complete := false
	for i := range p.rows {
		if e := &p.rows[i]; !e.never && p.model(&e.Row) == s.Model && p.Table != nil && p.fill(i) {
			complete = true
		}
	}
	if !complete {
		return nil
	}
	return p.Table.Write()
}

// fill passes a row to the table if all of its runs are done. It reports whether it passed the row.
func (p *Plan) fill(i int) bool {
	e := &p.rows[i]
	var runs []trainer.SeedSummary
	var results []*Result
	for _, seed := range e.Seeds {
		o, ok := p.done[trainer.SeedPath(p.model(&e.Row), seed)]
		if !ok {
			return false
		}
		runs, results = append(runs, *o.run), append(results, o.result)
	}
	p.Table.Fill(i, runs, results)
	return true
}

// foreign returns an error if a model or checkpoint has the name of a run but another configuration, or if its
// training was started from another model. Without this error, the file would be overwritten, trained further, or
// shown in the table under a wrong description.
func (p *Plan) foreign(cfg config.Config, path string, m *model.Model) error {
	if diff := cfg.Diff(m.Config, "train.checkpoint.minutes"); len(diff) > 0 {
		return fmt.Errorf("%s: has another %s than this run of the %s; choose another folder", path,
			strings.Join(diff, ", "), p.Kind)
	}
	if from := m.Record.Start; from != nil {
		return fmt.Errorf("%s: was trained further from %s, where this run of the %s draws its parameters; choose "+
			"another folder", path, from.Name, p.Kind)
	}
	return nil
}

// Source identifies the data that a configuration is trained on.
type Source struct {
	config.Data
	bitsIn int
}

// SourceOf returns the source of a configuration's data.
func SourceOf(cfg *config.Config) Source { return Source{cfg.Data, cfg.Encoder.BitsIn} }

// sources holds one run for each source. All other runs on the same source must have the same data as this run.
// Otherwise, networks could differ only because their data differ.
type sources map[Source]*trainer.Earlier

// survey returns the state of a run in the folder, or nil if the run has not begun.
func (d sources) survey(s *trainer.Seeds) (*trainer.Earlier, error) {
	at := SourceOf(&s.Config)
	s.Like = d[at]
	found, err := s.Survey()
	if err != nil {
		return nil, err
	}
	if d[at] == nil && found[0] != nil {
		d[at] = found[0]
	}
	return found[0], nil
}

// like returns a run that must have the same data as s, or nil if there is no such run yet.
func (p *Plan) like(s *trainer.Seeds) *trainer.Earlier {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data[SourceOf(&s.Config)]
}

// cores returns the number of threads for all runs together.
func (p *Plan) cores() int { return cmp.Or(p.Threads, runtime.GOMAXPROCS(0)) }
