package ialgn

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ialgn/artifact"
	"ialgn/sim/verify/cec"
	"ialgn/sim/verify/engine"
	"ialgn/sim/verify/proof"
	"ialgn/sim/verify/readback"
	"ialgn/sim/verify/rtl"
	"ialgn/sim/verify/rtl/play"
	"ialgn/sim/verify/software"
)

// Certificate is what [Verify] found: the outcome of each check that was done, nil for one that was not.
type Certificate struct {
	Software *software.Result `json:"software"`
	RTL      *rtl.Run         `json:"rtl,omitempty"`
	Formal   *proof.Result    `json:"formal,omitempty"`
	// Wrapper is level rtl of the wrapper around the design.
	Wrapper *play.WrapperResult `json:"wrapper,omitempty"`
	// Verilog is the second half of level formal: the emitted Verilog is the netlist.
	Verilog *readback.Result `json:"verilog,omitempty"`
	// Core is the same of the file that a wrapper is around: it is the netlist without its encoder.
	Core *readback.Result `json:"core,omitempty"`
	// Synthesized is level rtl once more, of the netlist that yosys made.
	Synthesized *rtl.SynthesisResult `json:"synthesized,omitempty"`
	// Fold and FoldFormal are levels software and formal of the folded engine's program, FoldRTL
	// level rtl of its Verilog.
	Fold       *engine.Result `json:"fold,omitempty"`
	FoldRTL    *rtl.Run       `json:"fold_rtl,omitempty"`
	FoldFormal *proof.Result  `json:"fold_formal,omitempty"`
	// FoldParts are the proofs of the modules within a folded engine that takes a position a clock. What is around
	// them is simulated, by FoldRTL.
	FoldParts []FoldPart `json:"fold_parts,omitempty"`
	Folder    []string   `json:"folder,omitempty"` // what else is wrong with the folder
	// Unchecked are the keys of report.json whose values were compared with nothing, such as seconds.
	Unchecked []string    `json:"unchecked"`
	Verified  bool        `json:"verified"`
	Level     VerifyLevel `json:"verified_level,omitempty"` // how far, if it is
	Assumed   bool        `json:"assumes_thermometer,omitempty"`
	Random    bool        `json:"random_samples,omitempty"` // random samples stood in for the test set

	asked          int  // the level
	foldAsked      bool // the folder has a folded engine
	foldRuns       bool // it runs a program
	wrapAsked      bool // a wrapper has to be simulated
	coreAsked      bool // the wrapper is around a file of its own
	synthesisAsked bool
	checked        *checked
}

// finish sets Verified: every level that was asked for ran and found no difference, and the proofs were found.
func (c *Certificate) finish() *Certificate {
	c.Verified = len(c.Folder) == 0 && c.Software.Mismatches == 0 && c.foldHolds() && c.rtlHolds() && c.proofsHold()
	if c.Verified {
		c.Level = levelNames[c.asked]
	}
	return c
}

// rtlHolds reports whether all that was to be simulated was, without a difference.
func (c *Certificate) rtlHolds() bool {
	return (c.asked < 2 || c.RTL != nil && !c.differs()) && c.wrapAsked == (c.Wrapper != nil) &&
		c.synthesisAsked == (c.Synthesized != nil)
}

// proofsHold reports whether all proofs that were asked for were found.
func (c *Certificate) proofsHold() bool {
	if c.asked < 3 {
		return true
	}
	core := c.coreAsked == (c.Core != nil) && (c.Core == nil || proved(c.Core))
	return c.Formal != nil && c.Formal.Proved && proved(c.Verilog) && core &&
		(!c.synthesisAsked || proved(c.Synthesized.Proof))
}

// differs reports whether a simulation found a difference.
func (c *Certificate) differs() bool {
	return c.RTL.Mismatches > 0 || c.Wrapper != nil && c.Wrapper.Mismatches > 0 || c.Synthesized != nil &&
		c.Synthesized.Mismatches > 0
}

// foldDiffers reports whether a check of the folded engine found a difference.
func (c *Certificate) foldDiffers() bool {
	return c.Fold != nil && c.Fold.Mismatches > 0 || c.FoldRTL != nil && c.FoldRTL.Mismatches > 0
}

// foldHolds reports whether the folded engine, if there is one, was checked without a difference.
func (c *Certificate) foldHolds() bool {
	if !c.foldAsked {
		return true
	}
	program := c.Fold != nil && (c.asked < 3 || c.FoldFormal != nil && c.FoldFormal.Proved)
	parts := c.asked < 3 || c.partsProved()
	return (c.asked < 2 || c.FoldRTL != nil) && (c.foldRuns && program || !c.foldRuns && parts) && !c.foldDiffers()
}

// partsProved reports whether the modules within the folded engine are proved.
func (c *Certificate) partsProved() bool {
	return len(c.FoldParts) > 0 && !slices.ContainsFunc(c.FoldParts, func(p FoldPart) bool { return !p.proved() })
}

func proved(r *readback.Result) bool { return r != nil && r.Verdict == cec.Equivalent }

// synthesisDiffers reports whether the proof of the synthesised netlist found an input that shows a difference.
func (c *Certificate) synthesisDiffers() bool {
	return c.Synthesized != nil && c.Synthesized.Proof != nil && c.Synthesized.Proof.Verdict == cec.Different
}

// Err returns nil if the design is verified, else an error that wraps [ErrDifference] or [ErrUnproved].
func (c *Certificate) Err() error {
	switch {
	case c.Verified:
		return nil
	case len(c.Folder) > 0 || c.synthesisDiffers(): // whatever else was not proved
		return ErrDifference
	}
	if what, ok := c.undecided(); ok {
		return fmt.Errorf("%w: %s", ErrUnproved, what)
	}
	return ErrDifference
}

// undecided says which proof was tried and not found, and why; ok is false if there is none.
func (c *Certificate) undecided() (what string, ok bool) {
	switch {
	case c.Formal != nil && c.Formal.Verdict == "unproved":
		return c.Formal.Reason, true
	case c.FoldFormal != nil && c.FoldFormal.Verdict == "unproved":
		return "the folded program: " + c.FoldFormal.Reason, true
	case c.Verilog != nil && c.Verilog.Verdict == cec.Undecided:
		return "the Verilog: " + c.Verilog.Reason, true
	case c.Core != nil && c.Core.Verdict == cec.Undecided:
		return "the wrapper's core: " + c.Core.Reason, true
	}
	for _, p := range c.FoldParts {
		switch {
		case p.Formal != nil && p.Formal.Verdict == "unproved":
			return p.Module + ": " + p.Formal.Reason, true
		case p.Verilog != nil && p.Verilog.Verdict == cec.Undecided:
			return p.Module + ": " + p.Verilog.Reason, true
		}
	}
	if s := c.Synthesized; s != nil && s.Proof != nil && s.Proof.Verdict == cec.Undecided && proved(c.Verilog) {
		return "the synthesised netlist: " + s.Proof.Reason, true
	}
	return "", false
}

// FoldPart is what was proved of a module within a folded engine.
type FoldPart struct {
	Module string `json:"module"`
	// Formal says that its netlist is the part of the model, Verilog that its file is that netlist.
	Formal  *proof.Result    `json:"formal"`
	Verilog *readback.Result `json:"verilog,omitempty"`
}

func (p FoldPart) proved() bool { return p.Formal != nil && p.Formal.Proved && proved(p.Verilog) }

// write writes the certificate into the folder.
func (c *Certificate) write() error {
	return c.checked.out.Certify(&artifact.Certificate{
		Version: Version, Time: time.Now().UTC().Truncate(time.Second),
		Result: c.result(), Level: string(levelNames[c.asked]), Samples: c.simulated(), Assumptions: c.assumptions(),
		Unchecked: c.Unchecked, Model: c.checked.model,
		Tools: c.tools(), Checks: c.checks(),
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

// simulated returns how many samples the Verilog was simulated on.
func (c *Certificate) simulated() int {
	if c.RTL == nil {
		return 0
	}
	return c.RTL.Checked
}

// assumptions returns what the result rests on, and what of a design at level formal is not proved. What was proved
// without an assumption does not rest on it.
func (c *Certificate) assumptions() []string {
	list := []string{}
	switch {
	case c.asked < 3 || !c.foldAsked:
	case c.foldRuns:
		list = append(list, "of the folded engine all but its program was compared with what is written and simulated, "+
			"not proved")
	default:
		list = append(list, "of the folded engine what is around its kernels and dense layers was simulated, not proved")
	}
	switch {
	case c.asked < 3 || c.Wrapper == nil:
	case c.Wrapper.Unplayed != "":
		list = append(list, "the wrapper was compared with what is written, not simulated or proved")
	default:
		list = append(list, "the wrapper was compared with what is written and simulated, not proved")
	}
	if c.Assumed && (c.Formal == nil || c.Formal.WithoutAssumption != "equivalent") {
		list = append(list, "the inputs are thermometer codes")
	}
	return list
}

// tools returns the versions of the programs that took part, by what they did.
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

// checks returns the results of the checks that ran.
func (c *Certificate) checks() artifact.Checks {
	checks := artifact.Checks{
		Software: orNil(c.Software), RTL: orNil(c.RTL), Synthesized: orNil(c.Synthesized),
		Fold: orNil(c.Fold), FoldRTL: orNil(c.FoldRTL), FoldFormal: orNil(c.FoldFormal),
		Wrapper: orNil(c.Wrapper), Formal: orNil(c.Formal), Verilog: orNil(c.Verilog), Core: orNil(c.Core),
	}
	if len(c.FoldParts) > 0 {
		checks.FoldParts = c.FoldParts
	}
	return checks
}

// orNil returns a result, or nil for one that there is none of, which as any would be no nil.
func orNil[T any](result *T) any {
	if result == nil {
		return nil
	}
	return result
}
