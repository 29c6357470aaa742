package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"ialgn/internal/atomicfile"
	"ialgn/trainer"
)

// write writes the table's files.
func (t *Table) write() error {
	for i, form := range []func(io.Writer) error{t.Markdown, t.CSV} {
		if err := atomicfile.Write(t.Files[i], form); err != nil {
			return fmt.Errorf("%s: %w", t.Files[i], err)
		}
	}
	return nil
}

// notRun stands in place of a value.
const notRun = "not run"

// Markdown writes the table with its caption, legible as plain text.
func (t *Table) Markdown(w io.Writer) error {
	lines := [][]string{{
		"data", "width", "depth", "network", "seeds", "epochs", "test accuracy, %", "best epoch, %", "paper, %", "difference, points",
	}}
	for _, r := range t.Rows {
		lines = append(lines, []string{
			r.Data, strconv.Itoa(r.Width), strconv.Itoa(r.Depth), r.Network, strconv.Itoa(r.Seeds), strconv.Itoa(r.Epochs),
			points(r.Test, notRun), points(r.Best, notRun), points(r.Paper, ""), signed(r.Difference),
		})
	}
	text := fmt.Sprintf("# %s, scale %s\n\n%s\n\n%s\n", t.Title, t.Scale, align(lines), strings.Join(t.Caption, "\n"))
	if missing := t.notRun(); len(missing) > 0 {
		text += "\n" + strings.Join(missing, "\n") + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// align returns the lines of a Markdown table, the first of which is its head, with
// cells of equal width.
func align(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var all []string
	for n, line := range lines {
		text, rule := "|", "|"
		for i, cell := range line {
			text += fmt.Sprintf(" %-*s |", widths[i], cell)
			rule += strings.Repeat("-", widths[i]+2) + "|"
		}
		all = append(all, text)
		if n == 0 {
			all = append(all, rule)
		}
	}
	return strings.Join(all, "\n")
}

// CSV writes the table with a head. Accuracies are shares of the test set; what an entry
// that did not run has no value of is empty.
func (t *Table) CSV(w io.Writer) error {
	lines := [][]string{{
		"name", "data", "width", "depth", "network", "seeds", "epochs", "test_accuracy_mean", "test_accuracy_std",
		"best_test_accuracy_mean", "best_test_accuracy_std", "paper_mean", "paper_std", "difference_points", "not_run",
	}}
	for _, r := range t.Rows {
		line := []string{r.Name, r.Data, strconv.Itoa(r.Width), strconv.Itoa(r.Depth), r.Network, strconv.Itoa(r.Seeds), strconv.Itoa(r.Epochs)}
		for _, s := range []*trainer.Spread{r.Test, r.Best, r.Paper} {
			line = append(line, shares(s)...)
		}
		difference := ""
		if r.Difference != nil {
			difference = fmt.Sprintf("%.4f", *r.Difference)
		}
		lines = append(lines, append(line, difference, r.NotRun))
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// shares writes mean and deviation with the digits of a test set of 10,000 and some more.
func shares(s *trainer.Spread) []string {
	if s == nil {
		return []string{"", ""}
	}
	deviation := ""
	if s.Std != nil {
		deviation = fmt.Sprintf("%.6f", *s.Std)
	}
	return []string{fmt.Sprintf("%.6f", s.Mean), deviation}
}
