package synth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"ialgn/internal/crew"
	"ialgn/internal/flow"
	"ialgn/internal/progress"
	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// Placed is the result of placing and routing with one seed.
type Placed struct {
	Seed    int     `json:"seed"`
	Failed  string  `json:"failed,omitempty"`      // why the run has no result; the log of the run is kept
	Icetime float64 `json:"icetime_mhz,omitempty"` // icetime's estimate of the clock, in addition to nextpnr's estimate
	Delay   float64 `json:"icetime_ns,omitempty"`  // icetime's estimate of the longest path, if there is no clock
	*flow.Result

	err error // the error behind Failed
}

// prepare is called if the program that places designs is not installed. It writes the files that the program needs
// to place the design on another machine, and returns the command to run there. It returns "" for programs that need
// only the netlist.
func (o Options) prepare(aim Aim, netlist, dir string) (command string, err error) {
	p := o.Device.Placement()
	if p == nil || placers[p.Placer].prepare == nil {
		return "", nil
	}
	return placers[p.Placer].prepare(o.placement(aim, netlist, dir, 1))
}

// placement returns the options for a placement with a seed.
func (o Options) placement(aim Aim, netlist, dir string, seed int) flow.PlaceOptions {
	return flow.PlaceOptions{
		Device: o.Device, Module: o.Module, Netlist: netlist, Dir: dir, Seed: seed, MHz: o.MHz, Pins: o.Pins,
		Wires: aim == ForWires,
	}
}

// placeAll places a netlist with each seed, several at a time. If the design does not fit or is not routed with a
// seed, this counts as a result for the seed. Any other error ends placeAll.
func (o Options) placeAll(ctx context.Context, aim Aim, netlist, dir string) ([]Placed, error) {
	runs := make([]Placed, len(o.Seeds))
	w := placers[o.Device.Placement().Placer]
	g, ctx := crew.NewGroup(ctx)
	g.SetLimit(max(1, o.Parallel))
	var notes sync.Mutex
	alone := func(tell func()) {
		notes.Lock()
		defer notes.Unlock()
		tell()
	}
	for i, seed := range o.Seeds {
		g.Go(func() error {
			alone(func() { o.note(fmt.Sprintf("%s: placing and routing, seed %d", w.name, seed)) })
			ctx, end := progress.Begin(ctx, fmt.Sprintf("%s, seed %d", w.name, seed))
			defer end()
			r, err := w.place(ctx, o.placement(aim, netlist, dir, seed))
			runs[i] = Placed{Seed: seed, Result: r}
			var failed *tool.FailedError
			switch {
			case errors.As(err, &failed) && ctx.Err() == nil:
				alone(func() { o.warn(fmt.Errorf("seed %d: %w", seed, err)) })
				runs[i].Failed, runs[i].err = err.Error(), err
				return nil
			case err != nil || !o.Device.Icestorm():
				return err
			}
			return runs[i].time(ctx, o.Device, filepath.Join(dir, fmt.Sprintf("seed%d.icetime.txt", seed)))
		})
	}
	return runs, g.Wait()
}

// time sets icetime's estimate for the routed design. This is the clock or, in a design without a clock, the longest
// path.
func (p *Placed) time(ctx context.Context, d target.Device, report string) (err error) {
	switch {
	case p.Fmax > 0:
		p.Icetime, err = flow.Fmax(ctx, d, p.Bits, report)
	case len(p.Paths) > 0:
		p.Delay, err = flow.Delay(ctx, d, p.Bits, report)
	}
	return err
}

// choose sets those figures of the report that depend on all seeds. It returns the run whose longest path is shorter
// than in all other runs, or nil if all runs failed. In a tie, it returns the first of the best runs.
func (r *Report) choose() *Placed {
	var best *Placed
	var clocks []float64
	for i := range r.Runs {
		p := &r.Runs[i]
		if p.Result == nil {
			continue
		}
		if best == nil || p.Slowest().NS < best.Slowest().NS {
			best = p
		}
		clocks = append(clocks, p.Fmax)
	}
	if best == nil {
		return nil
	}
	r.Routed = len(clocks)
	slices.SortFunc(clocks, cmp.Compare[float64])
	r.Least, r.Most = clocks[0], clocks[len(clocks)-1]
	r.Fmax = (clocks[(len(clocks)-1)/2] + clocks[len(clocks)/2]) / 2
	r.judgeClock(best)
	return best
}

// judgeClock records the slowest path of the run that made the bitstream, and whether this run reaches the clock.
func (r *Report) judgeClock(best *Placed) {
	r.Slowest = best.Slowest()
	r.Met = r.Slowest.MHz > 0 && r.Slowest.MHz >= r.MHz
}

// bitstream makes the bitstream of the best run, and names the files of this run after the design.
func (o Options) bitstream(ctx context.Context, r *Report, best *Placed, dir string) error {
	r.BitstreamSeed = best.Result.Seed
	r.Bitstream = filepath.Join(dir, o.Module+o.Device.Placement().Bits)
	return o.packBits(ctx, best.Result, r.Bitstream)
}
