package rtl

import (
	"context"
	"os"
	"path/filepath"

	"ialgn/internal/outfile"
	"ialgn/internal/verify"
	"ialgn/internal/verify/readback"
	"ialgn/internal/verilog"
)

// CheckText proves that the emitted Verilog, as yosys reads it, computes the optimised netlist for every input and in
// every clock ([readback.Prove]). For a design in LUTs, CheckText writes the models of the primitives again. For a
// netlist from [Synthesise], it uses yosys's own models of the cells, and for a netlist of [CheckMapped] models of the
// standard cells. CheckText returns an error of package tool if yosys or abc is missing or fails.
func CheckText(ctx context.Context, d verify.Design, f Files) (*readback.Result, error) {
	o := readback.Options{Module: f.Module, Files: []string{f.Design}, Samples: verify.StimuliFor(d).Words}
	for w, x := range o.Samples {
		for bit := range d.Tag {
			o.Samples[w] = append(o.Samples[w], x[bit%len(x)]) // tag bits may have any values, so they repeat input bits
		}
	}
	d, err := d.WithTag()
	if err != nil {
		return nil, err
	}
	switch {
	case f.Library != nil:
		o.Library, o.Synthesised = f.Library.Read, true
		if o.Library == "" {
			o.Files = append(o.Files, f.Library.Files...) // models of standard cells
		}
	case f.Style == verilog.LUTs:
		dir, err := outfile.MakeTemp("ialgn-verilog-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		cells := filepath.Join(dir, CellsName)
		err = WriteSource(cells, d.Product, verilog.Options{Module: f.Module, Style: f.Style, Target: f.Target},
			verilog.WriteCells)
		if err != nil {
			return nil, err
		}
		o.Files = append(o.Files, cells)
	}
	return readback.Prove(ctx, d.Product, o)
}
