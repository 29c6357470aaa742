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

// CheckSynthesised has yosys synthesise the emitted Verilog for its target and runs the netlist that
// comes of it in a simulator as [Check] does the Verilog, with yosys's own models of its
// cells. The netlist has no internal buses, so the
// output ports alone are compared, and no gate is named. If no sample differs and prove is
// set, it is proved to be the optimised netlist, as the emitted Verilog is by [CheckText].
//
// It returns an error of package tool if a program is missing or fails, and if the synthesised
// netlist is not what [flow.Yosys] takes for sound.
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

// Synthesise has yosys synthesise the emitted Verilog in an empty folder, which stays. It
// returns the files of the netlist, for [Check], and what yosys says of it; the netlist
// alone is the file Design.
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
