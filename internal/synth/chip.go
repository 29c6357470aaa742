package synth

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"ialgn/internal/flow"
	"ialgn/internal/liberty"
	"ialgn/internal/message"
)

// Chip has the figures of a design of standard cells.
type Chip struct {
	Library string `json:"library"`         // name of the library in the Liberty file
	File    string `json:"library_file"`    // name of the Liberty file
	SHA256  string `json:"library_sha256"`  // of the Liberty file
	NAND2   string `json:"nand2,omitempty"` // the NAND gate that Equivalents counts

	Area float64 `json:"area_um2"` // sum of the areas of the cells, without wires and without space between cells
	// Equivalents is the area divided by the area of the smallest NAND gate of two inputs. It is 0 if the library has no
	// such gate.
	Equivalents float64     `json:"nand2_equivalents,omitempty"`
	Cells       []ChipCells `json:"cells"` // by kind, the kind with the largest area first

	Untimed string     `json:"no_delays,omitempty"` // why Paths is empty
	Paths   []ChipPath `json:"paths,omitempty"`     // the longest path of each kind
}

// ChipCells are the cells of one kind.
type ChipCells struct {
	Cell  string  `json:"cell"`
	Count int     `json:"count"`
	Area  float64 `json:"area_um2"` // of all cells of the kind together
}

// ChipPath is a path through cells. Its delay leaves out the wires and the distribution of the clock.
type ChipPath struct {
	Kind  flow.PathKind `json:"kind"`
	NS    float64       `json:"ns"`
	Cells []ChipStep    `json:"cells"`
}

// ChipStep is a cell on a path.
type ChipStep struct {
	Cell     string  `json:"cell"`
	Instance string  `json:"instance"`
	NS       float64 `json:"ns"` // from the start of the path to the output of the cell
}

// readLiberty reads a Liberty file.
func readLiberty(path string) (*flow.Liberty, error) {
	l, text, err := liberty.Read(path)
	if err != nil {
		return nil, message.Optionf("{Liberty}: %w", err)
	}
	if !l.Timed() {
		return nil, message.Optionf("{Liberty}: %s: no cell has a table of delays, which abc needs", path)
	}
	return &flow.Liberty{Text: text, Library: l}, nil
}

// checkLiberty returns an error if a design for standard cells has no Liberty file, or another design has one.
func (o Options) checkLiberty() error {
	switch cells := o.Device.Of().Cells; {
	case cells && o.Liberty == "":
		return message.WithHint(message.Optionf("{Target} %s: the library of cells is missing", o.Device.Name),
			"give the Liberty file of the process with {Liberty FILE.lib}")
	case !cells && o.Liberty != "":
		return message.WithHint(message.Optionf("{Liberty}: the target %s has no standard cells", o.Device.Name),
			"omit it, or use {Target asic}")
	}
	return nil
}

// measure sets the figures of a design of standard cells.
func (r *Report) measure(y *flow.YosysResult, l *flow.Liberty, path string) error {
	c := &Chip{Library: l.Library.Name, File: filepath.Base(path), SHA256: l.Library.SHA256}
	r.Chip = c
	for _, kind := range slices.Sorted(maps.Keys(y.Cells)) {
		cell, n := l.Library.Cell(kind), y.Cells[kind]
		if cell == nil {
			return message.WithHint(fmt.Errorf("%s: the library %s has no cell for %s of yosys", r.Module, c.Library, kind),
				"use a library with a flip-flop, an inverter and NAND or NOR gates")
		}
		if cell.IsRegister() {
			r.FFs += n
		}
		c.Area += float64(n) * cell.Area
		c.Cells = append(c.Cells, ChipCells{kind, n, float64(n) * cell.Area})
	}
	slices.SortStableFunc(c.Cells, func(a, b ChipCells) int { return cmp.Compare(b.Area, a.Area) })
	if nand := l.Library.NAND2(); nand != nil && nand.Area > 0 {
		c.NAND2, c.Equivalents = nand.Name, c.Area/nand.Area
	}
	m, err := readModule(y.JSON, r.Module)
	if err != nil {
		return err
	}
	r.Pins = m.pins()
	if c.Paths, err = m.paths(l.Library); err != nil {
		c.Untimed = err.Error()
		return nil
	}
	r.judgePaths()
	return nil
}

// judgePaths sets the slowest path of a design of standard cells, and whether it reaches the clock.
func (r *Report) judgePaths() {
	paths := flow.Result{}
	for _, p := range r.Chip.Paths {
		paths.Paths = append(paths.Paths, flow.Path{Kind: p.Kind, NS: p.NS})
		if p.Kind == flow.RegisterToRegister && p.NS > 0 {
			paths.Fmax = 1000 / p.NS
			r.Fmax = paths.Fmax
		}
	}
	r.Slowest = paths.Slowest()
	r.Met = r.Slowest.MHz > 0 && r.Slowest.MHz >= r.MHz
}

// Cells is a netlist of standard cells.
type Cells struct {
	liberty.Netlist
	// Ports has the net of each bit of a port, the lowest bit first. A negative number is a constant, which is 1 for
	// [ConstantOne] and 0 for other numbers.
	Ports map[string][]int
}

// ReadCells reads the netlist of cells in the folder of a report.
func ReadCells(dir string, r *Report) (*Cells, error) {
	m, err := readModule(filepath.Join(dir, flow.NetlistJSON), r.Module)
	if err != nil {
		return nil, err
	}
	return m.cells(), nil
}

// cells returns the cells of a module.
func (m *module) cells() *Cells {
	n := &Cells{Netlist: liberty.Netlist{Ones: map[int][]string{}}, Ports: map[string][]int{}}
	number := map[wire]int{}
	net := func(w wire) int {
		if w < 0 {
			return int(w)
		}
		v, ok := number[w]
		if !ok {
			v = n.Nets
			number[w] = v
			n.Nets++
		}
		return v
	}
	for _, name := range slices.Sorted(maps.Keys(m.Ports)) {
		p := m.Ports[name]
		for _, w := range p.Bits {
			v := net(w)
			n.Ports[name] = append(n.Ports[name], v)
			switch {
			case v < 0:
			case p.Direction == "input":
				n.Inputs = append(n.Inputs, v)
			default:
				n.Outputs = append(n.Outputs, v)
			}
		}
	}
	for i, name := range slices.Sorted(maps.Keys(m.Cells)) {
		c := m.Cells[name]
		instance := liberty.Instance{Name: name, Cell: c.Type, Net: map[string]int{}}
		for _, pin := range slices.Sorted(maps.Keys(c.Connections)) {
			if v := net(c.pin(pin)); v >= 0 {
				instance.Net[pin] = v
			} else if v == ConstantOne {
				n.Ones[i] = append(n.Ones[i], pin)
			}
		}
		n.Cells = append(n.Cells, instance)
	}
	return n
}

// paths returns the longest path of each kind through the cells of a module.
func (m *module) paths(l *liberty.Library) ([]ChipPath, error) {
	n := &m.cells().Netlist
	found, err := l.LongestPaths(n)
	if err != nil {
		return nil, err
	}
	var paths []ChipPath
	for _, p := range found {
		path := ChipPath{Kind: flow.KindOf(p.FromRegister, p.ToRegister), NS: p.NS}
		for _, s := range p.Steps {
			c := n.Cells[s.Instance]
			path.Cells = append(path.Cells, ChipStep{c.Cell, c.Name, s.NS})
		}
		paths = append(paths, path)
	}
	return paths, nil
}
