package ialgn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
	"ialgn/internal/plan"
	"ialgn/netlist"
)

// Design is a compiled classifier. It is either in memory, with everything that [Design.Write] needs, or in a folder.
type Design struct {
	netlist *netlist.Netlist
	plan    *plan.Plan
	product *backend.Product // nil: the design was read from its folder
	dir     string           // folder of the design; empty: not yet written
	report  *backend.Report  // content of the folder's report
	out     *backend.Output  // content of the folder; nil: not yet read
	read    *plan.Plan       // plan in the manifest of the folder in out
	source  source           // where to find the model's test samples
	reads   string           // the model's file, which Write must not overwrite
	left    backend.Leftovers
}

// WriteOptions say which files [Design.Write] may overwrite. The zero value allows Write to overwrite only files that
// ialgn wrote and that nobody changed.
type WriteOptions struct {
	Force bool     // also overwrite files that ialgn did not write, changed files, and files that were read
	Keep  []string // files that must not be overwritten, in addition to the model
}

// Write writes the output folder of a compiled design: Verilog, testbench, netlist, report, manifest and the files
// that CompileOptions.Emit names; see [backend.Write]. If the context ends, the folder is unchanged.
func (d *Design) Write(ctx context.Context, dir string, o WriteOptions) error {
	if d.product == nil {
		return fmt.Errorf("%s: the design is already in a folder; copy that folder", d.dir)
	}
	p := *d.product
	p.Guard = guard(o.Force, o.Keep, d.reads)
	p.Left = func(left backend.Leftovers) { d.left = left }
	report, err := backend.Write(ctx, dir, p)
	if err != nil {
		return err
	}
	d.dir, d.report, d.out = dir, report, nil
	return nil
}

// Leftovers reports what the last call of [Design.Write] did with files of an earlier design in the folder.
func (d *Design) Leftovers() backend.Leftovers { return d.left }

// output returns the content of the design's folder, which the first call reads.
func (d *Design) output(ctx context.Context) (*backend.Output, error) {
	if d.out != nil {
		return d.out, nil
	}
	if d.dir == "" {
		return nil, errors.New("the design has no folder yet: call Write first")
	}
	out, p, err := readFolder(ctx, d.dir)
	if err == nil {
		d.out, d.read = out, p
	}
	return out, err
}

// readFolder reads a design's folder and the plan that it was compiled with.
func readFolder(ctx context.Context, dir string) (*backend.Output, *plan.Plan, error) {
	out, err := backend.Read(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	p, err := plan.Read(out)
	return out, p, err
}

// OpenDesign opens a folder that [Design.Write] or the command compile wrote. It returns an error if a file is
// missing or was changed.
func OpenDesign(ctx context.Context, dir string) (*Design, error) {
	out, p, err := readFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	d := &Design{netlist: out.Netlist, plan: p, dir: dir, report: &out.Report, out: out, read: p}
	var data config.Data
	enc := &encoding.Encoder{}
	if err := cmp.Or(json.Unmarshal(out.Manifest.Data, &data), json.Unmarshal(out.Manifest.Encoder, enc)); err != nil {
		return nil, fmt.Errorf("%s: manifest: %w; compile again", dir, message.ExplainJSON(err))
	}
	if err := enc.Check(); err != nil {
		return nil, fmt.Errorf("%s: manifest: %w; compile again", dir, err)
	}
	data.Beside = dir
	d.source = source{
		encoder: enc, classes: out.Manifest.Classes, data: data, recorded: out.Manifest.Test,
		imported: data.Plain && out.Manifest.Test == "",
	}
	return d, nil
}

// Dir returns the folder of the design, or "" if the design is not yet written.
func (d *Design) Dir() string { return d.dir }

// Module returns the name of the Verilog module.
func (d *Design) Module() string { return d.plan.Options.Module }

// Netlist returns the optimised netlist.
func (d *Design) Netlist() *netlist.Netlist { return d.netlist }

// Output returns the content of the design's folder. The first call reads the folder.
func (d *Design) Output(ctx context.Context) (*backend.Output, error) { return d.output(ctx) }

// Report returns the size and speed of the design. For a design in a folder it returns the report in the folder.
func (d *Design) Report() (*backend.Report, error) {
	if d.report != nil {
		return d.report, nil
	}
	return d.product.Report()
}

// from returns the source of the design's test samples. If data has samples, they are used instead.
func (d *Design) from(data Data) source {
	s := d.source
	s.folders, s.override = data.folders(), data
	return s
}

// MadeOf returns an error if the design was compiled from another model.
func (d *Design) MadeOf(ctx context.Context, m *Model) error {
	out, err := d.output(ctx)
	if err != nil {
		return err
	}
	return m.madeOf(ctx, out)
}
