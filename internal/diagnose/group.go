package diagnose

import (
	"cmp"
	"slices"
)

// group is a range of the sampled outputs, with all gates to which their credit flows.
type group struct {
	first, last int     // range of indices of the sampled outputs; last is excluded
	stages      []stage // indexed by layer
}

// stage holds the gates of a layer to which credit flows, with one row for each gate. It also holds the edges from
// these gates to their readers in the layer above, grouped by row. Rows are ordered by their number of edges, because
// [kernel.Sparse] requires this order. Rows with the same number of edges are in the order of their first readers, so
// that consecutive rows use data that are close in memory.
type stage struct {
	gates  []int32
	start  []uint32 // start of each row's edges, with rows + 1 elements; nil in the last layer
	reader []uint32 // row of the reader in the stage above
	slope  [][2]float64
	other  []int32 // bit row of the reader's other pin; its bit chooses the slope
	chosen []float64
	looks  []look
}

// look describes a sampled gate that has a row in a stage.
type look struct {
	row, sampled int
	a, b         int   // bit rows of the gate's pins
	pattern      uint8 // bits of the gate's pins in the current sample
}

// edges calls visit for each parent to which gate i of layer l passes credit. visit gets the two slopes, and the bit
// row that chooses between the slopes. Edges whose slopes are both exactly 0 are left out.
func (n *network) edges(l, i int, visit func(parent int, slope [2]float64, other int)) {
	for pin, slope := range n.slopes[l][i] {
		if l == 0 || slope == [2]float64{} {
			continue
		}
		shares := n.layers[l].shares(i, pin)
		n.layers[l].parents(i, pin, func(parent, candidate int) {
			q := shares[candidate]
			if s := [2]float64{q * slope[0], q * slope[1]}; s != [2]float64{} {
				visit(parent, s, n.row(l, i, 1-pin))
			}
		})
	}
}

// split returns the groups of the sampled outputs. If credit stays within classes, there is one group for each class,
// because the walks are then short. Otherwise there is a single group.
func (n *network) split(sampled []int) []*group {
	var groups []*group
	perClass, parts := n.m.Width/len(n.m.Classes), 0
	for first, last := 0, 0; first < len(sampled); first = last {
		for last < len(sampled) && sampled[last]/perClass == sampled[first]/perClass {
			last++
		}
		groups = append(groups, &group{first: first, last: last})
		parts += n.reached(sampled[first:last])
	}
	if parts > 2*n.reached(sampled) {
		groups = []*group{{last: len(sampled)}}
	}
	for _, g := range groups {
		g.build(n, sampled)
	}
	return groups
}

// reached returns the number of gates to which credit from the given outputs flows.
func (n *network) reached(outputs []int) int {
	own, count := make([]bool, n.m.Width), 0
	for _, i := range outputs {
		own[i] = true
	}
	for l := len(n.layers) - 1; l >= 0; l-- {
		below := make([]bool, n.m.Width)
		for i, live := range own {
			if live {
				count++
				n.edges(l, i, func(parent int, _ [2]float64, _ int) { below[parent] = true })
			}
		}
		own = below
	}
	return count
}

// build makes the stages of the group. It walks down from the outputs of the group.
func (g *group) build(n *network, sampled []int) {
	g.stages = make([]stage, len(n.layers))
	gates := []int32(nil)
	for _, i := range sampled[g.first:g.last] {
		gates = append(gates, int32(i))
	}
	top := len(n.layers) - 1
	g.stages[top].gates = gates
	for l := top; l > 0; l-- {
		g.stages[l-1] = below(n, l, &g.stages[l])
	}
	for l := range g.stages {
		g.stages[l].look(n, l, sampled)
	}
}

// edge is a path on which credit flows from a reader down to a gate.
type edge struct {
	gate   int32
	reader uint32
	other  int32
	slope  [2]float64
}

// below returns the stage of layer l-1. The argument above is the stage of layer l.
func below(n *network, l int, above *stage) stage {
	var edges []edge
	readers := make([]int32, n.m.Width)
	for u, i := range above.gates {
		n.edges(l, int(i), func(parent int, s [2]float64, bits int) {
			edges = append(edges, edge{int32(parent), uint32(u), int32(bits), s})
			readers[parent]++
		})
	}
	var t stage
	t.number(edges, readers)
	t.place(edges, readers)
	return t
}

// number assigns a row to each gate that has readers, and counts the edges of the rows.
func (t *stage) number(edges []edge, readers []int32) {
	seen := make([]bool, len(readers))
	for _, e := range edges {
		if !seen[e.gate] {
			seen[e.gate] = true
			t.gates = append(t.gates, e.gate)
		}
	}
	slices.SortStableFunc(t.gates, func(i, j int32) int { return cmp.Compare(readers[i], readers[j]) })
	t.start = make([]uint32, len(t.gates)+1)
	for r, i := range t.gates {
		t.start[r+1] = t.start[r] + uint32(readers[i])
	}
}

// place stores the edges row by row. It keeps the order of edges within a row.
func (t *stage) place(edges []edge, next []int32) {
	for r, i := range t.gates {
		next[i] = int32(t.start[r])
	}
	t.reader, t.other = make([]uint32, len(edges)), make([]int32, len(edges))
	t.slope, t.chosen = make([][2]float64, len(edges)), make([]float64, len(edges))
	for _, e := range edges {
		at := next[e.gate]
		next[e.gate]++
		t.reader[at], t.other[at], t.slope[at] = e.reader, e.other, e.slope
	}
}

// look finds the sampled gates that have a row in a stage.
func (t *stage) look(n *network, l int, sampled []int) {
	rows := make(map[int32]int, len(t.gates))
	for r, i := range t.gates {
		rows[i] = r
	}
	for k, i := range sampled {
		if r, ok := rows[int32(i)]; ok {
			t.looks = append(t.looks, look{row: r, sampled: k, a: n.row(l, i, 0), b: n.row(l, i, 1)})
		}
	}
}

// choose sets, for a sample, the chosen slopes of edges and the patterns of sampled gates.
func (t *stage) choose(n *network, sample int) {
	for e, other := range t.other {
		t.chosen[e] = t.slope[e][n.bit(int(other), sample)]
	}
	for i := range t.looks {
		k := &t.looks[i]
		k.pattern = uint8(n.bit(k.a, sample)<<1 | n.bit(k.b, sample))
	}
}
