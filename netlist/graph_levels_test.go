package netlist_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"ialgn/internal/diagnose"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestLevels compares the effective depth of each gate with the longest path that gonum finds to the gate. The path
// begins at the inputs or at a gate that depends on nothing. gonum finds it as the shortest path with negated levels
// as weights.
func TestLevels(t *testing.T) {
	for seed := range uint64(6) {
		f := netgen.Frozen(seed, netgen.FrozenOptions{Width: 24, Depth: 9, Features: 6, ShareA: 0.3, ShareBinary: 0.4})
		n, err := freeze.Network(f, netlist.Gates)
		if err != nil {
			t.Fatal(err)
		}
		g := netlist.NewLevels(n)
		ways, ok := path.BellmanFordFrom(simple.Node(sourceID), weighted(t, g))
		if !ok {
			t.Fatal("a cycle of negative weight")
		}
		for l, want := range diagnose.EffectiveDepth(f) {
			deepest, sum := 0.0, 0.0
			for i := range f.Width {
				depth := -ways.WeightTo(int64(l*f.Width + i))
				deepest, sum = max(deepest, depth), sum+depth
			}
			if deepest != want.Max || math.Abs(sum/float64(f.Width)-want.Mean) > 1e-9 {
				t.Errorf("seed %d, layer %d: gonum's depths are %v at most, %v in the mean; ours %v and %v", seed, l+1, deepest,
					sum/float64(f.Width), want.Max, want.Mean)
			}
		}
	}
}

// sourceID is a node that leads to all inputs and all constant gates.
const sourceID = -2

// weighted returns gonum's own graph with the weights of g and an added source node for the search.
func weighted(t *testing.T, g netlist.Levels) *simple.WeightedDirectedGraph {
	t.Helper()
	w := simple.NewWeightedDirectedGraph(0, math.Inf(1))
	add := func(from, to int64, weight float64) {
		w.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(from), T: simple.Node(to), W: weight})
	}
	for v := range int64(g.Len()) {
		depends := false
		for _, u := range ids(g.To(v)) {
			weight, ok := g.Weight(u, v)
			if !ok {
				t.Fatalf("no weight from %d to %d", u, v)
			}
			if depends = depends || !math.IsInf(weight, 1); !math.IsInf(weight, 1) {
				add(u, v, weight)
			}
		}
		if !depends {
			add(sourceID, v, 0)
		}
	}
	return w
}

// TestLevelsWeights checks the weight of a missing edge, and weights of edges to every kind of cell.
func TestLevelsWeights(t *testing.T) {
	b := netlist.NewBuilder("weights")
	x := b.Input("x", 3, 1, nil)
	pass := b.Function(0b1100, netlist.Origin{}, x[0], x[1]) // passes on the second pin
	not := b.Function(0b01, netlist.Origin{}, pass)
	count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, not, x[2]), 2)
	b.Output("y", 1, nil, count)
	g := netlist.NewLevels(b.Netlist())
	in, out := g.InputNode(0).ID(), g.OutputNode(0).ID()
	for _, c := range []struct {
		from, to int64
		want     float64
		ok       bool
	}{
		{0, 0, 0, true},
		{in, 0, 0, true},
		{0, 1, -1, true},
		{1, 2, -1, true},
		{in, 2, -1, true},
		{2, out, 0, true},
		{in, 1, math.Inf(1), false},
		{0, in, math.Inf(1), false},
		{99, 0, math.Inf(1), false},
	} {
		if got, ok := g.Weight(c.from, c.to); got != c.want || ok != c.ok {
			t.Errorf("from %d to %d: %v, %v, want %v, %v", c.from, c.to, got, ok, c.want, c.ok)
		}
	}
}
