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

	"ialgn/backend"
	"ialgn/internal/freeze"
	"ialgn/internal/liberty"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
	"ialgn/internal/plan"
	"ialgn/internal/synth"
	"ialgn/internal/target"
	"ialgn/internal/verify/certify"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/verify/spec"
)

// Certificate is the result of [Verify]. It says which checks ran and what they found.
type Certificate = certify.Certificate

// AllSamples is the value of VerifyOptions.Samples that selects all test samples.
const AllSamples = math.MaxInt

// usualSamples is the default number of samples to run through the Verilog.
const usualSamples = 1000

// VerifyOptions say how to verify a design.
type VerifyOptions struct {
	// Level says which checks to run: software, rtl (default), formal or all. Each level includes the levels before
	// it.
	Level       string
	Samples     int    // maximum number of samples to run through the Verilog; 0: 1,000
	Simulator   string // iverilog, verilator, or auto (default), the one that is expected to finish first
	ByClass     bool   // simulate each class separately, which is the default for large designs
	Synthesized bool   // from level rtl on: also check the netlist that yosys synthesises from the Verilog
	// Liberty is a Liberty file. It says from level rtl on to check the netlist that [Synthesise] made of the file's
	// standard cells, too.
	Liberty string
	Data    Data // where to read the test samples from

	// Certify says to write the certificate into the design's folder, unless an external program is missing or has
	// failed. If the folder has a certificate that ialgn did not write, Verify returns an error unless Force is set.
	Certify bool
	Force   bool

	// If Warn is not nil, it is called with problems that do not stop the verification.
	Warn func(error)
}

// check fills in defaults and returns an error if options are invalid.
func (o *VerifyOptions) check() error {
	o.Level = cmp.Or(o.Level, string(certify.RTL))
	if certify.Levels[certify.Level(o.Level)] == 0 {
		var names []string
		for _, l := range slices.Sorted(maps.Keys(certify.Levels)) {
			names = append(names, string(l))
		}
		return message.Near(message.Optionf("{Level} %q: want software, rtl, formal or all", o.Level), o.Level, names)
	}
	if o.Samples < 0 {
		return message.Optionf("{Samples} %d: must be positive, or all", o.Samples)
	}
	o.Samples, o.Simulator = cmp.Or(o.Samples, usualSamples), cmp.Or(o.Simulator, "auto")
	return rtl.CheckSimulator(o.Simulator)
}

// These are the errors that [Certificate.Err] wraps.
var (
	// ErrDifference says that a check found a difference. The [Certificate] says which check.
	ErrDifference = certify.ErrDifference
	// ErrUnproved says that no difference was found, but equivalence could not be proved either.
	ErrUnproved = certify.ErrUnproved
)

// ErrNotCertified says that the checks are done, but the certificate could not be written.
var ErrNotCertified = errors.New("the certificate could not be written")

// Verify checks that a design computes the same function as its model. It checks the files of the design's folder,
// or of a temporary folder if the design is not yet written.
//
// The error is nil only if every check up to the level ran and found no difference. Otherwise it wraps
// [ErrDifference] or [ErrUnproved], or says which program is missing or failed. A certificate that is returned with
// an error lists the checks that ran before the error. Verify returns an error if the design was compiled from
// another model.
func Verify(ctx context.Context, m *Model, d *Design, o VerifyOptions) (*Certificate, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Certify && d.dir == "" {
		return nil, message.Optionf("{Certify}: the design has no folder yet: call Write first")
	}
	if o.Certify {
		if err := guard(o.Force, nil).Check(backend.CertificatePath(d.dir), outfile.Certificate); err != nil {
			return nil, err
		}
	}
	out, p, err := d.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	j, err := newJob(ctx, m, out, p, o)
	if err != nil {
		return nil, out.InWords(err)
	}
	c, err := certify.Run(ctx, j)
	if err != nil {
		return c, out.InWords(err)
	}
	if o.Certify {
		if err := j.Write(c); err != nil {
			return c, fmt.Errorf("%w: %w", ErrNotCertified, err)
		}
	}
	return c, c.Err()
}

// hold returns a private copy of the design's folder, and the design's plan. For a design without a folder, hold
// first writes a temporary folder.
func (d *Design) hold(ctx context.Context) (*backend.Output, *plan.Plan, error) {
	if d.dir != "" {
		out, err := d.output(ctx)
		if err == nil {
			out, err = out.Hold(ctx)
		}
		return out, d.read, err
	}
	dir, err := outfile.MakeTemp("ialgn-design-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := backend.Write(ctx, dir, *d.product); err != nil {
		return nil, nil, err
	}
	out, p, err := readFolder(ctx, dir)
	if err == nil {
		out, err = out.Hold(ctx)
	}
	return out, p, err
}

// newJob collects the data that the checks compare. The data come from the folder and from its model. newJob reads
// the model's file once for the digest, and once for all networks and the reference of the proofs.
func newJob(ctx context.Context, m *Model, out *backend.Output, p *plan.Plan, o VerifyOptions) (*certify.Job, error) {
	if err := m.madeOf(ctx, out); err != nil {
		return nil, err
	}
	test, err := m.source(o.Data).samples(ctx)
	if err != nil {
		return nil, err
	}
	if note := test.note(); note != nil && o.Warn != nil {
		o.Warn(note)
	}
	j := &certify.Job{
		Version: Version, Out: out, Plan: p, Network: m.foldable(), Info: m.info.Model, Model: backend.File{
			Name: filepath.Base(m.Path()), Format: "model", Size: m.file.Size(), SHA256: out.Manifest.Model.SHA256,
		},
		Samples: test.samples(), Random: test.random, Level: certify.Level(o.Level), Simulated: o.Samples,
		Simulator: o.Simulator, ByClass: o.ByClass, Synthesised: o.Synthesized, Threads: parallel(),
	}
	if test.SHA256 != "" && test.SHA256 == out.Manifest.Test { // the test part from the training of the model
		j.Known = &plan.Source{Name: test.Name, Samples: test.samples()}
	}
	var compact *model.Compact
	read := func(begin func(*model.Model) error, visit model.Visit) (err error) {
		j.Design.Model, compact, err = m.file.In(ctx).Networks(begin, visit)
		return err
	}
	if certify.Levels[j.Level] < certify.Levels[certify.Formal] {
		err = read(nil, nil)
	} else {
		j.Spec, err = spec.ReadFrom(read)
	}
	if err != nil {
		return nil, err
	}
	if compact != nil {
		j.Network.Compact = func() (*model.Compact, error) { return compact, nil }
		if j.Design.Looped, err = freeze.Positions(compact); err != nil {
			return nil, err
		}
	}
	if j.Mapped, err = mapped(out, p, o.Liberty); err != nil {
		return nil, err
	}
	return j, j.Prepare()
}

// mapped returns the netlist of standard cells in a folder, or nil if no Liberty file is given. It returns an error if
// the netlist was not made from the folder's Verilog.
func mapped(out *backend.Output, p *plan.Plan, library string) (*rtl.Mapped, error) {
	if library == "" {
		return nil, nil
	}
	dir := filepath.Join(out.Dir, SynthesisFolder, target.ASIC.Name)
	const again = "synthesise the folder with {Liberty %s} first"
	if p.Wrap != "" || p.Folded() {
		return nil, message.WithHint(message.Optionf("{Liberty}: the netlist of cells includes the wrapper or the folded "+
			"engine, which are not proved"), "compile without {Wrap} and {Fold} into another folder")
	}
	r, err := synth.ReadReport(dir)
	if err != nil {
		return nil, message.WithHint(message.Optionf("{Liberty}: no netlist of cells: %w", err), again, library)
	}
	if r.Manifest != out.SHA256() {
		return nil, message.WithHint(fmt.Errorf("%s: made from another version of the folder", dir), again, library)
	}
	l, _, err := liberty.Read(library)
	if err != nil {
		return nil, message.Optionf("{Liberty}: %w", err)
	}
	return &rtl.Mapped{Netlist: filepath.Join(dir, "netlist.v"), Library: l}, nil
}

// madeOf returns an error if the folder was compiled from another model.
func (m *Model) madeOf(ctx context.Context, out *backend.Output) error {
	sum, err := m.SHA256(ctx)
	if err != nil {
		return err
	}
	if was := out.Manifest.Model; was.SHA256 != sum {
		return message.WithHint(fmt.Errorf("%s: compiled from model %q with SHA-256 %s, but %s has %s", out.Dir, was.Name,
			was.SHA256, m.Path(), sum),
			"name the model that the folder was compiled from, or compile this model")
	}
	return nil
}
