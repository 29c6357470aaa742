package main

import (
	"errors"
	"fmt"
	"io"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
	"ialgn/trainer"
)

// trainFolds cross-validates a configuration. --folds is the number of folds.
func trainFolds(c *cli.Context, cfg ialgn.Config, path string) error {
	n := c.Int("folds")
	if c.IsSet("seeds") {
		return message.WithHint(errors.New("--folds and --seeds exclude each other"),
			"for other folds, set data.split_seed; for other networks, set train.seed")
	}
	if err := cfg.InFold(1, n).CheckData(); err != nil {
		return err
	}
	if cfg.Data.Test != "" {
		note(c, "--folds divides %s; data.test, %s, is not used", cfg.Data.Train, cfg.Data.Test)
	}
	var all *trainer.FoldsSummary
	out, err := trainSeries(c, cfg, path, func(run trainer.Run, p *epochs, begin func(i int)) (err error) {
		all, err = trainer.Folds{Run: run, N: n, Begin: func(fold int) {
			begin(fold - 1)
			p.beginFold(fold)
			note(c, "fold %d: %s", fold, trainer.FoldPath(path, fold))
		}}.Train(c.Context)
		return err
	})
	if out == nil {
		return err
	}
	return show(c, foldsReport{all, *out})
}

type foldsReport struct {
	*trainer.FoldsSummary
	outputs
}

func (r foldsReport) text(w io.Writer) {
	fmt.Fprintf(w, "%4s %6s %8s  %9s  %9s  %9s  %8s\n", "fold", "epochs", "samples", "accuracy", "balanced", "macro F1",
		"Matthews")
	for _, f := range r.Runs {
		samples := 0
		for _, row := range f.Confusion {
			for _, n := range row {
				samples += n
			}
		}
		fmt.Fprintf(w, "%4d %6d %8d  %9s  %9s  %9s  %8.4f  %s\n", f.Fold, f.Epochs, samples, percent(f.Accuracy),
			percent(f.BalancedAccuracy), percent(f.MacroF1), f.MatthewsCorrcoef, f.Model)
	}
	fmt.Fprintf(w, "accuracy %s, balanced accuracy %s, macro F1 %s, Matthews coefficient %s, %s\n", plusMinus(r.Accuracy),
		plusMinus(r.BalancedAccuracy), plusMinus(r.MacroF1), decimals(r.MatthewsCorrcoef),
		message.Plural(len(r.Runs), "fold", "folds"))
	if r.ROCAUC != nil {
		fmt.Fprintf(w, "for class %s: ROC AUC %s, average precision %s\n", r.Classes[1], decimals(*r.ROCAUC),
			decimals(*r.AveragePrecision))
	}
	fmt.Fprintln(w, "all folds together:")
	classesText(w, r.Classes, r.Confusion)
	r.ranksReport.text(w)
}

// decimals is like [plusMinus], for numbers that are no shares.
func decimals(s trainer.Spread) string {
	if s.Std == nil {
		return fmt.Sprintf("%.4f", s.Mean)
	}
	return fmt.Sprintf("%.4f +- %.4f", s.Mean, *s.Std)
}
