package ialgn

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/internal/flow"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/synth"
	"ialgn/internal/target"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// TestTimingHint checks the hints for designs that reach only half of the clock frequency. There is one hint for each
// cause, and the most effective hint comes first.
func TestTimingHint(t *testing.T) {
	hx8k, err := target.FindDevice("ice40-hx8k")
	if err != nil {
		t.Fatal(err)
	}
	decides := func(kind flow.PathKind) flow.Slowest { return flow.Slowest{Kind: kind, NS: 19.6, MHz: 50.9} }
	for _, c := range []struct {
		name   string
		o      CompileOptions
		report backend.Report
		want   string
		by     flow.PathKind // empty: register to register
	}{
		{name: "gates", want: "compile with Target: ice40 Pipeline: auto MaxLevels: 3"},
		{
			name: "mapped", o: CompileOptions{Target: "ice40"},
			report: backend.Report{Mapping: &lut.Report{}, Levels: netlist.Sizes{Total: 12}},
			want:   "compile with Pipeline: auto MaxLevels: 6",
		},
		{
			name: "a pipeline", o: CompileOptions{Target: "ice40", Pipeline: "auto"},
			report: backend.Report{Mapping: &lut.Report{}, Pipeline: &pipeline.Report{LevelsPerStage: 4}},
			want:   "compile with Pipeline: auto MaxLevels: 2; the stages now have 4 levels",
		},
		{
			name: "a level a stage, in gates", o: CompileOptions{Target: "ice40", Pipeline: "auto", Style: "gates"},
			report: backend.Report{Mapping: &lut.Report{}, Pipeline: &pipeline.Report{LevelsPerStage: 1}},
			want:   "compile with Style: lut, try more seeds with Seeds: 5, or aim lower with MHz: 50",
		},
		{
			name: "a level a stage", o: CompileOptions{Target: "ice40", Pipeline: "auto", Style: "lut"},
			report: backend.Report{Mapping: &lut.Report{}, Pipeline: &pipeline.Report{LevelsPerStage: 1}},
			want:   "try more seeds with Seeds: 5, or aim lower with MHz: 50",
		},
		{
			name: "an engine", o: CompileOptions{Fold: "1"},
			want: "try more seeds with Seeds: 5, or aim lower with MHz: 50",
		},
		{
			name: "one stage behind inputs", o: CompileOptions{Target: "ice40", Pipeline: "1"},
			report: backend.Report{Mapping: &lut.Report{}, Pipeline: &pipeline.Report{LevelsPerStage: 7}},
			want:   "compile with Pipeline: auto MaxLevels: 3; the stages now have 7 levels", by: flow.InputToRegister,
		},
		{
			name: "pads of a loader", o: CompileOptions{Target: "ice40", Wrap: "stream"}, by: flow.InputToRegister,
			want: "give pins close to each other with Pins: FILE, try more seeds with Seeds: 5, or aim lower with MHz: 50",
		},
		{
			name: "pads of an engine", o: CompileOptions{Fold: "1"}, by: flow.RegisterToOutput,
			want: "give pins close to each other with Pins: FILE, try more seeds with Seeds: 5, or aim lower with MHz: 50",
		},
		{
			name: "no registers", o: CompileOptions{Target: "ice40"}, by: flow.InputToOutput,
			want: "compile with Pipeline: auto or Wrap: stream, which add registers",
		},
	} {
		p, err := c.o.plan(0)
		if err != nil {
			t.Fatal(err)
		}
		r := &synth.Report{Device: hx8k, MHz: 100, Slowest: decides(cmp.Or(c.by, flow.RegisterToRegister))}
		if c.by == flow.InputToOutput {
			r.Slowest.MHz = 0
		}
		slow := tooSlow(p, &backend.Output{Report: c.report}, r)
		if got := Hint(slow); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if errors.Is(slow, ErrSlow) == errors.Is(slow, ErrUnclocked) || !strings.Contains(slow.Error(), string(c.by)) &&
			c.by != flow.InputToOutput {
			t.Errorf("%s: %v", c.name, slow)
		}
	}
}

// TestPlanDevice checks for which device a design is synthesised if Target is empty.
func TestPlanDevice(t *testing.T) {
	for want, o := range map[string]CompileOptions{
		"ice40-hx8k":   {Target: "ice40"},
		"ice40-up5k":   {Target: "ice40", Wrap: "uart", Board: "icebreaker"},
		"ecp5-25k":     {Target: "ecp5", Style: "lut"},
		"gowin-gw1n9":  {Target: "gowin"},
		"xilinx7-a35t": {Target: "xilinx7", Style: "lut"},
		"intel":        {Target: "intel"},
		"polarfire":    {Target: "polarfire"},
		"efinix":       {Target: "efinix"},
		"gatemate":     {Target: "gatemate"},
		"generic-lut4": {LUT: 3, Style: "lut"},
		"generic-lut6": {LUT: 5, Style: "lut"},
	} {
		checkDevice(t, o, want)
	}
	checkDevice(t, CompileOptions{}, usualDevice)
	checkDevice(t, CompileOptions{LUT: 6, Style: "gates"}, usualDevice)
	if b, err := wrapper.ParseBoard("hx8k-breakout"); err != nil || boardTarget(b) != "ice40-hx8k" {
		t.Errorf("%v", err)
	}
}

func checkDevice(t *testing.T, o CompileOptions, want string) {
	t.Helper()
	p, err := o.plan(0)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := designDevice(p); err != nil || d.Name != want {
		t.Errorf("%+v: %s, want %s (%v)", o, d.Name, want, err)
	}
}

// TestPlanClock checks the target clock if MHz is 0. For a serial line, it must be the clock for which the design was
// compiled, because at another clock the line would have another baud rate.
func TestPlanClock(t *testing.T) {
	for _, c := range []struct {
		o    CompileOptions
		want float64
	}{
		{CompileOptions{}, usualMHz},
		{CompileOptions{MHz: 25}, 25},
		{CompileOptions{Wrap: "stream"}, usualMHz},
		{CompileOptions{Wrap: "spi", Board: "icebreaker", Target: "ice40"}, usualMHz}, // onBoard sets the board's clock
		{CompileOptions{Wrap: "uart"}, 12},
		{CompileOptions{Wrap: "uart", Baud: 9600}, 12},
		{CompileOptions{Wrap: "uart", MHz: 33.3333333}, 33.3333333},
		{CompileOptions{Wrap: "uart", Board: "icebreaker", Target: "ice40"}, 12},
		{CompileOptions{Wrap: "uart", Fold: "1"}, 12},
	} {
		p, err := c.o.plan(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := clockOf(p); got != c.want {
			t.Errorf("%+v: %v MHz, want %v", c.o, got, c.want)
		}
	}
}
