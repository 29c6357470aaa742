package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/trainer"
)

// Measured holds the metrics of a network or another classifier on the test samples of a data set: mean and standard
// deviation over its runs. Shares are not in percent.
type Measured struct {
	Data       string          `json:"data"`
	Classifier string          `json:"classifier"`
	Runs       int             `json:"runs"`
	LUTs       *trainer.Spread `json:"luts,omitempty"` // LUTs of six inputs of the whole classifier
	All        Figures         `json:"all"`
	Without    *Figures        `json:"without,omitempty"` // without the class Rare
	Rare       string          `json:"rare,omitempty"`
	Classes    []MeasuredClass `json:"classes"`
}

// Figures holds the metrics of all classes, or without a rare class. The samples of the rare class are then left out,
// and other samples that are predicted as the rare class are wrong.
type Figures struct {
	Accuracy         trainer.Spread `json:"accuracy"`
	BalancedAccuracy trainer.Spread `json:"balanced_accuracy"`
	MacroF1          trainer.Spread `json:"f1_macro"`
}

// MeasuredClass holds the metrics of one class.
type MeasuredClass struct {
	Class     string         `json:"class"`
	Support   int            `json:"support"` // number of samples
	Recall    trainer.Spread `json:"recall"`
	Precision trainer.Spread `json:"precision"`
	F1        trainer.Spread `json:"f1"`
}

// measured returns the metrics of the rows whose networks were tested and, after the rows of a data set, the metrics of
// scikit-learn. It returns an error if scikit-learn had other test samples.
func (t *Table) measured() (all []Measured, err error) {
	for i := range t.sets {
		set, known := &t.sets[i], len(all)
		for _, r := range t.Rows {
			untested := func(one *grid.Result) bool { return one.Tested == nil }
			if r.Data != set.name || len(r.results) == 0 || slices.ContainsFunc(r.results, untested) {
				continue
			}
			var tested []*grid.Tested
			var luts []float64
			for _, one := range r.results {
				tested, luts = append(tested, one.Tested), append(luts, float64(one.Costs.Full()))
			}
			m := set.measure(r.Network, tested)
			m.LUTs = new(trainer.SpreadOf(luts))
			all = append(all, m)
		}
		if len(all) == known {
			continue
		}
		for _, r := range t.trees {
			if r.Data != set.name {
				continue
			}
			m := set.measure(r.name(), r.tested())
			if !slices.Equal(m.supports(), all[known].supports()) {
				return nil, message.WithHint(fmt.Errorf("%s: %s, %s: has other test samples than the networks",
					treesFile, m.Data, m.Classifier), "remove it, and run lab/tables/trees.py again")
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// supports returns the classes that have samples and their numbers of samples, in the order of their names.
func (m *Measured) supports() (all []string) {
	for _, c := range m.Classes {
		if c.Support > 0 {
			all = append(all, c.head())
		}
	}
	slices.Sort(all)
	return all
}

// measure returns the metrics of a classifier's runs.
func (s *tableSet) measure(classifier string, runs []*grid.Tested) Measured {
	names := runs[0].Classes
	if len(s.classes) == len(names) {
		names = s.classes
	}
	m := Measured{Data: s.name, Classifier: classifier, Runs: len(runs), All: figures(runs, none)}
	if rare := slices.Index(names, s.rare); rare != none {
		m.Without, m.Rare = new(figures(runs, rare)), s.rare
	}
	for i, name := range names {
		of := func(metric func(metrics.Class) float64) trainer.Spread {
			return spreadOf(runs, func(m [][]int) float64 { return metric(metrics.Classes(m)[i]) })
		}
		m.Classes = append(m.Classes, MeasuredClass{
			Class: name, Support: metrics.Classes(runs[0].Confusion)[i].Support,
			Recall:    of(func(c metrics.Class) float64 { return c.Recall }),
			Precision: of(func(c metrics.Class) float64 { return c.Precision }),
			F1:        of(func(c metrics.Class) float64 { return c.F1 }),
		})
	}
	return m
}

// none is the number of no class.
const none = -1

// figures returns the metrics of all classes or, unless rare is [none], without the class with the number rare.
func figures(runs []*grid.Tested, rare int) Figures {
	of := func(metric func([][]int) float64) trainer.Spread {
		return spreadOf(runs, func(m [][]int) float64 {
			if rare != none {
				m = slices.Clone(m)
				m[rare] = make([]int, len(m))
			}
			return metric(m)
		})
	}
	macro := metrics.MacroF1
	if rare != none {
		macro = func(m [][]int) float64 { return macroF1(m, rare) }
	}
	return Figures{of(metrics.Accuracy), of(metrics.BalancedAccuracy), of(macro)}
}

// macroF1 returns the mean F1 of the classes that have samples or predictions, without the class rare.
func macroF1(confusion [][]int, rare int) float64 {
	total, classes := 0.0, 0
	for i, c := range metrics.Classes(confusion) {
		if i != rare && c.Support+c.Predicted > 0 {
			total, classes = total+c.F1, classes+1
		}
	}
	return total / float64(max(1, classes))
}

// spreadOf returns the mean and the deviation of a metric over runs.
func spreadOf(runs []*grid.Tested, metric func([][]int) float64) trainer.Spread {
	var values []float64
	for _, run := range runs {
		values = append(values, metric(run.Confusion))
	}
	return trainer.SpreadOf(values)
}

// mostColumns is the largest number of classes that are shown next to each other.
const mostColumns = 10

// compared returns the part of the Markdown that compares classifiers: the metrics of all classifiers, and a table of
// the classes for each data set. It returns "" for experiments without such metrics.
func (t *Table) compared() string {
	if len(t.Metrics) == 0 {
		return ""
	}
	lines := [][]string{{
		"data", "classifier", "runs", "LUT6, whole", "accuracy, %", "balanced accuracy, %", "macro F1, %",
	}}
	for i := range t.Metrics {
		lines = append(lines, t.Metrics[i].lines()...)
	}
	text := "\n## Metrics\n\n" + grid.Align(lines) + "\n"
	for _, s := range t.sets {
		var of []Measured
		for _, m := range t.Metrics {
			if m.Data == s.name && len(m.Classes) <= mostColumns {
				of = append(of, m)
			}
		}
		if len(of) > 0 {
			text += fmt.Sprintf("\n## Classes of %s: recall; precision, %%\n\n%s\n", s.name, classTable(of))
		}
	}
	return text
}

// lines returns the cells of a classifier for the table of metrics.
func (m *Measured) lines() [][]string {
	luts := ""
	if m.LUTs != nil {
		luts = fmt.Sprintf("%.0f", m.LUTs.Mean)
		if m.LUTs.Std != nil {
			luts += fmt.Sprintf(" +- %.0f", *m.LUTs.Std)
		}
	}
	line := func(data string, f *Figures) []string {
		return []string{
			data, m.Classifier, strconv.Itoa(m.Runs), luts, grid.Points(&f.Accuracy, ""), grid.Points(&f.BalancedAccuracy, ""),
			grid.Points(&f.MacroF1, ""),
		}
	}
	all := [][]string{line(m.Data, &m.All)}
	if m.Without != nil {
		all = append(all, line(m.Data+" without "+m.Rare, m.Without))
	}
	return all
}

// classTable returns a Markdown table with a column for each class. A classifier may lack classes that have no samples.
func classTable(of []Measured) string {
	head := []string{"classifier"}
	for _, m := range of {
		for _, c := range m.Classes {
			if name := c.head(); !slices.Contains(head, name) {
				head = append(head, name)
			}
		}
	}
	lines := [][]string{head}
	for _, m := range of {
		line := append([]string{m.Classifier}, make([]string, len(head)-1)...)
		for _, c := range m.Classes {
			line[slices.Index(head, c.head())] = grid.Points(&c.Recall, "") + "; " + grid.Points(&c.Precision, "")
		}
		lines = append(lines, line)
	}
	return grid.Align(lines)
}

func (c *MeasuredClass) head() string { return fmt.Sprintf("%s (%d)", c.Class, c.Support) }

// classes writes the metrics of each class as CSV. The class "" is the mean of all classes, and a class "without X" is
// the mean of all classes but X.
func (t *Table) classes(w io.Writer) error {
	lines := [][]string{strings.Split("data,classifier,class,runs,samples,recall_mean,recall_std,precision_mean,"+
		"precision_std,f1_mean,f1_std,accuracy_mean,accuracy_std", ",")}
	for i := range t.Metrics {
		m := &t.Metrics[i]
		add := func(class string, samples int, recall, precision, f1, accuracy *trainer.Spread) {
			names := []string{m.Data, m.Classifier, class, strconv.Itoa(m.Runs), strconv.Itoa(samples)}
			lines = append(lines, slices.Concat(names,
				grid.Shares(recall), grid.Shares(precision), grid.Shares(f1), grid.Shares(accuracy)))
		}
		total := 0
		for _, c := range m.Classes {
			total += c.Support
		}
		add("", total, &m.All.BalancedAccuracy, nil, &m.All.MacroF1, &m.All.Accuracy)
		for _, c := range m.Classes {
			if m.Without != nil && c.Class == m.Rare {
				add("without "+m.Rare, total-c.Support, &m.Without.BalancedAccuracy, nil, &m.Without.MacroF1, &m.Without.Accuracy)
			}
			add(c.Class, c.Support, &c.Recall, &c.Precision, &c.F1, nil)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
