package grid

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ialgn/trainer"
)

// Align returns the lines of a Markdown table, padded so that the cells of a column have equal width. The first line
// is the head. A bar in a cell is escaped.
func Align(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	cells := make([][]string, len(lines))
	for n, line := range lines {
		for i, cell := range line {
			cells[n] = append(cells[n], strings.ReplaceAll(cell, "|", `\|`))
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[n][i]))
		}
	}
	var all []string
	for n, line := range cells {
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

// Points formats a mean and its deviation in percent. If s is nil, it returns the argument none.
func Points(s *trainer.Spread, none string) string {
	switch {
	case s == nil:
		return none
	case s.Std == nil:
		return fmt.Sprintf("%.2f", 100*s.Mean)
	}
	return fmt.Sprintf("%.2f +- %.2f", 100*s.Mean, 100**s.Std)
}

// Shares formats mean and deviation with six digits, which is more than an accuracy on a test set of 10,000 samples
// needs.
func Shares(s *trainer.Spread) []string {
	if s == nil {
		return []string{"", ""}
	}
	deviation := ""
	if s.Std != nil {
		deviation = fmt.Sprintf("%.6f", *s.Std)
	}
	return []string{fmt.Sprintf("%.6f", s.Mean), deviation}
}

// Ends returns the mean minus the deviation and the mean plus the deviation. Without a deviation, both are NaN.
func Ends(v *trainer.Spread) (low, high float64) {
	if v.Std == nil {
		return math.NaN(), math.NaN()
	}
	return v.Mean - *v.Std, v.Mean + *v.Std
}

// endings maps keys that are often replaced to short names.
var endings = map[string]string{
	"encoder.bits": "b", "model.anchors": "k", "model.hidden": "h", "model.width": "w", "model.depth": "d",
	"model.tau": "tau", "train.epochs": "e", "train.batch": "batch", "train.optimizer.lr": "lr",
}

// nameable matches a value that may become part of a file name.
var nameable = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,20}$`)

// Ending returns the part of a file name for a key and the key's value. It returns "" if the value cannot be part of
// a name.
func Ending(key, value string) string {
	if !nameable.MatchString(value) {
		return ""
	}
	short, ok := endings[key]
	if !ok {
		short = key + "-"
	}
	return "-" + short + value
}

// Commits returns a line with the commits of the programs that wrote the results, in order. If no commit is known, it
// returns nothing.
func Commits(results []*Result) []string {
	var all []string
	for _, r := range results {
		if r.Commit != "" && !slices.Contains(all, r.Commit) {
			all = append(all, r.Commit)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"Results written by the program of commit " + strings.Join(all, ", ") + "."}
}
