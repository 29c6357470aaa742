package main

import (
	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/trainer"
)

// modelPaths returns the model files that train writes.
func modelPaths(c *cli.Context, cfg *ialgn.Config, path string) (models []string) {
	switch {
	case c.IsSet("seeds"):
		for i := range c.Int("seeds") {
			models = append(models, trainer.SeedPath(path, cfg.Train.Seed+uint64(i)))
		}
	case c.IsSet("folds"):
		for i := range c.Int("folds") {
			models = append(models, trainer.FoldPath(path, i+1))
		}
	default:
		models = []string{path}
	}
	return models
}

// trainSeries trains one model for each seed or each fold, as the function train does. This function must call begin
// before it trains the model with index i. If another process shows the results, trainSeries returns nil.
func trainSeries(c *cli.Context, cfg ialgn.Config, path string,
	train func(run trainer.Run, p *epochs, begin func(i int)) error,
) (*outputs, error) {
	models := modelPaths(c, &cfg, path)
	if err := checkCurves(c, models...); err != nil {
		return nil, err
	}
	o, p, err := trainOptions(c, &cfg, path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	run, err := ialgn.NewRun(c.Context, cfg, dataOf(c), o)
	if err != nil {
		return nil, err
	}
	current := 0
	err = train(run, p, func(i int) { current = i })
	if err != nil && !teamOf(c).leads() {
		return nil, err
	}
	if err != nil {
		return nil, p.curvesOnInterrupt(c, err, models[current], models[:current]...)
	}
	return trainOutputs(c, models...)
}
