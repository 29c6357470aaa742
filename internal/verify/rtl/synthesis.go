package rtl

import (
	"context"
	"os"
	"path/filepath"

	"ialgn/internal/flow"
	"ialgn/internal/outfile"
	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/verify/readback"
	"ialgn/internal/verilog"
)

// SynthesisResult is the outcome of [CheckSynthesised].
type SynthesisResult struct {
	Synthesis *flow.YosysResult `json:"synthesis"`
	Proof     *readback.Result  `json:"proof,omitempty"`
	Run
}

// CheckSynthesised has yosys synthesise the emitted Verilog for its target. It runs the resulting netlist in a
// simulator, as [Check] runs the Verilog, with yosys's own models of its cells. The synthesised netlist has no
// internal buses, so only the output ports are compared, and the result names no gate. If no sample differs and prove
// is set, CheckSynthesised also proves that the synthesised netlist computes the optimised netlist, in the same way
// as [CheckText].
//
// CheckSynthesised returns an error of package tool if a program is missing or fails. It also returns an error if
// [flow.Yosys] rejects the synthesised netlist.
func CheckSynthesised(ctx context.Context, d verify.Design, s verify.Samples, files Files, simulator string,
	samples int, prove bool,
) (*SynthesisResult, error) {
	ctx, end := progress.Begin(ctx, "synthesized")
	defer end()
	dir, err := outfile.MakeTemp("ialgn-synthesis-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	synthesised, r, err := Synthesise(ctx, d, files, dir)
	if err != nil {
		return nil, err
	}
	simulated, err := Check(ctx, d, s, synthesised, simulator, samples)
	if err != nil {
		return nil, err
	}
	result := &SynthesisResult{Synthesis: r, Run: *simulated}
	if prove && simulated.Mismatches == 0 {
		result.Proof, err = CheckText(ctx, d, synthesised)
	}
	return result, err
}

// Synthesise has yosys synthesise the emitted Verilog. yosys works in the folder dir, which must be empty and is not
// removed. Synthesise returns the files with which [Check] can run the netlist, and yosys's report. Files.Design in
// the result is the netlist.
func Synthesise(ctx context.Context, d verify.Design, files Files, dir string) (Files, *flow.YosysResult, error) {
	o := flow.YosysOptions{
		Module: files.Module, Sources: []string{files.Design}, Target: files.Target, LUT: files.LUT,
		Dir: dir,
	}
	if files.Style == verilog.LUTs && files.Target.OrGeneric().Modelled {
		if err := writeSources(d, files, dir, nil); err != nil {
			return files, nil, err
		}
		o.Sources = append(o.Sources, filepath.Join(dir, CellsName))
	}
	r, err := flow.Yosys(ctx, o)
	if err != nil {
		return files, nil, err
	}
	files.Design, files.Library, files.ByClass = r.Netlist, &r.Library, false
	return files, r, nil
}
