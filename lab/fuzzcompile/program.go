package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/tool"
)

// The test set for the program has programSet samples. verify simulates only programSamples samples.
const (
	programSet     = 200
	programSamples = 20
)

// runProgram writes the model's file and a data set, and runs the program to compile and verify them. It returns a
// mismatch if the program refuses the input, does not prove the design, or panics.
func (c fuzzCase) runProgram(ctx context.Context, o options) error {
	return inFolder(func(dir string) error {
		if err := c.writeModel(dir); err != nil {
			return err
		}
		compile := append([]string{"compile", "model.safetensors", "-o", "out", "--module", module, "--quiet"}, o.args()...)
		if err := c.ialgn(ctx, dir, compile); err != nil {
			return err
		}
		return c.ialgn(ctx, dir, []string{
			"verify", "model.safetensors", "out", "--level", "all", "--samples", strconv.Itoa(programSamples), "--threads", "1",
		})
	})
}

// ialgn runs the program.
func (c fuzzCase) ialgn(ctx context.Context, dir string, args []string) error {
	r, err := (&tool.Tool{Name: "ialgn", Path: c.program}).Run(ctx, tool.Command{Args: args, Dir: dir, Limit: toolLimit})
	exit := (interface{ ExitCode() int })(nil)
	switch {
	case !errors.As(err, &exit):
		return err
	case exit.ExitCode() == 3 && strings.Contains(r.Stderr, "abc gave no verdict"):
		return &undecided{"program: " + strings.TrimSpace(r.Stderr)}
	}
	return &mismatch{fmt.Sprintf("ialgn %s: exit status %d: %s%s", strings.Join(args, " "), exit.ExitCode(), r.Stdout,
		r.Stderr)}
}

// args returns the options as the program's arguments. It omits the bound of the depth, which depends on the
// netlist.
func (o options) args() []string {
	o.tight = 0
	return strings.Fields(strings.ReplaceAll(strings.Join(o.words(), " "), "(not lowered)", ""))
}

// writeModel writes the model, with numbers as class names, and the CSV files of its data set.
func (c fuzzCase) writeModel(dir string) error {
	m := *c.model
	m.Classes = nil
	for i := range c.network.Classes {
		m.Classes = append(m.Classes, strconv.Itoa(i))
	}
	m.Config.Name, m.Config.Data = "fuzz", config.Data{
		Set: "csv", Train: "train.csv", Test: "test.csv", Label: strconv.Itoa(m.Encoder.Features() + 1),
	}
	if !m.Encoder.ByCuts() {
		lowest, highest := make([]float64, m.Encoder.Features()), make([]float64, m.Encoder.Features())
		for i := range highest {
			highest[i] = float64(m.Encoder.Max)
		}
		q, err := encoding.NewQuantiser(lowest, highest, m.Encoder.Max)
		if err != nil {
			return err
		}
		m.Encoder.Quantiser = q
	}
	r := rand.New(rand.NewPCG(c.seed, 0x637376))
	_, err := m.Save(filepath.Join(dir, "model.safetensors"))
	return errors.Join(err,
		writeFile(filepath.Join(dir, "train.csv"), func(w io.Writer) error { return c.writeRows(w, r, len(m.Classes)) }),
		writeFile(filepath.Join(dir, "test.csv"), func(w io.Writer) error { return c.writeRows(w, r, programSet) }))
}

// value returns a feature value that is encoded as the given word. If cuts are equal, it is possible that no value
// has this word. In this case, the value is encoded as the next possible word.
func (c fuzzCase) value(feature int, word uint16) float64 {
	q := c.network.Encoder.Quantiser
	switch {
	case q == nil:
		return float64(word)
	case word == 0:
		return q.Cuts[feature][0]
	}
	return math.Nextafter(q.Cuts[feature][word-1], math.Inf(1))
}

// writeRows writes CSV rows with the class in the last column. Every class occurs, and the smallest and largest
// values also occur.
func (c fuzzCase) writeRows(w io.Writer, r *rand.Rand, n int) error {
	s := drawSamples(r, &c.network.Encoder, n)
	word := make([]uint16, c.network.Encoder.Features())
	for i := range n {
		s.Words.Values(word, i)
		for f, v := range word {
			fmt.Fprintf(w, "%v,", c.value(f, v))
		}
		if _, err := fmt.Fprintln(w, i%len(c.network.Classes)); err != nil {
			return err
		}
	}
	return nil
}

// verifiable reports whether a data set can be written for the network. CSV data need at least two classes.
func (c fuzzCase) verifiable() bool { return len(c.network.Classes) > 1 }
