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

// Design is a compiled classifier: the netlist with what is to be written of it, or a folder that was written.
type Design struct {
	netlist *netlist.Netlist
	plan    *plan.Plan
	product *backend.Product // nil: it was read from its folder
	dir     string           // folder of the design; empty: it was not written yet
	report  *backend.Report  // content of the folder's report
	out     *backend.Output  // content of the folder, once it was read
	read    *plan.Plan       // how that was compiled, by its manifest
	source  source           // where the model's test part is
	reads   string           // the model's file, which the folder must not replace
	left    backend.Leftovers
}

// WriteOptions say what [Design.Write] may replace. The zero value replaces files that are as ialgn wrote them.
type WriteOptions struct {
	Force bool     // write over files that ialgn did not write or that were changed, and over what was read
	Keep  []string // files that must not be written over, beside the model
}

// Write makes the output folder of a compiled design: Verilog, testbench, netlist, report, manifest and what the
// options name; see [backend.Write]. If the context ends, the folder is as it was.
func (d *Design) Write(ctx context.Context, dir string, o WriteOptions) error {
	if d.product == nil {
		return fmt.Errorf("%s: the design is in its folder already: copy that", d.dir)
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

// Leftovers returns what became of files that were in the folder before the last [Design.Write].
func (d *Design) Leftovers() backend.Leftovers { return d.left }

// output reads the design's folder, unless it was read before.
func (d *Design) output(ctx context.Context) (*backend.Output, error) {
	if d.out != nil {
		return d.out, nil
	}
	if d.dir == "" {
		return nil, errors.New("the design has no folder yet: Write it first")
	}
	out, p, err := readFolder(ctx, d.dir)
	if err == nil {
		d.out, d.read = out, p
	}
	return out, err
}

// readFolder reads a folder, and how it was compiled.
func readFolder(ctx context.Context, dir string) (*backend.Output, *plan.Plan, error) {
	out, err := backend.Read(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	p, err := plan.Read(out)
	return out, p, err
}

// OpenDesign opens a folder that [Design.Write] made, or the compile command. It returns an error if a file of it is
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

// Dir returns the folder of the design, empty before it is written.
func (d *Design) Dir() string { return d.dir }

// Module returns the name of the Verilog module.
func (d *Design) Module() string { return d.plan.Options.Module }

// Netlist returns the optimised netlist.
func (d *Design) Netlist() *netlist.Netlist { return d.netlist }

// Output returns what the design's folder has, which it reads unless the design was opened there.
func (d *Design) Output(ctx context.Context) (*backend.Output, error) { return d.output(ctx) }

// Report returns what the design takes. That of a folder is the one that was written.
func (d *Design) Report() (*backend.Report, error) {
	if d.report != nil {
		return d.report, nil
	}
	return d.product.Report()
}

// from returns where the test samples of the design are read from.
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
