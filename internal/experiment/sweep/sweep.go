// Package sweep trains every combination of values that a user gives for some keys of a configuration.
//
// A [Runner] has the configuration and the axes. Each combination of the axes' values is a row of a [Table]. The
// values of train.seed do not make rows: every row is trained with all of these seeds, and shows their mean and
// standard deviation. The runs form a grid ([ialgn/internal/experiment/grid]), which is kept in a folder. Finished
// runs are not trained again, and interrupted runs continue.
//
//   - All combinations are checked before anything is trained.
//   - The names of a row's files contain the values of its keys, in the order of the documentation. Therefore a sweep
//     with more values finds the runs of an earlier sweep. A run of another configuration under the same name is
//     refused.
//   - The best row is chosen by samples held out of the training set. If no samples are held out, no row is called
//     the best.
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

// MaxRuns is the largest number of runs in a sweep. The limit exists because a mistake in a range must not fill a
// disk. Clusters have limits too.
const MaxRuns = 1000

// Runner trains a sweep into a folder.
type Runner struct {
	grid.Options
	Config   string   // path of the configuration file
	Set      []string // KEY=VALUE that replace keys of the configuration
	Grid     []string // KEY=V,V,... as read by [ParseAxis]
	GridFile string   // path of a YAML file with the axes, instead of Grid
	Target   string   // family for which each network is compiled, to count its LUTs; "" for none
	Resume   bool     // continue an earlier sweep, whose folder must exist
}

// Run trains the runs that the folder does not have yet. It returns the table, which is also written to the folder
// after each row. It returns the errors of [grid.Plan.Add] and [grid.Plan.Train], and an error if the data of an
// unfinished run are not found.
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

// RunIndex trains a single run of the list that [Runner.Emit] makes, for machines that share the folder. It writes no
// table: [Runner.Run] finds the finished runs and writes the table.
func (r Runner) RunIndex(ctx context.Context, index int) (*trainer.SeedsSummary, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	return p.TrainIndex(ctx, index)
}

// Forecast says what a sweep will train and how long it will take.
type Forecast struct {
	Sweep   string `json:"sweep"`
	Command string `json:"command"`
	*grid.Forecast
}

// Forecast predicts the training of [Runner.Run]. It trains nothing, but measures the speed of each unfinished
// network, which takes some seconds.
func (r Runner) Forecast(ctx context.Context) (*Forecast, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	f, err := p.Forecast(ctx)
	return &Forecast{p.table.Sweep, r.command(), f}, err
}

// Emit writes the runs to the folder as a job for a cluster, and trains nothing. The data need not be on this
// machine. The job looks for them in the folder data or, if data is empty, in the usual folders. ranks is the number
// of processes that train each run together; 0 means one.
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

// args returns the arguments of the command that makes the table, without the output folder and the data folder.
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

// command returns the command that makes the table, quoted for a shell.
func (r Runner) command() string { return grid.Shell(append([]string{"ialgn"}, r.args()...)) }

// plan holds the runs of a sweep and its table so far.
type plan struct {
	*grid.Plan
	table *Table
}

// Fill sets the results of all seeds in a row.
func (p *plan) Fill(row int, runs []trainer.SeedSummary, results []*grid.Result) {
	p.table.Rows[row].fill(runs, results, p.Target)
}

// Write writes the table so far.
func (p *plan) Write() error { return p.table.write() }

// combination is the configuration of a row. It also holds the axis values that define the row.
type combination struct {
	config config.Config
	seeds  []uint64
	made   string // KEY=VALUE of each axis, separated by commas
}

// plan returns the plan of the sweep. All configurations in it are checked.
func (r Runner) plan(ctx context.Context) (*plan, error) {
	if r.Resume {
		if _, err := os.Stat(r.Dir); err != nil {
			return nil, message.WithHint(fmt.Errorf("%s: there is no sweep to continue", r.Dir),
				"omit {Resume} to start a new sweep")
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
	p.Table, p.Target, p.Tested = p, r.Target, true
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
		return nil, message.Optionf("{Grid}, {GridFile}: want exactly one of these options")
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

// draft returns the configuration as it is written in the file, with the keys of Set replaced. It returns an error if
// a key of Set is also an axis.
func (r Runner) draft(axes []Axis) (config.Draft, error) {
	for _, set := range r.Set {
		key, _, _ := strings.Cut(set, "=")
		key = strings.TrimSpace(key)
		if slices.ContainsFunc(axes, func(a Axis) bool { return a.Key == key }) {
			return config.Draft{}, message.WithHint(message.Optionf("{Set} %s: the grid already has values for this key", key),
				"omit {Set} or the key of the grid")
		}
	}
	return config.LoadDraft(r.Config, r.Set)
}

// by returns the name of the option with which the user gave the axes. Errors mention this option.
func (r Runner) by() string {
	if r.GridFile != "" {
		return "GridFile"
	}
	return "Grid"
}

// combinations returns the configuration of each combination with its seeds. Each configuration is complete and
// checked.
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

// wrong adds the combination's values to err. If there is only one axis, it returns err unchanged, because err
// already names the value.
func (c *combination) wrong(err error) error {
	if !strings.Contains(c.made, ", ") {
		return err
	}
	return fmt.Errorf("%s: %w", c.made, err)
}

// opened holds the data sets of a sweep, so that each data set is looked for only once. If a data set was not found,
// its element is nil.
type opened map[grid.Source]*dataset.Set

// set returns a configuration's data, or nil if they are not found.
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
		return nil, fmt.Errorf("%w while reading data set %s: nothing was trained yet", trainer.ErrInterrupted, cfg.Data.Set)
	case err != nil:
		return nil, err
	}
	o[at] = set
	return set, nil
}

// add checks a combination and adds it to the plan and, as a row, to the table. If the data are found, it also checks
// the combination with the data.
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
				"give each value once; for a key that affects only some of the networks, make a separate sweep")
		}
	}
	cfg.Name = row.Name
	p.table.Rows = append(p.table.Rows, row)
	_, err = p.Add(ctx, grid.Row{Config: cfg, Seeds: c.seeds, Data: data}, true)
	return err
}

// longestName limits the length of a name. It leaves room for endings in the file system and in a configuration.
const longestName = 90

// nameOf returns the beginning of the names of a row's files. It consists of the configuration's name and the values
// of the keys.
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

// digest returns the digest of a text. In a file name, the digest replaces a text that must not be part of the name.
func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12] }

// text formats the value of a key as short as possible.
func text(v any) string {
	if x, ok := v.(float64); ok {
		return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e+", "e", 1)
	}
	return fmt.Sprint(v)
}

// base returns the path of the table without its ending.
func (r Runner) base(name string) string { return filepath.Join(r.Dir, name) }
