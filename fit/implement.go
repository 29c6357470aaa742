package fit

import (
	"context"
	"errors"
	"fmt"
	"time"

	library "ialgn"
	"ialgn/internal/progress"
	"ialgn/internal/tool"
)

// checked is how many samples the content of a bitstream is checked on.
const checked = 100

// designFolder is the folder of the compiled network, in that of the search.
const designFolder = "design"

// complete compiles, verifies and routes the best network, and makes it smaller until it has room on a device.
func (s *search) complete(ctx context.Context) (*Best, error) {
	f := s.ledger.Finals[0]
	for range shrinks {
		if f.Cost == nil {
			if err := s.trainFinal(ctx, f, true); err != nil {
				return nil, err
			}
		}
		b, err := s.implement(ctx, f)
		if !errors.Is(err, library.ErrNoRoom) {
			return b, err
		}
		s.warn(fmt.Errorf("%s has no room for %d LUTs, so a smaller network is trained: %w", s.Target, f.Cost.Total, err))
		if err := s.shrink(f, 0.85); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: no network was made that %s has room for", s.name, s.Target)
}

// stageLevels are the levels of look-up tables of a stage that are tried for a clock, from the fewest registers on. A
// design for a device has registers at any clock: yosys takes many minutes for sums of some hundred bits without.
var stageLevels = []int{5, 4, 3, 2}

// What routing may take, as a share of the minutes, and at least. Designs that do not route keep the router busy
// without an end.
const (
	routingShare = 0.5
	routingTime  = 4 * time.Minute
)

// implement compiles and verifies a network, and routes it on a device.
func (s *search) implement(ctx context.Context, f *final) (*Best, error) {
	m, err := library.Open(s.path(f.Name + modelEnding))
	if err != nil {
		return nil, err
	}
	defer m.Close()
	b := &Best{Design: s.path(designFolder)}
	levels := stageLevels
	switch {
	case !s.device.Placeable():
		levels = []int{0} // what is usual: nothing here says what clock comes of it
	case s.Clock <= usualMHz:
		levels = levels[:1]
	}
	for i, most := range levels {
		var d *library.Design
		progress.Say(ctx, "compiling the best network")
		if d, err = s.compile(ctx, m, most); err != nil {
			return nil, err
		}
		if !s.device.Placeable() {
			break
		}
		if b.Routed, err = s.route(ctx, m, d); err != nil || b.Routed == nil {
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
	if err == nil {
		b.Verified, err = s.verify(ctx, m, b.Design)
	}
	return b, err
}

// route takes the design to the device, and checks the bitstream; without a program that is needed, nil, with a
// warning.
func (s *search) route(ctx context.Context, m *library.Model, d *library.Design) (*library.Implementation, error) {
	progress.Say(ctx, "placing and routing")
	timed, cancel := context.WithTimeout(ctx, max(routingTime, time.Duration(routingShare*s.Minutes*float64(time.Minute))))
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
		return nil, err
	}
	if err := i.Check.Err(); errors.Is(err, library.ErrUnchecked) {
		s.warn(err)
	} else if err != nil {
		return nil, err
	}
	return i, nil
}

// best returns what the best network is compiled to, with so many levels of look-up tables a stage.
func (s *search) best(levels int) library.CompileOptions {
	o := s.design()
	o.Wrap, o.MHz = s.Wrap, s.Clock
	if s.Clock > 0 {
		o.Pipeline, o.MaxLevels = library.PipelineAuto, levels
	}
	return o
}

// compile writes the design.
func (s *search) compile(ctx context.Context, m *library.Model, levels int) (*library.Design, error) {
	d, err := library.CompileWith(ctx, m, s.best(levels), s.Data)
	if err != nil {
		return nil, err
	}
	return d, d.WriteTo(ctx, s.path(designFolder), library.WriteOptions{Force: s.Force, Keep: s.Keep})
}

// verify proves the design, as far as the programs for that are installed.
func (s *search) verify(ctx context.Context, m *library.Model, dir string) (library.VerifyLevel, error) {
	d, err := library.OpenDesignContext(ctx, dir)
	if err != nil {
		return "", err
	}
	o := library.VerifyOptions{Level: library.VerifyFormal, Data: s.Data, Certify: true, Force: s.Force, Warn: s.Warn}
	_, err = library.Verify(ctx, m, d, o)
	var missing *tool.MissingError
	if errors.As(err, &missing) {
		s.warn(fmt.Errorf("not proved: %w", err))
		o.Level = library.VerifySoftware
		_, err = library.Verify(ctx, m, d, o)
	}
	return o.Level, err
}
