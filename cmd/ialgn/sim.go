package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/internal/hint"
	"ialgn/internal/jsonfault"
	"ialgn/netlist"
	"ialgn/netlist/freeze"
	"ialgn/sim"
	"ialgn/sim/verify"
	"ialgn/trainer"
	"ialgn/trainer/config"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

func simCommand() *cli.Command {
	return &cli.Command{
		Name:      "sim",
		Usage:     "classify the test set with the bit-parallel simulator",
		ArgsUsage: "DIR_OR_MODEL",
		Description: "Of a folder made by compile it runs the optimised netlist, of a model file the raw\n" +
			"netlist of the whole classifier. The accuracy is that of eval, exactly.\n" +
			"With --activity or --vcd it also counts how often each net switches from sample to\n" +
			"sample: zero-delay, so without glitches, and no estimate of power.",
		UsageText: "ialgn sim demo/digits --activity demo/activity.json",
		Flags: everywhere(dataFlag,
			&cli.StringFlag{Name: "activity", Usage: "write the transitions of every net to `FILE`, as JSON"},
			&cli.StringFlag{Name: "vcd", Usage: "write the values of every net over time to `FILE`, for waveform viewers"},
			&cli.StringFlag{Name: "samples", Value: "1000", Usage: "with these two: over the first `N` test samples, or all"},
			forceFlag,
		),
		Action: simulate,
	}
}

func simulate(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	a, err := newActivityOptions(c)
	if err != nil {
		return err
	}
	n := threads(c)
	d, err := openDesign(c, args[0])
	if err != nil {
		return err
	}
	classifier, err := sim.NewClassifier(d.netlist, n)
	if err != nil {
		return fmt.Errorf("%s: %w: compile again", args[0], err)
	}
	x, err := d.samples().Rows(d.encoder, d.netlist.InputPorts()[0])
	if err != nil {
		return err
	}
	begin := time.Now()
	got, err := classifier.Classify(c.Context, x, d.test.Levels.Len())
	if err != nil {
		return err
	}
	r := simReport{Samples: len(got.Class), Seconds: time.Since(begin).Seconds()}
	for i, class := range got.Class {
		if class == uint16(d.test.Levels.Labels[i]) {
			r.Correct++
		}
	}
	r.Accuracy = float64(r.Correct) / float64(max(1, r.Samples))
	r.Rate = float64(r.Samples) / max(1e-9, r.Seconds)
	if a.wanted() {
		noteFewer(c, a.samples, r.Samples)
	}
	if r.Activity, err = a.measure(c.Context, d.netlist, x, r.Samples); err != nil {
		return err
	}
	return show(c, r)
}

// design is a netlist with the test set that it classifies.
type design struct {
	netlist *netlist.Netlist
	encoder *encoding.Encoder
	test    *trainer.TestData
}

func (d *design) samples() verify.Samples {
	return verify.Samples{Levels: d.test.Levels, Words: d.test.Words}
}

// openDesign opens an output folder, or a model file as its raw core.
func openDesign(c *cli.Context, path string) (*design, error) {
	if st, err := os.Stat(path); err != nil {
		return nil, hint.With(fmt.Errorf("%s: there is neither a folder nor a model", path), "name a folder that compile made, or a model file of train")
	} else if !st.IsDir() {
		return openCore(c, path)
	}
	out, err := artifact.Read(path)
	if err != nil {
		return nil, err
	}
	d := &design{netlist: out.Netlist, encoder: &encoding.Encoder{}}
	var data config.Data
	if err := cmp.Or(json.Unmarshal(out.Manifest.Data, &data), json.Unmarshal(out.Manifest.Encoder, d.encoder)); err != nil {
		return nil, fmt.Errorf("%s: manifest: %w; compile again", path, jsonfault.Explain(err))
	}
	if err := d.encoder.Check(); err != nil {
		return nil, fmt.Errorf("%s: manifest: %w; compile again", path, err)
	}
	data.Beside = path
	d.test, err = trainer.LoadTest(c.Context, d.encoder, out.Manifest.Classes, data, folders(c))
	if err == nil {
		warnOfOtherData(c, d.test, out.Manifest.Test)
	}
	return d, err
}

// openCore opens a model file as its raw core.
func openCore(c *cli.Context, path string) (*design, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, test, err := loadForTest(c, file)
	if err != nil {
		return nil, err
	}
	n, err := freeze.Network(f, netlist.Core)
	return &design{n, &f.Encoder, test}, err
}

type simReport struct {
	Samples  int     `json:"samples"`
	Correct  int     `json:"correct"`
	Accuracy float64 `json:"accuracy"`
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"images_per_second"`

	Activity *activityReport `json:"activity,omitempty"`
}

func (r simReport) text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d correct, accuracy %s, %.0f images/s\n", r.Correct, r.Samples, percent(r.Accuracy), r.Rate)
	if r.Activity != nil {
		r.Activity.text(w)
	}
}
