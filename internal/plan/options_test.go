package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"ialgn/internal/wrapper"
)

// TestStyleOfTarget checks that each target is compiled with its own style, unless the options ask for another style.
func TestStyleOfTarget(t *testing.T) {
	for target, want := range map[string]Style{
		"": StyleGates, "generic": StyleGates, "ice40": StyleGates, "ecp5": StyleLUT, "gowin": StyleLUT, "xilinx7": StyleLUT,
		"intel": StyleGates, "polarfire": StyleLUT, "efinix": StyleLUT, "gatemate": StyleLUT,
	} {
		for given, want := range map[Style]Style{StyleAuto: want, StyleGates: StyleGates, StyleLUT: StyleLUT} {
			if p, err := New(Options{Target: target, Style: given}); err != nil || p.Options.Style != want {
				t.Errorf("%s %s: %+v, want %s (%v)", target, given, p, want, err)
			}
		}
		if p, err := New(Options{Target: target}); err != nil || styleNames[p.Style] != want {
			t.Errorf("%s: %v, want %s (%v)", target, p.Style, want, err)
		}
	}
	if _, err := New(Options{Target: "spartan", Style: StyleAuto}); err == nil ||
		!strings.HasPrefix(err.Error(), "Target: ") {
		t.Errorf("%v", err)
	}
}

// TestWrappers checks that every kind of wrapper is accepted.
func TestWrappers(t *testing.T) {
	for _, kind := range wrapper.Kinds() {
		if p, err := New(Options{Wrap: Wrapper(kind)}); err != nil || p.Wrap != kind {
			t.Errorf("%s is taken as %+v: %v", kind, p, err)
		}
	}
}

// TestRecorded checks the JSON of default options, and that options are recorded with their effective values and
// read back unchanged.
func TestRecorded(t *testing.T) {
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p.Options)
	if err != nil || string(text) != `{"scope":"full","module":"","optimise":2}` {
		t.Errorf("%s (%v)", text, err)
	}
	for _, level := range []Level{OptimiseFully, OptimiseOnce, OptimiseNone} {
		text, err := json.Marshal(level)
		var back Level
		if err != nil || json.Unmarshal(text, &back) != nil || back != level || LevelOf(level.Number()) != level {
			t.Errorf("level %d: %s, back %d", level, text, back)
		}
	}
	if p, err := New(Options{Vectors: UsualVectors}); err != nil || p.Options.Vectors != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestOptionsRefuseNonsense checks that meaningless options are refused. The errors use the Go names of the options.
func TestOptionsRefuseNonsense(t *testing.T) {
	for want, o := range map[string]Options{
		`Scope: scope "all"`:                             {Scope: "all"},
		"Optimise 3: give 0, 1 or 2":                     {Optimise: LevelOf(3)},
		"Vectors -1: give 1 to 1048576":                  {Vectors: -1},
		"MHz -5: give a clock in MHz":                    {MHz: -5},
		"Baud 9600: there is no serial line":             {Baud: 9600},
		"MaxDepth: the netlist is not mapped":            {MaxDepth: 2},
		"Fold 3: give the steps of a clock":              {Fold: "3"},
		"Counts: scope gates has no class counts":        {Scope: ScopeGates, Counts: true},
		"Probabilities: scope gates has no class counts": {Scope: ScopeGates, Probabilities: true, Emit: []string{"c"}},
		"Probabilities: only C and Go code have":         {Probabilities: true, Emit: []string{"blif"}},
		"AssumeThermometer: it is for the scopes gates":  {AssumeThermometer: true},
		`Pipeline "-1": give none, auto or the number`:   {Target: "ice40", Pipeline: "-1"},
		`Style "wide": give auto, gates or lut`:          {Style: "wide"},
		"Tag 65: give the bits of the tag, 1 to 64":      {Tag: 65},
		"Tag -1: give the bits of the tag, 1 to 64":      {Tag: -1},
		"Tag 8: the interface uart has no signals for a": {Tag: 8, Wrap: "uart"},
		"Tag 1: the interface spi has no signals for a ": {Tag: 1, Wrap: "spi"},
		"Tag 2: a folded engine has no registers for a ": {Tag: 2, Fold: "1"},
		"Tag 3: a folded engine has no registers for a ": {Tag: 3, Fold: FoldSequence, Wrap: "axis"},
		"MaxLevels 2: it is the most levels of a stage ": {Target: "ice40", MaxLevels: 2},
	} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
