package rtl

import (
	"context"
	"os"
	"time"

	"ialgn/internal/outfile"
	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/wrapper"
)

// CheckEngine runs the Verilog of a folded engine in a simulator, as [Check] runs the Verilog of a netlist.
// Samples follow each other without a reset, with stalls on both sides.
func CheckEngine(ctx context.Context, d verify.Design, s verify.Samples, f verify.EngineFiles, simulator string,
	samples int,
) (*Run, error) {
	ctx, end := progress.Begin(ctx, "folded rtl")
	defer end()
	begin := time.Now()
	cycles, err := foldCycles(d, f)
	if err != nil {
		return nil, err
	}
	long := longFold(cycles, min(samples, s.Levels.Len()), f.Lanes)
	if !f.Programmed() {
		long = longPositions(cycles, min(samples, s.Levels.Len()), d.Product.Cells())
	}
	if simulator, err = PickWhere(simulator, long); err != nil {
		return nil, err
	}
	dir, err := outfile.MakeTemp("ialgn-fold-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := f.Copy(dir); err != nil {
		return nil, err
	}
	r, err := play(ctx, d, s, wrapped{
		wrapper: wrapper.EngineKind, top: f.Module, cycles: cycles, drop: f.Drop, sources: f.Sources(),
		simulator: simulator,
	}, dir, samples)
	if err != nil {
		return nil, err
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// longFold reports whether verilator finishes before iverilog for an engine with a program. The argument cycles is
// the number of clocks per sample. The formula is based on measured processor times. For each clock, iverilog takes
// 14 us with one lane, 20 us with two lanes and 22 us with four lanes. verilator takes 7 to 9 s to build, and then
// 0.5 us per clock.
func longFold(cycles, samples, lanes int) bool { return cycles*samples*(5+lanes) > 3_500_000 }

// longPositions is like longFold, for an engine that processes one position per clock. The argument cells is the size
// of the network.
func longPositions(cycles, samples, cells int) bool {
	return cycles*samples*(10+cells/1000) > 3_500_000
}

// foldCycles returns the number of clocks for which a sample occupies an engine.
func foldCycles(d verify.Design, f verify.EngineFiles) (int, error) {
	if !f.Programmed() {
		return f.Cycles, nil
	}
	p, err := verify.ReadProgram(d, f)
	if err != nil {
		return 0, err
	}
	return len(p.Lanes[0]), nil
}
