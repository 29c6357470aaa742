package liberty

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// arc says how long a signal takes from some pins to a pin of the same cell, or how long a signal must be stable.
type arc struct {
	from  []string // related pins
	kind  arcKind
	sense sense
	// delay and transition are the delay and the transition time of the output, by the edge of the output. stable is
	// the time before the clock at which an input must be stable, by the edge of the input. Tables that the file does
	// not have are nil.
	delay, transition, stable [edges]*table
}

// These are the edges of a signal.
const (
	rising = iota
	falling
	edges
)

type arcKind uint8

const (
	otherArc arcKind = iota // for example a hold time
	combinational
	clocked // from the clock of a register to its output
	setup   // of a register's input before the clock
)

// arcKinds are the kinds of arcs that matter, by timing_type.
var arcKinds = map[string]arcKind{
	"": combinational, "combinational": combinational, "combinational_rise": combinational,
	"combinational_fall": combinational,
	"rising_edge":        clocked, "falling_edge": clocked, "setup_rising": setup, "setup_falling": setup,
}

// sense says which edges of the input cause an edge of the output.
type sense uint8

const (
	anyEdge sense = iota
	sameEdge
	otherEdge
)

var senses = map[string]sense{"positive_unate": sameEdge, "negative_unate": otherEdge}

// arc reads a timing group.
func (l *Library) arc(g *group) (*arc, error) {
	a := &arc{
		from: strings.Fields(g.text("related_pin")), kind: arcKinds[g.text("timing_type")],
		sense: senses[g.text("timing_sense")],
	}
	if a.kind == otherArc {
		return a, nil
	}
	for _, t := range g.groups {
		var to **table
		switch t.kind {
		case "cell_rise":
			to = &a.delay[rising]
		case "cell_fall":
			to = &a.delay[falling]
		case "rise_transition":
			to = &a.transition[rising]
		case "fall_transition":
			to = &a.transition[falling]
		case "rise_constraint":
			to = &a.stable[rising]
		case "fall_constraint":
			to = &a.stable[falling]
		default:
			continue
		}
		var err error
		if *to, err = l.table(t); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// table holds numbers for combinations of up to two variables. A table of one number has no variables.
type table struct {
	axes   []axis
	values []float64 // the last axis varies fastest
}

// axis holds the values of a variable, in ascending order.
type axis struct {
	variable variable
	at       []float64
}

// variable is a quantity on which delays depend.
type variable uint8

const (
	slew      variable = iota // transition time of the input
	load                      // capacitance at the output
	clockSlew                 // transition time of the clock
	variables
)

// variableNames are the variables of Liberty that are known.
var variableNames = map[string]variable{
	"input_net_transition": slew, "input_transition_time": slew, "constrained_pin_transition": slew,
	"total_output_net_capacitance": load, "related_pin_transition": clockSlew,
}

// point has a value of each variable.
type point [variables]float64

// table reads a table. It returns nil for a table of variables that are not known.
func (l *Library) table(g *group) (*table, error) {
	t := &table{}
	template := l.templates[g.name()]
	size := 1
	for i := 1; template != nil && template.find("variable_"+strconv.Itoa(i)) != nil; i++ {
		n := strconv.Itoa(i)
		v, ok := variableNames[template.text("variable_"+n)]
		if !ok || i > 2 {
			return nil, nil
		}
		index := g.find("index_" + n)
		if index == nil {
			index = template.find("index_" + n)
		}
		if index == nil {
			return nil, errorAt(g.line, "the table has no index_%s", n)
		}
		at, err := index.numbers()
		if err != nil {
			return nil, err
		}
		for j := range at {
			if j > 0 && at[j] <= at[j-1] {
				return nil, errorAt(index.line, "%s: want ascending numbers", index.name)
			}
		}
		t.axes = append(t.axes, axis{v, at})
		size *= len(at)
	}
	if template == nil && g.name() != "scalar" && g.name() != "" {
		return nil, errorAt(g.line, "there is no lu_table_template %.60q", g.name())
	}
	values := g.find("values")
	if values == nil {
		return nil, errorAt(g.line, "the table has no values")
	}
	var err error
	if t.values, err = values.numbers(); err != nil {
		return nil, err
	}
	if len(t.values) != size || size == 0 {
		return nil, errorAt(values.line, "%d values, the indices have room for %d", len(t.values), size)
	}
	return t, nil
}

// numbers returns the numbers in the values of an attribute, separated by commas and blanks.
func (a *attribute) numbers() (list []float64, err error) {
	for _, text := range a.values {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r <= ' ' || r == '\\' }) {
			n, err := strconv.ParseFloat(word, 64)
			if err != nil || math.IsNaN(n) || math.Abs(n) > 1e30 {
				return nil, errorAt(a.line, "%s: %.40q is not a number", a.name, word)
			}
			list = append(list, n)
		}
	}
	return list, nil
}

// at returns the value of a table at a point. Between the numbers of the table and beyond them, it is linear.
func (t *table) at(p point) float64 {
	switch len(t.axes) {
	case 0:
		return t.values[0]
	case 1:
		return t.axes[0].interpolate(p, func(i int) float64 { return t.values[i] })
	}
	width := len(t.axes[1].at)
	return t.axes[0].interpolate(p, func(i int) float64 {
		return t.axes[1].interpolate(p, func(j int) float64 { return t.values[i*width+j] })
	})
}

// interpolate returns the value of a function at a point, given the values at the numbers of the axis.
func (a axis) interpolate(p point, value func(i int) float64) float64 {
	if len(a.at) == 1 {
		return value(0)
	}
	x := p[a.variable]
	i, _ := slices.BinarySearch(a.at, x)
	i = min(max(i-1, 0), len(a.at)-2)
	share := (x - a.at[i]) / (a.at[i+1] - a.at[i])
	return (1-share)*value(i) + share*value(i+1)
}
