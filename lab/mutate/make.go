package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"ialgn/internal/tool"
)

// result is what became of a mutant.
type result struct {
	Number  int    `json:"number"`
	Kind    string `json:"kind"`
	Place   place  `json:"place"`
	Network string `json:"network"`
	Options string `json:"options"`
	What    string `json:"what"`
	// Trained says that the network was trained and has 1,000 gates, Samples in how many
	// test samples outputs or counts differ; -1: not measured.
	Trained bool `json:"trained"`
	Samples int  `json:"samples"`
	Rare    bool `json:"rare"` // trained, and fewer than 1 % of them
	// Shown is what told the difference.
	Shown   []string `json:"shown"`
	Level   string   `json:"level"`
	Verdict string   `json:"verdict"`
	// Unshown is how many changes were drawn before that no input was found for.
	Unshown int `json:"unshown"`
	// Apart is what single checks say of a mutant that was refused by its text.
	Apart *apart `json:"apart,omitempty"`
	// Played is how much each level did, by its name and what it counts.
	Played map[string]int `json:"played,omitempty"`
}

// The bounds of making one mutant: how many changes are drawn, and for how many of them
// only a rare one will do.
const (
	mostTries = 120
	rareTries = 60
)

// maker makes the mutant of a slot.
type maker struct {
	*runner
	slot    slot
	dir     string
	r       *rand.Rand
	unshown int
}

// mutant is a change that is shown to matter.
type mutant struct {
	d      *design
	what   string
	files  files
	text   string // the mutated Verilog, as it is or would be
	seen   int
	lines  stimulus // the first input for which outputs differ; with a clock, all up to it
	shown  []string
	values []uint16
	claim  *claim // a false claim instead of changed files
}

// make draws changes until one is shown to matter, and has it verified. It returns nil if
// there is none.
func (m *maker) make(ctx context.Context) (*result, error) {
	m.r = rand.New(rand.NewPCG(m.seed, uint64(m.slot.number)))
	designs := slices.Clone(m.designs)
	if some := slices.DeleteFunc(slices.Clone(designs),
		func(d *design) bool { return d.trained != m.slot.trained }); len(some) > 0 {
		designs = some
	}
	if m.slot.kind.sites != nil {
		return m.enumerate(ctx)
	}
	designs = slices.DeleteFunc(designs, func(d *design) bool { return d.aroundCore() })
	for try := range mostTries {
		d := designs[m.r.IntN(len(designs))]
		x, err := m.draw(ctx, d, m.slot.trained && try < rareTries)
		if err != nil {
			return nil, err
		}
		if x != nil {
			return m.verify(ctx, x)
		}
	}
	return nil, nil
}

// draw makes one change and shows that it matters; nil if it does not, or was not asked for.
func (m *maker) draw(ctx context.Context, d *design, rare bool) (*mutant, error) {
	if m.slot.kind.netlist == nil || m.slot.place == inText {
		return m.drawText(ctx, d)
	}
	c := m.slot.kind.netlist(d, m.r)
	if c == nil || c.netlist.Validate() != nil || m.slot.place == inHint && (c.rename == nil || d.out.Hint == nil) {
		return nil, nil
	}
	w, found, err := d.search(m.r, c.netlist)
	if err != nil {
		return nil, err
	}
	if !found {
		m.unshown++
		return nil, nil
	}
	x := &mutant{d: d, what: c.what, seen: w.seen, values: w.values}
	if rare && !x.rare() {
		return nil, nil
	}
	if x.text, err = d.verilog(c.netlist); err != nil {
		return nil, err
	}
	if x.files, err = d.changed(c, x.text, m.slot.place); err != nil {
		return nil, err
	}
	differs, err := m.replay(ctx, x, readers[0])
	if err != nil {
		return nil, err
	}
	if !differs {
		return nil, fmt.Errorf("%s: outputs differ in our simulator and not in iverilog", x.what)
	}
	return x, nil
}

// changed returns the files that a change of the netlist means for a place.
func (d *design) changed(c *change, text string, p place) (files, error) {
	list, err := netlistText(c.netlist)
	if err != nil {
		return nil, err
	}
	switch p {
	case inNetlist:
		return files{"netlist": list}, nil
	case inVerilog:
		return files{"verilog": text}, nil
	case inHint:
		hint, err := d.hintText(c.rename)
		return files{"netlist": list, "verilog": text, "hint": hint}, err
	default:
		return files{"netlist": list, "verilog": text}, nil
	}
}

// drawText makes one change of a text and shows that it matters.
func (m *maker) drawText(ctx context.Context, d *design) (*mutant, error) {
	t := m.slot.kind.text(d, m.r)
	if t == nil {
		return nil, nil
	}
	x := &mutant{d: d, what: t.what, seen: -1, text: t.text}
	if m.slot.place == inBench {
		x.files, x.text = files{"testbench": t.text}, d.text
		differs, err := d.benchDiffers(ctx, m.r, filepath.Join(m.dir, "bench"), t.text)
		if failed := (*tool.FailedError)(nil); errors.As(err, &failed) {
			return nil, nil // not valid Verilog
		}
		if !differs || err != nil {
			return nil, err
		}
		x.shown = []string{"iverilog"}
		return x, nil
	}
	x.files = files{"verilog": t.text}
	ways := readers[:1]
	if m.slot.place == inStatement {
		ways = readers
	}
	for _, way := range ways {
		differs, err := m.replay(ctx, x, way)
		if failed := (*tool.FailedError)(nil); errors.As(err, &failed) && ctx.Err() == nil {
			continue // not valid Verilog in this place
		}
		if differs || err != nil {
			return x, err
		}
	}
	m.unshown++
	return nil, nil
}

func (x *mutant) rare() bool {
	return x.d.trained && x.seen >= 0 && x.seen*100 < x.d.encoder.set.Levels.Len()
}

// replay runs original and mutant in iverilog, as a reader sees them, and notes an input for which they differ.
func (m *maker) replay(ctx context.Context, x *mutant, way reader) (bool, error) {
	samples := x.d.samplesAround(m.r, x.values, 2)
	switch {
	case x.values == nil:
		samples = x.d.close
	case x.d.clocked():
		samples = x.d.samplesAround(m.r, x.values, 8)
	}
	s, err := x.d.stimulus(m.r, samples)
	if err != nil {
		return false, err
	}
	dir, built := filepath.Join(m.dir, "replay"), x.d.built()
	text, err := way.read(ctx, x.d, dir, x.text)
	if err != nil {
		return false, err
	}
	if way.name != readers[0].name {
		original, err := x.d.original(ctx, way, dir)
		if err != nil {
			return false, err
		}
		built = filepath.Join(m.dir, "original")
		if err := x.d.build(ctx, built, original); err != nil {
			return false, err
		}
	}
	if err := x.d.build(ctx, dir, text); err != nil {
		return false, err
	}
	a, err := replay(ctx, dir, built, s)
	if err != nil {
		return false, err
	}
	if err := x.d.checkReplay(samples, a); err != nil {
		return false, err
	}
	b, err := replay(ctx, dir, dir, s)
	if err != nil {
		return false, err
	}
	for i := range a {
		if a[i] != b[i] {
			x.lines, x.shown = s[i:i+1], []string{way.name}
			if x.d.clocked() {
				x.lines = s[:i+1]
			}
			return true, nil
		}
	}
	return false, nil
}

// verify asks `ialgn verify`. Where that found the mutant in iverilog, yosys has to show it
// too.
func (m *maker) verify(ctx context.Context, x *mutant) (*result, error) {
	dir := filepath.Join(m.dir, "folder")
	if x.claim != nil {
		dir = filepath.Join(m.dir, "claim")
	} else if err := x.d.write(dir, x.files); err != nil {
		return nil, err
	}
	v, err := judge(ctx, m.ialgn, x.d.model, dir)
	if err != nil {
		return nil, err
	}
	if v.level() == byRTL && x.lines != nil && m.slot.place != inStatement {
		if err := m.evaluate(ctx, x); err != nil {
			return nil, err
		}
	}
	var asked *apart
	if l := v.level(); l == refused || l == byText {
		if asked, err = x.askApart(ctx, m.slot.place, dir); err != nil {
			return nil, err
		}
	}
	return &result{
		Apart: asked, Played: v.played,
		Number: m.slot.number, Kind: m.slot.kind.name, Place: m.slot.place, Network: x.d.network, Options: x.d.recipe.options,
		What: x.what, Trained: x.d.trained, Samples: x.seen, Rare: x.rare(), Shown: x.shown, Level: v.level(),
		Verdict: v.String(),
	}, nil
}

// evaluate has yosys compute the outputs, too. Of registers it knows no edges: where two of
// them differ in that alone, it sees no difference. What many clocks come to it may not say
// in time.
func (m *maker) evaluate(ctx context.Context, x *mutant) error {
	var said [2]string
	for i, text := range []string{x.d.text, x.text} {
		var err error
		said[i], err = x.d.evaluate(ctx, filepath.Join(m.dir, "yosys"), text, x.lines)
		if failed := (*tool.FailedError)(nil); errors.As(err, &failed) && x.d.clocked() && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if said[0] != said[1] {
		x.shown = append(x.shown, "yosys")
	} else if !x.d.clocked() {
		return fmt.Errorf("%s: outputs differ in iverilog and not in yosys", x.what)
	}
	return nil
}
