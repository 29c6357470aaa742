package ialgn

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ialgn/backend"
	"ialgn/internal/flow"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/internal/plan"
	"ialgn/internal/synth"
	"ialgn/internal/verify"
	"ialgn/internal/verify/certify"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/wrapper"
)

// ErrUnchecked says that a requested check of a bitstream could not be done.
var ErrUnchecked = errors.New("the bitstream was not checked")

// BitCheck is the content of check.json: the bitstream and the model that were compared, and the result.
type BitCheck struct {
	Result     string `json:"result"` // verified, different or not checked
	NotChecked string `json:"not_checked,omitempty"`
	Model      string `json:"model_sha256"`
	Bitstream  string `json:"bitstream_sha256,omitempty"`
	*rtl.Run
}

// bitChecker compares a bitstream with a model.
type bitChecker struct {
	design  verify.Design
	samples verify.Samples
	count   int // number of samples to run
	model   string
	wrap    string          // interface of the wrapper; empty: no wrapper
	options wrapper.Options // options of the wrapper
	fold    int             // clocks for each sample in a folded engine; 0: no folded engine
	module  string
}

// newBitChecker reads the network and the test samples of the model that a folder was compiled from.
func newBitChecker(ctx context.Context, out *backend.Output, p *plan.Plan, o SynthOptions) (*bitChecker, error) {
	m := o.Check
	if err := m.madeOf(ctx, out); err != nil {
		return nil, err
	}
	k := &bitChecker{
		module: out.Manifest.Module, count: cmp.Or(o.Samples, usualChecked), model: out.Manifest.Model.SHA256,
		wrap: p.Wrap, options: p.Line(),
	}
	f, err := m.frozen(ctx)
	if err != nil {
		return nil, err
	}
	test, err := m.source(o.Data).samples(ctx)
	if err != nil {
		return nil, err
	}
	if note := test.note(); note != nil {
		o.warn(note)
	}
	k.samples = test.samples()
	if p.Folded() {
		k.wrap, k.fold = cmp.Or(p.Wrap, wrapper.EngineKind), out.Report.Fold.MinClocks()
	}
	k.design, _, err = certify.Compared(p, verify.Design{Model: f}, out)
	return k, err
}

// unreadable returns the reason why the content of a bitstream cannot be simulated, or "" if it can be simulated.
func (k *bitChecker) unreadable(r *synth.Report) string {
	best := r.Best()
	switch {
	case best == nil:
		return "there is none: " + r.NotPlaced
	case !r.Device.Icestorm():
		return "bitstreams of " + r.Device.Family + " cannot be read back"
	}
	if left := flow.LeftOut(best.Result); len(left) > 0 {
		return "it uses " + strings.Join(left, ", ") + ", which icebox_vlog omits or ialgn has no model of"
	}
	return ""
}

// check compares the bitstream of a report with the model, and writes check.json next to the bitstream.
func (k *bitChecker) check(ctx context.Context, r *synth.Report, o SynthOptions) (*BitCheck, error) {
	b := &BitCheck{Model: k.model, NotChecked: k.unreadable(r)}
	if b.NotChecked != "" {
		b.Result = "not checked"
		return b, b.write(r.Dir)
	}
	clocks, err := k.clocks()
	if err != nil {
		return nil, err
	}
	o.note("simulating the bitstream%s", clocks)
	if b.Bitstream, err = fileSHA256(ctx, r.Bitstream); err != nil {
		return nil, err
	}
	if b.Run, err = rtl.CheckBitstream(ctx, k.design, k.samples, rtl.Bitstream{
		Module: k.module, Top: r.Module, Wrapper: k.wrap, Options: k.options, Fold: k.fold, Device: r.Device,
		Bin: r.Bitstream, Pins: strings.TrimSuffix(r.Bitstream, filepath.Ext(r.Bitstream)) + ".pcf",
	}, k.count); err != nil {
		return nil, err
	}
	b.Result = "verified"
	if b.Mismatches > 0 {
		b.Result = "different"
	}
	return b, b.write(r.Dir)
}

// clocks returns text for a message that says how many clocks the samples take in a wrapper. For a serial line, there
// are many clocks, so the simulation takes long.
func (k *bitChecker) clocks() (string, error) {
	if k.wrap == "" {
		return "", nil
	}
	rate, err := wrapper.NewRate(k.wrap, k.design.Product, k.options)
	if err != nil {
		return "", err
	}
	samples := min(k.count, k.samples.Levels.Len())
	return fmt.Sprintf(": %s of %v clocks or more", message.Plural(samples, "sample", "samples"), rate.Cycles), nil
}

func (b *BitCheck) write(dir string) error {
	path := filepath.Join(dir, synth.CheckName)
	return outfile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(b)
	})
}

// Err returns nil if no difference was found or no check was requested. Otherwise it returns an error that wraps
// [ErrDifference] or [ErrUnchecked].
func (b *BitCheck) Err() error {
	switch {
	case b == nil || b.Result == "verified":
		return nil
	case b.Run == nil:
		return fmt.Errorf("%w: %s", ErrUnchecked, b.NotChecked)
	}
	return ErrDifference
}

// fileSHA256 returns the SHA-256 of a file in hexadecimal digits. It stops when ctx ends.
func fileSHA256(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h, buf := sha256.New(), make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		switch {
		case err == io.EOF:
			return hex.EncodeToString(h.Sum(nil)), nil
		case err != nil:
			return "", err
		}
	}
	return "", ctx.Err()
}
