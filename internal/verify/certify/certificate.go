package certify

import (
	"errors"
	"fmt"
	"time"

	"ialgn/backend"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/proof"
	"ialgn/internal/verify/readback"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/verify/software"
)

// Level says how thoroughly a design is verified.
type Level string

// These are the levels. Each level includes all levels before it. The zero value means [RTL].
const (
	// Software runs the test set through the raw and the optimised netlist and compares every hidden bit, the
	// counts and the class.
	Software Level = "software"
	// RTL runs the emitted Verilog in a simulator.
	RTL Level = "rtl"
	// Formal proves that the optimised netlist and the Verilog compute the same results as the model, for every
	// input.
	Formal Level = "formal"
	// All means every level. It has the same number in [Levels] as Formal.
	All Level = "all"
)

// Levels maps each level to its number.
var Levels = map[Level]int{Software: 1, RTL: 2, Formal: 3, All: 3}

// number returns the number of a level.
func (l Level) number() int { return Levels[l] }

// name returns the level's name in certificates.
func (l Level) name() Level {
	if l == All {
		return Formal
	}
	return l
}

// ErrDifference says that a check found a difference. The [Certificate] has the details.
var ErrDifference = errors.New("a check found a difference")

// ErrUnproved says that the checks found neither a difference nor a proof.
var ErrUnproved = errors.New("not proved")

// Certificate is the result of [Run]. It holds the result of each check, or nil for a check that was not run.
type Certificate struct {
	Software *software.Result `json:"software"`
	RTL      *rtl.Run         `json:"rtl,omitempty"`
	Formal   *proof.Result    `json:"formal,omitempty"`
	// Wrapper is the result of level rtl for the wrapper around the design.
	Wrapper *rtl.WrapperResult `json:"wrapper,omitempty"`
	// Verilog is the second part of level formal, the proof that the emitted Verilog computes the netlist.
	Verilog *readback.Result `json:"verilog,omitempty"`
	// Core is the proof for the core file of a wrapper. This file contains the netlist without its encoder.
	Core *readback.Result `json:"core,omitempty"`
	// Synthesized is the result of level rtl for the netlist that yosys made.
	Synthesized *rtl.SynthesisResult `json:"synthesized,omitempty"`
	// Mapped is the result of level rtl for the netlist of standard cells in the folder.
	Mapped *rtl.MappedResult `json:"mapped,omitempty"`
	// Fold is the result of level software for the program of a folded engine. FoldFormal is the result of level
	// formal for this program. FoldRTL is the result of level rtl for the engine's Verilog.
	Fold       *verify.ProgramResult `json:"fold,omitempty"`
	FoldRTL    *rtl.Run              `json:"fold_rtl,omitempty"`
	FoldFormal *proof.Result         `json:"fold_formal,omitempty"`
	// FoldParts holds the proofs of the modules in a folded engine that processes one position per clock. The rest of
	// such an engine is only simulated, with the result in FoldRTL.
	FoldParts []FoldPart `json:"fold_parts,omitempty"`
	// Homomorphic is the result of level software for a program for homomorphic encryption. HomomorphicFormal is the
	// proof that the program computes the netlist.
	Homomorphic       *verify.HomomorphicResult `json:"homomorphic,omitempty"`
	HomomorphicFormal *proof.HomomorphicResult  `json:"homomorphic_formal,omitempty"`

	Folder []string `json:"folder,omitempty"` // differences between the folder and its expected content
	// Unchecked lists the keys of report.json whose values, such as seconds, were not compared with anything.
	Unchecked []string `json:"unchecked"`
	Verified  bool     `json:"verified"`
	Level     Level    `json:"verified_level,omitempty"` // the level, if the design is verified
	Assumed   bool     `json:"assumes_thermometer,omitempty"`
	Random    bool     `json:"random_samples,omitempty"` // random samples replaced the test set

	outcomes []outcome // outcomes of the checks that were run
}

// finish sets Verified and Level after every check was run.
func (c *Certificate) finish(l Level) {
	if c.Verified = c.failed() == nil; c.Verified {
		c.Level = l.name()
	}
}

// Err returns nil if the design is verified, otherwise an error that wraps [ErrDifference] or [ErrUnproved]. If
// there is both a difference and a missing proof, the error is ErrDifference.
func (c *Certificate) Err() error {
	if err := c.failed(); err != nil || c.Verified {
		return err
	}
	return fmt.Errorf("%w: not every check was run", ErrUnproved)
}

// failed is like [Certificate.Err], but considers only the checks that were run.
func (c *Certificate) failed() error {
	var open *outcome
	for i := range c.outcomes {
		switch c.outcomes[i].verdict {
		case cec.Equivalent:
		case cec.Different:
			return ErrDifference
		default: // the last check that ran has failed
			open = &c.outcomes[i]
		}
	}
	if open == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrUnproved, open.reason)
}

// FoldPart has the proofs of one module in a folded engine.
type FoldPart struct {
	Module string `json:"module"`
	// Formal is the proof that the module's netlist computes its part of the model. Verilog is the proof that the
	// module's file computes this netlist.
	Formal  *proof.Result    `json:"formal"`
	Verilog *readback.Result `json:"verilog,omitempty"`
}

// Write writes the certificate of a job into the job's folder.
func (j *Job) Write(c *Certificate) error {
	return j.Out.Certify(&backend.Certificate{
		Version: j.Version, Time: time.Now().UTC().Truncate(time.Second),
		Result: c.result(), Level: string(j.Level.name()), Samples: c.simulated(), Assumptions: j.assumptions(c),
		Reject: j.Plan.Options.Reject, Unchecked: c.Unchecked, Model: j.Model, Tools: c.tools(), Checks: c.checks(),
	})
}

func (c *Certificate) result() string {
	switch err := c.Err(); {
	case err == nil:
		return "verified"
	case errors.Is(err, ErrUnproved):
		return "unproved"
	}
	return "different"
}

// simulated returns the number of samples that the Verilog was simulated on.
func (c *Certificate) simulated() int {
	if c.RTL == nil {
		return 0
	}
	return c.RTL.Checked
}

// assumptions returns the assumptions on which the result depends. At level formal, it also returns the parts of the
// design that are not proved. An assumption is not listed if the design was also proved without it.
func (j *Job) assumptions(c *Certificate) []string {
	list := []string{}
	switch {
	case j.Level.number() < 3 || !j.folded():
	case j.programmed():
		list = append(list, "of the folded engine all but its program was compared with what is written and simulated, "+
			"not proved")
	default:
		list = append(list, "of the folded engine what is around its kernels and dense layers was simulated, not proved")
	}
	switch {
	case j.Level.number() < 3 || c.Wrapper == nil:
	case c.Wrapper.Unplayed != "":
		list = append(list, "the wrapper was compared with what is written, not simulated or proved")
	default:
		list = append(list, "the wrapper was compared with what is written and simulated, not proved")
	}
	if c.Assumed && (c.Formal == nil || c.Formal.WithoutAssumption != cec.Equivalent) {
		list = append(list, "the inputs are thermometer codes")
	}
	return list
}

// tools returns the versions of the programs that were used. The keys are the tasks of the programs.
func (c *Certificate) tools() map[string]string {
	tools := map[string]string{}
	if c.RTL != nil {
		tools["simulation"] = c.RTL.Simulator
	}
	if c.Synthesized != nil {
		tools["synthesis"] = c.Synthesized.Synthesis.Tool
	}
	if c.Formal != nil {
		tools["proof"] = c.Formal.Tool
	}
	if c.Verilog != nil {
		tools["proof of the Verilog"] = c.Verilog.Tool
	}
	return tools
}

// checks returns the results of the checks that were run.
func (c *Certificate) checks() backend.Checks {
	checks := backend.Checks{
		Software: orNil(c.Software), RTL: orNil(c.RTL), Synthesized: orNil(c.Synthesized), Mapped: orNil(c.Mapped),
		Fold: orNil(c.Fold), FoldRTL: orNil(c.FoldRTL), FoldFormal: orNil(c.FoldFormal),
		Wrapper: orNil(c.Wrapper), Formal: orNil(c.Formal), Verilog: orNil(c.Verilog), Core: orNil(c.Core),
		Homomorphic: orNil(c.Homomorphic), HomomorphicFormal: orNil(c.HomomorphicFormal),
	}
	if len(c.FoldParts) > 0 {
		checks.FoldParts = c.FoldParts
	}
	return checks
}

// orNil converts a result to any. A nil pointer becomes a plain nil.
func orNil[T any](result *T) any {
	if result == nil {
		return nil
	}
	return result
}
