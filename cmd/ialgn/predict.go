package main

import (
	"ialgn"

	"github.com/urfave/cli/v2"
)

func predictCommand() *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "class and class counts of each sample of a file",
		ArgsUsage: "MODEL FILE",
		Description: "FILE is a CSV file of the model's features, with or without a header and a label\n" +
			"column, an array (.npy) or an IDX image file, gzip or not; it may be a pipe, and - is the\n" +
			"standard input. The result is CSV (sample, class, one count a class), or with\n" +
			"--json one JSON object a line. For many samples, machine code is made of the network.",
		UsageText: "ialgn predict demo/digits.safetensors samples.csv",
		Flags: commonFlags(engineFlag,
			&cli.BoolFlag{Name: "scores", Usage: "give scores, (count + beta) / tau, in the place of counts"}),
		Action: predict,
	}
}

func predict(c *cli.Context) error {
	args, err := arguments(c, 2)
	if err != nil {
		return err
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
	what, number, lines := "count", appendCount, tableLines
	if c.Bool("scores") {
		what, number = "score", appendScore(m.Score)
	}
	if c.Bool("json") {
		lines = objectLines
	}
	out := lines(c.App.Writer, m.Classes(), what, number)
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
