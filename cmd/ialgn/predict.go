package main

import (
	"errors"
	"fmt"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
)

func predictCommand() *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "print the class and the class counts of each sample in a file",
		ArgsUsage: "MODEL FILE",
		Description: "FILE is a CSV file with the model's features (header and label column are optional), an array\n" +
			"(.npy) or an IDX image file, plain or gzip. FILE may be a pipe; - is standard input. The\n" +
			"output is CSV (sample, class, one count per class), or one JSON object a line with --json.\n" +
			"For many samples, the network is translated to machine code.",
		UsageText: "ialgn predict demo/digits.safetensors samples.csv",
		Flags: commonFlags(engineFlag,
			&cli.BoolFlag{Name: "scores", Usage: "print scores, (count + beta) / tau, instead of counts"},
			&cli.BoolFlag{Name: "probabilities", Usage: "print the probabilities of the classes instead of counts"},
			&cli.IntFlag{Name: "reject", Usage: "say where the largest count leads the second largest by less than `MARGIN`"}),
		Action: predict,
	}
}

func predict(c *cli.Context) error {
	args, err := arguments(c, 2)
	if err != nil {
		return err
	}
	if c.Bool("scores") && c.Bool("probabilities") {
		return message.WithHint(errors.New("--scores and --probabilities: only one of them can replace the counts"),
			"omit one of them")
	}
	margin := c.Int("reject")
	if c.IsSet("reject") && margin < 1 {
		return fmt.Errorf("--reject %d: give a margin of 1 or more", margin)
	}
	m, err := ialgn.Open(args[0])
	if err != nil {
		return err
	}
	defer m.Close()
	classifier, err := m.Classifier(c.Context, engineOf(c))
	if err != nil {
		return err
	}
	in, err := classifier.OpenFile(c.Context, args[1])
	if err != nil {
		return err
	}
	defer in.Close()
	numbers, lines := countNumbers, tableLines
	switch {
	case c.Bool("scores"):
		numbers = scoreNumbers(m.Score)
	case c.Bool("probabilities"):
		numbers = probabilityNumbers(classifier.Probabilities)
		noteTemperature(c, m)
	}
	if c.Bool("json") {
		lines = objectLines
	}
	out := lines(c.App.Writer, m.Classes(), numbers, margin)
	if err := out.flush(); err != nil { // the header appears before the first sample arrives
		return err
	}
	return in.Classify(c.Context, func(first int, classes []uint16, counts []int32) error {
		if err := out.add(first, classes, counts); err != nil {
			return err
		}
		return out.flush()
	})
}

// noteTemperature notes that the probabilities of a model are not calibrated, if this is so.
func noteTemperature(c *cli.Context, m *ialgn.Model) {
	if t, calibrated := m.Temperature(); !calibrated {
		note(c, "the probabilities are not calibrated: they are the softmax of counts / %v, model.tau of training; train "+
			"with a validation set (train.validation.share) for calibrated ones", t)
	}
}
