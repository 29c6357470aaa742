package play

import (
	"context"
	"os"
	"time"

	"ialgn/backend/wrapper"
	"ialgn/internal/progress"
	"ialgn/internal/tempdir"
	"ialgn/sim/verify"
	"ialgn/sim/verify/engine"
	"ialgn/sim/verify/rtl"
)

// CheckEngine runs the Verilog of a folded engine in a simulator, as [rtl.Check] does that of the
// netlist: samples follow each other without a reset, with stalls on both sides.
func CheckEngine(ctx context.Context, d verify.Design, s verify.Samples, f engine.Files, simulator string,
	samples int,
) (*rtl.Run, error) {
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
	if simulator, err = rtl.PickWhere(simulator, long); err != nil {
		return nil, err
	}
	dir, err := tempdir.Make("ialgn-fold-")
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

// longFold reports whether verilator is done before iverilog with an engine that takes a sample in so
// many clocks. Measured: iverilog takes 14 us of processor time for a clock of one lane, 20 us for one
// of two and 22 us for one of four; verilator 7 to 9 s and 0.5 us.
func longFold(cycles, samples, lanes int) bool { return cycles*samples*(5+lanes) > 3_500_000 }

// longPositions does so of an engine that takes a position a clock, of a network of so many cells.
func longPositions(cycles, samples, cells int) bool {
	return cycles*samples*(10+cells/1000) > 3_500_000
}

// foldCycles returns for how many clocks a sample keeps an engine busy.
func foldCycles(d verify.Design, f engine.Files) (int, error) {
	if !f.Programmed() {
		return f.Cycles, nil
	}
	p, err := engine.ReadProgram(d, f)
	if err != nil {
		return 0, err
	}
	return len(p.Lanes[0]), nil
}
