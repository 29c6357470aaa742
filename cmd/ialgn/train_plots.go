package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/model"
	reports "ialgn/internal/report"
	"ialgn/trainer"
)

// record names a model and the file that contains the model's training record. This file is the model itself or, if
// training has not finished, the checkpoint.
type record struct{ model, file string }

// finished returns the records of models whose training has finished.
func finished(models []string) (all []record) {
	for _, m := range models {
		all = append(all, record{m, m})
	}
	return all
}

// curveFile returns the base name of a chart about the training of a model.
func curveFile(model, curve string) string {
	return strings.TrimSuffix(filepath.Base(model), filepath.Ext(model)) + "-" + curve
}

// checkCurves is [checkPlots] for the charts about the training of models.
func checkCurves(c *cli.Context, models ...string) error {
	var names []string
	for _, m := range models {
		for _, curve := range reports.CurveNames {
			names = append(names, curveFile(m, curve))
		}
	}
	return checkPlots(c, names)
}

// saveCurves draws the training curves of models if --plots is set, and returns the files.
func saveCurves(c *cli.Context, records ...record) ([]string, error) {
	if !c.IsSet("plots") {
		return nil, nil
	}
	var charts []namedChart
	for _, r := range records {
		info, err := model.ReadInfo(r.file)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, curve := range reports.CurveNames {
			names = append(names, curveFile(r.model, curve))
		}
		charts = append(charts, withNames(names, reports.Curves(info.Model))...)
	}
	if len(charts) == 0 {
		return nil, nil
	}
	return savePlots(c, charts)
}

// curvesOnInterrupt draws the curves of an interrupted command, for finished models and for the last model, which has
// only a checkpoint. It returns err. If a chart cannot be drawn, curvesOnInterrupt only writes a warning.
func (p *epochs) curvesOnInterrupt(c *cli.Context, err error, last string, models ...string) error {
	if !errors.Is(err, trainer.ErrInterrupted) || !p.begun {
		return err
	}
	records := append(finished(models), record{last, trainer.CheckpointPath(last)})
	if _, err := saveCurves(c, records...); err != nil {
		p.warn(err)
	}
	return err
}
