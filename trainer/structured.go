package trainer

import (
	"slices"

	"ialgn/internal/draw"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// drawStructured draws the wires of layers whose nodes read all sources equally often, spread over the layer, and
// combine different ones: no node reads a source or, of inputs, a feature twice, and no two nodes the same pair, as
// long as there are pairs (docs/CONFIG.md).
func drawStructured(m *model.Model, layers []topology.Layer) {
	for i := range layers {
		last := &layers[i].Pins[len(layers[i].Pins)-1]
		switch last.Wires {
		case topology.Structured:
			drawGrid(m, i, 0, 1)
		case topology.StructuredClass:
			for group := range len(m.Classes) {
				drawGrid(m, i, group, len(m.Classes))
			}
		default:
		}
	}
}

// drawGrid draws the wires of a group of nodes of a section from the group's part of the sources.
func drawGrid(m *model.Model, section, group, groups int) {
	s := &m.Sections[section]
	nodes, n := s.Width/groups, m.Limit(section, len(s.Pins)-1)/groups // of the whole network
	if m.Part != nil {
		nodes = m.Config.Model.Width / groups
	}
	rows := 1
	if s.Pins[1].Source == model.Input {
		rows = m.Encoder.Bits - 1
	}
	g := newGrid(draw.New(m.Config.Train.Seed, draw.BalancedWires, section, group), rows, n/rows)
	if s.Pins[0].Source == model.Spine {
		for _, e := range g.beside() {
			s.Pins[1].Wires.Set(group*nodes+e[0], uint32(group*n+e[1]))
		}
		return
	}
	pairs := g.pairs(nodes)
	own := s.Width / groups // of the nodes, as many as this part has
	for node := group * own; node < (group+1)*own; node++ {
		for k, source := range pairs[number(m.Part, node)-group*nodes] {
			s.Pins[k].Wires.Set(node, uint32(group*n+source))
		}
	}
}

// grid is all sources of a layer in rows and columns. Of inputs a column is a feature, and the rows are its thresholds
// in an order of its own; nodes before stand in a single row.
type grid struct {
	rows, columns int
	names         []int32 // the source at column + columns*row
	shifts        []int32 // drawn, from 1 up to columns/2, without the half itself: the larger half of them first
}

func newGrid(stream *draw.Stream, rows, columns int) *grid {
	g := &grid{rows: rows, columns: columns, names: make([]int32, rows*columns)}
	features, thresholds := make([]int32, columns), make([]int32, rows)
	stream.Permutation(features)
	for column, f := range features {
		stream.Permutation(thresholds)
		for row, t := range thresholds {
			g.names[row*columns+column] = f*int32(rows) + t
		}
	}
	all := (columns - 1) / 2
	g.shifts = make([]int32, max(1, all))
	stream.Permutation(g.shifts[:len(g.shifts)-all/2])
	stream.Permutation(g.shifts[len(g.shifts)-all/2:])
	for i := range g.shifts {
		if g.shifts[i]++; i < len(g.shifts)-all/2 {
			g.shifts[i] += int32(all / 2)
		}
	}
	return g
}

// pairs returns the two sources of each of so many nodes. As many nodes as there are columns are a block, which uses up
// two rows: pin A the one from its first column on, pin B the other from a column that is shifted, by another shift in
// each block. The nodes that are left at the end use up the columns of two rows one after the other, pin A before pin
// B; so it is as if all of that block were shifted by their number, and that shift is none of the others.
func (g *grid) pairs(nodes int) [][2]int {
	whole, left := nodes/g.columns, nodes%g.columns
	shifts := slices.DeleteFunc(slices.Clone(g.shifts), func(s int32) bool { return int(s) == min(left, g.columns-left) })
	if len(shifts) == 0 {
		shifts = g.shifts
	}
	all := make([][2]int, nodes)
	for i := range all {
		block, column := i/g.columns, i%g.columns
		b := left + column
		if block < whole {
			b = g.columns + (column+int(shifts[block%len(shifts)]))%g.columns
		}
		all[i] = [2]int{g.source(2*block, column), g.source(2*block, b)}
	}
	return all
}

// source returns the source so many columns behind the first of a row, which may be in a row after it. Behind the last
// row comes the first one.
func (g *grid) source(row, column int) int {
	row += column / g.columns
	return int(g.names[row%g.rows*g.columns+column%g.columns])
}

// beside returns each of the nodes before with another one: that which the node reads whose spine the first is.
func (g *grid) beside() [][2]int {
	all := make([][2]int, g.columns)
	for i := range all {
		all[i] = [2]int{g.source(0, i), g.source(0, (i+int(g.shifts[0]))%g.columns)}
	}
	return all
}
