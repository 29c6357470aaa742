package experiment

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/outfile"
	"ialgn/trainer"
)

// Table is the outcome of an experiment.
type Table struct {
	Experiment string   `json:"experiment"`
	Title      string   `json:"title"`
	Scale      Scale    `json:"scale"`
	Caption    []string `json:"caption"` // sentences of the caption
	Files      []string `json:"files"`   // Markdown, CSV, and plots once there is a result
	Rows       []Row    `json:"rows"`

	// Metrics has the figures of networks and of other classifiers, for experiments that compare them.
	Metrics []Measured `json:"metrics,omitempty"`

	columns []Column
	series  *Series
	picture *Picture
	counted bool // whether operations are drawn
	sets    []tableSet
	trees   []treeRow
	guard   outfile.Guard
}

// Row is the outcome of an entry. Accuracies are shares of the test set. All values are nil for an entry that did not
// run.
type Row struct {
	Name       string                `json:"name"` // prefix of the names of the row's files
	Data       string                `json:"data"`
	Width      int                   `json:"width"`
	Depth      int                   `json:"depth"`
	Network    string                `json:"network"`
	Seeds      int                   `json:"seeds"`
	Epochs     int                   `json:"epochs"`
	Gates      int                   `json:"deployed_gates"`
	Test       *trainer.Spread       `json:"test_accuracy,omitempty"`      // accuracy after the last epoch
	Best       *trainer.Spread       `json:"best_test_accuracy,omitempty"` // mean accuracy in the seeds' best epochs
	Paper      *trainer.Spread       `json:"paper,omitempty"`
	Difference *float64              `json:"difference_points,omitempty"` // mean of Test minus mean of Paper, in points
	NotRun     string                `json:"not_run,omitempty"`           // why the entry did not run
	Get        string                `json:"get,omitempty"`               // how to get the data set, if it was not found
	Values     []Value               `json:"values,omitempty"`            // values in the experiment's own columns
	Runs       []trainer.SeedSummary `json:"runs,omitempty"`

	config  config.Config
	paper   config.Config  // configuration of the network for which the paper gives the value
	results []*grid.Result // results of the runs
}

// notYet is the reason shown for rows that are not trained yet when a table is written.
const notYet = "its turn has not come yet"

// notAsked is the reason shown for rows that [Runner.Only] leaves out.
const notAsked = "not asked for"

// table returns a table without rows.
func (r Runner) table() (*Table, error) {
	e := &r.Experiment
	endings, err := e.endings(config.Keys())
	base := filepath.Join(r.Dir, e.Name+"-"+string(r.Scale)+endings)
	t := &Table{
		Experiment: e.Name, Title: e.Summary, Scale: r.Scale,
		Files: []string{base + ".md", base + ".csv"}, columns: e.Columns, series: e.Series, picture: e.Picture,
		counted: e.Operations, guard: r.Guard,
	}
	if e.Series != nil {
		t.Files = append(t.Files, base+"-"+e.Series.Step+"s.csv")
	}
	if e.Sets != nil && err == nil {
		t.Files = append(t.Files, base+"-classes.csv")
		t.sets = e.Sets
		t.trees, err = readTrees(filepath.Join(r.Dir, treesFile))
	}
	return t, err
}

// row returns the row of an entry, without a result.
func row(n *Entry, cfg config.Config, seeds int) Row {
	m := &cfg.Model
	return Row{
		Name: cfg.Name, Data: n.data(cfg), Width: m.Width, Depth: m.Depth, Network: n.Network,
		Seeds: seeds, Epochs: cfg.Train.Epochs, Gates: m.Nodes(), Paper: n.Paper, NotRun: notYet, config: cfg,
	}
}

// fill sets the results of the entry's runs.
func (r *Row) fill(all *trainer.SeedsSummary, values []Value, results []*grid.Result) {
	r.Test, r.Best = &all.TestAccuracy, &all.BestAccuracy
	if r.Paper != nil {
		difference := 100 * (r.Test.Mean - r.Paper.Mean)
		r.Difference = &difference
	}
	r.NotRun, r.Runs, r.Values, r.results = "", all.Runs, values, results
}

// caption describes what the table shows for the entries that were asked for, and how these entries were reduced. The
// argument paper says whether the table has values from the paper.
func (r Runner) caption(asked []Entry, paper bool) []string {
	e, over := &r.Experiment, "one seed"
	if r.Seeds > 1 {
		over = fmt.Sprintf("%d seeds", r.Seeds)
	}
	lines := []string{
		fmt.Sprintf("Test accuracy of the frozen network after the %s, and after the best, which is chosen by the test "+
			"set itself; mean +- standard deviation (n - 1) over %s.", cmp.Or(e.Kept, "last epoch"), over),
	}
	if paper {
		lines = append(lines, fmt.Sprintf("The paper's values, where it has a number, are over %d seeds; the difference "+
			"is that of the means, after the last epoch.", publishedSeeds))
	}
	less := e.changes(r.Scale, asked)
	if r.Seeds != e.PaperSeeds {
		less = append(less, fmt.Sprintf("%s instead of %d", over, e.PaperSeeds))
	}
	protocol := cmp.Or(e.Protocol, "The paper's protocol")
	if len(less) > 0 {
		protocol += ", but for: " + strings.Join(less, "; ")
	}
	lines = append(append(lines, protocol+"."), e.Notes...)
	return append(lines, fmt.Sprintf("Made by `%s`.", r.Command()))
}

// Args returns the arguments of the command that makes the table, without paths.
func (r Runner) Args() []string {
	args := []string{"experiment", r.Experiment.Name, "--scale", string(r.Scale), "--seeds", strconv.Itoa(r.Seeds)}
	for _, set := range r.Experiment.Set {
		args = append(args, "--set", set)
	}
	for _, pattern := range r.Only {
		args = append(args, "--only", pattern)
	}
	return args
}

// Command returns the command that makes the table, quoted for a shell.
func (r Runner) Command() string { return grid.Shell(append([]string{"ialgn"}, r.Args()...)) }

// notRun returns one line for each reason why rows have no result. The line lists the names of the rows with this
// reason.
func (t *Table) notRun() []string {
	var reasons, lines []string
	names := map[string][]string{}
	for _, r := range t.Rows {
		if r.NotRun == "" {
			continue
		}
		reason := strings.TrimSuffix(r.NotRun+": "+r.Get, ": ")
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		names[reason] = append(names[reason], r.Name)
	}
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("Not run: %s: %s.", strings.Join(names[reason], ", "), reason))
	}
	return lines
}

// signed formats a difference with its sign, or returns "" if there is no difference.
func signed(x *float64) string {
	if x == nil {
		return ""
	}
	rounded := math.Round(100**x) / 100
	return fmt.Sprintf("%+.2f", cmp.Or(rounded, 0)) // cmp.Or turns -0.00 into 0.00
}
