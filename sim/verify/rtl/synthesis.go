package rtl

import (
	"context"
	"os"
	"path/filepath"

	"ialgn/backend/verilog"
	"ialgn/flow/yosys"
	"ialgn/internal/progress"
	"ialgn/internal/tempdir"
	"ialgn/sim/verify"
	"ialgn/sim/verify/readback"
)

// SynthesisResult is the outcome of [CheckSynthesised].
type SynthesisResult struct {
	Synthesis *yosys.Result    `json:"synthesis"`
	Proof     *readback.Result `json:"proof,omitempty"`
	Run
}

// CheckSynthesised has yosys synthesise the emitted Verilog for its target and runs the netlist that
// comes of it in a simulator as [Check] does the Verilog, with yosys's own models of its
// cells. The netlist has no internal buses, so the
// output ports alone are compared, and no gate is named. If no sample differs and prove is
// set, it is proved to be the optimised netlist, as the emitted Verilog is by [CheckText].
//
// It returns an error of package tool if a program is missing or fails, and if the synthesised
// netlist is not what [yosys.Synthesise] takes for sound.
func CheckSynthesised(ctx context.Context, d verify.Design, s verify.Samples, files Files, simulator string,
	samples int, prove bool,
) (*SynthesisResult, error) {
	ctx, end := progress.Begin(ctx, "synthesized")
	defer end()
	dir, err := tempdir.Make("ialgn-synthesis-")
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

// Synthesise has yosys synthesise the emitted Verilog in an empty folder, which stays. It
// returns the files of the netlist, for [Check], and what yosys says of it; the netlist
// alone is the file Design.
func Synthesise(ctx context.Context, d verify.Design, files Files, dir string) (Files, *yosys.Result, error) {
	o := yosys.Options{
		Module: files.Module, Sources: []string{files.Design}, Target: files.Target, LUT: files.LUT,
		Dir: dir,
	}
	if files.Style == verilog.LUTs && files.Target.OrGeneric().Modelled {
		if err := writeSources(d, files, dir, nil); err != nil {
			return files, nil, err
		}
		o.Sources = append(o.Sources, filepath.Join(dir, CellsName))
	}
	r, err := yosys.Synthesise(ctx, o)
	if err != nil {
		return files, nil, err
	}
	files.Design, files.Library, files.ByClass = r.Netlist, &r.Library, false
	return files, r, nil
}
