package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/outfile"
	"ialgn/trainer"
)

// write writes the table's files.
func (t *Table) write() error {
	if err := t.check(); err != nil {
		return err
	}
	var err error
	if t.Metrics, err = t.measured(); err != nil {
		return err
	}
	forms := []func(io.Writer) error{t.Markdown, t.CSV}
	if t.series != nil {
		forms = append(forms, t.steps)
	}
	if t.sets != nil {
		forms = append(forms, t.classes)
	}
	for i, path := range t.Files {
		if err := outfile.Write(path, forms[i]); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the table's files would overwrite files that no experiment wrote.
func (t *Table) check() error {
	return t.guard.CheckAll(append(outfile.Outputs(outfile.Table, t.Files[:1]...),
		outfile.Outputs(outfile.Values, t.Files[1:]...)...))
}

// notRun is written instead of a missing value.
const notRun = "not run"

// Markdown writes the table with its caption. The Markdown is legible as plain text.
func (t *Table) Markdown(w io.Writer) error {
	head := []string{
		"data", "width", "depth", "gates", "network", "seeds", "epochs", "test accuracy, %", "best epoch, %",
		"paper, %", "difference, points",
	}
	for _, c := range t.columns {
		head = append(head, c.Head)
	}
	lines := [][]string{head}
	for _, r := range t.Rows {
		line := append(r.trained(), grid.Points(r.Test, notRun), grid.Points(r.Best, notRun), grid.Points(r.Paper, ""),
			signed(r.Difference))
		for i, c := range t.columns {
			line = append(line, r.value(i, c.Unit))
		}
		lines = append(lines, line)
	}
	text := fmt.Sprintf("# %s, scale %s\n\n%s\n\n%s\n", t.Title, t.Scale, grid.Align(lines),
		strings.Join(slices.Concat(t.Caption, t.commits()), "\n"))
	text += t.compared()
	if missing := t.notRun(); len(missing) > 0 {
		text += "\n" + strings.Join(missing, "\n") + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// commits returns a line that names the commits of the program versions that wrote the results.
func (t *Table) commits() []string {
	var all []*grid.Result
	for _, r := range t.Rows {
		all = append(all, r.results...)
	}
	return grid.Commits(all)
}

// trained returns the cells of a row that describe the trained network, for Markdown.
func (r *Row) trained() []string {
	return []string{
		r.Data, strconv.Itoa(r.Width), strconv.Itoa(r.Depth), strconv.Itoa(r.Gates), r.Network, strconv.Itoa(r.Seeds),
		strconv.Itoa(r.Epochs),
	}
}

// value formats value i of the row, multiplied by unit, and then the paper's value.
func (r *Row) value(i int, unit float64) string {
	if r.Values == nil {
		return ""
	}
	v := r.Values[i]
	text := fmt.Sprintf("%.2f", unit*v.Mean)
	if v.Std != nil {
		text += fmt.Sprintf(" +- %.2f", unit**v.Std)
	}
	if v.Paper != "" {
		text += fmt.Sprintf(" (paper: %s)", v.Paper)
	}
	return text
}

// CSV writes the table with a head. Accuracies are shares of the test set. Values of entries that did not run are
// empty.
func (t *Table) CSV(w io.Writer) error {
	head := []string{
		"name", "data", "width", "depth", "deployed_gates", "network", "seeds", "epochs", "test_accuracy_mean",
		"test_accuracy_std",
		"best_test_accuracy_mean", "best_test_accuracy_std", "paper_mean", "paper_std", "difference_points", "not_run",
	}
	for _, c := range t.columns {
		head = append(head, c.Name+"_mean", c.Name+"_std")
	}
	lines := [][]string{head}
	for _, r := range t.Rows {
		line := append([]string{r.Name}, r.trained()...)
		for _, s := range []*trainer.Spread{r.Test, r.Best, r.Paper} {
			line = append(line, grid.Shares(s)...)
		}
		difference := ""
		if r.Difference != nil {
			difference = fmt.Sprintf("%.4f", *r.Difference)
		}
		line = append(line, difference, r.NotRun)
		for i := range t.columns {
			var s *trainer.Spread
			if r.Values != nil {
				s = &r.Values[i].Spread
			}
			line = append(line, grid.Shares(s)...)
		}
		lines = append(lines, line)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// steps writes the table's series as CSV, with one line for each row and step.
func (t *Table) steps(w io.Writer) error {
	head := []string{"name", "network", "data", "width", "depth", t.series.Step}
	for _, l := range t.series.Lines {
		head = append(head, l.Name+"_mean", l.Name+"_std")
	}
	lines := [][]string{head}
	for _, r := range t.Rows {
		var all [][]trainer.Spread
		for _, l := range t.series.Lines {
			all = append(all, l.at(r.results))
		}
		for step := range all[0] {
			line := []string{r.Name, r.Network, r.Data, strconv.Itoa(r.Width), strconv.Itoa(r.Depth), strconv.Itoa(step + 1)}
			for _, l := range all {
				line = append(line, grid.Shares(&l[step])...)
			}
			lines = append(lines, line)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
