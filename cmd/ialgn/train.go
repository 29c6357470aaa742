package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ialgn/trainer"
	"ialgn/trainer/config"
)

func trainCommand() *cli.Command {
	return &cli.Command{
		Name:      "train",
		Usage:     "train a network and write its model file",
		ArgsUsage: "CONFIG.yaml [-o MODEL]",
		Description: "The same configuration, data and seed give the same model file, byte for byte, on\n" +
			"any number of threads. A checkpoint stands beside the model (MODEL.checkpoint);\n" +
			"SIGINT finishes the batch, saves it and exits 130; --resume goes on from it, also\n" +
			"after the end with --set train.epochs=N for more.",
		UsageText: "ialgn train examples/digits/digits.yaml -o digits.safetensors --set train.epochs=3",
		Flags: everywhere(
			&cli.StringFlag{Name: "o", Usage: "write the model to `MODEL` (default: NAME.safetensors)"},
			dataFlag,
			&cli.StringSliceFlag{Name: "set", Usage: "override a configuration key: `KEY=VALUE`, repeatable"},
			&cli.BoolFlag{Name: "resume", Usage: "go on from the checkpoint"},
			&cli.StringFlag{Name: "log", Usage: "append one JSON line an epoch to `FILE`"},
		),
		Action: train,
	}
}

func train(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	cfg, err := config.Load(args[0], c.StringSlice("set"))
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		path = cfg.Name + ".safetensors"
	}
	s, err := trainModel(c, cfg, path)
	if err != nil {
		return err
	}
	return show(c, trainReport{s})
}

// trainModel trains with progress and log as the flags say.
func trainModel(c *cli.Context, cfg config.Config, path string) (*trainer.Summary, error) {
	n := threads(c)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	p, err := newProgress(c, c.String("log"))
	if err != nil {
		return nil, err
	}
	defer p.close()
	return trainer.Run{
		Config: cfg, Model: path, Folders: folders(c), Threads: n, Resume: c.Bool("resume"), Progress: p.show,
	}.Train(c.Context)
}

type trainReport struct{ *trainer.Summary }

func (r trainReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d epochs, test accuracy %s (best %s after epoch %d), training %s, loss %.4f\n",
		r.Model, r.Epochs, percent(r.TestAccuracy), percent(r.BestAccuracy), r.BestEpoch, percent(r.TrainAccuracy), r.Loss)
	fmt.Fprintf(w, "%.1f s, %.2f million gate steps/s, sha256 %s\n", r.Seconds, r.GateSteps/1e6, r.SHA256)
}
