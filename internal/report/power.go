package report

import (
	"fmt"
	"slices"
	"strings"

	"ialgn"
	"ialgn/internal/activity"
)

// power shows how often nets switch, and the energies of cells or the static current, as far as they are known.
func (b *builder) power() section {
	s := section{ID: "power", Title: "Switching and power"}
	a := b.Activity
	if a == nil {
		s.Notes = []string{"Not counted: " + b.NotCounted}
		return s
	}
	s.Notes = []string{"The netlist written by compile, over " + count(a.Samples) + " test samples: " + a.What + "."}
	t := table{
		Caption: "Transitions, by part", Numbers: true,
		Head: []string{"part", "nets", "never switch", "transitions per sample", "per net and sample"},
	}
	for _, g := range slices.Concat(a.Parts, []activity.Group{a.Total}) {
		t.Rows = append(t.Rows, texts(g.Name, count(g.Nets), count(g.Silent),
			fmt.Sprintf("%.1f", ratio(g.Transitions, a.Samples-1)), fmt.Sprintf("%.4f", g.Mean)))
	}
	s.Tables = append(s.Tables, t)
	if a.Power != nil {
		s.Tables = append(s.Tables, energies(a.Power))
		s.Notes = append(s.Notes, "The energies leave out "+a.Power.LeavesOut+".")
	}
	if len(a.Static) > 0 {
		s.Tables = append(s.Tables, currents(a.Static))
		s.Notes = append(s.Notes, "No data sheet says how much a transition takes, so there is no estimate of dynamic power.")
	}
	return s
}

// energies returns a table with the energies of a netlist of cells.
func energies(p *ialgn.Power) table {
	rows := [][]cell{
		texts("library", p.Library), texts("voltage", fmt.Sprintf("%g V", p.Volts)),
		texts("transitions of nets between cells", fmt.Sprintf("%.1f", p.Transitions)),
		texts("energy of a sample", picojoules(p.Energy)), texts("for loads", picojoules(p.Switching)),
		texts("inside of cells", picojoules(p.Internal)), texts("for the clock", picojoules(p.Clock)),
		texts("leakage", fmt.Sprintf("%.4g nW", p.Leakage)),
	}
	if p.MHz > 0 {
		rows = append(rows, texts("power", fmt.Sprintf("%.4g mW at %g million samples per second", p.Milliwatts, p.MHz)))
	}
	if len(p.Without) > 0 {
		rows = append(rows, texts("cells whose inner energies the library lacks", strings.Join(p.Without, ", ")))
	}
	return pairs("The netlist of cells, for an average sample", rows)
}

func picojoules(e float64) string { return fmt.Sprintf("%.4g pJ", e) }

// currents returns a table with the static currents of devices.
func currents(all []ialgn.Static) table {
	t := table{
		Caption: "Static current of the core", Head: []string{"device", "current", "power", "source"},
	}
	for _, c := range all {
		t.Rows = append(t.Rows, texts(c.Device, fmt.Sprintf("%g uA at %g V", c.Core, c.Volts),
			fmt.Sprintf("%.3g mW", c.Core*c.Volts*1e-3), c.Source))
	}
	return t
}
