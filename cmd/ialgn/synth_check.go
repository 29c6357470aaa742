package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/backend/wrapper"
	"ialgn/flow/icestorm"
	"ialgn/flow/synth"
	"ialgn/internal/atomicfile"
	"ialgn/internal/plural"
	"ialgn/sim/verify"
	"ialgn/trainer/model"
)

// errUnchecked says that a bitstream was to be checked and could not be.
var errUnchecked = errors.New("the bitstream was not checked")

// bitCheck is the content of check.json: what of a bitstream was compared with which model, and
// what came of it.
type bitCheck struct {
	Result     string `json:"result"` // verified, different or not checked
	NotChecked string `json:"not_checked,omitempty"`
	Model      string `json:"model_sha256"`
	Bitstream  string `json:"bitstream_sha256,omitempty"`
	*verify.RTLResult
}

// bitChecker compares a bitstream with a model.
type bitChecker struct {
	design  verify.Design
	samples verify.Samples
	count   int // of the samples to run
	model   string
	wrap    string          // empty: none
	options wrapper.Options // of it
	fold    int             // clocks of a sample in a folded engine; 0: there is none
	module  string
}

// newBitChecker reads the model in a file and its test set, nil if no file is given. It returns an
// error if the folder was not compiled from a model like that.
func newBitChecker(c *cli.Context, out *artifact.Output, path string, samples int) (*bitChecker, error) {
	if path == "" {
		return nil, nil
	}
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := checkCompiledFrom(c.Context, out, file); err != nil {
		return nil, err
	}
	k := &bitChecker{module: out.Manifest.Module, count: samples, model: out.Manifest.Model.SHA256}
	f, test, err := loadForTest(c, file)
	if err != nil {
		return nil, err
	}
	noteFewer(c, samples, test.Levels.Len())
	if k.design, _, err = newDesign(f, out); err != nil {
		return nil, err
	}
	k.samples = verify.Samples{Levels: test.Levels, Words: test.Words}
	o, plan, err := readOptions(out)
	if err != nil {
		return nil, err
	}
	k.wrap, k.options = plan.wrap, wrapper.LineOptions(o.MHz, o.Baud, plan.board)
	if plan.fold > 0 {
		k.wrap, k.fold = cmp.Or(plan.wrap, "stream"), max(1, out.Report.Fold.Cost().Cycles)
	}
	return k, nil
}

// unreadable returns why what is in a bitstream cannot be simulated, "" if it can.
func (k *bitChecker) unreadable(r *synth.Report) string {
	best := r.Best()
	switch {
	case best == nil:
		return "there is none: " + r.NotPlaced
	case !r.Device.Icestorm():
		return "those of " + r.Device.Family + " cannot be read back"
	}
	if left := icestorm.LeftOut(best.Result); len(left) > 0 {
		return "it uses " + strings.Join(left, ", ") + ", which icebox_vlog leaves out or we have no model of"
	}
	return ""
}

// check compares the bitstream of a report with the model, and writes check.json beside it.
func (k *bitChecker) check(c *cli.Context, r *synth.Report) (*bitCheck, error) {
	b := &bitCheck{Model: k.model, NotChecked: k.unreadable(r)}
	if b.NotChecked != "" {
		b.Result = "not checked"
		return b, b.write(r.Dir)
	}
	clocks, err := k.clocks()
	if err != nil {
		return nil, err
	}
	note(c, "simulating what is in the bitstream%s", clocks)
	if b.Bitstream, err = fileSHA256(c.Context, r.Bitstream); err != nil {
		return nil, err
	}
	if b.RTLResult, err = k.design.Bitstream(c.Context, k.samples, verify.Bitstream{
		Module: k.module, Top: r.Module, Wrapper: k.wrap, Options: k.options, Fold: k.fold, Device: r.Device,
		Bin: r.Bitstream, Pins: strings.TrimSuffix(r.Bitstream, filepath.Ext(r.Bitstream)) + ".pcf",
	}, k.count); err != nil {
		return nil, err
	}
	b.Result = "verified"
	if b.Mismatches > 0 {
		b.Result = "different"
	}
	return b, b.write(r.Dir)
}

// clocks tells how long the samples take in a wrapper, which with a serial line is long.
func (k *bitChecker) clocks() (string, error) {
	if k.wrap == "" {
		return "", nil
	}
	rate, err := wrapper.NewRate(k.wrap, k.design.Product, k.options)
	if err != nil {
		return "", err
	}
	samples := min(k.count, k.samples.Levels.Len())
	return fmt.Sprintf(": %s of %d clocks or more", plural.Of(samples, "sample", "samples"), rate.Cycles), nil
}

func (b *bitCheck) write(dir string) error {
	return atomicfile.Write(filepath.Join(dir, synth.CheckName), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(b)
	})
}

func (b *bitCheck) text(w io.Writer) {
	if b.RTLResult == nil {
		fmt.Fprintf(w, "bitstream not checked: %s\n", b.NotChecked)
		return
	}
	fmt.Fprintf(w, "bitstream read back: %s\n", simulated(b.RTLResult))
	list(w, b.First)
}

// outcome returns the error that decides the exit status.
func (b *bitCheck) outcome() error {
	switch {
	case b == nil || b.Result == "verified":
		return nil
	case b.RTLResult == nil:
		return fmt.Errorf("%w: %s", errUnchecked, b.NotChecked)
	}
	return errDifference
}
