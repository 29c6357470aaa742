package trainer

import (
	"slices"

	"ialgn/internal/draw"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// drawStructured draws structured wires. A layer with structured wires reads all sources equally often and spreads
// the readers of a source over the layer. No node reads the same source twice, and no node of the first layer reads
// the same feature twice. No two nodes read the same pair of sources as long as there are unused pairs
// (docs/reference/config.md).
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

// drawGrid draws the wires for one group of nodes of a section, from the group's share of the sources.
func drawGrid(m *model.Model, section, group, groups int) {
	s := &m.Sections[section]
	nodes, n := s.Width/groups, m.Limit(section, len(s.Pins)-1)/groups // in the whole network
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
	own := s.Width / groups // nodes of the group in this rank's part
	for node := group * own; node < (group+1)*own; node++ {
		for k, source := range pairs[number(m.Part, node)-group*nodes] {
			s.Pins[k].Wires.Set(node, uint32(group*n+source))
		}
	}
}

// grid arranges all sources of a layer in rows and columns. If the sources are inputs, each column holds one
// feature's thresholds in random order. If the sources are nodes of an earlier layer, there is only one row.
type grid struct {
	rows, columns int
	names         []int32 // names[column + columns*row] is a source
	shifts        []int32 // all shifts from 1 to below columns/2: the larger half comes first, each half in random order
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

// pairs returns the two sources of each node. A block of g.columns consecutive nodes uses two rows. Pin A reads the
// first row in order, and pin B reads the second row shifted by some columns. Successive blocks have different
// shifts. The last block may be incomplete, with n < g.columns nodes. In this block, pin A reads the first n sources
// of the two rows, and pin B reads the next n sources. This is a shift by n, so no other block uses n as its shift.
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

// source returns the source in a given row and column. A column beyond the end of a row continues in the next row.
// After the last row, the first row comes again.
func (g *grid) source(row, column int) int {
	row += column / g.columns
	return int(g.names[row%g.rows*g.columns+column%g.columns])
}

// beside returns a pair (a, b) for each node a of the previous layer. The node that reads a with its spine pin reads
// b with its other pin.
func (g *grid) beside() [][2]int {
	all := make([][2]int, g.columns)
	for i := range all {
		all[i] = [2]int{g.source(0, i), g.source(0, (i+int(g.shifts[0]))%g.columns)}
	}
	return all
}
