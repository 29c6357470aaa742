package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

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
			"--json one JSON object a line.",
		UsageText: "ialgn predict demo/digits.safetensors samples.csv",
		Flags:     commonFlags(),
		Action:    predict,
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
	classifier, err := m.Classifier()
	if err != nil {
		return err
	}
	in, err := classifier.OpenFile(c.Context, args[1])
	if err != nil {
		return err
	}
	defer in.Close()
	names := m.Classes()
	if c.Bool("json") {
		return in.Classify(c.Context, func(sample, class int, counts []int32) error {
			return json.NewEncoder(c.App.Writer).Encode(struct {
				Sample int     `json:"sample"`
				Class  string  `json:"class"`
				Counts []int32 `json:"counts"`
			}{sample, names[class], counts})
		})
	}
	fmt.Fprintf(c.App.Writer, "sample,class,%s\n", strings.Join(prefixed("count_", names), ","))
	return in.Classify(c.Context, func(sample, class int, counts []int32) error {
		line := strconv.Itoa(sample) + "," + quoted(names[class])
		for _, n := range counts {
			line += "," + strconv.Itoa(int(n))
		}
		_, err := fmt.Fprintln(c.App.Writer, line)
		return err
	})
}

func prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quoted(prefix + n)
	}
	return out
}

// quoted returns a CSV field.
func quoted(s string) string {
	if strings.ContainsAny(s, ",\"\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
