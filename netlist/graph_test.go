package netlist_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

func ids(it graph.Nodes) []int64 {
	var s []int64
	for it.Next() {
		s = append(s, it.Node().ID())
	}
	return s
}

func sorted(s []int64) []int64 { slices.Sort(s); return s }

// TestGraph compares a Graph, node by node, with gonum's own graph, which [naive] builds from all pins.
func TestGraph(t *testing.T) {
	for seed := range uint64(40) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Registers: seed%2 == 1})
		g, want := netlist.NewGraph(n), naive(n)
		if diff := cmp.Diff(sorted(ids(want.Nodes())), ids(g.Nodes())); diff != "" {
			t.Fatalf("seed %d: nodes (-want +got):\n%s", seed, diff)
		}
		for u := range int64(g.Len()) {
			if diff := cmp.Diff(sorted(ids(want.From(u))), ids(g.From(u))); diff != "" {
				t.Fatalf("seed %d: from %d (-want +got):\n%s", seed, u, diff)
			}
			if diff := cmp.Diff(sorted(ids(want.To(u))), ids(g.To(u))); diff != "" {
				t.Fatalf("seed %d: to %d (-want +got):\n%s", seed, u, diff)
			}
			for v := range int64(g.Len()) {
				checkEdge(t, g, want, u, v)
			}
		}
	}
}

// naive builds the graph from every pin, without the search for drivers.
func naive(n *netlist.Netlist) *simple.DirectedGraph {
	g := simple.NewDirectedGraph()
	driver := map[netlist.Net]int64{}
	add := func(id int64, nets []netlist.Net) {
		g.AddNode(simple.Node(id))
		for _, v := range nets {
			driver[v] = id
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		add(int64(c), netlist.Word(n.Output(c), n.Outputs(c)))
	}
	id := int64(n.Cells())
	for _, p := range n.InputPorts() {
		add(id, p.Nets)
		id++
	}
	read := func(id int64, nets []netlist.Net) {
		for _, v := range nets {
			if d, ok := driver[v]; ok {
				g.SetEdge(simple.Edge{F: simple.Node(d), T: simple.Node(id)})
			}
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		read(int64(c), n.Inputs(c))
	}
	for _, p := range n.OutputPorts() {
		g.AddNode(simple.Node(id))
		read(id, p.Nets)
		id++
	}
	return g
}

func checkEdge(t *testing.T, g *netlist.Graph, want *simple.DirectedGraph, u, v int64) {
	t.Helper()
	if got, want := g.HasEdgeFromTo(u, v), want.HasEdgeFromTo(u, v); got != want {
		t.Fatalf("edge from %d to %d: %v, want %v", u, v, got, want)
	}
	if got, want := g.HasEdgeBetween(u, v), want.HasEdgeBetween(u, v); got != want {
		t.Fatalf("edge between %d and %d: %v, want %v", u, v, got, want)
	}
	e := g.Edge(u, v)
	if (e != nil) != want.HasEdgeFromTo(u, v) || e != nil && (e.From().ID() != u || e.To().ID() != v ||
		e.ReversedEdge() != e) {
		t.Fatalf("edge from %d to %d: got %v", u, v, e)
	}
}

// TestGraphOutside asks for nodes that do not exist.
func TestGraphOutside(t *testing.T) {
	g := netlist.NewGraph(netgen.Netlist(1, netgen.NetlistOptions{}))
	for _, id := range []int64{-1, int64(g.Len()), 1 << 40} {
		if g.Node(id) != nil || g.From(id).Len() != 0 || g.To(id).Len() != 0 || g.Edge(id, 0) != nil ||
			g.Edge(0, id) != nil || g.HasEdgeBetween(0, id) {
			t.Errorf("node %d is there", id)
		}
	}
	it := g.Nodes()
	for it.Next() {
	}
	if it.Next() || it.Node() != nil || it.Len() != 0 {
		t.Error("the iterator goes on after its end")
	}
	if it.Reset(); it.Len() != g.Len() || !it.Next() || it.Node().ID() != 0 {
		t.Error("the iterator does not start anew")
	}
}

// TestGraphAlgorithms runs gonum's algorithms on a Graph.
func TestGraphAlgorithms(t *testing.T) {
	f := netgen.Frozen(1, netgen.FrozenOptions{Depth: 7})
	n, err := freeze.Network(f, netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	g := netlist.NewGraph(n)
	order, err := topo.Sort(g)
	if err != nil {
		t.Fatal(err)
	}
	place := map[int64]int{}
	for i, v := range order {
		place[v.ID()] = i
	}
	for _, v := range order {
		for _, to := range ids(g.From(v.ID())) {
			if place[to] < place[v.ID()] {
				t.Fatalf("node %d comes before its driver %d", to, v.ID())
			}
		}
	}
	if len(order) != g.Len() || len(topo.TarjanSCC(g)) != g.Len() {
		t.Errorf("%d of %d nodes sorted, %d components", len(order), g.Len(), len(topo.TarjanSCC(g)))
	}
	// The longest path goes along a chain and has these nodes: port, comparison, 7 gates, popcount, argmax, port. The
	// shortest path goes through an anchor of the last layer and has these nodes: port, comparison, gate, popcount,
	// argmax, port.
	all := path.DijkstraFrom(g.InputNode(0), g)
	if got := all.WeightTo(g.OutputNode(0).ID()); got != 5 {
		t.Errorf("shortest way from x to class_index has %v edges, want 5", got)
	}
}

// TestGraphDOT checks gonum's DOT encoding of a small netlist.
func TestGraphDOT(t *testing.T) {
	n, err := freeze.Network(netgen.Demo(), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	got, err := dot.Marshal(netlist.NewGraph(n), "", "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `strict digraph demo {
  // Node definitions.
  c0 [
    label="compare > 127"
    shape=box
  ];
  c1 [
    label="compare > 127"
    shape=box
  ];
  c2 [
    label="function 0x8"
    shape=ellipse
  ];
  c3 [
    label="function 0x6"
    shape=ellipse
  ];
  c4 [
    label=popcount
    shape=box
  ];
  c5 [
    label=popcount
    shape=box
  ];
  c6 [
    label="argmax 2 x 1"
    shape=box
  ];
  in_x [
    label="x[15:0]"
    shape=cds
  ];
  out_class_index [
    label="class_index[0:0]"
    shape=cds
  ];

  // Edge definitions.
  c0 -> c2;
  c0 -> c3;
  c1 -> c2;
  c1 -> c3;
  c2 -> c4;
  c3 -> c5;
  c4 -> c6;
  c5 -> c6;
  c6 -> out_class_index;
  in_x -> c0;
  in_x -> c1;
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("DOT (-want +got):\n%s", diff)
	}
}

// TestNode checks the label of every kind of node.
func TestNode(t *testing.T) {
	b := netlist.NewBuilder("n")
	x := b.Input("x", 3, 1, nil)
	p := b.Primitive(netlist.PrimitiveType{Name: "BUF", Inputs: []string{"I"}, Output: "O", Table: 2})
	b.Function(0x96, netlist.Origin{}, x...)
	b.Cell(netlist.Compare, 3, netlist.Origin{}, x...)
	b.Cell(netlist.Counter, 0, netlist.Origin{}, x...)
	b.Cell(netlist.Argmax, 1, netlist.Origin{}, x...)
	b.Cell(netlist.Argmax, netlist.ArgmaxParam(3, 2), netlist.Origin{}, x...)
	b.Cell(netlist.Carry, 0, netlist.Origin{}, x...)
	b.Cell(netlist.Register, 0, netlist.Origin{}, x[0])
	b.Cell(netlist.Primitive, p, netlist.Origin{}, x[0])
	b.Output("y", 1, nil, x[:1])
	g := netlist.NewGraph(b.Netlist())
	var got []string
	for id := range int64(g.Len()) {
		v := g.Node(id).(netlist.Node)
		_, isCell := v.Cell()
		port, output, isPort := v.Port()
		got = append(got, fmt.Sprintln(v.DOTID(), v.Label(), isCell, isPort, output, port.Name))
	}
	want := []string{
		"c0 function 0x96 true false false \n",
		"c1 compare > 3 true false false \n",
		"c2 counter true false false \n",
		"c3 argmax 3 x 1 true false false \n",
		"c4 argmax 1 x 3, margin 2 true false false \n",
		"c5 carry true false false \n",
		"c6 register true false false \n",
		"c7 primitive BUF true false false \n",
		"in_x x[2:0] false true false x\n",
		"out_y y[0:0] false true true y\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if g.CellNode(2) != g.Node(2) || g.InputNode(0) != g.Node(8) || g.OutputNode(0) != g.Node(9) {
		t.Error("a node is not under its ID")
	}
}
