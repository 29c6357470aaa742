package main

import (
	"fmt"
	"io"

	"ialgn"

	"github.com/urfave/cli/v2"
)

func evalCommand() *cli.Command {
	return &cli.Command{
		Name:  "eval",
		Usage: "accuracy of the frozen model",
		Description: "The simulator here is the trainer's own forward pass; for many samples machine code is\n" +
			"made of the network, which gives the same.",
		ArgsUsage: "MODEL",
		UsageText: "ialgn eval demo/digits.safetensors",
		Flags:     commonFlags(dataFlag, engineFlag),
		Action:    eval,
	}
}

func eval(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	m, err := ialgn.Open(args[0])
	if err != nil {
		return err
	}
	defer m.Close()
	e, err := m.EvaluateBy(c.Context, dataOf(c), engineOf(c))
	if err != nil {
		return err
	}
	noteSamples(c, e.Note)
	noteSamples(c, e.Majority().Warning(e.Accuracy))
	return show(c, evalReport{e})
}

// noteSamples warns of samples that are not those of training.
func noteSamples(c *cli.Context, note error) {
	if note != nil {
		warn(screenOf(c), note)
	}
}

// evalReport is an evaluation with its text.
type evalReport struct{ *ialgn.Evaluation }

func (r evalReport) text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d correct, accuracy %s\n", r.Correct, r.Samples, percent(r.Accuracy))
	fmt.Fprintf(w, "\n%-12s   recall  predicted as\n%23s", "class", "")
	for _, name := range r.Classes {
		fmt.Fprintf(w, " %5.5s", name)
	}
	fmt.Fprintln(w)
	for y, row := range r.Confusion {
		recall := "-"
		if r.PerClass[y] != nil {
			recall = percent(*r.PerClass[y])
		}
		fmt.Fprintf(w, "%-12.12s %9s ", r.Classes[y], recall)
		for _, n := range row {
			fmt.Fprintf(w, " %5d", n)
		}
		fmt.Fprintln(w)
	}
}
