package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/metrics"
	"ialgn/internal/outfile"
	"ialgn/trainer"
)

// Table is the outcome of a sweep.
type Table struct {
	Sweep   string   `json:"sweep"`   // name of the configuration
	Command string   `json:"command"` // command that makes the table, without the output folder and the data folder
	Keys    []string `json:"keys"`    // keys in which the rows differ
	Caption []string `json:"caption"` // sentences of the caption
	Files   []string `json:"files"`   // Markdown, CSV, and plots
	Rows    []Row    `json:"rows"`
	Best    *Row     `json:"best,omitempty"`    // the best row; nil if no row may be called the best
	NoBest  string   `json:"no_best,omitempty"` // why no row is called the best

	name   string // name of the files, without their endings
	target string // target for which LUTs are counted; "" for no count
	done   bool   // whether all rows have their results
	guard  outfile.Guard
}

// Row is the outcome of a combination. Accuracies are shares.
type Row struct {
	Name       string                `json:"name"` // prefix of the names of the row's files
	Grid       map[string]any        `json:"grid"` // values of the keys
	Seeds      []uint64              `json:"seeds"`
	Gates      int                   `json:"deployed_gates"`
	Test       *trainer.Spread       `json:"test_accuracy,omitempty"`
	Balanced   *trainer.Spread       `json:"balanced_accuracy,omitempty"`   // on the test samples; nil if it is not known
	MacroF1    *trainer.Spread       `json:"f1_macro,omitempty"`            // like Balanced
	Matthews   *trainer.Spread       `json:"matthews_corrcoef,omitempty"`   // like Balanced
	Validation *trainer.Spread       `json:"validation_accuracy,omitempty"` // nil without held-out samples
	LUTs       *LUTs                 `json:"luts,omitempty"`                // nil if LUTs are not counted
	Models     []string              `json:"models,omitempty"`
	Runs       []trainer.SeedSummary `json:"runs,omitempty"`

	config  config.Config
	made    string
	results []*grid.Result
}

// LUTs holds the numbers of look-up tables in a row's networks.
type LUTs struct {
	Total   trainer.Spread `json:"total"` // LUTs between the feature words and the class
	Gates   trainer.Spread `json:"gates"`
	Head    trainer.Spread `json:"head"`
	Encoder trainer.Spread `json:"encoder"`
}

// newTable returns a table without rows.
func (r Runner) newTable(name string, axes []Axis) *Table {
	t := &Table{
		Sweep: name, Command: r.command(), Keys: []string{}, name: name + "-sweep", target: r.Target, guard: r.Guard,
	}
	for _, a := range axes {
		if a.Key != seedKey {
			t.Keys = append(t.Keys, a.Key)
		}
	}
	t.Files = []string{r.base(t.name) + ".md", r.base(t.name) + ".csv"}
	return t
}

// newRow returns the row of a combination, without a result.
func (t *Table) newRow(cfg config.Config, c *combination) Row {
	row := Row{
		Name: nameOf(&cfg, t.Keys), Grid: map[string]any{}, Seeds: c.seeds, Gates: cfg.Model.Nodes(),
		config: cfg, made: c.made,
	}
	for _, key := range t.Keys {
		row.Grid[key] = cfg.Value(key)
	}
	return row
}

// fill sets the results of the row's runs and, if there is a target, their LUTs.
func (r *Row) fill(runs []trainer.SeedSummary, results []*grid.Result, target string) {
	all := trainer.Summarise(runs)
	r.Test, r.Runs, r.results = &all.TestAccuracy, all.Runs, results
	r.Balanced = tested(runs, func(v *metrics.Values) float64 { return v.BalancedAccuracy })
	r.MacroF1 = tested(runs, func(v *metrics.Values) float64 { return v.MacroF1 })
	r.Matthews = tested(runs, func(v *metrics.Values) float64 { return v.MatthewsCorrcoef })
	var validation []float64
	r.Models = nil
	for _, run := range runs {
		r.Models = append(r.Models, run.Model)
		if run.Validation != nil {
			validation = append(validation, *run.Validation)
		}
	}
	if len(validation) == len(runs) {
		s := trainer.SpreadOf(validation)
		r.Validation = &s
	}
	if target != "" {
		r.LUTs = lutsOf(results)
	}
}

// tested returns the mean and the standard deviation of a metric on the test samples, or nil if it is not known for all
// runs.
func tested(runs []trainer.SeedSummary, metric func(*metrics.Values) float64) *trainer.Spread {
	var all []float64
	for _, run := range runs {
		if run.Values == nil {
			return nil
		}
		all = append(all, metric(run.Values))
	}
	return new(trainer.SpreadOf(all))
}

// lutsOf returns the mean and the standard deviation of the number of LUTs that the networks need.
func lutsOf(results []*grid.Result) *LUTs {
	of := func(count func(*grid.Costs) int) trainer.Spread {
		var all []float64
		for _, r := range results {
			all = append(all, float64(count(r.Costs)))
		}
		return trainer.SpreadOf(all)
	}
	return &LUTs{
		Total:   of((*grid.Costs).Full),
		Gates:   of(func(c *grid.Costs) int { return c.Gates }),
		Head:    of(func(c *grid.Costs) int { return c.Head }),
		Encoder: of(func(c *grid.Costs) int { return c.Encoder }),
	}
}

// values returns the values of a row's keys as text.
func (t *Table) values(r *Row) []string {
	var all []string
	for _, key := range t.Keys {
		all = append(all, text(r.Grid[key]))
	}
	return all
}

// validated reports whether some rows have held-out samples, and whether all rows have them.
func (t *Table) validated() (some, all bool) {
	all = true
	for i := range t.Rows {
		if t.Rows[i].config.Train.Validation.Share > 0 {
			some = true
		} else {
			all = false
		}
	}
	return some, all
}

// describe sets the caption, which says what the table shows.
func (t *Table) describe(r Runner) {
	accuracy, after := "Test accuracy of the frozen network", "after the last epoch"
	some, all := t.validated()
	if some {
		accuracy = "Accuracy of the frozen network on the samples held out of the training set, and on the test samples,"
		after = "after the epoch that is the best on the former"
	}
	if some && !all {
		after += ", or the last where none are held out"
	}
	over := "one seed"
	if n := len(t.Rows[0].Seeds); n > 1 {
		over = fmt.Sprintf("mean +- standard deviation (n - 1) over %d seeds", n)
	}
	t.Caption = []string{
		fmt.Sprintf("%s %s; %s.", accuracy, after, over),
		"Balanced accuracy, macro F1 and Matthews' coefficient (times 100) on the test samples.",
	}
	if r.Target != "" {
		t.Caption = append(t.Caption, fmt.Sprintf("LUTs as `ialgn compile --target %s --objective area` counts them, of the "+
			"whole classifier, from feature words to the class.", r.Target))
	}
	t.Caption = append(t.Caption, fmt.Sprintf("Made by `%s`.", t.Command))
}

// choose sets the best row, if the rows can be compared. This is the row with the largest mean validation accuracy.
// If several rows have this accuracy, choose takes the first of these rows.
func (t *Table) choose() {
	t.done = true
	if t.NoBest = t.incomparable(); t.NoBest != "" {
		return
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; t.Best == nil || r.Validation.Mean > t.Best.Validation.Mean {
			t.Best = r
		}
	}
}

// incomparable returns the reason why no row may be called the best, or "" if the rows can be compared.
func (t *Table) incomparable() string {
	first := &t.Rows[0].config
	if some, all := t.validated(); !some {
		return "no samples are held out of the training set, and the test samples are not for choosing; " +
			"train.validation.share holds some out"
	} else if !all {
		return "some rows hold no samples out of the training set"
	}
	for i := range t.Rows {
		switch c := &t.Rows[i].config; {
		case c.Data != first.Data:
			return "the rows are of different data"
		case c.Train.Validation.Share != first.Train.Validation.Share,
			c.Train.Validation.Stratified != first.Train.Validation.Stratified:
			return "the rows hold different samples out of the training set"
		}
	}
	return ""
}

// verdict names the best row, or says why no row is called the best. It returns nothing until all rows are complete.
func (t *Table) verdict() []string {
	switch {
	case !t.done:
		return nil
	case t.Best == nil:
		return []string{"No row is called the best: " + t.NoBest + "."}
	}
	return []string{fmt.Sprintf("The best by the samples held out: %s.", t.Best.Name)}
}

// write writes the table's files.
func (t *Table) write() error {
	if err := t.check(); err != nil {
		return err
	}
	for i, form := range []func(io.Writer) error{t.Markdown, t.CSV} {
		if err := outfile.Write(t.Files[i], form); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the table's files would overwrite files that no sweep wrote.
func (t *Table) check() error {
	return t.guard.CheckAll([]outfile.Output{
		{Path: t.Files[0], Form: outfile.Table},
		{Path: t.Files[1], Form: outfile.Sweep},
	})
}

// notRun is written instead of a missing value.
const notRun = "not run"

// Markdown writes the table with its caption. The Markdown is legible as plain text.
func (t *Table) Markdown(w io.Writer) error {
	some, _ := t.validated()
	head := append(slices.Clone(t.Keys), "seeds")
	if some {
		head = append(head, "validation accuracy, %")
	}
	head = append(head, "test accuracy, %", "balanced, %", "macro F1, %", "Matthews x 100")
	if t.target != "" {
		head = append(head, "LUTs", "gates", "head", "encoder")
	}
	lines := [][]string{head}
	var results []*grid.Result
	for i := range t.Rows {
		r := &t.Rows[i]
		line := append(t.values(r), strconv.Itoa(len(r.Seeds)))
		if some {
			line = append(line, grid.Points(r.Validation, ""))
		}
		line = append(line, grid.Points(r.Test, notRun), grid.Points(r.Balanced, ""), grid.Points(r.MacroF1, ""),
			grid.Points(r.Matthews, ""))
		if t.target != "" {
			line = append(line, r.LUTs.counts()...)
		}
		lines, results = append(lines, line), append(results, r.results...)
	}
	_, err := fmt.Fprintf(w, "# %s\n\n%s\n\n%s\n", t.title(), grid.Align(lines),
		strings.Join(slices.Concat(t.verdict(), t.Caption, grid.Commits(results)), "\n"))
	return err
}

// title returns a title that names the keys of the sweep.
func (t *Table) title() string {
	if len(t.Keys) == 0 {
		return t.Sweep + " over seeds"
	}
	return t.Sweep + " by " + strings.Join(t.Keys, ", ")
}

// counts formats the LUTs for Markdown.
func (l *LUTs) counts() []string {
	if l == nil {
		return make([]string, 4)
	}
	var all []string
	for _, s := range l.spreads() {
		cell := fmt.Sprintf("%.0f", s.Mean)
		if s.Std != nil {
			cell += fmt.Sprintf(" +- %.0f", *s.Std)
		}
		all = append(all, cell)
	}
	return all
}

// spreads returns the LUTs in the order of the columns.
func (l *LUTs) spreads() []*trainer.Spread {
	if l == nil {
		return make([]*trainer.Spread, 4)
	}
	return []*trainer.Spread{&l.Total, &l.Gates, &l.Head, &l.Encoder}
}

// CSV writes the table with a head. Accuracies are shares. Missing values are empty.
func (t *Table) CSV(w io.Writer) error {
	head := append([]string{"name", "seeds"}, t.Keys...)
	for _, column := range []string{
		"test_accuracy", "validation_accuracy", "luts", "luts_gates", "luts_head", "luts_encoder", "balanced_accuracy",
		"f1_macro", "matthews_corrcoef",
	} {
		head = append(head, column+"_mean", column+"_std")
	}
	lines := [][]string{head}
	for i := range t.Rows {
		r := &t.Rows[i]
		line := slices.Concat([]string{r.Name, strconv.Itoa(len(r.Seeds))}, t.values(r))
		for _, s := range slices.Concat([]*trainer.Spread{r.Test, r.Validation}, r.LUTs.spreads(),
			[]*trainer.Spread{r.Balanced, r.MacroF1, r.Matthews}) {
			line = append(line, grid.Shares(s)...)
		}
		lines = append(lines, line)
	}
	return csv.NewWriter(w).WriteAll(lines)
}
