package main

import (
	"math/rand/v2"
	"slices"

	"ialgn/internal/folded"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/model"
	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// surroundings is what is written around a netlist, or beside it.
type surroundings struct {
	wrap  string // a wrapper's kind; empty: none
	board string // board whose pins the wrapper uses; empty: none
	fold  int    // steps in a clock of a folded engine; 0: there is none
	tag   int    // bits of the tag; 0: there is none
}

// tags are the values of --tag that are drawn.
var tags = []int{0, 1, 8, netlist.MaxTag}

// drawAround draws what goes around the case's product, and what draws that came later than others change
// of the case: they have a stream of their own, so that seeds keep what they drew before.
//
// Targets beyond drawnFirst take the place of others as often as each of these occurs. One case in 16 gets
// a network of constants, one in 32 a network of which a single chain is none.
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
	c.options.surroundings = surroundings{wrap: append([]string{""}, wrapper.Kinds()...)[r.IntN(1+len(wrapper.Kinds()))]}
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

// drawTarget puts a target that drawnFirst lacks in the place of the one that was drawn.
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

// foldable reports whether the compile command takes the case's network for an engine: chains of gates over
// thermometer bits, whose class alone is asked for. One-bit features cannot be given by bytes.
func (c *fuzzCase) foldable() bool {
	o, bytes := c.options, wrapper.Is(c.options.wrap, wrapper.TakesBytes)
	return slices.Contains(chains, c.topology) && o.scope == netlist.Full && !o.counts &&
		(!bytes || c.network.Encoder.BitsIn > 1) &&
		!slices.ContainsFunc(c.network.Layers[1:], func(l model.FrozenLayer) bool {
			return !isSpine(l) || len(l.Pins) != 2 || l.Pins[1].Source != model.Input
		})
}

// chains are the topologies of which an engine can run networks.
var chains = []string{"chain", "ialgn", "rwlgn-spine"}

// styles are the values of --style, by their number.
var styles = []string{verilog.Gates: "gates", verilog.LUTs: "lut"}
