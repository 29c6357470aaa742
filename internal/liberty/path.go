package liberty

import (
	"fmt"
	"slices"
)

// Netlist is a netlist of cells of a library. Nets are numbered from 0.
type Netlist struct {
	Nets    int
	Inputs  []int // nets of the input ports
	Outputs []int // nets of the output ports
	Cells   []Instance
	Ones    map[int][]string // by number of the cell: pins that are constantly 1
}

// Instance is a cell of a netlist.
type Instance struct {
	Name, Cell string
	Net        map[string]int // net of each connected pin; pins with constants are not in the map
}

// Path is a path of a netlist. It begins at an input port or at the clock of a register, and ends at an output port or
// at an input of a register.
type Path struct {
	FromRegister, ToRegister bool

	NS    float64 // the time that the path takes; at a register, this includes the setup time
	Steps []Step
}

// Step is a cell on a path.
type Step struct {
	Instance int
	Net      int     // the net that the cell drives
	NS       float64 // time from the start of the path to the output of the cell
}

// LongestPaths returns the longest path of each kind: from inputs or registers, to outputs or registers. Kinds
// without a path are left out.
//
// The delays are those in the tables of the library, for the load of the pins that a net drives and for the transition
// times that result. They leave out all wires and the distribution of the clock. Input ports and the clock switch at
// once. It returns an error if the library has no delays for a cell, or if the cells form a loop.
func (l *Library) LongestPaths(n *Netlist) ([]Path, error) {
	a, err := l.analyse(n)
	if err != nil {
		return nil, err
	}
	return a.ends(), nil
}

// analyse computes the load and the arrivals of all nets. It returns the errors of LongestPaths.
func (l *Library) analyse(n *Netlist) (*analysis, error) {
	a := &analysis{
		l: l, n: n, driver: make([]driver, n.Nets), load: make([]float64, n.Nets),
		at: make([]arrivals, n.Nets), state: make([]uint8, n.Nets),
	}
	if err := a.connect(); err != nil {
		return nil, err
	}
	for v := range n.Nets {
		if err := a.visit(v); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// analysis finds the longest paths of a netlist.
type analysis struct {
	l      *Library
	n      *Netlist
	driver []driver  // by net
	load   []float64 // by net
	at     []arrivals
	state  []uint8 // by net: one of the values below
}

const (
	unvisited = iota
	entered
	finished
)

// driver is the pin that drives a net. Its pin is nil if the net is an input port or has no driver.
type driver struct {
	instance int
	pin      *Pin
}

// These are the places where a path begins.
const (
	atInput = iota
	atRegister
	starts
)

// arrivals holds the latest arrival at a net, by start and edge.
type arrivals [starts][edges]arrival

// arrival is the end of the longest path to a net.
type arrival struct {
	known bool
	time  float64
	slew  float64
	from  int // the net before, or -1
	edge  int // the edge at the net before
}

// connect finds the drivers and the loads of all nets.
func (a *analysis) connect() error {
	for i, c := range a.n.Cells {
		cell := a.l.cells[c.Cell]
		if cell == nil {
			return fmt.Errorf("%.60q is not a cell of the library %s", c.Cell, a.l.Name)
		}
		for _, p := range cell.Pins {
			v, ok := c.Net[p.Name]
			switch {
			case !ok:
			case p.Output:
				a.driver[v] = driver{i, p}
				if !p.timed() {
					return fmt.Errorf("the library %s has no delays of the cell %s", a.l.Name, cell.Name)
				}
			default:
				a.load[v] += p.load
			}
		}
	}
	for _, v := range a.n.Inputs {
		a.state[v] = finished
		a.at[v][atInput] = [edges]arrival{{known: true, from: -1}, {known: true, from: -1}}
	}
	return nil
}

// timed reports whether the library has delays of an output.
func (p *Pin) timed() bool {
	return len(p.Function.Pins()) == 0 || slices.ContainsFunc(p.arcs, func(a *arc) bool {
		return (a.kind == combinational || a.kind == clocked) && (a.delay[rising] != nil || a.delay[falling] != nil)
	})
}

// visit computes the arrivals at a net. It uses a stack of nets instead of recursion, because paths may be long.
func (a *analysis) visit(net int) error {
	stack := []int{net}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if a.state[v] == finished || a.driver[v].pin == nil {
			a.state[v] = finished
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		for _, w := range a.before(v) {
			switch a.state[w] {
			case entered: // w is below v on the stack
				return fmt.Errorf("the cells form a loop at %s", a.n.Cells[a.driver[v].instance].Name)
			case unvisited:
				stack = append(stack, w)
			}
		}
		if a.state[v] = entered; len(stack) > before {
			continue
		}
		a.compute(v)
		a.state[v] = finished
		stack = stack[:len(stack)-1]
	}
	return nil
}

// before returns the nets from which combinational arcs lead to a net.
func (a *analysis) before(v int) (nets []int) {
	d := a.driver[v]
	for _, arc := range d.pin.arcs {
		if arc.kind != combinational {
			continue
		}
		for _, name := range arc.from {
			if w, ok := a.n.Cells[d.instance].Net[name]; ok {
				nets = append(nets, w)
			}
		}
	}
	return nets
}

// compute computes the arrivals at a net from the arrivals at the nets before.
func (a *analysis) compute(v int) {
	d := a.driver[v]
	for _, arc := range d.pin.arcs {
		switch arc.kind {
		case clocked:
			for out := range edges {
				a.at[v][atRegister][out].take(arc, out, point{load: a.load[v]}, 0, -1, 0, a.l.unit)
			}
		case combinational:
			for _, name := range arc.from {
				if w, ok := a.n.Cells[d.instance].Net[name]; ok {
					a.through(v, w, arc)
				}
			}
		}
	}
}

// through adds the arrivals at net v that come through an arc from net w.
func (a *analysis) through(v, w int, arc *arc) {
	for start := range starts {
		for in := range edges {
			from := a.at[w][start][in]
			if !from.known {
				continue
			}
			for out := range edges {
				if arc.sense == sameEdge && in != out || arc.sense == otherEdge && in == out {
					continue
				}
				a.at[v][start][out].take(arc, out, point{slew: from.slew, load: a.load[v]}, from.time, w, in, a.l.unit)
			}
		}
	}
}

// take replaces an arrival if the arrival through an arc is later. The transition time is the longest of all arcs.
func (t *arrival) take(a *arc, out int, p point, begin float64, from, edge int, unit float64) {
	if a.delay[out] == nil {
		return
	}
	if time := begin + unit*a.delay[out].at(p); !t.known || time > t.time {
		t.time, t.from, t.edge = time, from, edge
	}
	slewed := 0.0
	if a.transition[out] != nil {
		slewed = a.transition[out].at(p)
	}
	if !t.known || slewed > t.slew {
		t.slew = slewed
	}
	t.known = true
}

// end is the end of a path.
type end struct {
	net, start, edge int
	ns               float64
}

// ends returns the longest path of each kind.
func (a *analysis) ends() (paths []Path) {
	var longest [starts][2]*end // by start, and by whether the path ends at a register
	add := func(v, to int, setup func(edge int, slew float64) float64) {
		for start := range starts {
			for edge := range edges {
				t := a.at[v][start][edge]
				if !t.known {
					continue
				}
				ns := t.time + a.l.unit*setup(edge, t.slew)
				if at := &longest[start][to]; *at == nil || ns > (*at).ns {
					*at = &end{v, start, edge, ns}
				}
			}
		}
	}
	for _, v := range a.n.Outputs {
		add(v, atInput, func(int, float64) float64 { return 0 })
	}
	for _, c := range a.n.Cells {
		cell := a.l.cells[c.Cell]
		if cell.register == nil {
			continue
		}
		for _, p := range cell.Pins {
			if v, ok := c.Net[p.Name]; ok && !p.Output && slices.Contains(cell.register.next.Pins(), p.Name) {
				add(v, atRegister, p.setup)
			}
		}
	}
	for start := range starts {
		for to := range starts {
			if e := longest[start][to]; e != nil {
				paths = append(paths, a.path(*e, to == atRegister))
			}
		}
	}
	return paths
}

// setup returns the time before the clock at which an input must be stable.
func (p *Pin) setup(edge int, in float64) (time float64) {
	for _, a := range p.arcs {
		if a.kind == setup && a.stable[edge] != nil {
			time = max(time, a.stable[edge].at(point{slew: in}))
		}
	}
	return time
}

// path follows a path from its end to its start.
func (a *analysis) path(e end, toRegister bool) Path {
	p := Path{FromRegister: e.start == atRegister, ToRegister: toRegister, NS: e.ns}
	for v, edge := e.net, e.edge; v >= 0; {
		t := a.at[v][e.start][edge]
		if d := a.driver[v]; d.pin != nil {
			p.Steps = append(p.Steps, Step{d.instance, v, t.time})
		}
		v, edge = t.from, t.edge
	}
	slices.Reverse(p.Steps)
	return p
}

// Timed reports whether the library has delays of some cell that designs can use.
func (l *Library) Timed() bool {
	return slices.ContainsFunc(l.usable(), func(c *Cell) bool {
		return slices.ContainsFunc(c.Pins, func(p *Pin) bool { return p.Output && len(p.arcs) > 0 && p.timed() })
	})
}
