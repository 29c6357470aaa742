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

// record is a file with the training record of a model: the model, or the checkpoint of one that is not finished.
type record struct{ model, file string }

// curveFile returns the name of a chart about the training of a model.
func curveFile(model, curve string) string {
	return strings.TrimSuffix(filepath.Base(model), filepath.Ext(model)) + "-" + curve
}

// checkCurves is [checkPlots] for the training of models.
func checkCurves(c *cli.Context, models ...string) error {
	var names []string
	for _, m := range models {
		for _, curve := range reports.CurveNames {
			names = append(names, curveFile(m, curve))
		}
	}
	return checkPlots(c, names)
}

// saveCurves draws the training of models by epoch, if --plots asks for it, and returns the files.
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

// curvesOnInterrupt draws what an interrupted call has trained: the models that it finished, and the checkpoint of the
// last one. It returns the error that the call ended with; that something could not be drawn is a warning.
func (p *epochs) curvesOnInterrupt(c *cli.Context, err error, last string, finished ...string) error {
	if !errors.Is(err, trainer.ErrInterrupted) || !p.begun {
		return err
	}
	var records []record
	for _, m := range finished {
		records = append(records, record{m, m})
	}
	records = append(records, record{last, trainer.CheckpointPath(last)})
	if _, err := saveCurves(c, records...); err != nil {
		p.warn(err)
	}
	return err
}
