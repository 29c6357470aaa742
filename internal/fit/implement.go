package fit

import (
	"context"
	"errors"
	"fmt"
	"time"

	library "ialgn"
	"ialgn/internal/message"
	"ialgn/internal/progress"
	"ialgn/internal/tool"
)

// checked is the number of samples with which the content of a bitstream is checked.
const checked = 100

// designFolder is the folder of the compiled network, inside the folder of the search.
const designFolder = "design"

// complete finishes the best network of the front that fits. If no network fits, or if the device has no room for a
// network, complete first makes networks smaller.
func (s *search) complete(ctx context.Context) (*Best, error) {
	for {
		limit := s.limit()
		all := s.standings(limit)
		do, at := decide(all, limit, s.left())
		f := s.ledger.Finals[at]
		if do != finishIt && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch do {
		case finishIt:
			b, err := s.finishFinal(ctx, f)
			if errors.Is(err, library.ErrNoRoom) {
				err = s.noRoom(f, err)
			} else if err == nil {
				b.leftOut = append(b.leftOut, s.better(all, at, limit)...)
				return b, nil
			}
			if err != nil {
				return nil, err
			}
		case shrinkIt:
			if err := s.shrink(f, limit); err != nil {
				return nil, err
			}
			if err := s.retrain(ctx, f); err != nil {
				return nil, err
			}
		case replaceIt:
			if err := s.replace(ctx, f); err != nil {
				return nil, err
			}
		}
	}
}

// standings describes the networks of the front for [decide].
func (s *search) standings(limit int) (all []standing) {
	for _, f := range s.ledger.Finals {
		o := standing{wrong: f.expected(), chains: f.Width / s.classes, tries: f.Tries, train: f.Took}
		if f.Cost != nil {
			o.cells = f.Cost.cells()
			o.finish = s.ledger.finishing(min(o.cells, limit))
		}
		all = append(all, o)
	}
	return all
}

// better returns the names of the networks that fit and are better than the finished network, but for which there was
// no time.
func (s *search) better(all []standing, at, limit int) (names []string) {
	for i, o := range all {
		if o.cells > 0 && o.cells <= limit && o.wrong < all[at].wrong {
			names = append(names, fmt.Sprintf("finishing %s, which may be better (about %.0f s)",
				s.ledger.Finals[i].Name, o.finish))
		}
	}
	return names
}

// retrain trains a network again, for the number of epochs for which there is time.
func (s *search) retrain(ctx context.Context, f *final) error {
	return s.trainFinal(ctx, f, max(1, s.left()-s.ledger.finishing(s.limit())))
}

// If a network of the front cannot be made small enough, replace replaces it by the next best candidate.
func (s *search) replace(ctx context.Context, f *final) error {
	next := s.after(f.Candidate)
	if next == nil {
		return message.WithHint(fmt.Errorf("%s: %w (%s)", s.name, errTooLarge, f.Candidate.text(s.dims)),
			"give more {LUTs} or a larger device; the configuration may have too many thresholds")
	}
	by := s.finalOf(next, float64(min(s.budget, s.limit())))
	by.Name, by.Epochs = f.Name, s.epochsFor(by, max(1, s.left()-s.ledger.finishing(s.budget)))
	if err := s.ledger.record(func() { *f = *by }); err != nil {
		return err
	}
	s.note("%s: the next best candidate is trained instead (%s)", f.Name, f.Candidate.text(s.dims))
	return s.retrain(ctx, f)
}

// gently is the factor by which a network is made smaller if it could not be routed on the device.
const gently = 0.85

// noRoom lowers the limit after a device had no room for a network. If it is known how many cells the network needed,
// the new limit is computed from this number.
func (s *search) noRoom(f *final, err error) error {
	by := gently
	var measured interface{ Over() float64 }
	if errors.As(err, &measured) && measured.Over() > 1 {
		by = margin / measured.Over()
	}
	cells := f.Cost.cells()
	s.warn(fmt.Errorf("%s has no room for %s of %d %s: %w", s.Target, f.Name, cells, s.unit(), err))
	return s.ledger.record(func() { s.ledger.Limit = max(1, int(by*float64(cells))) })
}

// finishFinal finishes a network of the front and records how long it took.
func (s *search) finishFinal(ctx context.Context, f *final) (*Best, error) {
	m, err := library.Open(s.path(f.Name + modelEnding))
	if err != nil {
		return nil, err
	}
	defer m.Close()
	begin := now()
	b, err := s.implement(ctx, m, s.path(designFolder))
	if b == nil || err != nil && !timeOver(ctx) {
		return nil, err
	}
	b.of = f
	took := finishing{
		Cells: f.Cost.cells(), Seconds: now().Sub(begin).Seconds(), Cut: len(b.leftOut) > 0, Used: b.used(),
	}
	err = s.ledger.record(func() { s.ledger.Finishings = append(s.ledger.Finishings, took) })
	if needs := s.ledger.finishing(took.Cells); took.Cut && needs > s.asked() {
		s.warn(message.WithHint(fmt.Errorf("finishing %s may take %.0f s", f.Name, needs),
			"to continue, give {Resume} with more {Minutes}"))
	}
	return b, err
}

// stageLevels lists the numbers of LUT levels per pipeline stage that are tried, in order, to reach a clock. The
// first number gives the fewest registers. A design for a device always has registers, because without them yosys
// takes many minutes for sums of some hundred bits.
var stageLevels = []int{5, 4, 3, 2}

// These constants limit the routing time to a part of the time left, but not below routingTime. Without a limit, the
// router would never end on designs that do not route.
const (
	routingPart = 0.5
	routingTime = 4 * time.Minute
)

// implement compiles and verifies a network into a folder, and routes it on a device. The result lists the work for
// which there was no time.
func (s *search) implement(ctx context.Context, m *library.Model, dir string) (*Best, error) {
	b := &Best{}
	levels := stageLevels
	switch {
	case !s.device.Placeable():
		levels = []int{0} // the default, because the resulting clock is not measured for this target
	case s.Clock <= usualMHz:
		levels = levels[:1]
	}
	for i, most := range levels {
		progress.Say(ctx, "compiling the best network")
		d, err := s.compile(ctx, m, dir, most)
		if err != nil {
			return b.without(ctx, err, "compiling and verifying")
		}
		b.Design, b.Routed = dir, nil
		if b.Verified, err = s.verify(ctx, m, dir, verifySoftware); err != nil {
			return b.without(ctx, err, "verifying")
		}
		if !s.device.Placeable() {
			break
		}
		if b.Routed, err = s.route(ctx, m, d); err != nil && timeOver(ctx) {
			what := "placing and routing"
			if b.Routed != nil {
				what = "comparing the bitstream"
			}
			return b.without(ctx, err, what, "the proof at level formal")
		} else if err != nil {
			return nil, err
		}
		if b.Routed == nil {
			break
		}
		slow := b.Routed.Timing()
		if slow == nil || errors.Is(slow, library.ErrUnplaced) {
			break
		}
		if i == len(levels)-1 {
			s.warn(slow)
		}
	}
	proved, err := s.verify(ctx, m, dir, verifyFormal)
	if err != nil {
		return b.without(ctx, err, "the proof at level formal")
	}
	b.Verified = proved
	return b, nil
}

// without returns err unless the time is over. If the time is over, it records in b which work was left out, and
// returns b.
func (b *Best) without(ctx context.Context, err error, what ...string) (*Best, error) {
	if !timeOver(ctx) {
		return nil, err
	}
	b.leftOut = append(b.leftOut, what...)
	return b, nil
}

// used returns the number of logic cells that a design uses on its device, or 0 if it is unknown.
func (b *Best) used() int {
	if b == nil || b.Routed == nil || b.Routed.Estimate == nil {
		return 0
	}
	return b.Routed.Estimate.Cells
}

// route synthesises, places and routes the design for the device, and checks the bitstream. If a required program is
// missing, it warns and returns nil. If the time ends after routing, it returns the implementation together with the
// error.
func (s *search) route(ctx context.Context, m *library.Model, d *library.Design) (*library.Implementation, error) {
	progress.Say(ctx, "placing and routing")
	timed, cancel := context.WithTimeout(ctx, max(routingTime, seconds(routingPart*s.left())))
	defer cancel()
	i, err := library.Synthesise(timed, d, library.SynthOptions{
		Target: s.device.Name, MHz: s.Clock, Check: m, Samples: checked, Data: s.Data, Force: s.Force, Note: s.Note,
		Warn: s.Warn,
	})
	var missing *tool.MissingError
	if errors.As(err, &missing) {
		s.warn(fmt.Errorf("not synthesised: %w", err))
		return nil, nil
	}
	if timed.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: it was not routed for long", library.ErrNoRoom)
	}
	if err != nil {
		return i, err
	}
	if err := i.Check.Err(); errors.Is(err, library.ErrUnchecked) {
		s.warn(err)
	} else if err != nil {
		return nil, err
	}
	return i, nil
}

// best returns the options for compiling the best network. levels is the number of LUT levels in a pipeline stage.
func (s *search) best(levels int) library.CompileOptions {
	o := s.design()
	o.Wrap, o.MHz = s.Wrap, s.Clock
	if s.Clock > 0 {
		o.Pipeline, o.MaxLevels = "auto", levels
	}
	return o
}

// compile compiles the model and writes the design into a folder.
func (s *search) compile(ctx context.Context, m *library.Model, dir string, levels int) (*library.Design, error) {
	o := s.best(levels)
	o.Data = s.Data
	d, err := library.Compile(ctx, m, o)
	if err != nil {
		return nil, err
	}
	return d, d.Write(ctx, dir, library.WriteOptions{Force: s.Force, Keep: s.Keep})
}

// These are the levels of verification.
const (
	verifySoftware = "software"
	verifyFormal   = "formal"
)

// verify verifies the design up to a level, as far as the required programs are installed. It returns the level that
// was reached.
func (s *search) verify(ctx context.Context, m *library.Model, dir string, level string) (string, error) {
	d, err := library.OpenDesign(ctx, dir)
	if err != nil {
		return "", err
	}
	o := library.VerifyOptions{Level: level, Data: s.Data, Certify: true, Force: s.Force, Warn: s.Warn}
	_, err = library.Verify(ctx, m, d, o)
	var missing *tool.MissingError
	if errors.As(err, &missing) {
		s.warn(fmt.Errorf("not proved: %w", err))
		return verifySoftware, nil // the design has already been verified at this level
	}
	return level, err
}
