package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/trainer/dataset"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

func predictCommand() *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "class and class counts of each sample of a file",
		ArgsUsage: "MODEL FILE",
		Description: "FILE is a CSV file of the model's features, with or without a header and a label\n" +
			"column, or an IDX image file, gzip or not; it may be a pipe, and - is the standard\n" +
			"input. The result is CSV (sample, class, one count a class), or with\n" +
			"--json one JSON object a line.",
		UsageText: "ialgn predict demo/digits.safetensors samples.csv",
		Flags:     everywhere(),
		Action:    predict,
	}
}

// predictBlock is how many samples are read, classified and printed at a time.
const predictBlock = 4096

func predict(c *cli.Context) error {
	args, err := arguments(c, 2)
	if err != nil {
		return err
	}
	n := threads(c)
	file, err := model.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Info()
	if err != nil {
		return err
	}
	f, err := file.Frozen()
	if err != nil {
		return err
	}
	enc := &f.Encoder
	in, err := dataset.OpenSamples(c.Context, args[1], enc.Features(), enc.Names, info.Model.Config.Data.Label, enc.Quantiser, enc.Max)
	if err != nil {
		return err
	}
	defer in.Close()
	p := predictor{c.Context, f, in, n}
	if c.Bool("json") {
		return p.each(func(sample int, class string, counts []int32) error {
			return json.NewEncoder(c.App.Writer).Encode(struct {
				Sample int     `json:"sample"`
				Class  string  `json:"class"`
				Counts []int32 `json:"counts"`
			}{sample, class, counts})
		})
	}
	fmt.Fprintf(c.App.Writer, "sample,class,%s\n", strings.Join(prefixed("count_", f.Classes), ","))
	return p.each(func(sample int, class string, counts []int32) error {
		line := strconv.Itoa(sample) + "," + quoted(class)
		for _, n := range counts {
			line += "," + strconv.Itoa(int(n))
		}
		_, err := fmt.Fprintln(c.App.Writer, line)
		return err
	})
}

// predictor classifies a stream of samples.
type predictor struct {
	ctx     context.Context
	f       *model.Frozen
	in      *dataset.Samples
	threads int
}

// each calls fn for every sample in order.
func (p predictor) each(fn func(sample int, class string, counts []int32) error) error {
	enc := &p.f.Encoder
	values := make([]uint16, enc.Features())
	for first := 0; ; {
		block := encoding.NewPacked(enc.Features(), enc.LevelBits())
		end := false
		for block.Len() < predictBlock && !end {
			switch err := p.in.Next(values); {
			case errors.Is(err, io.EOF):
				end = true
			case err != nil:
				return err
			default:
				enc.Levels(values, values)
				block.Append(values, 0)
			}
		}
		s, err := p.f.Evaluate(p.ctx, block, p.threads)
		if err != nil {
			return err
		}
		for i, class := range s.Predicted {
			if err := fn(first+i, p.f.Classes[class], s.Counts[i*s.Classes:][:s.Classes]); err != nil {
				return err
			}
		}
		if first += block.Len(); end {
			return nil
		}
	}
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
