package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ialgn"
	"ialgn/internal/diagnose"
	"ialgn/internal/explain"
	"ialgn/internal/message"
	"ialgn/internal/synth"
)

// GatherOptions name the sources of a page.
type GatherOptions struct {
	Model   string          // file of the model; if empty, Gather searches the folder and its parent
	Data    ialgn.Data      // source of the test samples
	Liberty string          // Liberty file of the synthesis, for an estimate of the power; may be empty
	Warn    func(err error) // gets an error for each part that the page cannot show; may be nil
}

// Gather reads everything about a folder and its model.
func Gather(ctx context.Context, d *ialgn.Design, o GatherOptions) (*Page, error) {
	out, err := d.Output(ctx)
	if err != nil {
		return nil, err
	}
	p := &Page{Version: ialgn.Version, Output: out}
	m, err := o.model(ctx, d)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	p.ModelFile = filepath.Base(m.Path())
	if p.Info, err = m.File().Info(); err != nil {
		return nil, err
	}
	f, err := m.File().In(ctx).Frozen()
	if err != nil {
		return nil, err
	}
	p.Statistics = diagnose.Analyse(m.Path(), f).Statistics("")
	p.Shape = m.Shape()
	if p.Reads, err = explain.ReadsOf(d.Netlist(), &f.Encoder, len(f.Classes)); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Dir(), err)
	}
	if err := o.test(ctx, p, m); err != nil {
		return nil, err
	}
	if p.Verified, err = out.Certificate(); err != nil {
		return nil, err
	}
	if p.Synthesis, err = syntheses(out.Dir); err != nil {
		return nil, err
	}
	return p, o.count(ctx, p, d)
}

// model opens the model from which a folder was compiled. This is the model that the options name. If the options do
// not name a model, it is the model whose SHA-256 is in the manifest, in the folder or in the folder's parent.
func (o GatherOptions) model(ctx context.Context, d *ialgn.Design) (*ialgn.Model, error) {
	if o.Model != "" {
		m, err := ialgn.Open(o.Model)
		if err != nil {
			return nil, message.WithHint(message.Optionf("{Model}: %w", err), "name the model that %s was compiled from",
				d.Dir())
		}
		if err := d.MadeOf(ctx, m); err != nil {
			m.Close()
			return nil, err
		}
		return m, nil
	}
	for _, dir := range []string{d.Dir(), filepath.Join(d.Dir(), "..")} {
		names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.safetensors"))
		if err != nil {
			return nil, err
		}
		for _, path := range names {
			m, err := ialgn.Open(path)
			if err != nil {
				continue // a file of another program
			}
			if err := d.MadeOf(ctx, m); err == nil {
				return m, nil
			}
			m.Close()
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	out, err := d.Output(ctx)
	if err != nil {
		return nil, err
	}
	wanted := out.Manifest.Model
	err = fmt.Errorf(
		"%s: compiled from model %q with SHA-256 %s, which is neither in this folder nor in its parent folder",
		d.Dir(), wanted.Name, wanted.SHA256)
	return nil, message.WithHint(err, "name the model with {Model MODEL}")
}

// escapeGlob returns a pattern that matches only the folder's name.
func escapeGlob(dir string) string {
	var out []rune
	for _, r := range dir {
		if slices.Contains([]rune(`*?[\`), r) {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// test evaluates the model on its test set. If the test set is not available, the page has no confusion matrix, but
// is still useful.
func (o GatherOptions) test(ctx context.Context, p *Page, m *ialgn.Model) error {
	e, err := m.Evaluate(ctx, ialgn.EvalOptions{Data: o.Data, Engine: "simulator"})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		o.warn(fmt.Errorf("the page has no confusion matrix: %w", err))
		p.NotTested = err.Error()
		return nil
	}
	if e.Note != nil {
		o.warn(e.Note)
	}
	p.Test = &Test{
		Correct: e.Correct, Samples: e.Samples, Confusion: e.Confusion, ROCAUC: e.ROCAUC,
		AveragePrecision: e.AveragePrecision, ExpectedError: e.ExpectedCalibrationError, LogLoss: e.LogLoss,
		Rejection: e.Rejection, OtherData: e.Note != nil,
	}
	return nil
}

// count counts transitions on the test samples. Without test samples, the page has no counts.
func (o GatherOptions) count(ctx context.Context, p *Page, d *ialgn.Design) error {
	s, err := d.Simulate(ctx, ialgn.SimOptions{Data: o.Data, Engine: "simulator", Count: true, Liberty: o.Liberty})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		p.Activity = s.Activity
	case o.Liberty != "":
		return err
	default:
		p.NotCounted = err.Error()
	}
	return nil
}

func (o GatherOptions) warn(err error) {
	if o.Warn != nil {
		o.Warn(err)
	}
}

// syntheses reads the results of `ialgn synth` in a folder, in order of the targets' names.
func syntheses(dir string) (all []Synthesis, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, ialgn.SynthesisFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		var s Synthesis
		at := filepath.Join(dir, ialgn.SynthesisFolder, e.Name())
		if st, err := os.Stat(at); err != nil || !st.IsDir() {
			continue // a file of another program
		}
		found, err := readJSON(filepath.Join(at, synth.ReportName), &s.Report)
		if err != nil {
			return nil, err
		}
		if !found {
			continue // the synthesis was interrupted, or another program made the folder
		}
		s.Report.Restore()
		if _, err := readJSON(filepath.Join(at, synth.CheckName), &s.Check); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// readJSON reads a file that synth wrote, and reports whether it exists.
func readJSON(path string, v any) (found bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, message.WithHint(fmt.Errorf("%s: %w", path, message.ExplainJSON(err)),
			"synthesise again, or remove the folder %s", filepath.Dir(path))
	}
	return true, nil
}
