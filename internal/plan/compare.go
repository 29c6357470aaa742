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

// Read returns the plan of a folder, by the options that it was compiled with.
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

// CompareManifest compares a folder's manifest with the one that [Plan.Manifest] makes of the model and of the
// manifest's own options and version. It returns a line for each difference.
func (p *Plan) CompareManifest(out *backend.Output, m *model.Model) ([]string, error) {
	want, err := p.Manifest(out.Manifest.Version, out.Manifest.Model.SHA256, m)
	if err != nil {
		return nil, err
	}
	return out.CompareManifest(want)
}

// Comparison is what the files of a folder are compared with.
type Comparison struct {
	Version string        // of the program that compares
	Design  verify.Design // the model, and the folder's netlist
	Network Network
	Known   *Source // test part of the model's data set; nil: it is not available
	Compile bool    // compile the model again, for the figures that the folder's netlist does not tell
}

// CompareFiles compares every file of a folder with what this plan writes. It returns a line for each difference, and
// the keys of the report that were not compared. A folder that another version of the program wrote is not compiled
// again, since passes may have changed.
func (p *Plan) CompareFiles(ctx context.Context, c Comparison, out *backend.Output) (differ, unchecked []string,
	err error,
) {
	e := backend.Expected{Product: p.Product(out.Manifest), Version: c.Version, Unchecked: backend.OfTheRun}
	p.Describe(&e.Product, out.Manifest, &c.Design.Model.Encoder)
	e.GatesRaw = c.Design.Model.Gates()
	if c.Compile && c.Version == out.Manifest.Version {
		err = p.compileAgain(ctx, c, out, &e)
	} else {
		err = p.takeOver(ctx, c, out, &e)
	}
	if err != nil {
		return nil, nil, err
	}
	e.Netlist = out.Netlist
	wrong, err := p.folderVectors(out, c.Design, c.Known, &e)
	if err != nil {
		return nil, nil, err
	}
	differ, err = out.Compare(ctx, e)
	return append(wrong, differ...), e.Unchecked, err
}

// compileAgain compiles the model as the folder's options say.
func (p *Plan) compileAgain(ctx context.Context, c Comparison, out *backend.Output, e *backend.Expected) error {
	if err := p.Run(ctx, c.Design.Raw, c.Network, &e.Product); err != nil {
		return err
	}
	e.Compiled = e.Netlist
	if h := e.Hardware; h != nil && !e.Compiled.Equal(out.Netlist) {
		h.Hint = cmp.Or(out.Hint, &counts.Hint{}) // the other hint is about other nets
	}
	return nil
}

// takeOver takes the figures that only a compilation gives from the folder's report.
func (p *Plan) takeOver(ctx context.Context, c Comparison, out *backend.Output, e *backend.Expected) error {
	raw := netlist.Measure(c.Design.Raw)
	r := &out.Report
	e.Raw, e.Gates, e.Passes = &raw, r.Gates, r.Passes
	e.Unchecked = append([]string{"gates", "passes"}, backend.OfTheRun[:2]...)
	if p.Hardware != nil {
		e.Hardware = &backend.Hardware{
			Style: p.Style, Target: p.Target(), Hint: cmp.Or(out.Hint, &counts.Hint{}), Mapping: r.Mapping,
		}
		e.Unchecked = append(e.Unchecked, "mapping")
		if p.Hardware.Pipeline != (pipeline.Options{}) {
			e.Hardware.Pipeline = &pipeline.Report{Stages: stages(out.Netlist)}
			e.Unchecked = append(e.Unchecked, "pipeline.levels_per_stage", "pipeline.flip_flops")
		}
	}
	return p.engineAnew(ctx, c.Design.Raw, c.Network, &e.Product)
}
