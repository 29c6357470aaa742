// Package grid trains grids: rows, each a configuration with some seeds, into a folder that keeps what is done.
//
// A [Plan] is made for a folder and gets its rows one by one, by [Plan.Add], which looks at what earlier calls left of
// each and refuses files that are of another run. Then it is trained, whole ([Plan.Train]) or one of its runs
// ([Plan.TrainIndex]), or foretold ([Plan.Forecast]), or handed to a cluster ([Plan.Emit]).
//
//   - A run that the folder has is not trained again, and one that was interrupted goes on from its checkpoint.
//   - The files of a row are named by its configuration's name. Two rows of one name have the same configuration, and
//     share their runs.
//   - What comes out depends on the configurations and the data alone, not on jobs, threads or interruptions.
//
// Tables are the business of those who make the plan: a [Table] is told of each row that is complete.
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

// Options say where and how a grid is trained, and nothing of what comes out.
type Options struct {
	Dir     string // made if it is not there
	Folders []string
	Threads int
	Guard   outfile.Guard // says which files in the folder may be replaced
	Jobs    int           // runs side by side, among which the threads are split; 0: one; or [Fitting]

	Ranks ranks.Comm // unless nil, the processes that train the run of [Plan.TrainIndex] together

	// Train, unless nil, is called in place of [trainer.Seeds.Train] for each run, to show
	// the progress or to keep a log: a copy with other callbacks is trained. Runs side by
	// side call it from several goroutines.
	Train func(context.Context, trainer.Seeds) (*trainer.SeedsSummary, error)
}

// Row is a network that is trained with some seeds.
type Row struct {
	Config config.Config // its name begins those of the row's files; the seed is none of the row's
	Seeds  []uint64
	Data   *dataset.Set // its data, if they were opened; nil: they are looked for
}

// Found is what there is for a row before it is trained.
type Found struct {
	Finished bool // all of its runs

	// Missing is the data set that was not found, where some run is not finished.
	Missing *dataset.MissingError
}

// Table is told of the results, by one call at a time.
type Table interface {
	// Fill is called when all runs of a row are there, in the order of its seeds.
	Fill(row int, runs []trainer.SeedSummary, results []*Result)
	// Write is called after some rows were filled.
	Write() error
}

// Plan is what is trained, and what is done of it. Its rows are counted from 0, as they were added.
type Plan struct {
	Options
	Kind   string // what errors call the whole, such as experiment
	Target string // the family that models are compiled for, to count their look-up tables; "": they are not
	Table  Table  // nil: nobody is told

	rows []planned

	mu     sync.Mutex // guards the fields below, and the table
	data   sources
	shapes map[Source]Shape   // shapes of data that are at hand
	done   map[string]outcome // outcomes by path of the model
}

// NewPlan returns a plan without rows.
func NewPlan(o Options, kind string) *Plan {
	return &Plan{Options: o, Kind: kind, data: sources{}, shapes: map[Source]Shape{}, done: map[string]outcome{}}
}

// planned is a row with what is done with it.
type planned struct {
	Row
	Found
	asked bool // training of it was asked for
	left  bool // it is neither asked for nor finished
	never bool // it is left, and has nothing of what the folder has either
}

// outcome is what a run gave.
type outcome struct {
	run    *trainer.SeedSummary
	result *Result
}

// Add adds a row and returns what there is of it. One that is not asked for is told to the table if it is finished.
// It is an error if the folder has files with the names of the row's that are not of its runs, or runs on other data
// than those of earlier rows on the same data set.
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
		e.Missing = p.absent(ctx, row.Config)
	}
	p.rows = append(p.rows, e)
	return e.Found, nil
}

// Leave adds a row that is not trained, whatever the folder has.
func (p *Plan) Leave(row Row) { p.rows = append(p.rows, planned{Row: row, left: true, never: true}) }

// model returns the path of a row's models without their seeds.
func (p *Plan) model(r *Row) string { return filepath.Join(p.Dir, r.Config.Name+".safetensors") }

// runsOf returns the runs of a row, one seed each.
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

// absent returns the error of a data set that is not found. Any other is for training
// to report.
func (p *Plan) absent(ctx context.Context, cfg config.Config) *dataset.MissingError {
	_, err := dataset.OpenWith(ctx, cfg.Data, cfg.Encoder, p.Folders)
	var missing *dataset.MissingError
	errors.As(err, &missing)
	return missing
}

// Missing returns the error of the first row that lacks its data, nil if all rows that are not finished have them.
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

// runs returns what can be trained, and what is finished, one seed each, in the order of the
// rows. Rows that share a network are there once.
func (p *Plan) runs() []trainer.Seeds {
	return p.each(func(e *planned) bool { return e.Missing == nil && !e.left })
}

// Runs returns what was asked for, one seed each, with data or without: what it has depends on no folder.
func (p *Plan) Runs() []trainer.Seeds {
	return p.each(func(e *planned) bool { return e.asked })
}

// each returns the runs of some rows.
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

// finished enters a run, and tells the table of the rows that are complete with it.
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

// fill tells the table of a row if all of its runs are done, and reports whether they are.
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

// foreign refuses a model or checkpoint that has the name of a run but is of another
// configuration or did not start from drawn parameters: it would be written over, trained
// further, or stand in the table for what it is not.
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

// Source says which data a configuration is trained on.
type Source struct {
	config.Data
	bitsIn int
}

// SourceOf returns which data a configuration is trained on.
func SourceOf(cfg *config.Config) Source { return Source{cfg.Data, cfg.Encoder.BitsIn} }

// sources holds a run of each source whose data all others on it must have: differences
// between networks are not to be those of their data.
type sources map[Source]*trainer.Earlier

// survey returns what the folder has of a run, nil if it begins.
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

// like returns a run whose data those of s must be, nil if there is none yet.
func (p *Plan) like(s *trainer.Seeds) *trainer.Earlier {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data[SourceOf(&s.Config)]
}

// cores returns the number of threads for all runs together.
func (p *Plan) cores() int { return cmp.Or(p.Threads, runtime.GOMAXPROCS(0)) }
