// Package sweep trains every combination of values that a user gives some keys of a configuration.
//
// A [Runner] has the configuration and the axes. Each combination of their values is a row of a [Table]; the values of
// train.seed make no rows, but are the runs of each, of which the row has mean and deviation. The runs are those of a
// grid ([ialgn/internal/experiment/grid]), kept in a folder: finished ones are not trained again, and interrupted ones
// go on.
//
//   - All combinations are checked before anything is trained.
//   - A row's files are named by the values of its keys, in the order of the documentation of these. So a sweep with
//     more values finds those of before, and a run of another configuration under such a name is refused.
//   - The best row is chosen by samples held out of the training set. Where there are none, no row is called the best.
package sweep

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/internal/target"
	"ialgn/trainer"
)

// MaxRuns is how many runs a sweep has at most: a slip in a range is not to fill a disk, and clusters have bounds, too.
const MaxRuns = 1000

// Runner trains a sweep into a folder.
type Runner struct {
	grid.Options
	Config   string   // path of the configuration file
	Set      []string // KEY=VALUE that replace keys of it
	Grid     []string // KEY=V,V,... as [ParseAxis] reads them
	GridFile string   // path of a YAML file that has the same, in place of Grid
	Target   string   // the family that each network is compiled for, to count its look-up tables; "": none
	Resume   bool     // the folder must be there
}

// Run trains what the folder does not have yet and returns the table, which it writes to the folder, too, after each
// row. The errors are those of [grid.Plan.Add] and [grid.Plan.Train], and of a data set that is not found where some
// run on it is not finished.
func (r Runner) Run(ctx context.Context) (*Table, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	if missing := p.Missing(); missing != nil {
		return nil, missing
	}
	if err := p.table.check(); err != nil {
		return nil, err
	}
	if err := p.Train(ctx); err != nil {
		return nil, err
	}
	p.table.choose()
	if err := p.table.write(); err != nil {
		return nil, err
	}
	return p.table, p.table.plot()
}

// RunIndex trains a single run of those that [Runner.Emit] lists, for machines that share the folder and each do some.
// It writes no table: [Runner.Run] finds the runs finished and does.
func (r Runner) RunIndex(ctx context.Context, index int) (*trainer.SeedsSummary, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	return p.TrainIndex(ctx, index)
}

// Forecast says what a sweep will train and how long that takes.
type Forecast struct {
	Sweep   string `json:"sweep"`
	Command string `json:"command"`
	*grid.Forecast
}

// Forecast returns what [Runner.Run] would train. It measures the pace of each network that is not finished, which
// takes some seconds, and trains nothing.
func (r Runner) Forecast(ctx context.Context) (*Forecast, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	f, err := p.Forecast(ctx)
	return &Forecast{p.table.Sweep, r.command(), f}, err
}

// Emit writes the runs to the folder as a job for a cluster, and trains nothing. The data need not be here; the job
// looks for them where it runs, in the folder data unless that is empty. With ranks, so
// many processes train each run together; 0: one.
func (r Runner) Emit(ctx context.Context, to grid.Cluster, data string, ranks int) (*grid.Batch, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	c := grid.Command{Args: r.args(), Reads: []string{r.Config}, Data: data, Ranks: ranks}
	if r.GridFile != "" {
		c.Reads = append(c.Reads, r.GridFile)
	}
	return p.Emit(to, p.table.name, c)
}

// args returns the arguments of the command that makes the table, but for where it is written and the data are.
func (r Runner) args() []string {
	args := []string{"sweep", r.Config}
	for _, g := range r.Grid {
		args = append(args, "--grid", g)
	}
	if r.GridFile != "" {
		args = append(args, "--grid-file", r.GridFile)
	}
	for _, set := range r.Set {
		args = append(args, "--set", set)
	}
	if r.Target != "" {
		args = append(args, "--target", r.Target)
	}
	return args
}

// command returns that command as a shell takes it.
func (r Runner) command() string { return grid.Shell(append([]string{"ialgn"}, r.args()...)) }

// plan is what a sweep trains, and its table so far.
type plan struct {
	*grid.Plan
	table *Table
}

// Fill enters the results of all seeds in a row.
func (p *plan) Fill(row int, runs []trainer.SeedSummary, results []*grid.Result) {
	p.table.Rows[row].fill(runs, results, p.Target)
}

// Write writes the table so far.
func (p *plan) Write() error { return p.table.write() }

// combination is a row's configuration and the values that made it.
type combination struct {
	config config.Config
	seeds  []uint64
	made   string // KEY=VALUE of each axis
}

// plan returns what is to be trained, all of it checked.
func (r Runner) plan(ctx context.Context) (*plan, error) {
	if r.Resume {
		if _, err := os.Stat(r.Dir); err != nil {
			return nil, message.WithHint(fmt.Errorf("%s: there is no sweep to go on with", r.Dir),
				"leave {Resume} out to begin one")
		}
	}
	axes, err := r.axes()
	if err != nil {
		return nil, err
	}
	draft, err := r.draft(axes)
	if err != nil {
		return nil, err
	}
	all, err := r.combinations(draft, axes)
	if err != nil {
		return nil, err
	}
	name := all[0].config.Name
	p := &plan{Plan: grid.NewPlan(r.Options, "sweep"), table: r.newTable(name, axes)}
	p.Table, p.Target = p, r.Target
	if r.Target != "" {
		if _, err := target.Find(r.Target); err != nil {
			return nil, message.Optionf("{Target}: %w", err)
		}
	}
	sets := opened{}
	for i := range all {
		if err := r.add(ctx, p, sets, &all[i]); err != nil {
			return nil, err
		}
	}
	p.table.describe(r)
	return p, nil
}

// axes returns the axes, in the order in which they are given.
func (r Runner) axes() ([]Axis, error) {
	var all []Axis
	switch {
	case r.GridFile != "" && len(r.Grid) > 0:
		return nil, message.Optionf("{Grid}, {GridFile}: want one of them")
	case r.GridFile != "":
		var err error
		if all, err = loadAxes(r.GridFile); err != nil {
			return nil, err
		}
	}
	for _, text := range r.Grid {
		a, err := ParseAxis(text)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, checkAxes(all, r.by())
}

// draft returns the configuration as it is written, and refuses to replace keys of it that are axes.
func (r Runner) draft(axes []Axis) (config.Draft, error) {
	for _, set := range r.Set {
		key, _, _ := strings.Cut(set, "=")
		key = strings.TrimSpace(key)
		if slices.ContainsFunc(axes, func(a Axis) bool { return a.Key == key }) {
			return config.Draft{}, message.WithHint(message.Optionf("{Set} %s: the grid has values for this key", key),
				"leave {Set} or the key of the grid out")
		}
	}
	return config.LoadDraft(r.Config, r.Set)
}

// by is the option that gives the axes, in errors.
func (r Runner) by() string {
	if r.GridFile != "" {
		return "GridFile"
	}
	return "Grid"
}

// combinations returns the configuration of each combination, complete and checked by itself, with its seeds.
func (r Runner) combinations(draft config.Draft, axes []Axis) ([]combination, error) {
	seeds := []string{""}
	rows := slices.DeleteFunc(slices.Clone(axes), func(a Axis) bool {
		if a.Key == seedKey {
			seeds = a.Values
		}
		return a.Key == seedKey
	})
	var all []combination
	for _, sets := range combinations(rows) {
		c := combination{made: strings.Join(sets, ", ")}
		for _, seed := range seeds {
			place := slices.Clone(sets)
			if seed != "" {
				place = append(place, seedKey+"="+seed)
			}
			cfg, err := draft.At(place, r.by())
			if err != nil {
				return nil, c.wrong(err)
			}
			if slices.Contains(c.seeds, cfg.Train.Seed) {
				return nil, message.WithHint(message.Optionf("{"+r.by()+"} %s: %d is given twice", seedKey, cfg.Train.Seed),
					"give each value once")
			}
			if c.seeds == nil {
				c.config = cfg
			}
			c.seeds = append(c.seeds, cfg.Train.Seed)
		}
		all = append(all, c)
	}
	return all, nil
}

// wrong returns an error of a combination, with the values that made it if they are several: of one it tells itself.
func (c *combination) wrong(err error) error {
	if !strings.Contains(c.made, ", ") {
		return err
	}
	return fmt.Errorf("%s: %w", c.made, err)
}

// opened has a sweep's data, each looked for once; nil for those that were not found.
type opened map[grid.Source]*dataset.Set

// set returns a configuration's data, nil if they are not at hand.
func (o opened) set(ctx context.Context, cfg *config.Config, folders []string) (*dataset.Set, error) {
	at := grid.SourceOf(cfg)
	if set, ok := o[at]; ok {
		return set, nil
	}
	set, err := dataset.OpenWith(ctx, cfg.Data, cfg.Encoder, folders)
	var missing *dataset.MissingError
	switch {
	case errors.As(err, &missing):
		o[at] = nil
		return nil, nil
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("%w while data set %s was read: nothing was trained yet", trainer.ErrInterrupted, cfg.Data.Set)
	case err != nil:
		return nil, err
	}
	o[at] = set
	return set, nil
}

// add checks a combination with its data, as far as they are known, and adds it to the plan with a row of the table.
func (r Runner) add(ctx context.Context, p *plan, sets opened, c *combination) error {
	data, err := sets.set(ctx, &c.config, r.Folders)
	if err != nil {
		return c.wrong(err)
	}
	cfg := c.config
	if is := grid.ShapeOf(data, cfg.Data.Set); is != nil {
		cfg = cfg.FitWidth(is.Classes)
		if err := cfg.CheckClasses(is.Classes, is.Features*(cfg.Encoder.Bits-1)); err != nil {
			return c.wrong(err)
		}
		if err := cfg.CheckImages(is.Images); err != nil {
			return c.wrong(err)
		}
	}
	row := p.table.newRow(cfg, c)
	for _, other := range p.table.Rows {
		if other.Name == row.Name {
			return message.WithHint(fmt.Errorf("%s and %s are the same network", other.made, c.made),
				"give each value once; of a key that concerns some of the networks alone make a sweep of its own")
		}
	}
	cfg.Name = row.Name
	p.table.Rows = append(p.table.Rows, row)
	_, err = p.Add(ctx, grid.Row{Config: cfg, Seeds: c.seeds, Data: data}, true)
	return err
}

// longestName leaves room behind a name, in a file system and in a configuration.
const longestName = 90

// nameOf begins the names of a row's files: the configuration's name and the values of its keys.
func nameOf(cfg *config.Config, keys []string) string {
	name := cfg.Name
	for _, key := range config.Keys() {
		if !slices.Contains(keys, key) {
			continue
		}
		value := text(cfg.Value(key))
		ending := grid.Ending(key, value)
		if ending == "" {
			ending = grid.Ending(key, digest(value))
		}
		name += ending
	}
	if len(name) > longestName {
		name = name[:longestName-13] + "-" + digest(name)
	}
	return name
}

// digest stands in names for a text that cannot.
func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12] }

// text writes a value of a key as short as can be.
func text(v any) string {
	if x, ok := v.(float64); ok {
		return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e+", "e", 1)
	}
	return fmt.Sprint(v)
}

// base returns the path of the table without its ending.
func (r Runner) base(name string) string { return filepath.Join(r.Dir, name) }
