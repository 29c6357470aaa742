package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"ialgn/backend"
	"ialgn/internal/flow"
	"ialgn/internal/metrics"
	"ialgn/internal/synth"
	"ialgn/netlist"
)

// group is a set of figures with a title and a note that say what the figures describe. There are separate groups for
// the classifier alone and for the whole design around it.
type group struct {
	Title, Note string
	Facts       []fact
}

// fact is a figure with its name and a note.
type fact struct{ Name, Value, Note string }

// results returns the figures that most readers look for first.
func (p *Page) results() []group {
	all := []group{p.outcome(), p.classifier()}
	for i := range p.Synthesis {
		if s := &p.Synthesis[i]; s.of(p.Output) {
			all = append(all, p.wholeDesign(s))
		}
	}
	return all
}

// outcome returns the quality of the network, the speed of the design, and whether the design was verified.
func (p *Page) outcome() group {
	g := group{Title: "The network"}
	if t := p.Test; t != nil {
		g.Facts = append(g.Facts, fact{
			"Test accuracy", percent(ratio(t.Correct, t.Samples)),
			fmt.Sprintf("%s of %s samples", count(t.Correct), count(t.Samples)),
		}, fact{"Balanced accuracy", percent(metrics.BalancedAccuracy(t.Confusion)), "mean recall of the classes"},
			fact{"Macro F1", percent(metrics.MacroF1(t.Confusion)), "mean F1 of the classes"})
	}
	note := "ialgn verify compares the Verilog with the model"
	if c := p.Verified; c != nil {
		note = level(c)
	}
	g.Facts = append(g.Facts, p.latency(), p.throughput(), fact{"Verification", p.verdict(), note})
	return g
}

// level returns how thoroughly a folder was verified, or "" if the certificate does not say how.
func level(c *backend.Certificate) string {
	switch {
	case c.Level == "":
		return ""
	case c.Samples == 0: // no Verilog was simulated
		return "level " + c.Level
	}
	return fmt.Sprintf("level %s, %s samples simulated", c.Level, count(c.Samples))
}

// clock returns a clock frequency of the design in MHz, and a text that says which clock this is. It is the clock for
// which the design is made, or the clock that the first synthesis reached. If both are known, it is the lower one. If
// neither is known, it is 0.
func (p *Page) clock() (mhz float64, which string) {
	if mhz = p.madeFor(); mhz > 0 {
		which = "at " + megahertz(mhz)
	}
	for i := range p.Synthesis {
		s := &p.Synthesis[i]
		routed := s.Report.Slowest.MHz
		if !s.of(p.Output) || routed == 0 {
			continue
		}
		if mhz == 0 || routed < mhz {
			return routed, fmt.Sprintf("at %s on %s", megahertz(routed), s.Report.Target)
		}
		break
	}
	return mhz, which
}

// madeFor returns the clock of the wrapper or of the constraints in MHz, or 0 if the design has neither.
func (p *Page) madeFor() float64 {
	if w := p.Output.Report.Wrapper; w != nil && w.MHz > 0 {
		return w.MHz
	}
	var options struct{ MHz float64 }
	if json.Unmarshal(p.Output.Manifest.Options, &options) != nil {
		return 0
	}
	return options.MHz
}

// latency returns the time from a sample to its result.
func (p *Page) latency() fact {
	_, n := p.Output.Report.Rate()
	if w := p.Output.Report.Wrapper; n == 0 && w != nil {
		return fact{
			"Latency", "set by the serial line",
			p.marked("the sender on the serial line sets the time of each bit", "wrapper"),
		}
	}
	if n == 0 {
		return fact{"Latency", "no clock", p.marked("the delay of the logic", "latency_cycles")}
	}
	note := "from the first word of a sample to its result"
	if mhz, which := p.clock(); mhz > 0 {
		note = fmt.Sprintf("%.4g \u00b5s %s", float64(n)/mhz, which)
	}
	return fact{"Latency", clocks(n), p.marked(note, "latency_cycles")}
}

// throughput returns the number of samples per second or per clock.
func (p *Page) throughput() fact {
	const name = "Throughput"
	r := &p.Output.Report
	cycles, _ := r.Rate()
	mhz, which := p.clock()
	switch {
	case cycles > 0 && mhz > 0:
		return fact{
			name, count(int(mhz*1e6/cycles)) + " samples/s",
			p.marked(fmt.Sprintf("one sample per %s, %s", average(cycles), which), "latency_cycles"),
		}
	case cycles > 0:
		return fact{name, "1 in " + average(cycles), p.marked("samples, at any clock", "latency_cycles")}
	case r.Wrapper != nil && r.Wrapper.SamplesPerSecond > 0:
		return fact{
			name, count(int(r.Wrapper.SamplesPerSecond)) + " samples/s",
			p.marked("at the speed of the serial line", "wrapper"),
		}
	case r.Wrapper != nil:
		return fact{name, "1 in " + average(r.Wrapper.Cycles), p.marked("samples at most, limited by the line", "wrapper")}
	}
	return fact{name, "no clock", p.marked("limited by the delay of the logic", "latency_cycles")}
}

// partsOf describes the parts of a netlist by its scope.
var partsOf = map[string]string{
	netlist.Gates.String(): "the gates",
	netlist.Core.String():  "the gates, and the head that counts and compares",
	netlist.Full.String():  "the comparators of the features, the gates, and the head that counts and compares",
}

// classifier returns the size of the netlist that compile wrote.
func (p *Page) classifier() group {
	r := &p.Output.Report
	g := group{
		Title: "The classifier alone",
		Note: "As compiled: " + cmp.Or(partsOf[p.Output.Manifest.Scope], "the netlist") +
			". Without a loader, before synthesis.",
		Facts: []fact{{
			"Gates", count(r.Gates), p.marked("left of the "+count(r.GatesRaw)+" of the model", "gates", "gates_raw"),
		}},
	}
	if r.LUTs != nil {
		note := "as mapped by ialgn"
		if r.Mapping != nil {
			note = fmt.Sprintf("of %d inputs, %s", r.Mapping.K, note)
		}
		g.Facts = append(g.Facts, fact{"LUTs", count(r.LUTs.Total), p.marked(note, "luts")})
	}
	if h := r.Homomorphic; h != nil {
		g.Facts = append(g.Facts, fact{
			"Bootstraps", count(h.Bootstraps),
			p.marked(fmt.Sprintf("of the homomorphic program, form %s, in %d levels", h.Form, h.Depth), "homomorphic"),
		})
	}
	levels := fact{"Levels", count(r.Levels.Total), "cells on the longest path"}
	if r.Pipeline != nil && r.Pipeline.Stages > 0 {
		levels.Note += fmt.Sprintf(" between registers, in %d stages", r.Pipeline.Stages)
	}
	levels.Note = p.marked(levels.Note, "levels")
	return group{g.Title, g.Note, append(g.Facts, levels)}
}

// wholeDesign returns the results of a synthesis.
func (p *Page) wholeDesign(s *Synthesis) group {
	r := &s.Report
	g := group{Title: "The whole design on " + r.Target, Note: p.designText(s)}
	if c := r.Chip; c != nil {
		note := "cells of " + c.Library
		if c.Equivalents > 0 {
			note += ", as much as " + nands(c) + " NAND gates of two inputs"
		}
		g.Facts = append(g.Facts, fact{"Area", square(c.Area), note})
		if a := p.Activity; a != nil && a.Power != nil {
			g.Facts = append(g.Facts, fact{
				"Energy of a sample", picojoules(a.Power.Energy), fmt.Sprintf("cells at %g V, without wires", a.Power.Volts),
			})
		}
	} else {
		g.Facts = append(g.Facts, fact{"LUTs", count(r.LUTs), "as yosys maps them"})
	}
	g.Facts = append(g.Facts, fact{"Flip-flops", count(r.FFs), ""})
	if u := s.logic(); u.Available > 0 {
		g.Facts = append(g.Facts, fact{
			"Share of the device", percent(ratio(u.Used, u.Available)),
			fmt.Sprintf("%s of %s %s", count(u.Used), count(u.Available), u.Cell),
		})
	}
	g.Facts = append(g.Facts, p.speed(r)...)
	if result, ok := s.Check["result"].(string); ok {
		note := "read back and simulated"
		if n, ok := s.Check["checked"].(float64); ok {
			note += fmt.Sprintf(", %s samples", count(int(n)))
		}
		g.Facts = append(g.Facts, fact{"Bitstream", result, note})
	}
	return g
}

// speed returns figures about the speed of a routed design: its clock and the number of samples per second, or the
// delay of a design without a clock.
func (p *Page) speed(r *synth.Report) []fact {
	slowest, when := r.Slowest, "after routing"
	if r.Chip != nil {
		when = "without the delays of wires"
	}
	switch {
	case slowest.NS == 0:
		return nil
	case slowest.MHz == 0:
		return []fact{{"Delay", fmt.Sprintf("%.2f ns", slowest.NS), fmt.Sprintf("from %s, %s", slowest.Kind, when)}}
	}
	note := "not met"
	if r.Met {
		note = "met"
	}
	facts := []fact{{
		"Clock", megahertz(slowest.MHz),
		fmt.Sprintf("%s, path from %s; target %s, %s", when, slowest.Kind, megahertz(r.MHz), note),
	}}
	if cycles, _ := p.Output.Report.Rate(); cycles > 0 {
		facts = append(facts, fact{
			"Samples per second", count(int(slowest.MHz * 1e6 / cycles)),
			fmt.Sprintf("at this clock, one sample per %s", average(cycles)),
		})
	}
	return facts
}

// average formats a number of clocks, which may have a fraction.
func average(n float64) string {
	if whole := int(n); float64(whole) == n {
		return clocks(whole)
	}
	return fmt.Sprintf("%v clocks", n)
}

func clocks(n int) string {
	if n == 1 {
		return "1 clock"
	}
	return count(n) + " clocks"
}

// designText describes the parts and the state of a synthesised design.
func (p *Page) designText(s *Synthesis) string {
	r, what := &p.Output.Report, "the classifier without a loader"
	switch {
	case r.Fold != nil && r.Wrapper != nil:
		what = "the folded engine, its memories and its loader (" + r.Wrapper.Kind + ")"
	case r.Fold != nil:
		what = "the folded engine and its memories"
	case r.Wrapper != nil:
		what = "the classifier and its loader (" + r.Wrapper.Kind + ")"
	}
	state := "after place and route"
	if s.Report.NotPlaced != "" {
		state = "after synthesis; not placed: " + strings.TrimSuffix(s.Report.NotPlaced, ".")
	}
	const source = "Values written by ialgn synth; ialgn verify does not check them."
	return fmt.Sprintf("Module %s: %s, %s. %s", s.Report.Module, what, state, source)
}

// uses returns the use of the device's cells after placement. Without a placement, it returns yosys's counts. It
// omits cells whose number in the device is not known.
func (s *Synthesis) uses() (all []flow.Use) {
	r := &s.Report
	if p := r.Best(); p != nil && p.Result != nil {
		return p.Cells
	}
	for _, u := range []flow.Use{
		{Cell: "LUTs", Used: r.LUTs, Available: r.Device.LUTs},
		{Cell: "carries", Used: r.Carries, Available: r.Device.Carries},
		{Cell: "flip-flops", Used: r.FFs, Available: r.Device.FlipFlops},
		{Cell: "bits of block RAM", Used: r.RAM, Available: r.Device.BlockRAM},
		{Cell: "pins", Used: r.Pins, Available: r.Device.Pins},
	} {
		if u.Available > 0 {
			all = append(all, u)
		}
	}
	return all
}

// logic returns the use of the device's logic cells. It considers only kinds of cells whose number in the device
// equals the number of LUTs, and returns the kind that the design uses most. Available is 0 if the device's number of
// LUTs is not known.
func (s *Synthesis) logic() (use flow.Use) {
	for _, u := range s.uses() {
		if u.Available == s.Report.Device.LUTs && (use.Available == 0 || u.Used > use.Used) {
			use = u
		}
	}
	return use
}

// share returns a table with the share of the device's cells that the design uses.
func (s *Synthesis) share() table {
	t := table{
		Caption: s.Report.Target + ": share of the device",
		Head:    []string{"what", "used", "available", "share", ""}, Numbers: true,
	}
	for _, u := range s.uses() {
		share := 100 * ratio(u.Used, u.Available)
		row := append(texts(u.Cell, count(u.Used), count(u.Available), percent(share/100)), cell{Bar: &share})
		t.Rows = append(t.Rows, row)
	}
	return t
}
