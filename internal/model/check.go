package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chewxy/math32"

	"ialgn/internal/encoding"
)

// MaxClasses is the largest number of classes. It is limited because labels are bytes.
const MaxClasses = 256

// These limits keep every product of width, depth and candidates within an int64.
const (
	maxGates      = 1 << 40
	maxCandidates = 1 << 16
)

// Validate checks the model's form and numbers:
//   - the width is a multiple of the number of classes;
//   - every array has the length that follows from width, layers and candidates;
//   - the first layer reads inputs only;
//   - indices are below the number of their sources;
//   - logits are finite.
//
// Errors name tensors as the model file does.
func (m *Model) Validate() error {
	if err := m.checkForm(); err != nil {
		return err
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		if err := m.checkLengths(i); err != nil {
			return err
		}
		if where, err := m.checkValues(i, s); err != nil {
			return fmt.Errorf("section%d.%s: %w", i, where, err)
		}
	}
	return nil
}

// checkForm checks everything except the sections' arrays.
func (m *Model) checkForm() error {
	if err := checkForm(m.Width, m.Classes, &m.Encoder); err != nil {
		return err
	}
	if err := m.checkText(); err != nil {
		return err
	}
	if err := m.checkSteps(); err != nil {
		return err
	}
	if err := checkCalibrated(m.Offsets, m.Ties, m.Calibration, m.wholeWidth(), len(m.Classes)); err != nil {
		return err
	}
	for i := range m.Sections {
		if err := m.checkSection(i); err != nil {
			return fmt.Errorf("section %d: %w", i, err)
		}
	}
	depth, c := m.Depth(), &m.Config.Model
	if depth == 0 {
		return fmt.Errorf("the network has no layers")
	}
	if err := m.checkUnrolled(); err != nil {
		return err
	}
	if w := m.Sections[len(m.Sections)-1].Outputs(); w != m.Width {
		return fmt.Errorf("the last layer has %d gates, want %d", w, m.Width)
	}
	if c.Width != m.wholeWidth() || c.Depth != depth {
		return fmt.Errorf("the configuration describes %d x %d gates, the network has %d x %d",
			c.Width, c.Depth, m.wholeWidth(), depth)
	}
	if err := m.checkPart(); err != nil {
		return err
	}
	return m.checkRest()
}

// checkRest checks the configuration and the training record, except for the network's size.
func (m *Model) checkRest() error {
	c := &m.Config.Model
	if n := m.Nodes(); m.Steps > 0 && n > maxStepNodes {
		return fmt.Errorf("%d nodes at all steps, want at most %d", n, maxStepNodes)
	}
	if c.Steps != m.Steps {
		return fmt.Errorf("the configuration describes %d steps, the network has %d", c.Steps, m.Steps)
	}
	if c.Parametrization != "softmax16" && c.Parametrization != "light" {
		return fmt.Errorf("parametrization %.40q, want softmax16 or light", c.Parametrization)
	}
	if !(c.Tau > 0) || math.IsInf(c.Tau, 0) {
		return fmt.Errorf("tau %v, want a number above 0", c.Tau)
	}
	if r := &m.Record; r.Kept < 0 || r.Kept > len(r.Epochs) {
		return fmt.Errorf("epoch %d was kept, the training record has %d", r.Kept, len(r.Epochs))
	}
	return nil
}

// checkText refuses names that would garble messages or generated source. It also refuses names that would lead out
// of a folder.
func (m *Model) checkText() error {
	if err := m.Config.CheckText(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	for i, name := range m.Classes {
		if !printable(name) {
			return fmt.Errorf("class %d: the name %.60q holds control characters or is not UTF-8", i, name)
		}
	}
	r := &m.Record
	for _, text := range []string{r.DataSet, r.Train, r.Test} {
		if !printable(text) {
			return fmt.Errorf("training record: %.60q holds control characters or is not UTF-8", text)
		}
	}
	if s := r.Start; s != nil && (!printable(s.Name) || !printable(s.SHA256)) {
		return fmt.Errorf("training record: the model to start from, %.60q, holds control characters or is not UTF-8", s.Name)
	}
	if o := r.Origin; o != nil {
		return o.check()
	}
	return nil
}

func (o *Origin) check() error {
	if !printable(o.Format) || math.IsNaN(o.Beta) || math.IsInf(o.Beta, 0) {
		return fmt.Errorf("training record: origin %.60q with beta %v", o.Format, o.Beta)
	}
	for _, f := range o.Files {
		if !printable(f.Name) || !printable(f.SHA256) {
			return fmt.Errorf("training record: the origin's file %.60q holds control characters or is not UTF-8", f.Name)
		}
	}
	return nil
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

func (m *Model) checkSection(i int) error {
	s := &m.Sections[i]
	if s.Width < 1 || s.Width > 1<<31-1 {
		return fmt.Errorf("width %d, want 1 to %d", s.Width, 1<<31-1)
	}
	if err := m.checkGrid(i); err != nil {
		return err
	}
	if s.Layers < 1 || s.Layers > maxGates/s.Width {
		return fmt.Errorf("%d layers, want at least 1", s.Layers)
	}
	if n := len(s.Pins); n < 1 || n > MaxPins {
		return fmt.Errorf("%d pins, want 1 to %d", n, MaxPins)
	}
	if s.Arity != 1<<len(s.Pins) && (s.Arity != Operations || len(s.Pins) != 2) {
		return fmt.Errorf("%d logits for the function of a node with %d pins, want %d", s.Arity, len(s.Pins), 1<<len(s.Pins))
	}
	for k := range s.Pins {
		if err := m.checkPin(i, k); err != nil {
			return fmt.Errorf("pin %s: %w", PinName(k), err)
		}
	}
	return nil
}

// checkPin checks the form of pin k of section i.
func (m *Model) checkPin(i, k int) error {
	s := &m.Sections[i]
	switch p := &s.Pins[k]; {
	case p.Source > Base:
		return fmt.Errorf("%v, want %v, %v, %v or %v", p.Source, Input, Previous, Spine, Base)
	case i == 0 && p.Source != Input && (m.Steps == 0 || p.Source != Previous):
		return fmt.Errorf("source %v, but the first layer has no previous one", p.Source)
	case p.Source == Spine && p.K != 1:
		return fmt.Errorf("%d candidates, want 1: a spine has no choice", p.K)
	case p.K < 1 || p.K > maxCandidates:
		return fmt.Errorf("%d candidates, want 1 to %d", p.K, maxCandidates)
	case p.Source == Spine && k > 0:
		return fmt.Errorf("source %v, which pin %s alone can have", Spine, PinName(0))
	case p.Source != Input && (p.Source == Spine || s.Layers > 1) && m.before(i) != s.Width:
		return fmt.Errorf("source %v, but the layer before has %d nodes, this one %d", p.Source, m.before(i), s.Width)
	}
	return m.checkShared(i, &s.Pins[k])
}

// checkLengths checks the array lengths of section i.
func (m *Model) checkLengths(i int) error {
	for _, t := range m.sectionTensors(i) {
		if got, want := length(t.Data), product(t.Shape); int64(got) != want {
			return fmt.Errorf("%s: %d elements, want %d", t.Name, got, want)
		}
	}
	return nil
}

// checkValues checks the numbers of section i. s holds some or all of the section's chains. checkValues returns the
// name of the faulty array.
func (m *Model) checkValues(i int, s *Section) (string, error) {
	if err := checkFinite(s.Ops); err != nil {
		return "ops", err
	}
	for k := range s.Pins {
		if where, err := m.checkPinValues(i, &s.Pins[k]); err != nil {
			return pinPrefix(k) + where, err
		}
	}
	return "", nil
}

func (m *Model) checkPinValues(i int, p *Pin) (string, error) {
	if err := checkFinite(p.Logits); err != nil {
		return "logits", err
	}
	if p.Source == Spine {
		return "", nil
	}
	limit := m.limit(i, p)
	if largest := p.Wires.Max(); int(largest) >= limit {
		return "wires", fmt.Errorf("index %d, want below %d, the number of %v bits", largest, limit, p.Source)
	}
	return "", nil
}

// ErrNotFinite is returned for parameters that are NaN or infinite.
var ErrNotFinite = errors.New("want finite ones")

// checkFinite returns an error if x has a NaN or an infinity.
func checkFinite(x []float32) error {
	all := uint32(0)
	for _, v := range x {
		// NaN and infinity have an exponent of all ones. Adding 1 to this exponent carries into the sign bit.
		all |= math.Float32bits(v)&^(1<<31) + 1<<23
	}
	if all>>31 == 0 {
		return nil
	}
	bad := x[slices.IndexFunc(x, func(v float32) bool { return math32.IsNaN(v) || math32.IsInf(v, 0) })]
	return fmt.Errorf("%v among the numbers, %w", bad, ErrNotFinite)
}

// checkForm checks the classes, the width and the encoder, which models and frozen networks have in common.
func checkForm(width int, classes []string, e *encoding.Encoder) error {
	switch n := len(classes); {
	case n < 1 || n > MaxClasses:
		return fmt.Errorf("%d classes, want 1 to %d", n, MaxClasses)
	case width < 1 || width > 1<<31-1:
		return fmt.Errorf("width %d, want 1 to %d", width, 1<<31-1)
	case width%n != 0:
		return fmt.Errorf("%d chains cannot be split into %d classes", width, n)
	}
	return e.Check()
}
