package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"ialgn/backend"
	"ialgn/internal/counts"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// Read returns the plan of an output folder, made from the options in the folder's manifest.
func Read(out *backend.Output) (p *Plan, err error) {
	var o Options
	switch err = json.Unmarshal(out.Manifest.Options, &o); {
	case err != nil:
		err = fmt.Errorf("options: %w", message.ExplainJSON(err))
	case string(o.Scope) != out.Manifest.Scope:
		err = fmt.Errorf("the scope is %q, the options say %q", out.Manifest.Scope, o.Scope)
	default:
		p, err = read(o)
	}
	if err != nil {
		err = fmt.Errorf("%s: manifest: %w; compile again", out.Dir, err)
	}
	return p, err
}

// CompareManifest compares a folder's manifest with the manifest that [Plan.Compile] would write for the model, with
// the folder's options and version. It returns one line for each difference.
func (p *Plan) CompareManifest(out *backend.Output, m *model.Model) ([]string, error) {
	again := *p
	if err := again.chooseMargin(m); err != nil {
		return nil, err
	}
	want, err := again.manifest(out.Manifest.Version, out.Manifest.Model.SHA256, m)
	if err != nil {
		return nil, err
	}
	return out.CompareManifest(want)
}

// Comparison holds the values with which the files of a folder are compared.
type Comparison struct {
	Version string        // version of the program that compares
	Design  verify.Design // the model, and the folder's netlist
	Network Network
	Known   *Source // test part of the model's data set; nil if not available
	Compile bool    // whether to compile the model again, to check figures that do not follow from the folder's netlist
}

// Compared is the result of a comparison.
type Compared struct {
	Differ    []string // a line for each difference
	Unchecked []string // keys of the report that were not compared
	Parts     []Part   // the parts of a divided folded engine
}

// CompareFiles compares every file of a folder with the file that this plan would write. A folder written by another
// version of the program is not compiled again, since passes may have changed.
func (p *Plan) CompareFiles(ctx context.Context, c Comparison, out *backend.Output) (*Compared, error) {
	e := backend.Expected{Version: c.Version}
	var of compiled
	var err error
	if c.Compile && c.Version == out.Manifest.Version {
		of, err = p.compileAgain(ctx, c, out)
		e.Compiled, e.Unchecked = of.netlist, backend.OfTheRun
	} else {
		of, e.Unchecked, err = p.takeOver(ctx, c, out)
	}
	if err != nil {
		return nil, err
	}
	of.netlist = out.Netlist
	v, wrong, open, err := p.folderVectors(out, c.Design, c.Known)
	if err != nil {
		return nil, err
	}
	enc := &c.Design.Model.Encoder
	e.Product, e.Unchecked = p.product(out.Manifest, enc, c.Design.Model.Gates(), of, v), append(e.Unchecked, open...)
	e.Rejection = p.rejection(c.Design.Model.Calibration)
	differ, err := out.Compare(ctx, e)
	return &Compared{append(wrong, differ...), e.Unchecked, of.parts}, err
}

// compileAgain compiles the model with the folder's options.
func (p *Plan) compileAgain(ctx context.Context, c Comparison, out *backend.Output) (compiled, error) {
	of, err := p.run(ctx, c.Design.Raw, c.Network, out.Manifest.Version)
	if h := of.hardware; err == nil && h != nil && !of.netlist.Equal(out.Netlist) {
		h.Hint = cmp.Or(out.Hint, &counts.Hint{}) // the new hint refers to nets of the new netlist
	}
	return of, err
}

// takeOver copies those figures from the folder's report that are not computed again. It returns the keys of the
// figures that only a compilation can give, and the keys of the figures that cannot be derived at all.
func (p *Plan) takeOver(ctx context.Context, c Comparison, out *backend.Output) (of compiled, unchecked []string,
	err error,
) {
	r := &out.Report
	of.raw, of.gates, of.passes = netlist.Measure(c.Design.Raw), r.Gates, r.Passes
	unchecked = append([]string{"gates", "passes"}, backend.OfTheRun[:2]...)
	if p.Hardware != nil {
		of.hardware = &backend.Hardware{
			Style: p.Style, Target: p.Target(), Hint: cmp.Or(out.Hint, &counts.Hint{}), Mapping: r.Mapping,
		}
		unchecked = append(unchecked, "mapping")
		if p.Hardware.Pipeline != (pipeline.Options{}) {
			of.hardware.Pipeline = &pipeline.Report{Stages: stages(out.Netlist)}
			unchecked = append(unchecked, "pipeline.levels_per_stage", "pipeline.flip_flops")
		}
	}
	of.engine, err = p.foldAnew(ctx, c.Design.Raw, c.Network, out.Manifest.Version)
	return of, unchecked, err
}
