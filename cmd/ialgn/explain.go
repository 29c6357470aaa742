package main

import (
	"fmt"
	"io"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
	reports "ialgn/internal/report"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "explain why a sample has its class, and what would change the class",
		ArgsUsage: "MODEL [FILE]",
		Description: "Explains one sample of FILE (same formats as in predict) or of the test set: its class, the\n" +
			"votes for each class, and which input bits decided the vote of each chain. It also finds a\n" +
			"minimal set of feature changes that leads to another class. With -o, the explanation is\n" +
			"written as a page that shows the whole network; without --sample, only the network.",
		UsageText: "ialgn explain demo/digits.safetensors --sample 3",
		Flags: commonFlags(
			&cli.IntFlag{Name: "sample", Usage: "explain sample `N`, counted from 0"},
			&cli.IntFlag{Name: "changes", Value: ialgn.UsualChanges, Usage: "change at most `N` features together"},
			&cli.StringFlag{Name: "o", Usage: "write an HTML page to `FILE`"},
			dataFlag, forceFlag,
		),
		Action: explainSample,
	}
}

func explainSample(c *cli.Context) error {
	if c.Args().Len() != 2 {
		if _, err := arguments(c, 1); err != nil {
			return err
		}
	}
	path := c.String("o")
	if err := checkPage(c, path); err != nil {
		return err
	}
	m, err := ialgn.Open(c.Args().First())
	if err != nil {
		return err
	}
	defer m.Close()
	r := explainReport{Page: path}
	if path == "" || c.Args().Len() == 2 || c.IsSet("sample") {
		e, err := m.Explainer(c.Context)
		if err != nil {
			return err
		}
		r.Explanation, err = e.Explain(c.Context, ialgn.ExplainOptions{
			File: c.Args().Get(1), Data: dataOf(c), Sample: c.Int("sample"), Changes: c.Int("changes"),
		})
		if err != nil {
			return err
		}
	}
	if path != "" {
		if r.Bytes, err = writeNetwork(c, path, m, r.Explanation); err != nil {
			return err
		}
	}
	return show(c, r)
}

// checkPage returns an error if the page cannot or must not be written.
func checkPage(c *cli.Context, path string) error {
	if path == "" {
		return nil
	}
	if err := outfile.CheckWritable(path); err != nil {
		return message.WithHint(fmt.Errorf("%s: %w", path, err), "name another file with -o")
	}
	return guard(c).Check(path, outfile.Page)
}

// writeNetwork writes the page about a network and returns its size in bytes.
func writeNetwork(c *cli.Context, path string, m *ialgn.Model, x *ialgn.Explanation) (size int64, err error) {
	f, err := m.File().In(c.Context).Frozen()
	if err != nil {
		return 0, err
	}
	err = outfile.Write(path, func(w io.Writer) (err error) {
		size, err = reports.NewNetworkPage(m, f, x).WriteTo(w)
		return err
	})
	return size, err
}

// explainReport is the report on an explanation and on the page that was written.
type explainReport struct {
	*ialgn.Explanation
	Page  string `json:"page,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
}

func (r explainReport) text(w io.Writer) {
	if r.Explanation != nil {
		r.sampleText(w)
		r.votesText(w)
		r.flipsText(w)
	}
	if r.Page != "" {
		fmt.Fprintln(w, r.Page)
	}
}

// sampleText writes the class of the sample and the votes.
func (r explainReport) sampleText(w io.Writer) {
	fmt.Fprintf(w, "sample %d of %s: class %s", r.Sample, r.Source, r.Class)
	if r.Label != "" {
		fmt.Fprintf(w, ", labelled %s", r.Label)
	}
	if r.RunnerUp != "" {
		fmt.Fprintf(w, "; %s follows, %s behind", r.RunnerUp, message.Plural(r.Margin, "vote", "votes"))
		if r.Margin == 0 && r.Ties != nil {
			fmt.Fprint(w, " but later in the tie order")
		}
	}
	fmt.Fprint(w, "\nvotes:")
	for c, n := range r.Counts {
		fmt.Fprintf(w, " %s %d", r.Classes[c], n)
		if r.Offsets != nil && r.Offsets[c] > 0 {
			fmt.Fprintf(w, " (offset %d)", r.Offsets[c])
		}
	}
	fmt.Fprintln(w)
}

// The text shows at most this many votes for each class, and this many input bits for each vote. The JSON form has
// all of them.
const (
	votesShown = 5
	bitsShown  = 6
)

// votesText writes which chains voted for the class and for the runner-up, and which input bits decided each vote.
func (r explainReport) votesText(w io.Writer) {
	for _, class := range []string{r.Class, r.RunnerUp} {
		shown := 0
		for i := range r.Votes {
			v := &r.Votes[i]
			if v.Class != class {
				continue
			}
			if shown++; shown > votesShown {
				fmt.Fprintf(w, "  ... and more; --json shows all\n")
				break
			}
			if shown == 1 {
				fmt.Fprintf(w, "\nchains that vote for %s, and the input bits that decide:\n", class)
			}
			fmt.Fprintf(w, "  chain %d: %s\n", v.Chain, v.Reason(bitsShown))
		}
	}
}

// flipsText writes which changes of features lead to another class.
func (r explainReport) flipsText(w io.Writer) {
	if r.Flipped == nil {
		fmt.Fprintf(w, "\nno change of up to %s was found that leads to another class\n",
			message.Plural(r.Search.Changes, "feature", "features"))
		return
	}
	least := "no single change can be omitted or made smaller"
	switch {
	case r.Flipped.Least:
		least = "the fewest possible"
	case r.Flipped.Irreducible:
		least = "no subset of them is enough"
	}
	fmt.Fprintf(w, "\nthe class becomes %s with %s (%s):\n", r.Flipped.Class,
		message.Plural(len(r.Flips), "change", "changes"), least)
	for i := range r.Flips {
		from, to := r.Flips[i].Says()
		fmt.Fprintf(w, "  %s: %s to %s\n", r.Flips[i].Place, from, to)
	}
}
