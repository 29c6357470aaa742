package main

import (
	"regexp"
	"strconv"
	"strings"

	"ialgn/internal/names"
	"ialgn/netlist"
)

// region says what a cell belongs to.
type region uint8

const (
	elsewhere region = iota
	encoder          // comparators
	gate
	counter // the popcounts, from the bits of a class to its count
	argmax
	register
)

var (
	gateName    = regexp.MustCompile(`^c\d+_k\d+_l\d+`)
	encoderName = regexp.MustCompile(`^x\d+_(gt|e)\d+`)
	countName   = regexp.MustCompile(`^count_(\d+)`)
)

// locate names all nets, and says of each cell what it belongs to and of each net for which
// class it counts, by the names that the Verilog has.
func (d *design) locate() {
	n := d.out.Netlist
	names := names.New(n)
	d.names = make([]string, n.Nets())
	for v := netlist.Net(2); int(v) < n.Nets(); v++ {
		d.names[v] = string(names.AppendNet(nil, v))
	}
	d.stage = n.Stages()
	d.where = make([]region, n.Cells())
	for c := range netlist.Cell(n.Cells()) {
		d.where[c] = regionOf(n.Kind(c), d.names[n.Output(c)])
	}
	d.findClasses()
}

func regionOf(k netlist.Kind, name string) region {
	switch {
	case k == netlist.Register:
		return register
	case k == netlist.Compare || encoderName.MatchString(name):
		return encoder
	case gateName.MatchString(name):
		return gate
	case countName.MatchString(name):
		return counter
	case strings.HasPrefix(name, "class_index"):
		return argmax
	}
	return elsewhere
}

// findClasses finds the nets that are read by the counters of one class alone.
func (d *design) findClasses() {
	n := d.out.Netlist
	d.class = make([]int, n.Nets())
	for v := range d.class {
		d.class[v] = -2 // read by nothing yet
	}
	note := func(v netlist.Net, class int) {
		if d.class[v] == -2 {
			d.class[v] = class
		} else if d.class[v] != class {
			d.class[v] = -1
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		class := -1
		if m := countName.FindStringSubmatch(d.names[n.Output(c)]); m != nil && d.where[c] == counter {
			class, _ = strconv.Atoi(m[1])
		}
		for _, v := range n.Inputs(c) {
			note(v, class)
		}
	}
	if p := n.OutputPorts()[0]; p.Name == "h" {
		for i, v := range p.Nets {
			note(v, int(n.ChainClasses()[i]))
		}
	}
	for c := range netlist.Cell(n.Cells()) { // a digit on its way is no bit of a chain
		if d.where[c] == counter {
			for k := range n.Outputs(c) {
				d.class[n.Output(c)+netlist.Net(k)] = -1
			}
		}
	}
}

// cellsOf returns the cells of a region that f wants.
func (d *design) cellsOf(r region, f func(netlist.Cell) bool) []netlist.Cell {
	var cells []netlist.Cell
	for c := range netlist.Cell(d.out.Netlist.Cells()) {
		if d.where[c] == r && f(c) {
			cells = append(cells, c)
		}
	}
	return cells
}

func (d *design) kind(k netlist.Kind) func(netlist.Cell) bool {
	return func(c netlist.Cell) bool { return d.out.Netlist.Kind(c) == k }
}

// mapped reports whether the netlist was lowered to LUTs.
func (d *design) mapped() bool {
	return strings.Contains(d.recipe.options, "--lut") || strings.Contains(d.recipe.options, "--target")
}
