package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/trainer"
	"ialgn/trainer/config"
	"ialgn/trainer/dataset"
	"ialgn/trainer/model"
)

// plan is what an experiment trains, and its table so far.
type plan struct {
	experiment *Experiment
	entries    []planned // a row each
	table      *Table

	mu   sync.Mutex // guards the fields below, and the table
	data sources
	done map[string]outcome // outcomes by path of the model
	mute bool               // write no table
}

// planned is an entry's training, or why it cannot be.
type planned struct {
	trainer.Seeds
	entry    *Entry
	asked    bool                  // training of it was asked for
	missing  *dataset.MissingError // the data, where some seed is not finished
	excluded bool                  // out of the training: neither asked for nor finished
}

// outcome is what a run gave.
type outcome struct {
	run    *trainer.SeedSummary
	result *Result
}

// plan returns what is to be trained, at the scale quick with MNIST where CIFAR-10 is neither
// there nor was there when all of it was trained.
func (r Runner) plan(ctx context.Context) (*plan, error) {
	p, err := r.planned(ctx)
	if err != nil || r.Scale != Quick || !p.lacks() {
		return p, err
	}
	other, any := r.Experiment.onMNIST()
	if r.Experiment = other; !any {
		return p, nil
	}
	instead, err := r.planned(ctx)
	if none := (*noRowError)(nil); errors.As(err, &none) || err == nil && instead.lacks() {
		return p, nil
	}
	return instead, err
}

// planned returns the plan of the experiment as it is.
func (r Runner) planned(ctx context.Context) (*plan, error) {
	networks := r.Experiment.At(r.Scale)
	if len(networks) == 0 || r.Seeds < 1 {
		return nil, fmt.Errorf("experiment %s: %d entries with %d seeds: want at least one of each", r.Experiment.Name,
			len(networks), r.Seeds)
	}
	t, err := r.table()
	if err != nil {
		return nil, err
	}
	p := &plan{experiment: &r.Experiment, table: t, data: sources{}, done: map[string]outcome{}}
	for i := range networks {
		e, row, err := r.planEntry(ctx, p, networks[i])
		if err != nil {
			return nil, err
		}
		p.entries, p.table.Rows = append(p.entries, e), append(p.table.Rows, row)
	}
	p.entitle(r)
	return p, p.checkAsked(r.Only)
}

// entitle says in title and caption what was asked for.
func (p *plan) entitle(r Runner) {
	var asked []Entry
	paper := false
	for i := range p.entries {
		if p.entries[i].asked {
			asked = append(asked, *p.entries[i].entry)
			paper = paper || p.table.Rows[i].Paper != nil
		}
	}
	if here := p.here(); here != "" {
		p.table.Title += "; here " + here
	}
	p.table.Caption = r.caption(asked, paper)
}

// here says which networks are asked for, on which data and of which sizes, "" if they are all
// that the paper trains, as it does.
func (p *plan) here() string {
	var networks, data, sizes []string
	same := len(p.entries) == len(p.experiment.Entries)
	for i := range p.entries {
		e, paper := &p.entries[i], &p.table.Rows[i].paper
		m := e.Config.Model
		same = same && e.asked && e.Config.Data.Set == paper.Data.Set && m.Width == paper.Model.Width &&
			m.Depth == paper.Model.Depth
		if e.asked {
			networks, data = addNew(networks, e.entry.Network), addNew(data, dataOf(e.Config))
			sizes = addNew(sizes, fmt.Sprintf("%d x %d", m.Width, m.Depth))
		}
	}
	if same {
		return ""
	}
	return fmt.Sprintf("%s on %s, %s", strings.Join(networks, ", "), strings.Join(data, ", "), strings.Join(sizes, ", "))
}

// addNew adds a text to those that it is none of.
func addNew(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	return append(all, text)
}

// checkAsked refuses patterns that are of no entry.
func (p *plan) checkAsked(patterns []string) error {
	var names []string
	for _, e := range p.entries {
		if e.asked {
			return nil
		}
		names = append(names, "  "+base(e.Config, e.entry.Network))
	}
	return hint.With(&noRowError{patterns, p.experiment.Name}, "* stands for any text; the rows are\n%s",
		strings.Join(names, "\n"))
}

// noRowError is of patterns that are of no row.
type noRowError struct {
	patterns   []string
	experiment string
}

func (e *noRowError) Error() string {
	return fmt.Sprintf("--only %s: no row of %s has such a name", strings.Join(e.patterns, ", "), e.experiment)
}

// planEntry returns the training of an entry and its row without results.
func (r Runner) planEntry(ctx context.Context, p *plan, own Entry) (planned, Row, error) {
	n := &own
	cfg, err := r.Experiment.Config(n, r.Scale)
	if err != nil {
		return r.leftOut(n, err)
	}
	e := planned{entry: n, Seeds: trainer.Seeds{N: r.Seeds, Refuse: foreign, Run: trainer.Run{
		Config: cfg, Model: filepath.Join(r.Dir, cfg.Name+".safetensors"), Folders: r.Folders, Resume: true, Guard: r.Guard,
	}}}
	paper, err := r.Experiment.parse(n, r.Experiment.keys(n, Paper))
	if err != nil {
		return e, Row{}, err
	}
	if paper.Data.Set != cfg.Data.Set {
		n.Paper, n.Said = nil, nil // the paper's values are for the entry's own data set
	}
	row := row(n, e.Seeds)
	row.paper = paper
	if e.asked, err = n.asked(cfg, r.Only); err != nil {
		return e, row, fmt.Errorf("--only: %w", err)
	}
	if other := p.namesake(&e); other != nil {
		if e.asked {
			return e, row, other
		}
		e.excluded, e.Model, row.NotRun = true, "", notAsked // the files of that name are not its own
		return e, row, nil
	}
	finished, err := p.data.survey(&e.Seeds)
	if err != nil {
		return e, row, err
	}
	if e.excluded = !e.asked && !finished; e.excluded {
		row.NotRun = notAsked
		return e, row, nil
	}
	if missing := r.absent(ctx, cfg); missing != nil && !finished {
		e.missing, row.NotRun, row.Get = missing, missing.Error(), missing.HintIn(option.Flags)
	}
	return e, row, nil
}

// namesake returns an error that names an entry before whose files have the name of e's but
// whose networks differ, as replaced keys can make of two entries; nil if there is none.
func (p *plan) namesake(e *planned) error {
	for i := range p.entries {
		if o := &p.entries[i]; o.Model == e.Model && !o.Config.Equal(e.Config) {
			keys := o.Config.Diff(e.Config)
			return hint.With(fmt.Errorf("--set: makes one name, %s, of two rows of %s, which differ in %s", e.Config.Name,
				p.experiment.Name, strings.Join(keys, ", ")),
				"replace %s, too, with --set", strings.Join(keys, ", "))
		}
	}
	return nil
}

// leftOut returns an entry that the replaced keys do not fit, if it was not asked for, else
// the error that they gave.
func (r Runner) leftOut(n *Entry, unfit error) (planned, Row, error) {
	plain := r.Experiment
	plain.Set = nil
	cfg, err := plain.Config(n, r.Scale)
	if err != nil {
		return planned{}, Row{}, err
	}
	if asked, err := n.asked(cfg, r.Only); asked || err != nil {
		return planned{}, Row{}, unfit
	}
	e := planned{entry: n, excluded: true, Seeds: trainer.Seeds{N: r.Seeds, Run: trainer.Run{Config: cfg}}}
	row := row(n, e.Seeds)
	row.NotRun = notAsked
	row.paper, err = plain.parse(n, plain.keys(n, Paper))
	return e, row, err
}

// absent returns the error of a data set that is not found. Any other is for training
// to report.
func (r Runner) absent(ctx context.Context, cfg config.Config) *dataset.MissingError {
	_, err := dataset.Open(ctx, cfg.Data, cfg.Encoder.BitsIn, r.Folders)
	var missing *dataset.MissingError
	errors.As(err, &missing)
	return missing
}

// lacks reports whether an entry has neither data nor all its models.
func (p *plan) lacks() bool {
	return slices.ContainsFunc(p.entries, func(e planned) bool { return e.missing != nil })
}

// nothing returns the error of an experiment without any result, of which the first entry
// that lacks its data tells; nil if there is one.
func (p *plan) nothing() error {
	if len(p.done) > 0 {
		return nil
	}
	for _, e := range p.entries {
		if e.missing != nil {
			return e.missing
		}
	}
	return nil
}

// runs returns what can be trained, and what is finished, one seed each, in the order of the
// table. Entries that share a network are there once.
func (p *plan) runs() []trainer.Seeds {
	return p.each(func(e *planned) bool { return e.missing == nil && !e.excluded })
}

// grid returns what was asked for, with data or without: what it has depends on no folder.
func (p *plan) grid() []trainer.Seeds {
	return p.each(func(e *planned) bool { return e.asked })
}

// each returns the runs of some entries.
func (p *plan) each(of func(*planned) bool) []trainer.Seeds {
	var all []trainer.Seeds
	known := map[string]bool{}
	for i := range p.entries {
		e := &p.entries[i]
		if !of(e) || known[e.Model] {
			continue
		}
		known[e.Model] = true
		for _, seed := range e.seeds() {
			s := e.Seeds
			s.N, s.Config.Train.Seed = 1, seed
			all = append(all, s)
		}
	}
	return all
}

// seeds returns the entry's seeds.
func (e *planned) seeds() []uint64 {
	all := make([]uint64, e.N)
	for i := range all {
		all[i] = e.Config.Train.Seed + uint64(i)
	}
	return all
}

// like returns a run whose data those of s must be, nil if there is none yet.
func (p *plan) like(s *trainer.Seeds) *trainer.Earlier {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data[sourceOf(s)]
}

// finished enters a run in the table, which is written when a row is complete.
func (p *plan) finished(s *trainer.Seeds, run *trainer.SeedSummary, result *Result) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.data.survey(s); err != nil {
		return err
	}
	p.done[trainer.SeedPath(s.Model, s.Config.Train.Seed)] = outcome{run, result}
	complete := false
	for i := range p.entries {
		if p.entries[i].Model == s.Model && p.fill(i) {
			complete = true
		}
	}
	if !complete || p.mute {
		return nil
	}
	return p.table.write()
}

// fill enters the results of all seeds in a row and reports whether they are there.
func (p *plan) fill(i int) bool {
	e := &p.entries[i]
	var runs []trainer.SeedSummary
	var results []*Result
	for _, seed := range e.seeds() {
		o, ok := p.done[trainer.SeedPath(e.Model, seed)]
		if !ok {
			return false
		}
		runs, results = append(runs, *o.run), append(results, o.result)
	}
	p.table.Rows[i].fill(trainer.Summarise(runs), p.experiment.values(e.entry, results), results)
	return true
}

// foreign refuses a model or checkpoint that has the name of a run but is of another
// configuration or did not start from drawn parameters: it would be written over, trained
// further, or stand in the table for what it is not.
func foreign(cfg config.Config, path string, m *model.Model) error {
	if diff := cfg.Diff(m.Config, "train.checkpoint.minutes"); len(diff) > 0 {
		return fmt.Errorf("%s: has another %s than this run of the experiment; choose another folder", path,
			strings.Join(diff, ", "))
	}
	if from := m.Record.Start; from != nil {
		return fmt.Errorf("%s: was trained further from %s, where this run of the experiment draws its parameters; choose "+
			"another folder", path, from.Name)
	}
	return nil
}

// source says which data an entry is trained on.
type source struct {
	config.Data
	bitsIn int
}

// sources holds a run of each source whose data all others on it must have: differences
// between networks are not to be those of their data.
type sources map[source]*trainer.Earlier

func sourceOf(s *trainer.Seeds) source { return source{s.Config.Data, s.Config.Encoder.BitsIn} }

// survey looks at what the folder has of an entry and reports whether all of it is finished.
func (d sources) survey(s *trainer.Seeds) (finished bool, err error) {
	at := sourceOf(s)
	s.Like = d[at]
	found, err := s.Survey()
	finished = err == nil
	for _, e := range found {
		if d[at] == nil {
			d[at] = e
		}
		finished = finished && e != nil && e.Finished
	}
	return finished, err
}
