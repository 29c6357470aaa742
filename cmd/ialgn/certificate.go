package main

import (
	"errors"
	"time"

	"ialgn/artifact"
)

// certify writes what verify found into the folder.
func certify(r *verifyReport) error {
	return r.out.Certify(&artifact.Certificate{
		Version: version, Time: time.Now().UTC().Truncate(time.Second),
		Result: r.result(), Level: levelNames[r.asked], Samples: r.samples(), Assumptions: r.assumptions(),
		Model: r.model,
		Tools: r.tools(), Checks: r.checks(),
	})
}

// levelNames are the levels by their number.
var levelNames = []string{"", "software", "rtl", "formal"}

func (r *verifyReport) result() string {
	switch err := r.outcome(); {
	case err == nil:
		return "verified"
	case errors.Is(err, errUnproved):
		return "unproved"
	}
	return "different"
}

// samples returns how many samples the Verilog was simulated on.
func (r *verifyReport) samples() int {
	if r.RTL == nil {
		return 0
	}
	return r.RTL.Checked
}

// assumptions returns what the result rests on. What was proved without an assumption
// does not rest on it.
func (r *verifyReport) assumptions() []string {
	if r.Assumed && (r.Formal == nil || r.Formal.WithoutAssumption != "equivalent") {
		return []string{"the inputs are thermometer codes"}
	}
	return []string{}
}

// tools returns the versions of the programs that took part, by what they did.
func (r *verifyReport) tools() map[string]string {
	tools := map[string]string{}
	if r.RTL != nil {
		tools["simulation"] = r.RTL.Simulator
	}
	if r.Synthesized != nil {
		tools["synthesis"] = r.Synthesized.Synthesis.Tool
	}
	if r.Formal != nil {
		tools["proof"] = r.Formal.Tool
	}
	if r.Verilog != nil {
		tools["proof of the Verilog"] = r.Verilog.Tool
	}
	return tools
}

// checks returns the results of the checks that ran.
func (r *verifyReport) checks() artifact.Checks {
	return artifact.Checks{
		Software: ran(r.Software), RTL: ran(r.RTL), Synthesized: ran(r.Synthesized),
		Fold: ran(r.Fold), FoldRTL: ran(r.FoldRTL), FoldFormal: ran(r.FoldFormal),
		Wrapper: ran(r.Wrapper), Formal: ran(r.Formal), Verilog: ran(r.Verilog), Core: ran(r.Core),
		FoldStep: ran(r.FoldStep), WrapperStep: ran(r.WrapperStep),
	}
}

// ran returns a result, or nil for one that there is none of, which as any would be no nil.
func ran[T any](result *T) any {
	if result == nil {
		return nil
	}
	return result
}
