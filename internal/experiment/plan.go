package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// plan holds the runs of an experiment and its table so far.
type plan struct {
	*grid.Plan
	experiment *Experiment
	entries    []planned // one for each row
	table      *Table
}

// planned is an entry with its configuration.
type planned struct {
	entry  *Entry
	Config config.Config
	asked  bool // the user asked to train the entry
	apart  bool // never trained, because files with this name in the folder belong to another network
}

// plan returns the plan of the experiment. At the scale quick, MNIST replaces CIFAR-10 if CIFAR-10 is not found and
// some of its runs are unfinished.
func (r Runner) plan(ctx context.Context) (*plan, error) {
	p, err := r.planned(ctx)
	if err != nil || r.Scale != Quick || p.Missing() == nil {
		return p, err
	}
	other, any := r.Experiment.onMNIST()
	if r.Experiment = other; !any {
		return p, nil
	}
	instead, err := r.planned(ctx)
	if none := (*noRowError)(nil); errors.As(err, &none) || err == nil && instead.Missing() != nil {
		return p, nil
	}
	return instead, err
}

// planned returns the plan of the experiment without replacing CIFAR-10.
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
	if r.splits != "" {
		r.Folders = append(slices.Clip(r.Folders), r.splits)
	}
	p := &plan{experiment: &r.Experiment, table: t, Plan: grid.NewPlan(r.Options, "experiment")}
	p.Table, p.Tested = p, r.Experiment.Sets != nil
	if r.Experiment.Costs {
		p.Target = grid.UsualTarget
	}
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

// entitle completes the title and the caption of the table, which depend on the rows that were asked for.
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

// here describes the networks, data sets and sizes that are asked for. It returns "" if these are exactly the
// paper's.
func (p *plan) here() string {
	var networks, data, sizes []string
	same := len(p.entries) == len(p.experiment.Entries)
	for i := range p.entries {
		e, paper := &p.entries[i], &p.table.Rows[i].paper
		m := e.Config.Model
		same = same && e.asked && e.Config.Data.Set == paper.Data.Set && m.Width == paper.Model.Width &&
			m.Depth == paper.Model.Depth
		if e.asked {
			networks, data = addNew(networks, e.entry.Network), addNew(data, e.entry.data(e.Config))
			sizes = addNew(sizes, fmt.Sprintf("%d x %d", m.Width, m.Depth))
		}
	}
	if same {
		return ""
	}
	return fmt.Sprintf("%s on %s, %s", strings.Join(networks, ", "), strings.Join(data, ", "), strings.Join(sizes, ", "))
}

// addNew appends a text unless it is there already.
func addNew(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	return append(all, text)
}

// checkAsked returns an error if the patterns match no entry.
func (p *plan) checkAsked(patterns []string) error {
	var names []string
	for _, e := range p.entries {
		if e.asked {
			return nil
		}
		names = append(names, "  "+e.entry.base(e.Config, e.entry.Network))
	}
	return message.WithHint(&noRowError{patterns, p.experiment.Name}, "* matches any text; the rows are\n%s",
		strings.Join(names, "\n"))
}

// noRowError says that patterns match no row.
type noRowError struct {
	patterns   []string
	experiment string
}

func (e *noRowError) Error() string {
	return fmt.Sprintf("--only %s: no row of %s has such a name", strings.Join(e.patterns, ", "), e.experiment)
}

// planEntry adds an entry to the plan. It returns the entry with its configuration, and its row without results.
func (r Runner) planEntry(ctx context.Context, p *plan, own Entry) (planned, Row, error) {
	n := &own
	cfg, err := r.Experiment.Config(n, r.Scale)
	if err != nil {
		return r.leftOut(p, n, err)
	}
	e := planned{entry: n, Config: cfg}
	paper, err := r.Experiment.parse(n, r.Experiment.keys(n, Paper))
	if err != nil {
		return e, Row{}, err
	}
	if paper.Data.Set != cfg.Data.Set {
		n.Paper, n.Said = nil, nil // the paper's values are for the entry's original data set
	}
	row := row(n, cfg, r.Seeds)
	row.paper = paper
	if e.asked, err = n.asked(cfg, r.Only); err != nil {
		return e, row, fmt.Errorf("--only %w", err)
	}
	if other := p.namesake(&e); other != nil {
		if e.asked {
			return e, row, other
		}
		e.apart, row.NotRun = true, notAsked
		p.Leave(r.gridRow(cfg))
		return e, row, nil
	}
	gridRow := r.gridRow(cfg)
	if e.asked && r.splits != "" {
		if gridRow.Unmade, err = r.Experiment.divide(ctx, n.Data, r.splits, r.Folders); err != nil {
			return e, row, err
		}
	}
	found, err := p.Add(ctx, gridRow, e.asked)
	switch {
	case err != nil:
	case !e.asked && !found.Finished:
		row.NotRun = notAsked
	case found.Missing != nil:
		row.NotRun, row.Get = found.Missing.Error(), found.Missing.HintIn(message.Flags)
	}
	return e, row, err
}

// gridRow returns the row of a grid for a configuration, with the seeds of the runner.
func (r Runner) gridRow(cfg config.Config) grid.Row {
	seeds := make([]uint64, r.Seeds)
	for i := range seeds {
		seeds[i] = cfg.Train.Seed + uint64(i)
	}
	return grid.Row{Config: cfg, Seeds: seeds}
}

// namesake returns an error if an earlier entry has the same file names as e but another network. Replaced keys can
// cause this. The error names the earlier entry.
func (p *plan) namesake(e *planned) error {
	for i := range p.entries {
		if o := &p.entries[i]; !o.apart && o.Config.Name == e.Config.Name && !o.Config.Equal(e.Config) {
			keys := o.Config.Diff(e.Config)
			return message.WithHint(fmt.Errorf("--set: makes one name, %s, of two rows of %s, which differ in %s", e.Config.Name,
				p.experiment.Name, strings.Join(keys, ", ")),
				"replace %s, too, with --set", strings.Join(keys, ", "))
		}
	}
	return nil
}

// leftOut returns an entry that is not trained because the replaced keys are invalid for it. If the user asked for
// this entry, leftOut returns the error unfit instead.
func (r Runner) leftOut(p *plan, n *Entry, unfit error) (planned, Row, error) {
	plain := r.Experiment
	plain.Set = nil
	cfg, err := plain.Config(n, r.Scale)
	if err != nil {
		return planned{}, Row{}, err
	}
	if asked, err := n.asked(cfg, r.Only); asked || err != nil {
		return planned{}, Row{}, unfit
	}
	p.Leave(r.gridRow(cfg))
	row := row(n, cfg, r.Seeds)
	row.NotRun = notAsked
	row.paper, err = plain.parse(n, plain.keys(n, Paper))
	return planned{entry: n, Config: cfg, apart: true}, row, err
}

// If no entry has a result, nothing returns the error for the first entry whose data are missing. Otherwise it
// returns nil.
func (p *plan) nothing() error {
	if missing := p.Missing(); missing != nil && p.Empty() {
		return missing
	}
	return nil
}

// Fill sets the results of all seeds in a row.
func (p *plan) Fill(row int, runs []trainer.SeedSummary, results []*grid.Result) {
	p.table.Rows[row].fill(trainer.Summarise(runs), p.experiment.values(p.entries[row].entry, results), results)
}

// Write writes the table so far.
func (p *plan) Write() error { return p.table.write() }
