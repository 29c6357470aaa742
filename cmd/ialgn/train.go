package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/internal/ties"
	"ialgn/trainer"
)

func trainCommand() *cli.Command {
	return &cli.Command{
		Name:      "train",
		Usage:     "train a network and write its model file",
		ArgsUsage: "CONFIG.yaml [-o MODEL]",
		Description: "The same configuration, data and seed give the same model file, byte for byte, for any number\n" +
			"of threads. A checkpoint (MODEL.checkpoint) is written next to the model. SIGINT finishes the\n" +
			"batch, saves the checkpoint and exits with status 130; --resume continues from it. To train a\n" +
			"finished model for longer, add --set train.epochs=N. With a validation set\n" +
			"(train.validation.share), the model file holds the best epoch.\n" +
			"\n" +
			"--init starts from the parameters of another model of the same shape, encoder and classes. The\n" +
			"keys of train and model.tau may differ. For an imported network, its encoder and model keys\n" +
			"are used:\n" +
			"  ialgn train tuned.yaml --init digits.safetensors --set train.optimizer.lr=0.001\n" +
			"--seeds trains N seeds from train.seed on to NAME.seedS.safetensors, and prints mean and\n" +
			"standard deviation. With --resume, finished seeds are kept.\n" +
			"--folds K divides your own table into K parts and trains NAME.foldN.safetensors, tested on part N.",
		UsageText: "ialgn train examples/digits/digits.yaml -o digits.safetensors --set train.epochs=3",
		Flags:     commonFlags(trainFlags()...),
		Action:    launching(train),
	}
}

func trainFlags() []cli.Flag {
	return slices.Concat(
		[]cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "write the model to `MODEL` (default: NAME.safetensors)"},
			&cli.StringSliceFlag{Name: "set", Usage: "override a configuration key: `KEY=VALUE`, repeatable"},
			dataFlag, forceFlag,
		},
		grouped("continue or repeat",
			&cli.BoolFlag{Name: "resume", Usage: "continue from the checkpoint"},
			&cli.StringFlag{Name: "init", Usage: "start from the parameters of the model file `MODEL`"},
			&cli.IntFlag{Name: "seeds", Usage: "train `N` models with consecutive seeds"},
			&cli.IntFlag{Name: "folds", Usage: "cross-validate: train `K` models, each tested on another part"}),
		grouped("records",
			&cli.StringFlag{Name: "log", Usage: "append one line per epoch to `FILE`: CSV if its name ends in .csv, else JSON"},
			&cli.StringFlag{Name: "plots", Usage: "write charts of accuracy, loss and learning rate to `DIR`"}),
		[]cli.Flag{ranksFlag, rankTimeoutFlag},
	)
}

func train(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	path, sets := c.String("o"), c.StringSlice("set")
	if path == "" {
		draft, err := config.LoadDraft(args[0], sets)
		if err != nil {
			return err
		}
		path = draft.Name() + ".safetensors"
	}
	cfg, err := ialgn.LoadConfig(ialgn.TrainOptions{Path: path, Init: c.String("init"), Resume: c.Bool("resume")},
		args[0], sets...)
	if err != nil {
		return err
	}
	if c.IsSet("folds") {
		return trainFolds(c, cfg, path)
	}
	if c.IsSet("seeds") {
		return trainSeeds(c, cfg, path)
	}
	if err := checkCurves(c, path); err != nil {
		return err
	}
	s, err := trainModel(c, cfg, path)
	if err != nil {
		return err
	}
	out, err := trainOutputs(c, path)
	if out == nil {
		return err
	}
	return show(c, trainReport{s, *out})
}

// outputs is the end of the report of each kind of training.
type outputs struct {
	*ranksReport
	Plots []string `json:"plots,omitempty"`
}

// trainOutputs draws the charts of trained models if --plots is set. If another process shows the results, it returns
// nil.
func trainOutputs(c *cli.Context, models ...string) (*outputs, error) {
	all, err := teamOf(c).report()
	if err != nil || !teamOf(c).leads() {
		return nil, err
	}
	plots, err := saveCurves(c, finished(models)...)
	if err != nil {
		return nil, err
	}
	return &outputs{all, plots}, nil
}

// trainModel trains a model, with progress display and log as the flags ask for.
func trainModel(c *cli.Context, cfg ialgn.Config, path string) (*trainer.Summary, error) {
	o, p, err := trainOptions(c, &cfg, path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	m, err := ialgn.Train(c.Context, cfg, dataOf(c), o)
	if err != nil && !teamOf(c).leads() {
		return nil, err
	}
	if err != nil {
		return nil, p.curvesOnInterrupt(c, err, path)
	}
	defer m.Close()
	return m.Training(), nil
}

// trainOptions returns the training options that the flags set. It also returns the progress display, which the
// caller must close. It makes the folder of the model.
func trainOptions(c *cli.Context, cfg *ialgn.Config, path string) (ialgn.TrainOptions, *epochs, error) {
	o := ialgn.TrainOptions{
		Path: path, Resume: c.Bool("resume"), Init: c.String("init"), Threads: threads(c), Force: c.Bool("force"),
		Keep: inputs(c),
	}
	if c.IsSet("init") && o.Init == "" {
		return o, nil, message.WithHint(errors.New("--init: no model file is given"),
			"without the option, the parameters are drawn with train.seed")
	}
	if err := checkLog(c, cfg, path); err != nil {
		return o, nil, err
	}
	if err := makeFolder(c, filepath.Dir(path)); err != nil {
		return o, nil, err
	}
	log := c.String("log")
	o.Ranks, o.Estimate = teamOf(c).comm(), log != ""
	if !teamOf(c).leads() {
		log = ""
	}
	p, err := newEpochs(c, cfg, log)
	if err != nil {
		return o, nil, err
	}
	o.Progress, o.Warn = p.show, p.warn
	return o, p, nil
}

// checkLog returns an error if the log is a file that the run reads or writes. Even --force does not allow this,
// because the program appends to logs.
func checkLog(c *cli.Context, cfg *ialgn.Config, path string) error {
	log := c.String("log")
	if log == "" {
		return nil
	}
	used := append(inputs(c), dataset.Candidates(cfg.Data, folders(c))...)
	for _, model := range modelPaths(c, cfg, path) {
		used = append(used, trainer.Files(model)...)
	}
	return outfile.Apart("Log", log, used...)
}

// uneven is the least difference between accuracy and balanced accuracy for which the report has a line about balanced
// accuracy. If the classes are about equally frequent and equally hard, this line says nothing new.
const uneven = 0.01

type trainReport struct {
	*trainer.Summary
	outputs
}

func (r trainReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, ", r.Model, message.Plural(r.Epochs, "epoch", "epochs"))
	if r.Validation != nil {
		if r.Stopped {
			fmt.Fprintf(w, "stopped early, ")
		}
		fmt.Fprintf(w, "kept epoch %d with ", r.KeptEpoch)
		if r.Metric != nil {
			fmt.Fprintf(w, "validation metric %.4f, ", *r.Metric)
		}
		fmt.Fprintf(w, "validation accuracy %s, test accuracy %s, training %s, loss %.4f\n", percent(*r.Validation),
			percent(r.TestAccuracy), percent(r.TrainAccuracy), r.Loss)
		without := ""
		switch {
		case r.Offsets != nil:
			without = ", both without class offsets"
		case r.Ties != nil:
			without = ", both without the tie order"
		}
		fmt.Fprintf(w, "test accuracy %s after the last epoch, best %s after epoch %d%s\n", percent(r.LastAccuracy),
			percent(r.BestAccuracy), r.BestEpoch, without)
	} else {
		fmt.Fprintf(w, "test accuracy %s after the last, best %s after epoch %d, training %s, loss %.4f\n",
			percent(r.LastAccuracy), percent(r.BestAccuracy), r.BestEpoch, percent(r.TrainAccuracy), r.Loss)
	}
	if r.Ties != nil {
		fmt.Fprintf(w, "tie order %s, test accuracy with it %s\n", ties.Text(r.Ties), percent(r.TestAccuracy))
	}
	if r.Temperature != nil {
		fmt.Fprintf(w, "temperature %v on the validation set", *r.Temperature)
		if r.Offsets != nil {
			fmt.Fprintf(w, ", class offsets %s", strings.Trim(fmt.Sprint(r.Offsets), "[]"))
		}
		fmt.Fprintln(w)
	}
	if v := r.Values; v != nil && math.Abs(v.BalancedAccuracy-r.TestAccuracy) >= uneven {
		fmt.Fprintf(w, "test samples: balanced accuracy %s, macro F1 %s, Matthews coefficient %.4f\n",
			percent(v.BalancedAccuracy), percent(v.MacroF1), v.MatthewsCorrcoef)
	}
	clippedText(w, r.Clipped, r.Samples)
	unknownText(w, r.Unknown, r.Samples)
	if r.Gap != nil {
		fmt.Fprintf(w, "test accuracy %s before freezing, discretisation gap %.2f points\n", percent(*r.RelaxedAccuracy),
			100**r.Gap)
	}
	fmt.Fprintf(w, "%.1f s, %.2f million gate steps/s, sha256 %s\n", r.Seconds, r.GateSteps/1e6, r.SHA256)
	r.ranksReport.text(w)
}
