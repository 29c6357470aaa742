package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/examples"
	"ialgn/internal/config"
	"ialgn/internal/message"
	"ialgn/internal/tool"
	"ialgn/trainer"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "run every step on the built-in digits: train, compile, verify, synthesise",
		ArgsUsage: "[-o DIR]",
		Description: "Trains examples/digits/digits.yaml, compiles the whole classifier to Verilog, and verifies\n" +
			"it on the whole test set. If iverilog is installed, it also simulates the Verilog. If the\n" +
			"tools for the iCE40 HX8K are installed, it makes a bitstream, reads it back and simulates it.",
		UsageText: "ialgn demo -o demo",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Value: "demo", Usage: "write everything to `DIR`"},
			&cli.StringSliceFlag{Name: "set", Usage: "override a configuration key: `KEY=VALUE`, repeatable"},
			forceFlag,
		),
		Action: demo,
	}
}

// The demo simulates the Verilog with demoSamples of the 1,797 test samples, and checks the bitstream with
// demoChecked of them.
const (
	demoSamples = 200
	demoChecked = 100
)

// These are the options of the demo's two designs. The first design is Verilog for people to read, and the second is
// a design for a device.
var (
	demoOptions = ialgn.CompileOptions{}
	demoDevice  = ialgn.CompileOptions{Target: "ice40", Pipeline: "auto", MaxLevels: 4, Wrap: "stream"}
)

func demo(c *cli.Context) error {
	if _, err := arguments(c, 0); err != nil {
		return err
	}
	cfg, err := config.Parse("digits.yaml", examples.Digits, c.StringSlice("set"))
	if err != nil {
		return err
	}
	r := &demoReport{Dir: c.String("o")}
	path := filepath.Join(r.Dir, cfg.Name+".safetensors")
	note(c, "training %s with %s on %s", message.Plural(cfg.Model.Width, "chain", "chains"),
		message.Plural(cfg.Model.Depth, "layer", "layers"), cfg.Data.Set)
	if r.Train, err = trainModel(c, cfg, path); err != nil {
		return err
	}
	r.TestAccuracy, r.Design = r.Train.TestAccuracy, filepath.Join(r.Dir, cfg.Name)
	note(c, "compiling the whole classifier to %s", r.Design)
	if r.Compile, err = compileModel(c, path, r.Design, demoOptions); err != nil {
		return err
	}
	note(c, "verifying")
	if r.Verify, err = demoVerify(c, path, r.Design); r.Verify == nil {
		return err
	}
	r.Verified, r.Level = r.Verify.Verified, string(r.Verify.Level)
	var failed error
	if r.Verified {
		if r.Synth, failed = demoSynth(c, path, r.Design+"-ice40"); failed != nil {
			return failed
		}
	}
	if err := cmp.Or(err, show(c, r)); err != nil || r.Synth == nil {
		return err
	}
	return r.Synth.Check.Err()
}

// demoSynth compiles the model for a device and makes a bitstream. If a tool is missing, it writes the name of the
// tool.
func demoSynth(c *cli.Context, path, dir string) (*synthReport, error) {
	note(c, "compiling the classifier with a pipeline and a loader for an iCE40 to %s", dir)
	if _, err := compileModel(c, path, dir, demoDevice); err != nil {
		return nil, err
	}
	o := ialgn.SynthOptions{Target: "ice40-hx8k", Samples: demoChecked, Force: c.Bool("force"), Keep: inputs(c)}
	o.Note, o.Warn = notes(c)
	r, err := synthFolder(c, dir, o, path)
	var missing *tool.MissingError
	if errors.As(err, &missing) {
		warn(screenOf(c), fmt.Errorf("%v; the bitstream was not made or not checked", err))
		return nil, nil
	}
	return r, err
}

// demoVerify verifies the design in software and in iverilog. If iverilog is missing, it writes a note and verifies
// only in software.
func demoVerify(c *cli.Context, path, dir string) (*verifyReport, error) {
	o := ialgn.VerifyOptions{Level: "rtl", Samples: demoSamples, Simulator: "iverilog"}
	r, err := verifyModel(c, path, dir, o)
	var missing *tool.MissingError
	if r != nil && errors.As(err, &missing) {
		warn(screenOf(c), fmt.Errorf("%v; the Verilog was not simulated", err))
		o.Level = "software"
		return verifyModel(c, path, dir, o)
	}
	return r, err
}

type demoReport struct {
	TestAccuracy float64          `json:"test_accuracy"`
	Verified     bool             `json:"verified"`
	Level        string           `json:"verified_level,omitempty"`
	Dir          string           `json:"dir"`
	Design       string           `json:"design"`
	Train        *trainer.Summary `json:"train"`
	Compile      *compileReport   `json:"compile"`
	Verify       *verifyReport    `json:"verify"`
	Synth        *synthReport     `json:"synth,omitempty"`
}

func (r *demoReport) text(w io.Writer) {
	trainReport{Summary: r.Train}.text(w)
	r.Compile.text(w)
	r.Verify.text(w)
	if !r.Verified {
		return
	}
	what := "Verilog"
	if r.Verify.RTL == nil {
		what = "netlist"
	}
	fmt.Fprintf(w, "the %s in %s computes the trained model: %s on the test set\n", what, r.Design,
		percent(r.TestAccuracy))
	if r.Synth != nil {
		r.Synth.text(w)
		if r.Synth.Check.Err() == nil {
			fmt.Fprintf(w, "the bitstream computes the trained model, too, on %d test samples\n", r.Synth.Check.Checked)
		}
	}
}
