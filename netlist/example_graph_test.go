package netlist_test

import (
	"fmt"
	"log"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/graph/traverse"

	"ialgn/netlist"
)

// twoChains is a netlist with one class that counts two gates. The deeper gate is reached through two other gates.
const twoChains = `ialgn netlist 1
name two
input x word 1
  2 3 4
cells
  5 = function(0x8) 2 3
  6 = function(0x1) 5
  7 = function(0x6) 6 4
  8 = function(0xe) 2 4
  9 = popcount 7 8
output count word 2
  9 10
end
`

func parsed(text string) *netlist.Netlist {
	n, err := netlist.ParseText("two.netlist", strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	return n
}

// This example finds the cone of a cell, that is, everything that the cell depends on, with gonum's search.
func ExampleGraph_cone() {
	g := netlist.NewGraph(parsed(twoChains))
	var cone []string
	search := traverse.DepthFirst{Visit: func(v graph.Node) { cone = append(cone, v.(netlist.Node).DOTID()) }}
	search.Walk(netlist.Backwards{Graph: g}, g.CellNode(1), nil)
	slices.Sort(cone)
	fmt.Println(cone)
	// Output:
	// [c0 c1 in_x]
}

// This example finds the deepest path from the inputs to the count. It uses gonum to find the shortest path, with
// negated levels as weights.
func ExampleLevels() {
	g := netlist.NewLevels(parsed(twoChains))
	all, _ := path.BellmanFordFrom(g.InputNode(0), g)
	way, levels := all.To(g.OutputNode(0).ID())
	for _, v := range way {
		fmt.Print(v.(netlist.Node).DOTID(), " ")
	}
	fmt.Println(-levels, "levels")
	// Output:
	// in_x c0 c1 c2 c4 out_count 4 levels
}

// This example finds the dominators of a cell. Every path from the inputs to the cell goes through all dominators, so
// a fault in any dominator can corrupt the cell completely.
func ExampleGraph_dominators() {
	g := netlist.NewGraph(parsed(twoChains))
	tree := flow.Dominators(g.InputNode(0), g)
	for v := tree.DominatorOf(g.OutputNode(0).ID()); v != nil; v = tree.DominatorOf(v.ID()) {
		fmt.Println(v.(netlist.Node).DOTID())
	}
	// Output:
	// c4
	// in_x
}

// This example uses gonum to order drivers before readers. A netlist's own cell order has the same property.
func ExampleGraph_order() {
	order, err := topo.Sort(netlist.NewGraph(parsed(twoChains)))
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range order {
		fmt.Print(v.(netlist.Node).DOTID(), " ")
	}
	// Output:
	// in_x c3 c0 c1 c2 c4 out_count
}
