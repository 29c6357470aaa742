package main

import (
	"cmp"
	"fmt"
	"slices"

	"ialgn/internal/folded"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/target"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// setting is the value of one axis. An axis is an option of the compile command, or the topology.
type setting struct{ axis, value string }

// These are the names of the axes.
const (
	axisTopology  = "topology"
	axisScope     = "--scope"
	axisLevel     = "-O"
	axisCounts    = "--counts"
	axisTarget    = "--target"
	axisLUT       = "--lut"
	axisObjective = "--objective"
	axisDepth     = "--max-depth"
	axisAssume    = "--assume-thermometer"
	axisPipeline  = "--pipeline"
	axisStyle     = "--style"
	axisWrap      = "--wrap"
	axisFold      = "--fold"
	axisBoard     = "--board"
	axisTag       = "--tag"
	axisReject    = "--reject" // its values do not include the margin
)

// none represents an option that is not set.
const none = "none"

// settings returns the value of each option. If the network is not lowered, it omits the options about hardware.
func (o options) settings() []setting {
	s := []setting{
		{axisScope, o.scope.String()},
		{axisLevel, fmt.Sprint(o.level)},
		{axisCounts, yesNo(o.counts)},
		{axisWrap, cmp.Or(o.wrap, none)},
		{axisFold, orNone(o.fold)},
		{axisBoard, cmp.Or(o.board, none)},
		{axisTag, orNone(o.tag)},
		{axisReject, yesNo(o.margin > 0)},
	}
	if o.target == "" {
		return append(s, setting{axisTarget, none})
	}
	return append(
		s,
		setting{axisTarget, o.target}, setting{axisLUT, fmt.Sprint(o.k)}, setting{axisObjective, fmt.Sprint(o.objective)},
		setting{axisDepth, depthValue(o.tight)}, setting{axisAssume, yesNo(o.assume)},
		setting{axisPipeline, o.pipelineValue()}, setting{axisStyle, styles[o.style]},
	)
}

// yesNo formats an option without a value.
func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// orNone formats a number as a value. The number 0 means that the option is not set.
func orNone(number int) string {
	if number == 0 {
		return none
	}
	return fmt.Sprint(number)
}

// depthValue formats the bound of the depth as a value.
func depthValue(tight int) string {
	if tight == 0 {
		return none
	}
	return fmt.Sprintf("(the fewest + %d)", tight-1)
}

func (o options) pipelineValue() string {
	switch {
	case o.pipeline.Auto:
		return fmt.Sprintf("auto --max-levels %d", o.pipeline.MaxLevels)
	case o.pipeline.Stages > 0:
		return fmt.Sprint(o.pipeline.Stages)
	}
	return none
}

// allSettings returns all values of all axes that can occur in cases with these topologies.
func allSettings(topologies []string) []setting {
	var all []setting
	add := func(axis string, values ...any) {
		for _, v := range values {
			all = append(all, setting{axis, fmt.Sprint(v)})
		}
	}
	names := func(axis string, values ...string) {
		for _, v := range values {
			add(axis, v)
		}
	}
	names(axisTopology, topologies...)
	add(axisScope, netlist.Gates, netlist.Core, netlist.Full)
	add(axisLevel, 0, 1, 2)
	add(axisCounts, "no", "yes")
	names(axisWrap, append([]string{none}, wrapper.Kinds()...)...)
	add(axisFold, none)
	if slices.ContainsFunc(topologies, func(name string) bool { return slices.Contains(chains, name) }) {
		for _, lanes := range folded.Lanes() {
			add(axisFold, lanes)
		}
	}
	names(axisBoard, append([]string{none}, wrapper.Boards()...)...)
	for _, bits := range tags {
		add(axisTag, orNone(bits))
	}
	add(axisReject, "no", "yes")
	names(axisTarget, append([]string{none}, target.Names()...)...)
	add(axisLUT, 2, 3, 4, 5, 6)
	add(axisObjective, lut.Area, lut.Depth, lut.Balanced)
	for tight := range mostTight + 1 {
		add(axisDepth, depthValue(tight))
	}
	add(axisAssume, "no", "yes")
	add(axisPipeline, none)
	for levels := range mostLevels + 1 {
		add(axisPipeline, fmt.Sprintf("auto --max-levels %d", levels))
	}
	for stages := range mostStages {
		add(axisPipeline, stages+1)
	}
	names(axisStyle, styles...)
	return all
}

// String returns the axis and the value.
func (s setting) String() string { return s.axis + " " + s.value }

// pair is a pair of settings, in the order of their axes.
type pair [2]setting

// String returns both settings.
func (p pair) String() string { return p[0].String() + " with " + p[1].String() }

// allPairs returns every pair of values that can occur in one case with these topologies.
func allPairs(topologies []string) []pair {
	var pairs []pair
	all := allSettings(topologies)
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.axis != b.axis && !exclude(a, b) && !exclude(b, a) {
				pairs = append(pairs, pair{a, b})
			}
		}
	}
	return pairs
}

// exclude reports whether setting a makes setting b impossible or meaningless. The compile command refuses
// impossible combinations.
func exclude(a, b setting) bool {
	switch {
	case a == setting{axisScope, netlist.Full.String()} && b.axis == axisAssume:
		return b.value == "yes"
	case a == setting{axisScope, netlist.Gates.String()} && (b.axis == axisCounts || b.axis == axisReject):
		return b.value == "yes"
	case a.axis == axisTag && a.value != none:
		return excludeTag(b)
	case a.axis == axisFold && a.value != none:
		return excludeFold(b)
	case a.axis == axisBoard && a.value != none:
		return b.axis == axisWrap && !wrapper.Boarded(b.value)
	case a.axis != axisTarget:
		return false
	case a.value == none:
		return slices.Contains([]string{axisLUT, axisObjective, axisDepth, axisAssume, axisPipeline, axisStyle}, b.axis)
	case b.axis == axisLUT:
		return b.value > fmt.Sprint(options{target: a.value}.family().LUT.Most)
	}
	return false
}

// excludeTag reports whether a setting makes a tag impossible.
func excludeTag(b setting) bool {
	switch b.axis {
	case axisFold, axisBoard:
		return b.value != none
	case axisWrap:
		return b.value != none && !wrapper.Is(b.value, wrapper.TakesTags)
	}
	return false
}

// excludeFold reports whether a setting makes a folded engine impossible (see foldable).
func excludeFold(b setting) bool {
	switch b.axis {
	case axisTopology:
		return !slices.Contains(chains, b.value)
	case axisScope:
		return b.value != netlist.Full.String()
	case axisCounts, axisAssume, axisReject:
		return b.value == "yes"
	}
	return false
}

// pairs returns all pairs of settings in a case.
func (c fuzzCase) pairs() []pair {
	all := c.settings()
	var pairs []pair
	for i, a := range all {
		for _, b := range all[i+1:] {
			pairs = append(pairs, pair{a, b})
		}
	}
	return pairs
}

// settings returns the values of all axes in a case.
func (c fuzzCase) settings() []setting {
	return append([]setting{{axisTopology, c.topology}}, c.options.settings()...)
}
