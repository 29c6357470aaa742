package main

import (
	"fmt"
	"io"
	"unicode/utf8"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/internal/softmax"
)

func evalCommand() *cli.Command {
	return &cli.Command{
		Name:  "eval",
		Usage: "measure the accuracy of a model",
		Description: "Classifies the model's test set, or FILE: a CSV file with a column of labels, or an array\n" +
			"(.npy) with --labels. Columns are found by name. For FILE, eval also prints the accuracy of\n" +
			"each batch of rows in file order, which makes drift visible. For many samples, the network\n" +
			"is translated to machine code; the results equal those of the trainer's own forward pass.",
		ArgsUsage: "MODEL [FILE]",
		UsageText: "ialgn eval demo/digits.safetensors",
		Flags: commonFlags(dataFlag, engineFlag,
			&cli.StringFlag{Name: "labels", Usage: "if FILE is an array: read its labels from the array `LABELS`"},
			&cli.StringFlag{Name: "label", Usage: "read the labels of FILE from column `NAME` (default: as in training)"},
			&cli.IntFlag{
				Name:  "batch-rows",
				Usage: "print the accuracy of each `N` rows of FILE (default: a tenth of the rows)",
			},
		),
		Action: eval,
	}
}

func eval(c *cli.Context) error {
	if c.Args().Len() != 2 {
		if _, err := arguments(c, 1); err != nil {
			return err
		}
	}
	if err := checkEval(c); err != nil {
		return err
	}
	m, err := ialgn.Open(c.Args().First())
	if err != nil {
		return err
	}
	defer m.Close()
	o := ialgn.EvalOptions{
		Data: dataOf(c), Engine: engineOf(c),
		File: c.Args().Get(1), Labels: c.String("labels"), Label: c.String("label"), BatchRows: c.Int("batch-rows"),
	}
	e, err := m.Evaluate(c.Context, o)
	if err != nil {
		return err
	}
	noteSamples(c, e.Note)
	if o.File == "" {
		cfg := m.Config()
		noteSamples(c, e.Majority().Warning(&cfg.Train, e.Accuracy))
	}
	return show(c, evalReport{e})
}

// checkEval returns an error if options about a file are set without a file, or if a batch has no rows.
func checkEval(c *cli.Context) error {
	for _, name := range []string{"labels", "label", "batch-rows"} {
		if c.IsSet(name) && c.Args().Len() < 2 {
			return message.WithHint(fmt.Errorf("--%s: applies to FILE, but no FILE is given", name),
				"name the file after the model")
		}
	}
	if c.IsSet("batch-rows") && c.Int("batch-rows") < 1 {
		return fmt.Errorf("--batch-rows %d: must be positive", c.Int("batch-rows"))
	}
	return nil
}

// noteSamples writes the warning about the samples, if there is one.
func noteSamples(c *cli.Context, note error) {
	if note != nil {
		warn(screenOf(c), note)
	}
}

// evalReport is the report on an evaluation.
type evalReport struct{ *ialgn.Evaluation }

func (r evalReport) text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d correct, accuracy %s\n", r.Correct, r.Samples, percent(r.Accuracy))
	fmt.Fprintf(w, "balanced accuracy %s, macro F1 %s, Matthews coefficient %.4f\n", percent(r.BalancedAccuracy),
		percent(r.MacroF1), r.MatthewsCorrcoef)
	fmt.Fprintf(w, "95 %% intervals: accuracy %s, balanced accuracy %s\n", interval(r.AccuracyInterval),
		interval(r.BalancedAccuracyInterval))
	if r.ROCAUC != nil {
		fmt.Fprintf(w, "for class %s: ROC AUC %.4f, average precision %.4f\n", r.Classes[1], *r.ROCAUC, *r.AveragePrecision)
	}
	r.probabilities(w)
	classesText(w, r.Classes, r.Confusion)
	r.rejection(w)
	if len(r.Batches) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%12s %9s  accuracy\n", "first sample", "samples")
	for _, b := range r.Batches {
		fmt.Fprintf(w, "%12d %9d %9s\n", b.First, b.Samples, percent(b.Accuracy))
	}
}

// probabilities writes the metrics of the probabilities.
func (r evalReport) probabilities(w io.Writer) {
	t := softmax.Temperature{Value: r.Temperature, Calibrated: r.Calibrated}
	fmt.Fprintf(w, "expected calibration error %s, log loss %.4f (probabilities: softmax of counts / %v)\n",
		percent(r.ExpectedCalibrationError), r.LogLoss, t)
}

// rejection writes the accuracy against the share of samples that are answered.
func (r evalReport) rejection(w io.Writer) {
	if len(r.Rejection) == 0 {
		return
	}
	fmt.Fprint(w, "\naccuracy of the samples whose largest count leads the second largest by at least the margin:\n"+
		"margin  answered  accuracy  balanced accuracy\n")
	for _, a := range r.Rejection.Answering() {
		fmt.Fprintf(w, "%6d %9s %9s %18s\n", a.Margin, percent(a.Answered), percent(a.Accuracy), percent(a.BalancedAccuracy))
	}
}

func interval(limits [2]float64) string {
	return fmt.Sprintf("%.2f to %s", 100*limits[0], percent(limits[1]))
}

// classesText writes the metrics of each class and its row of the confusion matrix, with complete class names.
func classesText(w io.Writer, classes []string, confusion [][]int) {
	first, widths := len("class       "), make([]int, len(classes))
	for k, name := range classes {
		first, widths[k] = max(first, utf8.RuneCountInString(name)), max(5, utf8.RuneCountInString(name))
		for _, row := range confusion {
			widths[k] = max(widths[k], len(fmt.Sprint(row[k])))
		}
	}
	const head = "precision    recall        F1  support"
	fmt.Fprintf(w, "\n%-*s %s  predicted as\n%*s", first, "class", head, first+len(head)+2, "")
	for k, name := range classes {
		fmt.Fprintf(w, " %*s", widths[k], name)
	}
	fmt.Fprintln(w)
	for y, c := range metrics.Classes(confusion) {
		fmt.Fprintf(w, "%-*s %9s %9s %9s %8d ", first, classes[y], shareOf(c.Precision, c.Predicted),
			shareOf(c.Recall, c.Support), shareOf(c.F1, c.Predicted+c.Support), c.Support)
		for k, n := range confusion[y] {
			fmt.Fprintf(w, " %*d", widths[k], n)
		}
		fmt.Fprintln(w)
	}
}

// shareOf returns a share of a number of samples as text, or "-" if there are no samples.
func shareOf(share float64, samples int) string {
	if samples == 0 {
		return "-"
	}
	return percent(share)
}
