package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// kinds lists the kinds of generated mutants. Each kind has a function that draws a change and returns nil if this
// change is not possible.
var kinds = []struct {
	name string
	draw func(*design, *rand.Rand) *change
}{
	{"operation", func(d *design, r *rand.Rand) *change { return d.flip(r, gate, 0) }},
	{"anchor", func(d *design, r *rand.Rand) *change { return d.move(r, gate) }},
	{"lut", func(d *design, r *rand.Rand) *change { return d.flip(r, gate, 2) }},
	{"counter", (*design).counter},
	{"tie", (*design).tie},
	{"register", func(d *design, r *rand.Rand) *change { return d.move(r, register) }},
	{"class", (*design).class},
	{"threshold", (*design).threshold},
}

// places lists the parts of a folder that a generated mutant may change, with the formats of the changed files.
var places = []struct {
	name    string
	formats []string
}{
	{"netlist and Verilog", []string{"netlist", "verilog"}}, // a bug in a pass
	{"Verilog", []string{"verilog"}},                        // a bug in the Verilog writer
	{"netlist", []string{"netlist"}},
	{"netlist, Verilog, hint", []string{"netlist", "verilog", "hint"}}, // a bug in a pass that the hint repeats
}

// generate draws at most mostTries changes for one mutant. For the first rareTries draws, it accepts only a change
// that affects less than 1 % of the test samples.
const (
	mostTries = 120
	rareTries = 60
)

// generate returns the generated mutant with the given number. The change of the mutant was shown to have an effect.
// If generate finds no such change, it returns nil.
func (r *runner) generate(ctx context.Context, number int) (*mutant, error) {
	random := rand.New(rand.NewPCG(r.seed, uint64(number)))
	kind, round := kinds[number%len(kinds)], number/len(kinds)
	place, trained := places[round%len(places)], (number+round/len(places)+round)%2 == 0 && !r.small
	designs := slices.DeleteFunc(slices.Clone(r.drawn), func(d *design) bool { return d.trained != trained })
	for try := range mostTries {
		d := designs[random.IntN(len(designs))]
		c := kind.draw(d, random)
		if c == nil || c.netlist.Validate() != nil {
			continue
		}
		values, seen, err := d.search(ctx, random, c.netlist)
		if err != nil {
			return nil, err
		}
		rare := seen*100 < d.encoder.set.Levels.Len()
		if values == nil || trained && try < rareTries && !rare {
			continue
		}
		m := &mutant{
			name: fmt.Sprintf("generated mutant %d", number), what: c.what, Kind: kind.name, Changed: place.name,
			Network: d.network, Options: d.designKey.options, trained: trained, rare: trained && rare,
		}
		if err := d.confirm(ctx, random, r.work("replay", m.name), c, values); err != nil {
			return nil, fmt.Errorf("%s: %w", m, err)
		}
		if m.Edits, err = d.edits(c, place.formats); len(m.Edits) < len(place.formats) { // the hint is not affected
			m.Changed = places[0].name
		}
		return m, err
	}
	return nil, nil
}
