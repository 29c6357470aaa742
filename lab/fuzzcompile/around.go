package main

import (
	"math/rand/v2"
	"slices"

	"ialgn/internal/folded"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// surroundings describes the parts that are written around a netlist or in addition to a netlist.
type surroundings struct {
	wrap  string // kind of the wrapper, or "" for none
	board string // board whose pins the wrapper uses, or "" for none
	fold  int    // steps in each clock of a folded engine, or 0 for no engine
	tag   int    // bits of the tag, or 0 for no tag

	margin int // margin of the output uncertain, or 0 for no such output
}

// tags are the possible values of --tag.
var tags = []int{0, 1, 8, netlist.MaxTag}

// drawAround draws the surroundings of the case's product. It also makes the random choices that were added to this
// program later. These choices use their own random stream, so that old seeds keep their networks.
//
// Targets that are not in drawnFirst replace some drawn targets, so that all targets are equally frequent. One case
// in 16 gets a network of constants. One case in 32 gets a network in which all chains except one are constant.
func (c *fuzzCase) drawAround(r *rand.Rand) {
	c.options.drawTarget(r)
	switch n := r.IntN(32); {
	case n < 3 && c.model != nil:
		constantLast(r, c.model, n == 2)
		c.network = c.model.Freeze()
	case n < 2:
		constantNetwork(r, c.network, -1)
	case n == 2:
		constantNetwork(r, c.network, r.IntN(c.network.Width))
	}
	c.options.surroundings = surroundings{wrap: wrappedFirst[r.IntN(len(wrappedFirst))]}
	if r.IntN(8) > 0 && c.foldable() {
		c.options.fold = folded.Lanes()[r.IntN(len(folded.Lanes()))]
	}
	if boards := append([]string{""}, wrapper.Boards()...); wrapper.Boarded(c.options.wrap) {
		c.options.board = boards[r.IntN(len(boards))]
	}
	if o := c.options; o.fold == 0 && (o.wrap == "" || wrapper.Is(o.wrap, wrapper.TakesTags)) {
		c.options.tag = tags[r.IntN(len(tags))]
	}
}

// wrappedFirst lists the wrappers from which a wrapper is drawn first. The list must not change, so that old seeds keep
// their surroundings.
var wrappedFirst = []string{"", "stream", "axis", "uart", "spi"}

// drawWrap sometimes replaces the drawn wrapper by a wrapper that is not in wrappedFirst, so that all wrappers are
// equally frequent.
func (c *fuzzCase) drawWrap(r *rand.Rand) {
	later := slices.DeleteFunc(wrapper.Kinds(), func(kind string) bool { return slices.Contains(wrappedFirst, kind) })
	i, o := r.IntN(1+len(wrapper.Kinds())), &c.options
	if i >= len(later) {
		return
	}
	o.wrap, o.board = later[i], ""
	if !wrapper.Is(o.wrap, wrapper.TakesTags) {
		o.tag = 0
	}
	if !c.foldable() {
		o.fold = 0
	}
}

// drawHead draws class offsets, and the margin of the output uncertain. In a third of the cases, one class has the
// largest possible offset. In another third, all offsets are small. These choices have their own random stream, for the
// reason that drawAround has one.
func (c *fuzzCase) drawHead(r *rand.Rand) {
	f, classes := c.network, len(c.network.Classes)
	if classes == 1 {
		return // there is nothing to choose, and no second count
	}
	switch chains := f.Width / classes; r.IntN(3) {
	case 0:
		f.Offsets = netgen.Offsets(r.Uint64(), classes, chains)
	case 1:
		f.Offsets = netgen.Offsets(r.Uint64(), classes, min(chains, 2))
	}
	if c.model != nil {
		c.model.Offsets = f.Offsets
	}
	if o := &c.options; o.scope != netlist.Gates && o.fold == 0 && r.IntN(2) == 0 {
		o.margin = 1 + skewed(r, f.LargestCount())
		if r.IntN(8) == 0 {
			o.margin = f.LargestCount()
		}
	}
}

// drawTies draws a tie order in half of the cases. It has its own random stream, for the same reason as drawAround.
func (c *fuzzCase) drawTies(r *rand.Rand) {
	classes := len(c.network.Classes)
	if classes == 1 || r.IntN(2) > 0 {
		return
	}
	c.network.Ties = netgen.Ties(r.Uint64(), classes)
	if c.model != nil {
		c.model.Ties = c.network.Ties
	}
}

// drawTarget sometimes replaces the drawn target by a target that is not in drawnFirst.
func (o *options) drawTarget(r *rand.Rand) {
	all := target.Families()
	later := slices.DeleteFunc(slices.Clone(all), func(f *target.Family) bool {
		return slices.Contains(drawnFirst,
			f.Name)
	})
	i := r.IntN(len(all))
	if o.target == "" || i >= len(later) {
		return
	}
	o.target, o.k = later[i].Name, lut.MinInputs+r.IntN(later[i].LUT.Most-lut.MinInputs+1)
}

// foldable reports whether the compile command can make an engine for the case's network. An engine needs chains of
// gates over thermometer bits, and the class as the only output. Features must have more than one bit, because
// one-bit features cannot be transferred in bytes.
func (c *fuzzCase) foldable() bool {
	o, bytes := c.options, wrapper.Is(c.options.wrap, wrapper.TakesBytes)
	return slices.Contains(chains, c.topology) && o.scope == netlist.Full && !o.counts &&
		(!bytes || c.network.Encoder.BitsIn > 1) &&
		!slices.ContainsFunc(c.network.Layers[1:], func(l model.FrozenLayer) bool {
			return !isSpine(l) || len(l.Pins) != 2 || l.Pins[1].Source != model.Input
		})
}

// chains lists the topologies whose networks an engine can run.
var chains = []string{"chain", "ialgn", "rwlgn-spine"}

// styles lists the values of --style, indexed by style.
var styles = []string{verilog.Gates: "gates", verilog.LUTs: "lut"}
