package report

import (
	"cmp"
	"fmt"
	"strings"

	"ialgn/flow/placement"
	"ialgn/flow/synth"
	"ialgn/netlist"
)

// group are figures about one thing, which its title and note name: those of the classifier alone
// are not those of the design around it.
type group struct {
	Title, Note string
	Facts       []fact
}

// fact is a figure, with what it is of.
type fact struct{ Name, Value, Note string }

// results returns what a reader looks for first.
func (p *Page) results() []group {
	all := []group{p.outcome(), p.classifier()}
	for i := range p.Synthesis {
		if s := &p.Synthesis[i]; s.of(p.Output) {
			all = append(all, p.wholeDesign(s))
		}
	}
	return all
}

// outcome says how good the network is, and whether the design is it.
func (p *Page) outcome() group {
	g := group{Title: "The network"}
	if t := p.Test; t != nil {
		g.Facts = append(g.Facts, fact{
			"Test accuracy", percent(ratio(t.Correct, t.Samples)),
			fmt.Sprintf("%s of %s samples", count(t.Correct), count(t.Samples)),
		})
	}
	note := "ialgn verify compares the Verilog with the model"
	if c := p.Verified; c != nil {
		note = fmt.Sprintf("level %s, %s samples simulated", c.Level, count(c.Samples))
		if c.Level == "" {
			note = ""
		}
	}
	g.Facts = append(g.Facts, fact{"Verification", p.verdict(), note})
	return g
}

// parts of the netlist by its scope.
var partsOf = map[string]string{
	netlist.Gates.String(): "the gates",
	netlist.Core.String():  "the gates, and the head that counts and compares",
	netlist.Full.String():  "the comparators of the features, the gates, and the head that counts and compares",
}

// classifier is the size of the netlist that compile wrote.
func (p *Page) classifier() group {
	r := &p.Output.Report
	g := group{
		Title: "The classifier alone",
		Note: "As compiled: " + cmp.Or(partsOf[p.Output.Manifest.Scope], "the netlist") +
			". Without a loader, before synthesis.",
		Facts: []fact{{"Gates", count(r.Gates), "left of the " + count(r.GatesRaw) + " of the model"}},
	}
	if r.LUTs != nil {
		note := "as mapped by ialgn"
		if r.Mapping != nil {
			note = fmt.Sprintf("of %d inputs, %s", r.Mapping.K, note)
		}
		g.Facts = append(g.Facts, fact{"LUTs", count(r.LUTs.Total), note})
	}
	levels := fact{"Levels", count(r.Levels.Total), "cells on the longest path"}
	if r.Pipeline != nil && r.Pipeline.Stages > 0 {
		levels.Note += fmt.Sprintf(" between registers, in %d stages", r.Pipeline.Stages)
	}
	return group{g.Title, g.Note, append(g.Facts, levels)}
}

// wholeDesign is what came of a synthesis.
func (p *Page) wholeDesign(s *Synthesis) group {
	r := &s.Report
	g := group{Title: "The whole design on " + r.Target, Note: p.designText(s)}
	g.Facts = append(g.Facts, fact{"LUTs", count(r.LUTs), "as yosys maps them"}, fact{"Flip-flops", count(r.FFs), ""})
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

// speed is the clock of a routed design and what it comes to, or the delay of one without a clock.
func (p *Page) speed(r *synth.Report) []fact {
	slowest := r.Slowest
	switch {
	case slowest.NS == 0:
		return nil
	case slowest.MHz == 0:
		return []fact{{"Delay", fmt.Sprintf("%.2f ns", slowest.NS), fmt.Sprintf("from %s, after routing", slowest.Kind)}}
	}
	note := "not met"
	if r.Met {
		note = "met"
	}
	facts := []fact{{
		"Clock", megahertz(slowest.MHz),
		fmt.Sprintf("after routing, by the path from %s; aimed at %s, %s", slowest.Kind, megahertz(r.MHz), note),
	}}
	if cycles, _ := p.Output.Report.Rate(); cycles > 0 {
		facts = append(facts, fact{
			"Samples a second", count(int(slowest.MHz * 1e6 / cycles)),
			fmt.Sprintf("at that clock, one in %s", average(cycles)),
		})
	}
	return facts
}

// average returns a number of clocks that halves may have.
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

// designText says what the whole design of a synthesis is.
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
	return fmt.Sprintf("Module %s: %s, %s.", s.Report.Module, what, state)
}

// uses returns what the design takes of the device: as it was placed, else as yosys counts it where
// the device has a known number of it.
func (s *Synthesis) uses() (all []placement.Use) {
	r := &s.Report
	if p := r.Best(); p != nil && p.Result != nil {
		return p.Cells
	}
	for _, u := range []placement.Use{
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

// logic returns how much of the device's logic the design takes: of the kind of cell of which there
// are as many as LUTs. Nothing is available where that is not known.
func (s *Synthesis) logic() (use placement.Use) {
	for _, u := range s.uses() {
		if u.Available == s.Report.Device.LUTs && (use.Available == 0 || u.Used > use.Used) {
			use = u
		}
	}
	return use
}

// share returns a table of what the design takes of the device.
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
