package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
	"ialgn/internal/plural"
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
			"after the end with --set train.epochs=N for more. With a validation set\n" +
			"(train.validation.share) the model is that of the best epoch on it.\n" +
			"\n" +
			"--init starts from the parameters of a model of the same shape, encoder and classes,\n" +
			"with keys of train and model.tau of its own:\n" +
			"  ialgn train tuned.yaml --init digits.safetensors --set train.optimizer.lr=0.001\n" +
			"--seeds trains train.seed and the N-1 after it to NAME.seedS.safetensors, and prints\n" +
			"mean and standard deviation; with --resume, finished ones are not trained again:\n" +
			"  ialgn train mnist.yaml --seeds 5 --resume",
		UsageText: "ialgn train examples/digits/digits.yaml -o digits.safetensors --set train.epochs=3",
		Flags: everywhere(
			&cli.StringFlag{Name: "o", Usage: "write the model to `MODEL` (default: NAME.safetensors)"},
			dataFlag,
			&cli.StringSliceFlag{Name: "set", Usage: "override a configuration key: `KEY=VALUE`, repeatable"},
			&cli.BoolFlag{Name: "resume", Usage: "go on from the checkpoint"},
			&cli.StringFlag{Name: "init", Usage: "start from the parameters of the model file `MODEL`"},
			&cli.IntFlag{Name: "seeds", Usage: "train `N` models with consecutive seeds"},
			&cli.StringFlag{Name: "log", Usage: "append one JSON line an epoch to `FILE`"},
			forceFlag,
		),
		Action: train,
	}
}

func train(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	cfg, err := loadConfig(c, args[0], c.StringSlice("set"))
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		path = cfg.Name + ".safetensors"
	}
	if c.IsSet("seeds") {
		return trainSeeds(c, cfg, path)
	}
	s, err := trainModel(c, cfg, path)
	if err != nil {
		return err
	}
	return show(c, trainReport{s})
}

// trainModel trains with progress and log as the flags say.
func trainModel(c *cli.Context, cfg config.Config, path string) (*trainer.Summary, error) {
	r, p, err := newRun(c, cfg, path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	return r.Train(c.Context)
}

// newRun makes the run that the flags describe, the folder of its model, and what shows
// its progress, which the caller closes.
func newRun(c *cli.Context, cfg config.Config, path string) (trainer.Run, *epochs, error) {
	r := trainer.Run{
		Config: cfg, Model: path, Folders: folders(c), Threads: threads(c),
		Resume: c.Bool("resume"), Start: c.String("init"), Guard: guard(c),
	}
	if c.IsSet("init") && r.Start == "" {
		return r, nil, hint.With(errors.New("--init: names no model file"), "leave the option out to draw the parameters by train.seed")
	}
	if err := overwrite.Distinct(path, c.String("log")); err != nil {
		return r, nil, err
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return r, nil, err
	}
	p, err := newEpochs(c, c.String("log"))
	if err != nil {
		return r, nil, err
	}
	r.Progress, r.Warn = p.show, p.warn
	return r, p, nil
}

type trainReport struct{ *trainer.Summary }

func (r trainReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, ", r.Model, plural.Of(r.Epochs, "epoch", "epochs"))
	if r.Validation != nil {
		if r.Stopped {
			fmt.Fprintf(w, "stopped early, ")
		}
		fmt.Fprintf(w, "kept epoch %d with validation accuracy %s, test accuracy %s, training %s, loss %.4f\n",
			r.KeptEpoch, percent(*r.Validation), percent(r.TestAccuracy), percent(r.TrainAccuracy), r.Loss)
		fmt.Fprintf(w, "test accuracy %s after the last epoch, best %s after epoch %d\n", percent(r.LastAccuracy), percent(r.BestAccuracy), r.BestEpoch)
	} else {
		fmt.Fprintf(w, "test accuracy %s after the last, best %s after epoch %d, training %s, loss %.4f\n",
			percent(r.LastAccuracy), percent(r.BestAccuracy), r.BestEpoch, percent(r.TrainAccuracy), r.Loss)
	}
	if r.Gap != nil {
		fmt.Fprintf(w, "test accuracy %s before freezing, discretisation gap %.2f points\n", percent(*r.RelaxedAccuracy), 100**r.Gap)
	}
	fmt.Fprintf(w, "%.1f s, %.2f million gate steps/s, sha256 %s\n", r.Seconds, r.GateSteps/1e6, r.SHA256)
}
