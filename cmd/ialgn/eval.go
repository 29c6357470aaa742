package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ialgn/trainer"
	"ialgn/trainer/model"
)

func evalCommand() *cli.Command {
	return &cli.Command{
		Name:      "eval",
		Usage:     "accuracy of the frozen model by the trainer's own forward pass",
		ArgsUsage: "MODEL",
		UsageText: "ialgn eval demo/digits.safetensors",
		Flags:     everywhere(dataFlag),
		Action:    eval,
	}
}

func eval(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	n := threads(c)
	file, err := model.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	f, test, err := loadForTest(c, file)
	if err != nil {
		return err
	}
	scores, err := f.Evaluate(c.Context, test.Levels, n)
	if err != nil {
		return err
	}
	return show(c, newEvalReport(f.Classes, scores, test.Levels.Labels))
}

// loadForTest reads a model's frozen network and the test part of its data set, and
// warns if that is not the one it was trained with.
func loadForTest(c *cli.Context, file *model.File) (*model.Frozen, *trainer.TestData, error) {
	info, err := file.Info()
	if err != nil {
		return nil, nil, err
	}
	f, err := file.Frozen()
	if err != nil {
		return nil, nil, err
	}
	info.Model.Config.Data.Beside = filepath.Dir(file.Path())
	test, err := trainer.LoadTest(c.Context, &f.Encoder, f.Classes, info.Model.Config.Data, folders(c))
	if err != nil {
		return nil, nil, err
	}
	warnOfOtherData(c, test, info.Model.Record.Test)
	return f, test, nil
}

// warnOfOtherData warns if the test part is not the one of that checksum, which the
// model's training record names.
func warnOfOtherData(c *cli.Context, test *trainer.TestData, recorded string) {
	if test.SHA256 != recorded {
		warn(c, "the test part of %s here is not the one that the model was trained with", test.Name)
	}
}

type evalReport struct {
	Samples   int        `json:"samples"`
	Correct   int        `json:"correct"`
	Accuracy  float64    `json:"accuracy"`
	Classes   []string   `json:"classes"`
	Confusion [][]int    `json:"confusion"` // [label][predicted]
	PerClass  []*float64 `json:"per_class"` // share of each label's samples that is recognised; null without any
}

func newEvalReport(classes []string, s *model.Scores, labels []uint8) evalReport {
	r := evalReport{
		Samples: len(labels), Correct: s.Correct(labels), Classes: classes,
		Confusion: s.Confusion(labels), PerClass: make([]*float64, len(classes)),
	}
	r.Accuracy = float64(r.Correct) / float64(max(1, r.Samples))
	for y, row := range r.Confusion {
		all := 0
		for _, n := range row {
			all += n
		}
		if all > 0 {
			recall := float64(row[y]) / float64(all)
			r.PerClass[y] = &recall
		}
	}
	return r
}

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
