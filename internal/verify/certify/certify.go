// Package certify checks a compiled folder against the model that it was compiled from, and writes the certificate.
//
// [Run] walks a table of checks in order. Each row has the check's name in the certificate, the check's level, and a
// function that reports whether the check applies to the folder. The row also has a function that runs the check and
// returns a verdict. If the verdict is undecided, the function also returns a reason. The first check that fails ends
// the run, because later checks would only repeat the failure. A few checks are exceptions: the run continues even if
// they fail. A design is verified if all checks that apply were run and none of them failed.
package certify

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"ialgn/backend"
	"ialgn/internal/model"
	"ialgn/internal/plan"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/proof"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/spec"
)

// Job is a compiled folder, the model from which it was compiled, and the settings of the checks.
type Job struct {
	Version string          // version of the program that runs the checks
	Out     *backend.Output // the folder
	Plan    *plan.Plan      // how the folder was compiled
	Network plan.Network    // the model's network
	Info    *model.Model    // the model without its arrays
	Model   backend.File    // the model's file

	// Design is the design to check. Prepare sets its raw netlist from the model and its product from the folder.
	Design verify.Design
	Spec   *spec.Network // the reference of proofs; nil below level formal

	Samples verify.Samples
	Known   *plan.Source // the source of the samples if they are the test part of the model's own data; otherwise nil
	Random  bool         // random samples replace the test set

	Level       Level
	Simulated   int    // maximum number of samples to run through the Verilog
	Simulator   string // a simulator, by its name in package rtl
	ByClass     bool
	Synthesised bool        // also check the netlist that yosys makes from the Verilog
	Mapped      *rtl.Mapped // a netlist of standard cells to check, or nil
	Threads     int

	files rtl.Files
	fold  *verify.EngineFiles // nil if there is no folded engine
	parts []plan.Part         // the parts of the engine; set by the comparison of the folder
}

// check is a row of the table checks.
type check struct {
	name  string
	level int
	needs func(j *Job) bool // reports whether the check applies; nil: it always applies
	run   func(*Job, context.Context, *Certificate) (outcome, error)
}

// outcome is the result of a check.
type outcome struct {
	verdict cec.Verdict
	reason  string // why the verdict is undecided
	goesOn  bool   // the run goes on even if the check failed
}

// checks is the table of all checks, in order.
var checks = []check{
	{"folder", 1, nil, (*Job).checkFolder},
	{"software", 1, nil, (*Job).checkSoftware},
	{"homomorphic", 1, (*Job).homomorphic, (*Job).checkHomomorphic},
	{"fold", 1, (*Job).programmed, (*Job).checkProgram},
	{"fold_rtl", 2, (*Job).folded, (*Job).simulateFold},
	{"rtl", 2, nil, (*Job).simulate},
	{"wrapper", 2, (*Job).wrapped, (*Job).simulateWrapper},
	{"synthesized", 2, func(j *Job) bool { return j.Synthesised }, (*Job).checkSynthesised},
	{"mapped", 2, func(j *Job) bool { return j.Mapped != nil }, (*Job).checkMapped},
	{"formal", 3, nil, (*Job).prove},
	{"fold_parts", 3, func(j *Job) bool { return j.folded() && !j.programmed() }, (*Job).proveParts},
	{"fold_formal", 3, (*Job).programmed, (*Job).proveProgram},
	{"verilog", 3, nil, (*Job).proveText},
	{"homomorphic_formal", 3, (*Job).homomorphic, (*Job).proveHomomorphic},
	{"core", 3, func(j *Job) bool { return j.Plan.Core(j.Out.Netlist) != nil }, (*Job).proveCore},
}

// Run runs the checks of a prepared job. If there is an error, Run also returns the certificate with the results so
// far, or nil if there are no results.
func Run(ctx context.Context, j *Job) (*Certificate, error) {
	c := &Certificate{Assumed: j.Design.Assumed, Random: j.Random}
	for _, row := range checks {
		if row.level > j.Level.number() || row.needs != nil && !row.needs(j) {
			continue
		}
		o, err := row.run(j, ctx, c)
		if err != nil && c.Software == nil {
			return nil, err
		}
		if err != nil {
			return c, err
		}
		if c.outcomes = append(c.outcomes, o); o.verdict != cec.Equivalent && !o.goesOn {
			return c, nil
		}
	}
	c.finish(j.Level)
	return c, nil
}

// samples returns the outcome of a simulation with the given number of mismatches.
func samples(mismatches int) outcome {
	if mismatches > 0 {
		return outcome{verdict: cec.Different}
	}
	return outcome{verdict: cec.Equivalent}
}

// Prepare sets the design and the files of the job from the job's folder and model.
func (j *Job) Prepare() (err error) {
	if j.Design, j.files, err = Compared(j.Plan, j.Design, j.Out); err != nil {
		return err
	}
	j.files.ByClass = j.ByClass
	j.fold, err = FoldFiles(j.Plan, j.Out)
	return err
}

// Compared returns d with its raw netlist, made from d's model, and with the product from the folder. It also
// returns the Verilog file and the options with which it was written.
func Compared(p *plan.Plan, d verify.Design, out *backend.Output) (_ verify.Design, f rtl.Files, err error) {
	f.Module, f.Style, f.Target, f.LUT = out.Manifest.Module, p.Style, p.Target(), p.GenericLUT()
	if f.Design, err = out.Path("verilog"); err != nil {
		return d, f, err
	}
	d.Product, d.Hint, d.Tag, d.Assumed = out.Netlist, out.Hint, p.Options.Tag, p.Options.AssumeThermometer
	d.Margin = p.Options.Reject
	d.Raw, err = p.Freeze(d.Model)
	return d, f, err
}

func (j *Job) folded() bool     { return j.fold != nil }
func (j *Job) programmed() bool { return j.fold != nil && j.fold.Programmed() }
func (j *Job) wrapped() bool    { return j.Plan.Wrap != "" }

// homomorphic reports whether the folder has a program for homomorphic encryption.
func (j *Job) homomorphic() bool { return len(j.Out.Paths(backend.HomomorphicFormat)) > 0 }

// mostCompiledAgain is the largest number of gates for which level software compiles the model again. Compiling a
// larger model can take longer than the rest of the level.
const mostCompiledAgain = 100_000

// checkFolder compares the folder with its expected content. A difference does not end the run, because the other
// checks show the consequences.
func (j *Job) checkFolder(ctx context.Context, c *Certificate) (outcome, error) {
	var err error
	c.Folder, c.Unchecked, err = j.CompareFolder(ctx)
	o := samples(len(c.Folder))
	o.goesOn = true
	return o, err
}

// CompareFolder compares the manifest, and the files that follow from the netlist, with their expected content. It
// also compiles the model again and compares the result, unless the model is too large for this at level software. It
// returns one line for each difference, and the keys of the report whose values were not compared with anything. The
// job must be prepared.
func (j *Job) CompareFolder(ctx context.Context) (differ, unchecked []string, err error) {
	if differ, err = j.Plan.CompareManifest(j.Out, j.Info); err != nil {
		return nil, nil, err
	}
	found, err := j.Plan.CompareFiles(ctx, plan.Comparison{
		Version: j.Version, Design: j.Design, Network: j.Network, Known: j.Known,
		Compile: j.Level.number() > 1 || j.Info.FrozenNodes() <= mostCompiledAgain,
	}, j.Out)
	if err != nil {
		return nil, nil, err
	}
	differ, j.parts = append(differ, found.Differ...), found.Parts
	if made := j.Out.Manifest.Version; made != j.Version && len(differ) > 0 {
		differ = append(differ, fmt.Sprintf("compiled by ialgn %s, and this is ialgn %s, which may write other text: "+
			"compile again, or verify with that version", made, j.Version))
	}
	return differ, found.Unchecked, nil
}

func (j *Job) checkSoftware(ctx context.Context, c *Certificate) (o outcome, err error) {
	if c.Software, err = software.Check(ctx, j.Design, j.Samples, j.Threads); err != nil {
		return o, err
	}
	return samples(c.Software.Mismatches), nil
}

func (j *Job) simulate(ctx context.Context, c *Certificate) (o outcome, err error) {
	if c.RTL, err = rtl.Check(ctx, j.Design, j.Samples, j.files, j.Simulator, j.Simulated); err != nil {
		return o, err
	}
	return samples(c.RTL.Mismatches), nil
}

// checkSynthesised simulates the netlist that yosys makes from the Verilog. At level formal, it also proves this
// netlist. If the proof fails, the run continues, because later proofs show whether the design itself is right.
func (j *Job) checkSynthesised(ctx context.Context, c *Certificate) (o outcome, err error) {
	c.Synthesized, err = rtl.CheckSynthesised(ctx, j.Design, j.Samples, j.files, j.Simulator, j.Simulated,
		j.Level.number() > 2)
	if err != nil {
		return o, err
	}
	s := c.Synthesized
	if s.Mismatches > 0 || s.Proof == nil {
		return samples(s.Mismatches), nil
	}
	return outcome{s.Proof.Verdict, "the synthesised netlist: " + s.Proof.Reason, true}, nil
}

// checkMapped simulates the folder's netlist of standard cells. At level formal, it also proves this netlist.
func (j *Job) checkMapped(ctx context.Context, c *Certificate) (o outcome, err error) {
	c.Mapped, err = rtl.CheckMapped(ctx, j.Design, j.Samples, j.files, *j.Mapped, j.Simulator, j.Simulated,
		j.Level.number() > 2)
	if err != nil {
		return o, err
	}
	m := c.Mapped
	if m.Mismatches > 0 || m.Proof == nil {
		return samples(m.Mismatches), nil
	}
	return outcome{m.Proof.Verdict, "the netlist of standard cells: " + m.Proof.Reason, true}, nil
}

func (j *Job) prove(ctx context.Context, c *Certificate) (o outcome, err error) {
	j.Design.Spec = j.Spec
	if c.Formal, err = proof.Check(ctx, j.Design); err != nil {
		return o, err
	}
	return outcome{verdict: c.Formal.Verdict, reason: c.Formal.Reason}, nil
}

func (j *Job) proveText(ctx context.Context, c *Certificate) (o outcome, err error) {
	if c.Verilog, err = rtl.CheckText(ctx, j.Design, j.files); err != nil {
		return o, err
	}
	return outcome{verdict: c.Verilog.Verdict, reason: "the Verilog: " + c.Verilog.Reason}, nil
}

// proveCore proves the core file of a wrapper, if the folder has such a file. First it simulates the core's netlist
// on the samples, with the wrapper's comparators in front.
func (j *Job) proveCore(ctx context.Context, c *Certificate) (o outcome, err error) {
	split, files, d := j.Plan.Core(j.Out.Netlist), j.files, j.Design
	if files.Design, err = j.Out.Path("core"); err != nil {
		return o, err
	}
	d.Product, d.Hint = split.Whole(), nil
	if s, err := software.Check(ctx, d, j.Samples, j.Threads); err != nil {
		return o, err
	} else if s.Mismatches > 0 {
		c.Folder = append(c.Folder, fmt.Sprintf("%s: the netlist without its encoder, on the samples: %d DIFFERENCES",
			filepath.Base(files.Design), s.Mismatches))
		return samples(s.Mismatches), nil
	}
	files.Module += backend.CoreSuffix
	c.Core, err = rtl.CheckText(ctx, verify.Design{Raw: split.Core, Product: split.Core, Tag: d.Tag}, files)
	if err != nil {
		return o, err
	}
	return outcome{verdict: c.Core.Verdict, reason: "the wrapper's core: " + c.Core.Reason}, nil
}

// FoldFiles returns the files of a folder's folded engine, or nil if there is none.
func FoldFiles(p *plan.Plan, out *backend.Output) (f *verify.EngineFiles, err error) {
	if !p.Folded() {
		return nil, nil
	}
	f = &verify.EngineFiles{
		Module: out.Manifest.Module + backend.FoldSuffix, Lanes: p.Lanes(), Drop: p.Dropping(),
		Programs: out.Paths(backend.FoldProgram),
		Parts:    append(out.Paths(backend.FoldPartOf), out.Paths(backend.FoldCells)...),
	}
	if f.Lanes == 0 {
		f.Cycles = out.Report.Fold.MinClocks()
	}
	if f.Verilog, err = out.Path(backend.FoldVerilog); err != nil {
		return nil, err
	}
	f.Thresholds = strings.Join(out.Paths(backend.FoldEncoder), string(filepath.ListSeparator)) // at most one file
	return f, nil
}

func (j *Job) checkHomomorphic(ctx context.Context, c *Certificate) (o outcome, err error) {
	path := j.Out.Paths(backend.HomomorphicFormat)[0]
	if c.Homomorphic, err = verify.CheckHomomorphic(ctx, j.Design, j.Samples, path); err != nil {
		return o, err
	}
	return samples(c.Homomorphic.Mismatches), nil
}

func (j *Job) proveHomomorphic(ctx context.Context, c *Certificate) (o outcome, err error) {
	path := j.Out.Paths(backend.HomomorphicFormat)[0]
	if c.HomomorphicFormal, err = proof.ProveHomomorphic(ctx, j.Design, path); err != nil {
		return o, err
	}
	return outcome{verdict: c.HomomorphicFormal.Verdict, reason: "the homomorphic program: " +
		c.HomomorphicFormal.Reason}, nil
}

func (j *Job) checkProgram(ctx context.Context, c *Certificate) (o outcome, err error) {
	if c.Fold, err = verify.CheckProgram(ctx, j.Design, j.Samples, *j.fold); err != nil {
		return o, err
	}
	return samples(c.Fold.Mismatches), nil
}

func (j *Job) simulateFold(ctx context.Context, c *Certificate) (o outcome, err error) {
	c.FoldRTL, err = rtl.CheckEngine(ctx, j.Design, j.Samples, *j.fold, j.Simulator, j.Simulated)
	if err != nil {
		return o, err
	}
	return samples(c.FoldRTL.Mismatches), nil
}

func (j *Job) proveProgram(ctx context.Context, c *Certificate) (o outcome, err error) {
	if c.FoldFormal, err = proof.ProveProgram(ctx, j.Design, *j.fold); err != nil {
		return o, err
	}
	return outcome{verdict: c.FoldFormal.Verdict, reason: "the folded program: " + c.FoldFormal.Reason}, nil
}

// proveParts proves the netlists and the files of the modules in a folded engine that runs no program.
func (j *Job) proveParts(ctx context.Context, c *Certificate) (o outcome, err error) {
	paths := j.Out.Paths(backend.FoldPartOf)
	for i, part := range j.parts {
		if i >= len(paths) {
			return o, fmt.Errorf("%s: no file of %s: compile again", j.Out.Dir, part.What)
		}
		p := FoldPart{Module: j.Out.Manifest.Module + part.Suffix}
		if p.Formal, err = proof.Check(ctx, part.Design); err != nil {
			return o, err
		}
		o = outcome{verdict: p.Formal.Verdict, reason: p.Module + ": " + p.Formal.Reason}
		if p.Formal.Proved {
			files := j.files
			files.Module, files.Design = p.Module, paths[i]
			if p.Verilog, err = rtl.CheckText(ctx, part.Design, files); err != nil {
				return o, err
			}
			o = outcome{verdict: p.Verilog.Verdict, reason: p.Module + ": " + p.Verilog.Reason}
		}
		if c.FoldParts = append(c.FoldParts, p); o.verdict != cec.Equivalent {
			return o, nil
		}
	}
	return o, nil
}
