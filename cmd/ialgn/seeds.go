package main

import (
	"fmt"
	"io"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
	"ialgn/trainer"
)

// maxSeeds is the maximum of --seeds. It catches typing errors, such as a seed instead of a number of seeds.
const maxSeeds = 1000

// trainSeeds trains one model for each seed. --seeds is the number of seeds.
func trainSeeds(c *cli.Context, cfg ialgn.Config, path string) error {
	n := c.Int("seeds")
	if n < 1 || n > maxSeeds {
		return message.WithHint(fmt.Errorf("--seeds %d: want the number of models to train, 1 to %d", n, maxSeeds),
			"the key train.seed sets the first seed")
	}
	var all *trainer.SeedsSummary
	out, err := trainSeries(c, cfg, path, func(run trainer.Run, p *epochs, begin func(i int)) (err error) {
		all, err = trainer.Seeds{Run: run, N: n, Begin: func(seed uint64) {
			begin(int(seed - cfg.Train.Seed))
			p.beginSeed(seed)
			note(c, "seed %d: %s", seed, trainer.SeedPath(path, seed))
		}}.Train(c.Context)
		return err
	})
	if out == nil {
		return err
	}
	return show(c, seedsReport{all, *out})
}

type seedsReport struct {
	*trainer.SeedsSummary
	outputs
}

func (r seedsReport) text(w io.Writer) {
	soft := r.Runs[0].Gap != nil
	fmt.Fprintf(w, "%20s %6s  %9s  %9s  %s", "seed", "epochs", "test", "best", "after epoch")
	if soft {
		fmt.Fprintf(w, "  %9s  %s", "relaxed", "gap, points")
	}
	fmt.Fprintln(w)
	for _, s := range r.Runs {
		fmt.Fprintf(w, "%20d %6d  %9s  %9s  %11d", s.Seed, s.Epochs, percent(s.TestAccuracy), percent(s.BestAccuracy),
			s.BestEpoch)
		if soft {
			fmt.Fprintf(w, "  %9s  %11.2f", percent(*s.RelaxedAccuracy), 100**s.Gap)
		}
		fmt.Fprintf(w, "  %s\n", s.Model)
	}
	fmt.Fprintf(w, "test accuracy %s, best epoch %s, %s\n", plusMinus(r.TestAccuracy), plusMinus(r.BestAccuracy),
		message.Plural(len(r.Runs), "seed", "seeds"))
	r.ranksReport.text(w)
}

// plusMinus formats mean and standard deviation with the same unit, or only the mean if there is a single value.
func plusMinus(s trainer.Spread) string {
	if s.Std == nil {
		return percent(s.Mean)
	}
	return fmt.Sprintf("%.2f +- %.2f %%", 100*s.Mean, 100**s.Std)
}
