package ialgn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"ialgn/artifact"
	"ialgn/artifact/plan"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/internal/overwrite"
	"ialgn/internal/tempdir"
	"ialgn/sim/verify"
	"ialgn/sim/verify/engine"
	"ialgn/sim/verify/proof"
	"ialgn/sim/verify/rtl"
	"ialgn/sim/verify/software"
	"ialgn/sim/verify/spec"
	"ialgn/trainer/model"
)

// VerifyLevel is how far a design is verified.
type VerifyLevel string

// The levels, each with all before it; the zero value is [VerifyRTL].
const (
	// VerifySoftware runs the test set through the raw and the optimised netlist: every hidden bit, counts and class.
	VerifySoftware VerifyLevel = "software"
	// VerifyRTL runs the emitted Verilog in a simulator.
	VerifyRTL VerifyLevel = "rtl"
	// VerifyFormal proves for every input what the optimised netlist and the Verilog compute.
	VerifyFormal VerifyLevel = "formal"
	// VerifyAll is every level that there is.
	VerifyAll VerifyLevel = "all"
)

// levels are the levels by their number.
var levels = map[VerifyLevel]int{VerifySoftware: 1, VerifyRTL: 2, VerifyFormal: 3, VerifyAll: 3}

// levelNames are the names of the levels by number.
var levelNames = []VerifyLevel{"", VerifySoftware, VerifyRTL, VerifyFormal}

// AllSamples is more than there are.
const AllSamples = math.MaxInt

// usualSamples is how many samples are run through the Verilog where nothing says another number.
const usualSamples = 1000

// VerifyOptions say how a design is verified.
type VerifyOptions struct {
	Level       VerifyLevel
	Samples     int    // most samples to run through the Verilog; 0: 1,000
	Simulator   string // iverilog, verilator, or auto, the one that is done earlier; empty: auto
	ByClass     bool   // simulate each class alone, as is done with large designs
	Synthesized bool   // from level rtl on, also check what yosys makes of the Verilog
	Data        Data   // where the test samples are read from

	// Certify writes the certificate into the design's folder, unless a program was missing or failed. A file there
	// that ialgn did not write is an error, unless Force is set.
	Certify bool
	Force   bool

	// Warn, unless nil, is told of what may be amiss though it goes on.
	Warn func(error)
}

// check returns the number of the level, or what is wrong with the options.
func (o *VerifyOptions) check() (level int, err error) {
	name := cmp.Or(o.Level, VerifyRTL)
	if level = levels[name]; level == 0 {
		var names []string
		for _, l := range slices.Sorted(maps.Keys(levels)) {
			names = append(names, string(l))
		}
		return 0, hint.Near(option.Errorf("{Level} %q: give software, rtl, formal or all", string(name)), string(name), names)
	}
	if o.Samples < 0 {
		return 0, option.Errorf("{Samples} %d: must be positive, or all", o.Samples)
	}
	o.Samples, o.Simulator = cmp.Or(o.Samples, usualSamples), cmp.Or(o.Simulator, "auto")
	return level, rtl.CheckSimulator(o.Simulator)
}

// ErrDifference says that a check found a difference: [Certificate] says which.
var ErrDifference = errors.New("a check found a difference")

// ErrUnproved says that no difference was found, and that a proof was not found either.
var ErrUnproved = errors.New("not proved")

// ErrNotCertified says that the certificate could not be written, though the checks are done.
var ErrNotCertified = errors.New("the certificate could not be written")

// Verify checks that a design computes its model: its folder, byte by byte as it was read, or a temporary one of a
// design that has none. The error is nil only if every check up to the level was done and found no difference;
// otherwise it wraps [ErrDifference] or [ErrUnproved], or says which program is missing or failed, and the certificate,
// where there is one, says how far the checks came. A design of another model is refused.
func Verify(ctx context.Context, m *Model, d *Design, o VerifyOptions) (*Certificate, error) {
	level, err := o.check()
	if err != nil {
		return nil, err
	}
	if o.Certify && d.dir == "" {
		return nil, option.Errorf("{Certify}: the design has no folder yet: Write it first")
	}
	if o.Certify {
		if err := guard(o.Force, nil).Check(artifact.CertificatePath(d.dir), overwrite.Certificate); err != nil {
			return nil, err
		}
	}
	out, err := d.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	k, err := newChecked(ctx, m, out, level, o)
	if err != nil {
		return nil, out.InWords(err)
	}
	c, err := k.verify(ctx, m, level, o)
	if err != nil {
		return c, out.InWords(err)
	}
	defer func() { c.checked = nil }() // netlists, which nobody needs any more
	if o.Certify {
		if err := c.write(); err != nil {
			return c, fmt.Errorf("%w: %w", ErrNotCertified, err)
		}
	}
	return c, c.Err()
}

// hold returns a private copy of the design's folder, or of a temporary one.
func (d *Design) hold(ctx context.Context) (*artifact.Output, error) {
	if d.dir != "" {
		out, err := d.output(ctx)
		if err != nil {
			return nil, err
		}
		return out.Hold(ctx)
	}
	dir, err := tempdir.Make("ialgn-design-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := artifact.Write(ctx, dir, *d.product); err != nil {
		return nil, err
	}
	out, err := artifact.Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	return out.Hold(ctx)
}

// checked is a folder with the model that it was compiled from, and all that checks of it compare.
type checked struct {
	out    *artifact.Output
	plan   *plan.Plan
	model  artifact.File
	design verify.Design
	files  rtl.Files
	fold   *engine.Files // nil: there is no folded engine

	network plan.Network
	test    *tested
	differ  []string // what else in the folder differs from what it should be

	unchecked []string // keys of the report that nothing is compared with
}

// newChecked takes from a folder, and from the model that it was compiled from, what checks compare.
func newChecked(ctx context.Context, m *Model, out *artifact.Output, level int, o VerifyOptions) (*checked, error) {
	if err := m.madeOf(ctx, out); err != nil {
		return nil, err
	}
	k := &checked{out: out, network: m.foldable(), model: artifact.File{
		Name: filepath.Base(m.Path()), Format: "model", Size: m.file.Size(), SHA256: out.Manifest.Model.SHA256,
	}}
	var err error
	if k.plan, err = plan.Read(out); err != nil {
		return nil, err
	}
	if k.differ, err = k.plan.CompareManifest(out, m.info.Model); err != nil {
		return nil, err
	}
	f, err := m.Frozen(ctx)
	if err != nil {
		return nil, err
	}
	if k.test, err = m.source(o.Data).samples(ctx); err != nil {
		return nil, err
	}
	if note := k.test.note(); note != nil && o.Warn != nil {
		o.Warn(note)
	}
	if k.design, k.files, err = compared(k.plan, f, out); err != nil {
		return nil, err
	}
	if k.design.Looped, err = m.looped(ctx); err != nil {
		return nil, err
	}
	if err := k.compareFiles(ctx, level > 1 || m.Gates() <= mostCompiledAgain); err != nil {
		return nil, err
	}
	k.fold, err = foldFiles(k.plan, out)
	return k, err
}

// mostCompiledAgain is the most gates of a model that level software compiles again: larger ones can take longer to
// compile than the rest of that level takes.
const mostCompiledAgain = 100_000

// compareFiles compares the files of the folder with what is written of its netlist and, where it is compiled again,
// of the model.
func (k *checked) compareFiles(ctx context.Context, compile bool) error {
	c := plan.Comparison{Version: Version, Design: k.design, Network: k.network, Compile: compile}
	if k.test.SHA256 != "" && k.test.SHA256 == k.out.Manifest.Test { // the test part that the model was trained with
		c.Known = &plan.Source{Name: k.test.Name, Samples: k.test.samples()}
	}
	differ, unchecked, err := k.plan.CompareFiles(ctx, c, k.out)
	k.differ, k.unchecked = append(k.differ, differ...), unchecked
	if made := k.out.Manifest.Version; made != Version && len(k.differ) > 0 {
		k.differ = append(k.differ, fmt.Sprintf("compiled by ialgn %s, and this is ialgn %s, which may write other text: "+
			"compile again, or verify with that version", made, Version))
	}
	return err
}

// madeOf refuses a folder that was compiled from another model.
func (m *Model) madeOf(ctx context.Context, out *artifact.Output) error {
	sum, err := m.SHA256(ctx)
	if err != nil {
		return err
	}
	if was := out.Manifest.Model; was.SHA256 != sum {
		return hint.With(fmt.Errorf("%s: compiled from model %q, SHA-256 %s; %s is another one, %s", out.Dir, was.Name,
			was.SHA256, m.Path(), sum),
			"name the model that it was compiled from, or compile this one")
	}
	return nil
}

// compared takes what is compared, and how its Verilog is written, from a folder.
func compared(p *plan.Plan, f *model.Frozen, out *artifact.Output) (d verify.Design, rtl rtl.Files, err error) {
	rtl.Module, rtl.Style, rtl.Target, rtl.LUT = out.Manifest.Module, p.Style, p.Target(), p.GenericLUT()
	if rtl.Design, err = out.Path("verilog"); err != nil {
		return d, rtl, err
	}
	raw, err := p.Freeze(f)
	return verify.Design{
		Model: f, Raw: raw, Product: out.Netlist, Hint: out.Hint, Tag: p.Options.Tag,
		Assumed: p.Options.AssumeThermometer,
	}, rtl, err
}

// verify runs the checks up to a level. A difference ends it at its level: what comes after would only repeat it.
// Beside an error it returns the levels that were done, or nil if there is none.
func (k *checked) verify(ctx context.Context, m *Model, level int, o VerifyOptions) (c *Certificate, err error) {
	c = &Certificate{
		Folder: k.differ, Unchecked: k.unchecked, Assumed: k.design.Assumed, Random: k.test.random,
		asked: level, foldAsked: k.fold != nil, foldRuns: k.fold != nil && k.fold.Programmed(),
		synthesisAsked: o.Synthesized && level > 1, checked: k,
	}
	if c.Software, err = software.Check(ctx, k.design, k.test.samples(), parallel()); err != nil {
		return nil, err
	}
	if err := c.fold(ctx, o); err != nil {
		return c.finish(), err
	}
	if level < 2 || c.Software.Mismatches > 0 || c.foldDiffers() {
		return c.finish(), nil
	}
	if err := c.simulate(ctx, o); err != nil || level < 3 || c.differs() {
		return c.finish(), err
	}
	if k.design.Spec, err = spec.ReadFrom(m.file.In(ctx)); err != nil {
		return c.finish(), err
	}
	err = c.prove(ctx)
	return c.finish(), err
}

// simulate runs the Verilog, and what yosys makes of it where that was asked for.
func (c *Certificate) simulate(ctx context.Context, o VerifyOptions) (err error) {
	d, s, files := c.checked.design, c.checked.test.samples(), c.checked.files
	files.ByClass = o.ByClass
	if c.RTL, err = rtl.Check(ctx, d, s, files, o.Simulator, o.Samples); err != nil || c.RTL.Mismatches > 0 {
		return err
	}
	if err := c.wrapper(ctx, o.Samples); err != nil || c.differs() || !o.Synthesized {
		return err
	}
	c.Synthesized, err = rtl.CheckSynthesised(ctx, d, s, files, o.Simulator, o.Samples, c.asked > 2)
	return err
}

// prove proves the netlist, then the folded engine's program if there is one, and then the Verilog.
func (c *Certificate) prove(ctx context.Context) (err error) {
	d, folded := c.checked.design, c.checked.fold
	if c.Formal, err = proof.Check(ctx, d); err != nil || !c.Formal.Proved {
		return err
	}
	if err := c.proveParts(ctx); err != nil || c.foldAsked && !c.foldRuns && !c.partsProved() {
		return err
	}
	if c.foldRuns {
		if c.FoldFormal, err = engine.Prove(ctx, d, *folded); err != nil || !c.FoldFormal.Proved {
			return err
		}
	}
	if c.Verilog, err = rtl.CheckText(ctx, d, c.checked.files); err != nil || !proved(c.Verilog) {
		return err
	}
	return c.proveCore(ctx)
}

// proveCore proves what a wrapper is around, where that is a file of its own. What the file is proved to be is tried on
// the samples first, behind the comparators that the wrapper has.
func (c *Certificate) proveCore(ctx context.Context) (err error) {
	k := c.checked
	split := k.plan.Core(k.out.Netlist)
	if split == nil {
		return nil
	}
	c.coreAsked = true
	files, d := k.files, k.design
	if files.Design, err = k.out.Path("core"); err != nil {
		return err
	}
	d.Product, d.Hint = split.Whole(), nil
	if s, err := software.Check(ctx, d, k.test.samples(), parallel()); err != nil {
		return err
	} else if s.Mismatches > 0 {
		c.Folder = append(c.Folder, fmt.Sprintf("%s: the netlist without its encoder, on the samples: %d DIFFERENCES",
			filepath.Base(files.Design), s.Mismatches))
		return nil
	}
	files.Module += artifact.CoreSuffix
	c.Core, err = rtl.CheckText(ctx, verify.Design{Raw: split.Core, Product: split.Core, Tag: d.Tag}, files)
	return err
}
